"""A clear message for what PyYAML says about a text that it cannot read, and the best place."""

import re

from chartgen.startup.typing import Any

# What PyYAML says, with libyaml or without, and what we say. {start} is the line where the value
# around the error starts.
_MESSAGES = {
    r"unexpected (?:end of stream|document)": "this quote is never closed",
    r"could not find expected ':'": "this line has no ':'; expected 'key: value'",
    r"expected ',' or .* at the end": "this bracket is never closed",
    r"expected ',' or '(.)'": "expected ',' or '{0}' for the bracket on line {start}",
    r"mapping values are": "a ':' is not allowed here; "
    "indent like the line before, or quote text that contains ': '",
    r"mapping keys are": "a '?' is not allowed here; quote text that starts with '?'",
    r"sequence entries are": "a list item ('- ') is not allowed here; "
    "expected it on a line of its own",
    r"expected (?:key|'-'|'?<).* inside a line": "the value ended before this; "
    "expected quotes around the whole text",
    r"expected (?:key|'-'|<block end>)": "this does not fit what starts on line {start}; "
    "expected the same indentation",
    r"<document start>": "the document ended before this; "
    "expected the same indentation of all keys, or a line '---' before this",
    r"node content.* at the end": "the text ends before a bracket is closed",
    r"node content": "expected a value here",
    r"cannot start any token": "a value cannot start with this character; "
    "expected quotes around it",
    r"unknown escape": "this escape is unknown in double quotes; "
    "write '\\\\' for a backslash, or use single quotes",
    r"hexa?decimal|Unicode character|C int|chr\(\)": "this escape is not a character; "
    "expected its hexadecimal digits",
    r"alphabetic or numeric": "text that starts with '*' or '&' needs quotes; "
    "expected the name of an anchor after it",
    r"line break|indentation indicator": "expected the end of the line; "
    "text after '|' or '>' starts on the next line",
    r"undefined alias": "this alias has no anchor before it; "
    "expected '&' and the name before it, or quotes around text",
    r"second occurrence": "this anchor is already defined on line {start}; expected another name",
    r"undefined tag": "tags are not supported; expected quotes around text that starts with '!'",
}
_LONG = 1_000  # characters of a key that YAML readers may not accept
_WRONG_FROM_START = r"unexpected|could not find|at the end|alphabetic"


def explain(start: Any, mark: Any, problem: str, text: str) -> tuple[Any, str]:
    """The best place to show a syntax error, and a clear message for it."""
    if text.startswith("\t", mark.index):
        return mark, "a tab is not allowed here; expected spaces, as YAML does not indent with tabs"
    if text.startswith(":", mark.index) and _ends_long_key(text[: mark.index].rstrip()):
        message = "the key before this ':' has more than 1,024 characters, which no YAML reader"
        return mark, f"{message} accepts; expected a shorter key"
    if not text[mark.index :].strip():
        problem += " at the end"
    elif text[: mark.index].rpartition("\n")[2].strip():
        problem += " inside a line"
    for pattern, message in _MESSAGES.items():
        if match := re.search(pattern, problem):
            place = start if start and re.search(_WRONG_FROM_START, match[0]) else mark
            return place, message.format(*match.groups(), start=(start or mark).line + 1)
    return mark, f"this is not YAML: {problem}"


def _ends_long_key(text: str) -> bool:
    """Whether a text ends with another one, plain or in quotes, that is too long for a key."""
    quote = text[-1:]
    if quote in ("'", '"'):
        return len(text) - text.rfind(quote, 0, -1) > _LONG
    return len(text) > _LONG and not re.search(r"[\s{}\[\],:]", text[-_LONG:])
