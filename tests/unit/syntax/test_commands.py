"""Command lines are read as a shell reads them, word for word, and nothing is run or looked up."""

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.syntax.commands import parts, read
from chartgen.syntax.text import Comment, ReadOptions, TextPart
from tests.support.command_line import Typist


def commands(text: str, program: str = "", **defines: str) -> list[Any]:
    return [
        document.data["words"]
        for document in read(text.encode(), "run.sh", ReadOptions(defines, program))
    ]


def words(text: str, **defines: str) -> list[str]:
    (command,) = commands(text, **defines)
    return list(command)


def parse(text: str, **defines: str) -> Document:
    (document,) = read(text.encode(), "run.sh", ReadOptions(defines))
    return document


def refusals(text: str, program: str = "", **defines: str) -> list[str]:
    with pytest.raises(InputError) as error:
        read(text.encode(), "run.sh", ReadOptions(defines, program))
    return [
        f"{problem.mark}: {problem.message} ({problem.rule})" for problem in error.value.problems
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b  c\td", ["a", "b", "c", "d"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a b'c d'e\"f\"", ["a", "bc def"]),
        ("a '' \"\"", ["a", "", ""]),
        (r"a b\ c \"d\" \\", ["a", "b c", '"d"', "\\"]),
        (r'a "b\"c\$d\\e\f"', ["a", r'b"c$d\e\f']),
        ("a '${X}' '\\'", ["a", "${X}", "\\"]),
        ("a b#c # d 'e", ["a", "b#c"]),
        ("a $ b$ $=", ["a", "$", "b$", "$="]),
        ("a *.csv {b,c} ~/d", ["a", "*.csv", "{b,c}", "~/d"]),
        ("a -Dx=hdfs://n:1/p?q=1,2", ["a", "-Dx=hdfs://n:1/p?q=1,2"]),
        ("a\r\n", ["a"]),
        ("é 'ü ß'", ["é", "ü ß"]),
    ],
)
def test_words_are_what_a_shell_makes_of_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_backslash_continues_in_the_next_line() -> None:
    """Also inside a word, which it joins; one at the very end is superfluous and does no harm."""
    assert words("a -D1 \\\n  -D2\\\n  -D3\\\r\nx \\\n\n") == ["a", "-D1", "-D2", "-D3x"]
    assert words("a b \\") == ["a", "b"]
    assert words('a "b\\\nc"') == ["a", "bc"]


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=8),
        min_size=1,
        max_size=5,
    )
)
def test_what_python_quotes_for_a_shell_comes_back(given: list[str]) -> None:
    assert words(shlex.join(["program", *given])) == ["program", *given]


def test_variables_are_filled_by_what_is_defined() -> None:
    assert words("a ${X} $X-$Y \"$X\" '$X' \\$X", X="1", Y="2") == [
        "a",
        "1",
        "1-2",
        "1",
        "$X",
        "$X",
    ]


def test_a_variable_is_split_where_a_shell_splits_it() -> None:
    assert words('a $X b${X}c "$X" $E"$E" $E', X="1  2", E="") == [
        "a",
        "1",
        "2",
        "b1",
        "2c",
        "1  2",
        "",
    ]


def test_a_variable_may_have_a_default() -> None:
    assert words("a ${X:-1} ${X-2} ${E:-3} ${E-4}x", E="") == ["a", "1", "2", "3", "x"]


@pytest.mark.parametrize(
    ("text", "place"), [("a \\ \n b", (1, 3)), ("a b\\\t\n c", (1, 4)), ("a\u00a0b", (1, 2))]
)
def test_blanks_that_a_shell_misreads_are_read_as_meant(text: str, place: tuple[int, int]) -> None:
    """After the backslash at the end of a line, and no-break spaces; with a warning."""
    (document,) = read(text.encode(), "run.sh")
    assert document.data["words"] == text.replace("\\", " ").split()
    (warning,) = document.problems
    assert (warning.severity, warning.mark[1:]) == ("warning", place)


def test_the_environment_is_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA", "/data")
    assert refusals("a $DATA \\\n  -x=${DATA}") == [
        "run.sh:1:3: DATA has no value; it is not read from the environment (shell-undefined)",
    ]


def test_a_script_may_assign_what_it_uses() -> None:
    """With or without export, in order; --define on the command line wins."""
    script = 'A=1\nexport B="$A 2" C=$A\n$ D=4; cmd "$A" "$B" $C $D\n'
    assert words(script) == ["cmd", "1", "1 2", "1", "4"]
    assert words(script, A="9") == ["cmd", "9", "9 2", "9", "4"]


def test_what_is_wrong_with_a_variable_is_reported_where_it_is_used() -> None:
    """A script may set variables that the command does not use."""
    assert words("P=$PATH:/x\nQ=$(date)\ncmd") == ["cmd"]
    assert [text.partition(": ")[0] for text in refusals("P=$PATH:/x\ncmd $P")] == ["run.sh:1:3"]


def test_assignments_before_a_command_are_its_environment() -> None:
    document = parse('A=1 B="2 3" cmd A=4')
    assert document.data == {"words": ["cmd", "A=4"], "env": {"A": "1", "B": "2 3"}}
    assert [str(document.mark(("env", "B"), key=key)) for key in (True, False)] == [
        "run.sh:1:5",
        "run.sh:1:8",
    ]


def test_the_directory_of_a_program_need_not_be_known() -> None:
    assert words("$HOME/bin/submit x") == ["$HOME/bin/submit", "x"]
    assert commands("nohup $HOME/bin/submit x", "submit$|submit ") == [
        ["nohup", "$HOME/bin/submit", "x"]
    ]
    assert refusals("bin/$NAME x")


def test_every_character_has_a_place() -> None:
    """So that a problem can point after the '=' of an argument, whatever quotes are around it."""
    document = parse("run \\\n  -Da='b c' \"$X\"\n", X="12")
    places = [
        ((), False),
        (("words", 1), True),
        (("words", 1, 4), False),
        (("words", 1, 4), True),
        (("words", 2), False),
    ]
    marks = [str(document.mark(path, key=key)) for path, key in places]
    assert marks == ["run.sh:1:1", "run.sh:2:3", "run.sh:2:8", "run.sh:2:3", "run.sh:2:13"]
    assert str(document.mark(("words", 2, 1))) == "run.sh:2:14", (
        "a character of a variable is where the variable is"
    )


def test_places_are_right_in_the_words_that_follow() -> None:
    document = parse("run --key   'value'")
    assert str(document.mark(("words", 1, len("--key") + 1))) == "run.sh:1:13"
    assert str(document.mark(("words", 1, 99))) == "run.sh:1:20"
    assert str(document.mark(("words", 9))) == "run.sh:1:1"


def test_a_script_may_do_more_than_run_one_program() -> None:
    """Other commands are ignored, with anything wrong in them."""
    script = """#!/bin/bash
set -e
cd "$SOMEWHERE" && mkdir -p out
echo "starting $(date)"
(nohup bin/submit -a 1 > log 2>&1 < /dev/null &)
submit -b 2 | tee log || exit 1
"""
    assert commands(script, r"(^|[ /])submit( |$)") == [
        ["nohup", "bin/submit", "-a", "1"],
        ["submit", "-b", "2"],
    ]


def test_all_commands_are_returned_if_none_is_the_wanted_one() -> None:
    assert commands("a\nb", "c") == [["a"], ["b"]]


def test_a_prompt_is_not_a_word() -> None:
    assert commands("$ a b \\\n>   c\n% d") == [["a", "b", "c"], ["d"]]


def test_a_placeholder_is_a_word() -> None:
    """To a shell it is a redirection; in a manual it says what to write there."""
    assert words("a -Dm=<api_server_url> <b> c<d >e") == ["a", "-Dm=<api_server_url>", "<b>", "c"]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("a 'b", "1:3: this quote is never closed (file-syntax)"),
        ('a "b\n', "1:3: this quote is never closed (file-syntax)"),
        ("a $(b (c)) d", "1:3: a command inside a command is not run; expected its result"
                         " (shell-unsupported)"),
        ("a x`b`", "1:4: a command inside a command is not run; expected its result"
                   " (shell-unsupported)"),
        ("a ${b%c}", "1:3: '${b%c}' is not supported; expected a name, as in ${NAME}"
                     " (shell-unsupported)"),
        ('a "$@"', "1:4: '$@' is known only to a running shell; expected its value"
                   " (shell-unsupported)"),
        ("a <<E\nb\nE", "1:3: a here-document ('<<') is not read; expected the command line alone"
                        " (shell-unsupported)"),
        ("a f(1)", "1:4: a '(' is not allowed here; expected quotes around it (file-syntax)"),
        ("a )", "1:3: a ')' is not allowed here; expected quotes around it (file-syntax)"),
        ("a >\n", "1:3: nothing follows '>'; expected a file, or quotes around it (file-syntax)"),
        ("a \\\n# b\n-c d", "3:1: '-c' is not a command; the one before it ends on line 1"
                            " (shell-continuation)"),
        ("# a", "1:1: there is no command in this text; expected a command line (file-empty)"),
        ("a\x07", "1:2: the character U+0007 is not allowed; expected printable text,"
                  " tabs and line breaks (file-control-character)"),
    ],
)  # fmt: skip
def test_what_only_a_shell_could_know_is_refused(text: str, refusal: str) -> None:
    assert refusals(text)[0] == f"run.sh:{refusal}"


@pytest.mark.parametrize(
    "script", ["if b; then a; fi", "for i in 1 2; do a; done", "while b\ndo\na\ndone"]
)
def test_a_command_that_may_not_run_is_refused(script: str) -> None:
    assert refusals(script, "^a")[0].endswith("expected the command line alone (shell-unsupported)")


def test_comments_are_found_except_the_first_line_of_a_script() -> None:
    text = "#!/bin/sh\n# one\na 'b # c' \\\n  d#e # two\n"
    assert parts(text) == [
        TextPart(0, [Comment(2, 1, "# one", True), Comment(4, 7, "# two", False)])
    ]


def test_a_defined_value_is_checked_where_it_is_used() -> None:
    assert words("a", X="\x07") == ["a"]
    assert refusals("a $X", X="\x07")[0].startswith(
        "run.sh:1:3: in the value of X: the character U+0007 is not allowed"
    )


def test_all_problems_are_reported() -> None:
    assert len(refusals("a $X ${Y} $(z) 'b")) == 4


@pytest.mark.parametrize("command", ["validate", "convert", "render -o -"])
@pytest.mark.parametrize("word", ["X", "=1", "1X=2", "a b=c"])
def test_a_definition_has_a_name_and_a_value(typed: Typist, command: str, word: str) -> None:
    done = typed(*command.split(), "x.yaml", "--define", word)
    assert done.code == 2
    shown = f"{word.partition('=')[0]}=..." if "=" in word else "..."
    assert f"--define {shown}: expected NAME=VALUE, as in --define DATA=/mnt/data" in done.err
