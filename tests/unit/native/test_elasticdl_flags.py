"""native.flags: a command line's flags are read as argparse reads them, and what it passes over in silence is told."""

import argparse
from typing import Any, NoReturn

from hypothesis import given
from hypothesis import strategies as st

from chartgen.native.elasticdl import flags
from chartgen.native.elasticdl.flags import Flag, Remark

KNOWN = ("job_name", "num_workers", "num_epochs", "model_def", "model_class", "loss")
EXACT = ("loss_scale", "envs")


def found(*words: str) -> list[Flag | Remark]:
    return list(flags.read(words, 0, KNOWN, EXACT))


def said(*words: str) -> dict[str, str]:
    return {one.name: one.value for one in found(*words) if isinstance(one, Flag)}


def told(*words: str) -> list[tuple[Any, str, str]]:
    return [(one.at[1], one.rule, one.hint) for one in found(*words) if isinstance(one, Remark)]


def test_a_value_stands_behind_an_equals_sign_or_in_the_next_word() -> None:
    first, second = found("--job_name=a=b", "--loss", "c")
    assert first == Flag("job_name", "a=b", ("words", 0), ("words", 0, 11))
    assert second == Flag("loss", "c", ("words", 1), ("words", 2))


def test_a_flag_may_be_cut_short_where_one_alone_begins_so() -> None:
    assert said("--job=a", "--num_w", "3") == {"job_name": "a", "num_workers": "3"}
    assert told("--job=a", "--num_w", "3") == [
        (0, "short-flag", "write --job_name"),
        (1, "short-flag", "write --num_workers"),
    ]
    assert all(one.warning for one in found("--job=a") if isinstance(one, Remark))


def test_it_is_a_problem_where_several_begin_so() -> None:
    (one,) = found("--model=a")
    assert isinstance(one, Remark)
    assert one.message == "--model may be short for --model_def or --model_class; expected one of them"
    assert not one.warning


def test_what_the_parser_never_knew_cannot_be_cut_short() -> None:
    """--loss_scale is none of argparse's, so --loss_s is unknown; and --loss is --loss, not short for another."""
    assert said("--loss=1", "--envs=A=1") == {"loss": "1", "envs": "A=1"}
    assert told("--loss_s=1") == [(0, "flag", "did you mean --loss?")]


def test_what_argparse_passes_over_is_a_problem() -> None:
    assert told("train", "--num_worker=2", "-loss=1", "--what", "ever", "--") == [
        (0, "flag", ""),
        (1, "short-flag", "write --num_workers"),
        (2, "flag", "did you mean --loss?"),
        (3, "flag", ""),
        (5, "flag", ""),
    ]


def test_a_flag_needs_a_value() -> None:
    assert told("--job_name", "--loss=1", "--num_epochs") == [(0, "flag-value", ""), (2, "flag-value", "")]
    assert said("--num_epochs", "-5", "--loss", "-", "--job_name", "-a b") == {
        "num_epochs": "-5",
        "loss": "-",
        "job_name": "-a b",
    }


class Parser(argparse.ArgumentParser):
    """Python's own, that raises what it would print."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


WORDS = [f"--{name}" for name in KNOWN] + ["--num", "--num_e", "--j", "--model_d", "--other", "-x", "--loss_scale"]
VALUES = ["a", "-1", "-1.5", "two words", "-two words", "=", "", "-", "x=y", "1"]
words = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(VALUES),
    st.builds("{}={}".format, st.sampled_from(WORDS), st.sampled_from(VALUES)),
)


@given(st.lists(words, max_size=6))
def test_it_agrees_with_argparse(line: list[str]) -> None:
    """On every value, on what is an error, and on whether something is passed over."""
    parser = Parser(add_help=False)
    for name in KNOWN:
        parser.add_argument(f"--{name}")
    try:
        expected, rest = parser.parse_known_args(line)
    except ValueError:
        assert [one for one in flags.read(line, 0, KNOWN, ()) if isinstance(one, Remark) and not one.warning]
        return
    ours = list(flags.read(line, 0, KNOWN, ()))
    last = {one.name: one.value for one in ours if isinstance(one, Flag)}
    assert last == {name: value for name, value in vars(expected).items() if value is not None}
    assert bool(rest) == any(isinstance(one, Remark) and not one.warning for one in ours)
