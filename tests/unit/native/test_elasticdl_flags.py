"""native.elasticdl.flags: flags are read as argparse reads them.

What argparse silently ignores is reported.
"""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from hypothesis import given
from hypothesis import strategies as st

from chartgen.document import Document
from chartgen.errors import Mark, Problem
from chartgen.native.elasticdl import flags
from chartgen.native.elasticdl.flags import Flag, Known

KNOWN = ("job_name", "num_workers", "num_epochs", "model_def", "model_class", "loss")
EXACT = ("loss_scale", "envs")


def read(words: Sequence[str], known: Known) -> list[Flag | Problem]:
    """Each word's place is its own column, from 0."""
    source = Document("x", {"words": words}, lambda path, key: Mark("x", 1, int(path[1])))
    return list(flags.read(source, 0, known))


def parse(*words: str) -> list[Flag | Problem]:
    return read(words, Known(KNOWN, EXACT))


def values(*words: str) -> dict[str, str]:
    return {item.name: item.value for item in parse(*words) if isinstance(item, Flag)}


def reports(*words: str) -> list[tuple[Any, str, str]]:
    return [
        (item.mark.column, item.rule, item.hint)
        for item in parse(*words)
        if isinstance(item, Problem)
    ]


def is_error(item: Flag | Problem) -> bool:
    return isinstance(item, Problem) and item.severity == "error"


def test_a_value_follows_an_equals_sign_or_is_the_next_word() -> None:
    first, second = parse("--job_name=a=b", "--loss", "c")
    assert first == Flag("job_name", "a=b", ("words", 0), ("words", 0, 11))
    assert second == Flag("loss", "c", ("words", 1), ("words", 2))


def test_a_flag_may_be_abbreviated_if_that_is_unambiguous() -> None:
    assert values("--job=a", "--num_w", "3") == {"job_name": "a", "num_workers": "3"}
    assert reports("--job=a", "--num_w", "3") == [
        (0, "elasticdl-flag-short", "write --job_name"),
        (1, "elasticdl-flag-short", "write --num_workers"),
    ]
    assert all(item.severity == "warning" for item in parse("--job=a") if isinstance(item, Problem))


def test_an_ambiguous_abbreviation_is_a_problem() -> None:
    (item,) = parse("--model=a")
    assert isinstance(item, Problem)
    assert item.message == "--model is ambiguous; expected --model_def or --model_class"
    assert item.severity == "error"


def test_a_flag_the_parser_never_knew_cannot_be_abbreviated() -> None:
    """argparse does not know --loss_scale, so --loss_s is unknown; and --loss is --loss itself."""
    assert values("--loss=1", "--envs=A=1") == {"loss": "1", "envs": "A=1"}
    assert reports("--loss_s=1") == [(0, "elasticdl-flag-unknown", "did you mean --loss?")]


def test_what_argparse_silently_ignores_is_a_problem() -> None:
    assert reports("train", "--num_worker=2", "-loss=1", "--what", "ever", "--") == [
        (0, "elasticdl-flag-unknown", ""),
        (1, "elasticdl-flag-short", "write --num_workers"),
        (2, "elasticdl-flag-unknown", "did you mean --loss?"),
        (3, "elasticdl-flag-unknown", ""),
        (5, "elasticdl-flag-unknown", ""),
    ]


def test_a_flag_needs_a_value() -> None:
    assert reports("--job_name", "--loss=1", "--num_epochs") == [
        (0, "elasticdl-flag-no-value", ""),
        (2, "elasticdl-flag-no-value", ""),
    ]
    assert values("--num_epochs", "-5", "--loss", "-", "--job_name", "-a b") == {
        "num_epochs": "-5",
        "loss": "-",
        "job_name": "-a b",
    }


class Parser(argparse.ArgumentParser):
    """Python's own parser, which raises what it would print."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


WORDS = [f"--{name}" for name in KNOWN] + [
    "--num",
    "--num_e",
    "--j",
    "--model_d",
    "--other",
    "-x",
    "--loss_scale",
]
VALUES = ["a", "-1", "-1.5", "two words", "-two words", "=", "", "-", "x=y", "1"]
words = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(WORDS), st.sampled_from(VALUES)),
)


@given(st.lists(words, max_size=6))
def test_flags_are_read_as_argparse_reads_them(line: list[str]) -> None:
    """Every value, every error, and everything it ignores."""
    parser = Parser(add_help=False)
    for name in KNOWN:
        parser.add_argument(f"--{name}")
    try:
        expected, rest = parser.parse_known_args(line)
    except ValueError:
        assert any(is_error(item) for item in read(line, Known(KNOWN)))
        return
    ours = read(line, Known(KNOWN))
    last = {item.name: item.value for item in ours if isinstance(item, Flag)}
    assert last == {name: value for name, value in vars(expected).items() if value is not None}
    assert bool(rest) == any(is_error(item) for item in ours)
