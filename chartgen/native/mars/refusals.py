"""What is refused in a call of `new_cluster`, what Mars made of it, and hints written in Python."""

import re
from collections.abc import Iterator

from chartgen import schema
from chartgen.document import Document
from chartgen.errors import Mark, Problem
from chartgen.native.mars.dialects import Dialect
from chartgen.native.schemas import native_schema
from chartgen.schema.walk import types
from chartgen.startup.typing import Any

# Only the memory of workers was limited.
UNUSED_RATIOS = tuple(f"{role}_mem_limit_ratio" for role in ("scheduler", "supervisor", "web"))

_TWO = "sessions have been seen to hang in a cluster with two"
_NO_REPLICAS = {
    "scheduler_num": "workers would wait forever",
    "web_num": "Mars failed at the very end, when it looked for one",
    "min_worker_num": "Mars took 0 for all workers",
}


def check(document: Document) -> list[Problem]:
    """What the schema refuses; where Mars accepted it, with what became of it there."""
    remarks = dict(_remarks(document))
    problems = []
    for problem in schema.check(document, native_schema("mars")):
        reason, hint = remarks.get(problem.mark, ("", ""))
        message = f"{problem.message}; {reason}" if reason else problem.message
        problems.append(problem._replace(message=message, hint=hint or problem.hint))
    return problems


def check_pairs(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Mars needs both the CPUs and the memory of a role, or neither."""
    for role in dialect.roles:
        pair = (f"{role}_cpu", f"{role}_mem")
        for name, other in (pair, pair[::-1]):
            if document.data.get(name) and not document.data.get(other):
                message = (
                    f"{name} is given without {other}; "
                    "expected both or neither, because Mars fails on one alone"
                )
                hint = f"write {other}, too"
                yield document.problem((name,), message, "mars-cpu-and-memory", hint, key=True)


def _remarks(document: Document) -> Iterator[tuple[Mark, tuple[str, str]]]:
    """A reason and a hint for each argument, by its place, in case the schema refuses it."""
    known = native_schema("mars")["properties"]
    for keyword, value in document.data.items():
        if keyword in known:
            yield document.mark((keyword,)), (_reason(keyword, value), _hint(keyword, value))
        else:
            yield document.mark((keyword,), key=True), ("Mars ignored it", "")


def _hint(keyword: str, value: Any) -> str:
    """A hint in place of the schema's own, which is written for YAML."""
    if not isinstance(value, str):
        return ""
    if types(schema.at(native_schema("mars"), (keyword,)) or {}) == ["array"]:
        return f"write a list: {[value] if value.startswith('/') else value.split()}"
    if keyword.endswith("_mem") and value.strip().endswith("%"):
        return "write a size, such as 8g"
    return ""


def _reason(keyword: str, value: Any) -> str:
    """Why a value is refused that Mars accepted at first."""
    is_text = isinstance(value, str)
    if keyword == "worker_spill_paths" and is_text:
        return "Mars read text letter by letter, and mounted a host directory for each letter"
    if keyword.endswith("_cpu") and is_text:
        return "Mars repeated the text a thousand times"
    if keyword.endswith("cache_mem"):
        return "Mars passed it on, and no worker started" if is_text else "a number means bytes"
    if keyword.endswith("_mem") and is_text:
        return _size_reason(value)
    if keyword == "supervisor_num":
        return _TWO
    if keyword.endswith("_num") and value == 0:
        return _NO_REPLICAS.get(keyword, "")
    if keyword == "service_type":
        return "Mars found out only when everything else was running"
    return ""


def _size_reason(text: str) -> str:
    """What Mars made of text that is not a size of memory."""
    if text.strip().endswith("%"):
        return "only the cache can be a percentage of the memory"
    if re.match(r"\s*[0-9.]+ ?[kmgtKMGT]", text):
        return "Mars looked only at the first letter of a unit"
    return ""
