"""Clear words for what PyYAML says about a text that it cannot read, and the best place to show it."""

import re
from typing import Any

# What PyYAML says, with libyaml or without, and what we say; {start} is the line where the thing around it starts.
_SYNTAX = {
    r"unexpected (?:end of stream|document)": "this quote is never closed",
    r"could not find expected ':'": "this line has no ':'; expected 'key: value'",
    r"expected ',' or .* at the end": "this bracket is never closed",
    r"expected ',' or '(.)'": "expected ',' or '{0}' in what is opened in line {start}",
    r"mapping values are": "a ':' cannot stand here; indent like the line before, or quote text that contains ': '",
    r"mapping keys are": "a '?' cannot stand here; quote text that starts with '?'",
    r"sequence entries are": "a list item ('- ') cannot stand here; expected it on a line of its own",
    r"expected (?:key|'-'|'?<).* inside a line": "the value ended before this; expected quotes around all of the text",
    r"expected (?:key|'-'|<block end>)": "this does not fit what starts in line {start}; expected it indented alike",
    r"<document start>": "the document ended before this; expected all keys indented alike, or a line '---' between",
    r"node content.* at the end": "the text ends before a bracket is closed",
    r"node content": "expected a value here",
    r"cannot start any token": "no value starts with this character; expected quotes around it",
    r"unknown escape": "this escape is unknown in double quotes; write '\\\\' for a backslash, or use single quotes",
    r"hexa?decimal|Unicode character|C int|chr\(\)": "this escape is no character; expected its hexadecimal digits",
    r"alphabetic or numeric": "text that starts with '*' or '&' needs quotes; expected the name of an anchor after it",
    r"line break|indentation indicator": "expected the end of the line; text after '|' or '>' starts on the next one",
    r"undefined alias": "this alias has no anchor before it; expected '&' and the name there, or quotes around text",
    r"second occurrence": "this anchor already stands in line {start}; expected another name",
    r"undefined tag": "tags are not supported; expected quotes around text that starts with '!'",
}
_WRONG_FROM_START = r"unexpected|could not find|at the end|alphabetic"


def explain(start: Any, mark: Any, problem: str, text: str) -> tuple[Any, str]:
    """Where a syntax error is best shown, and a clear word for it."""
    if text.startswith("\t", mark.index):
        return mark, "a tab cannot stand here; expected spaces, YAML does not indent with tabs"
    if not text[mark.index :].strip():
        problem += " at the end"
    elif text[: mark.index].rpartition("\n")[2].strip():
        problem += " inside a line"
    for pattern, words in _SYNTAX.items():
        if match := re.search(pattern, problem):
            place = start if start and re.search(_WRONG_FROM_START, match[0]) else mark
            return place, words.format(*match.groups(), start=(start or mark).line + 1)
    return mark, f"not YAML: {problem}"
