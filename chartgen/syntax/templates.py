"""Recognize a text that another program has yet to fill in: a Helm, Jinja or Jsonnet template."""

import re

from chartgen.errors import Mark, Problem
from chartgen.syntax.text import split_lines

_HELM = re.compile(
    r"\{\{-?\s*(?:\.(?:Values|Release|Chart|Files|Capabilities)\b|\$|\(|"
    r"(?:if|else|end|range|with|include|template|define|toYaml|default|required|quote)\b)[^}]*\}\}"
)
_JINJA = re.compile(r"\{%-?\s*\w[^%]*%\}|\{\{-?\s*\w[^{}]*\}\}")
_JSONNET = re.compile(
    r"(?m)^\s*local\s+\w+\s*=\s*(?:import\b|std\.|\{)"
    r"|\bstd\.(?:extVar|prune|assertEqual|mergePatch)\("
    r"|^//\s*@(?:param|apiVersion|optionalParam)\b"
)
_FILL = "\ue000"  # of private use
_FILLED_LINE = re.compile(rf"(?m)^[ \t]*{_FILL}+[ \t]*$")
_KINDS = (
    (
        _HELM,
        "a Helm template",
        "render it first: helm template CHART --show-only templates/FILE > job.yaml",
    ),
    (
        _JSONNET,
        "a ksonnet component or another Jsonnet program",
        "run it first: ks show ENVIRONMENT, or jsonnet -y FILE > job.yaml",
    ),
    (_JINJA, "a Jinja template", "render it first, with the program and values that it is for"),
)


def problem(text: str, file: str, *, certain: bool = False) -> Problem | None:
    """The problem with a text that is a template, if it is one.

    Braces alone may be text that a program is given; `certain` asks for more than those.
    """
    for pattern, what, hint in _KINDS:
        match = pattern.search(text)
        if match and not (certain and pattern is _JINJA and match[0].startswith("{{")):
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            before = split_lines(text[:start])
            mark = Mark(file, len(before), len(before[-1]) + 1)
            shown = match[0].strip().partition("\n")[0][:40]
            message = f"{shown!r}: this is {what}; expected the text that is made of it"
            return Problem(mark, message, "file-template", hint)
    return None


def fill_in(text: str) -> str:
    """The text with a word for what is in braces, and nothing where that is all of a line."""
    for pattern in (_HELM, _JINJA):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", _FILL, match[0]), text)
    return _FILLED_LINE.sub("", text)
