"""The sandbox of people's templates: what it bounds, and the lines that it names."""

from typing import Any

import pytest

from chartgen.errors import InputError, Problem
from chartgen.scaffold import sandbox
from chartgen.scaffold.printing import PrintedText, print_template
from chartgen.scaffold.sandbox import TemplateBudget, TemplateSet

GROWING = """\
<% set ns = namespace(x="x") %>
<% for i in range(99) %><% set ns.x = ns.x OPERATOR ns.x %><% endfor %>
"""
BRANCHING = """\
<% macro m(n) %><% if n %><%= m(n - 1) %><%= m(n - 1) %><% endif %><% endmacro %>
<%= m(60) %>
"""


def run(text: str, others: dict[str, str] | None = None, **context: Any) -> PrintedText:
    texts = {"main": text, **(others or {})}
    return print_template(
        "main", TemplateSet(texts, lambda name: f"kit/{name}", context, TemplateBudget("it"))
    )


def refused(text: str, others: dict[str, str] | None = None, **context: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        run(text, others, **context)
    (problem,) = caught.value.problems
    return problem


def test_every_printed_line_knows_where_it_comes_from() -> None:
    text = "a\n<% for i in range(2) %>\nb<%= i %>\nc\n<% endfor %>\n<%# no %>\n\nd<%= x %>e\n"
    done = run(text, x="1\n2")
    assert done.text == "a\nb0\nc\nb1\nc\n\nd1\n2e\n"
    assert [line.number for line in done.lines] == [1, 3, 4, 3, 4, 7, 8, 8, 9]
    assert done.mark(4) == ("kit/main", 3, 1)
    assert done.mark(99) == ("kit/main", 9, 1)


def test_an_included_line_comes_from_its_own_file_and_a_macro_from_its_call() -> None:
    done = run(
        "<% macro m() %>\nx\n<% endmacro %>\n<% include 'b' %>\n<%= m() %>", {"b": "\n\nhere\n"}
    )
    named = [(line.file, line.number) for line in done.lines]
    assert ("kit/b", 3) in named
    assert ("kit/main", 5) in named


@pytest.mark.parametrize(
    "text",
    [
        "<%= 'x' * 1000000000 %>",
        "<%= [1] * 1000000000 %>",
        "<%= 10 ** 100000000 %>",
        "<%= 9 ** 1000 * 9 ** 1000 %>",
        GROWING.replace("OPERATOR", "~"),
        GROWING.replace("OPERATOR", "+"),
        "<% set x %><% for i in range(99999) %><%= big %><% endfor %><% endset %>",
        "<% macro m() %><% for i in range(99999) %><%= big %><% endfor %><% endmacro %><%= m() %>",
        "<%= big | replace('x', big) %>",
        "<%= range(99999) | join(big) %>",
        "<% for i in range(99999) %>\nabcdefghijklmnopqrstuvwxyz\n<% endfor %>",
    ],
)
def test_a_template_that_makes_too_much_is_stopped_before_it_does(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 600)  # however busy the machine is
    assert refused(text, big="x" * 2**18).rule == "template-too-large"


@pytest.mark.parametrize(
    "text",
    ["<% for i in range(99999) %><% for j in range(99999) %><% endfor %><% endfor %>", BRANCHING],
)
def test_a_template_that_takes_too_long_is_stopped(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "SECONDS", 0)
    assert refused(text).rule == "template-too-slow"


@pytest.mark.parametrize(
    "text",
    [
        "<%= ''.__class__ %>",
        "<%= 'x'.ljust(9) %>",
        "<%= '{:9}'.format(1) %>",
        "<%= [].append(1) %>",
        "<%= {}.update({}) %>",
        "<%= run.__globals__ %>",
    ],
)
def test_what_is_not_given_cannot_be_reached(text: str) -> None:
    assert refused(text, run=run).rule == "template-unsafe"


def test_a_text_is_not_formatted_and_a_list_is_not_printed() -> None:
    assert refused("<%= '%9d' % 1 %>").rule == "template-failed"
    assert "a list cannot be printed" in refused("<%= [1] %>").message


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("\n<% include 'main' %>", {}),
        ("\n<% include 'b' %>", {"b": "<% extends 'c' %>", "c": "<% import 'b' as b %>"}),
        ("\n<% set n = 'main' %><% include n %>", {}),
        ("\n<% macro m() %><%= m() %><% endmacro %>\n<%= m() %>", {}),
    ],
)
def test_a_template_that_includes_or_calls_itself_is_refused(
    text: str, others: dict[str, str]
) -> None:
    assert refused(text, others).rule == "template-recursion"


def test_nothing_but_the_given_templates_is_read() -> None:
    problem = refused("a\n<% include '/etc/passwd' %>")
    assert (problem.mark.line, problem.rule) == (2, "template-missing")


def test_mappings_have_their_few_methods() -> None:
    assert run("<% for k, v in x.items() %><%= k %><%= v %><% endfor %>", x={"a": 1}).text == "a1"
