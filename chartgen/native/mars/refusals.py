"""What is refused in a call of `new_cluster`, with what Mars made of it, and with hints that are Python."""

import re
from collections.abc import Iterator
from typing import Any

from chartgen import schema
from chartgen.document import Document
from chartgen.errors import Mark, Problem
from chartgen.native.draft import rules
from chartgen.schema.accept import types


def check(document: Document) -> list[Problem]:
    """What the schema refuses; where Mars took it, with what became of it there."""
    remarks = dict(_remarks(document))
    return [_said(problem, *remarks.get(problem.mark, ("", ""))) for problem in schema.check(document, rules("mars"))]


def _said(problem: Problem, reason: str, hint: str) -> Problem:
    message = f"{problem.message}; {reason}" if reason else problem.message
    return problem._replace(message=message, hint=hint or problem.hint)


def _remarks(document: Document) -> Iterator[tuple[Mark, tuple[str, str]]]:
    """Where there is more to say than the schema does: a reason, and a hint in place of its own."""
    known = rules("mars")["properties"]
    for keyword, value in document.data.items():
        if keyword not in known:
            later = keyword.startswith("supervisor_")
            yield document.mark((keyword,), key=True), (_LATER if later else "Mars left it out without a word", "")
        else:
            yield document.mark((keyword,)), (_reason(keyword, value), _hint(keyword, value))


def _hint(keyword: str, value: Any) -> str:
    """How Python writes a list, where the schema's own hint is in YAML; and no part of a size that is none."""
    wanted = types(schema.at(rules("mars"), (keyword,)) or {})
    if not isinstance(value, str):
        return ""
    if wanted == ["array"]:
        return f"write a list: {[value] if value.startswith('/') else value.split()}"
    return "write a size, such as 8g" if keyword.endswith("_mem") and value.strip().endswith("%") else ""


def _reason(keyword: str, value: Any) -> str:
    """Why a value is refused that Mars took at first."""
    _, _, what = keyword.rpartition("_")
    if keyword == "worker_spill_paths" and isinstance(value, str):
        return "Mars read a text letter by letter, and mounted a directory of the machine for each"
    if what == "cpu":
        words = "Mars repeated a text a thousand times" if isinstance(value, str) else _FRACTION
        return words if isinstance(value, str | float) else ""
    if keyword.endswith("cache_mem"):
        return "Mars passed it on, and no worker started" if isinstance(value, str) else "a number is of bytes"
    if what == "mem" and isinstance(value, str):
        return _size(value)
    if what == "num" and value == 0:
        return _NONE.get(keyword, "")
    return "Mars found out when all else was running" if keyword == "service_type" else ""


def _size(text: str) -> str:
    """What Mars made of a text that is no size of memory."""
    if text.strip().endswith("%"):
        return "a part of the memory is for the cache alone"
    return "of a unit, Mars read the first letter alone" if re.match(r"\s*[0-9.]+ ?[kmgtKMGT]", text) else ""


_LATER = "it is of Mars 0.7 or later, which has no schedulers and no web service; chartgen reads calls of 0.3 to 0.6"
_FRACTION = "Mars counts its processes by it, and fails on a fraction"
_NONE = {
    "scheduler_num": "workers would wait for ever",
    "web_num": "Mars failed at the very end, when it looked for one",
    "min_worker_num": "Mars took it for all workers",
}
