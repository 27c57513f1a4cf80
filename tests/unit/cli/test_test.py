"""`chartgen test`: what its command line accepts."""

import pytest

from chartgen.cli.cluster import parse_duration
from tests.support.command_line import Typist


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "the following arguments are required: CHART"),
        (("own", "--keep"), "--keep needs --cluster"),
        (("own", "--kubeconfig", "x"), "--kubeconfig needs --cluster"),
        (("own", "--kube-context", "x"), "--kube-context needs --cluster"),
        (("own", "--timeout", "soon"), "--timeout soon: expected a time such as 90s, 5m or 1h30m"),
        (("own", "--timeout", "0"), "expected a time"),
        (("own", "--kube-version", "new"), "--kube-version new: expected a version such as 1.29"),
        (("-", "-"), "standard input (-) can be read only once"),
        (("own", "--values", "-"), "--values -: expected a file"),
        (("own", "--values", "nowhere.yaml"), "--values nowhere.yaml: no such file"),
        (("own", "--output", "yaml"), "invalid choice: 'yaml'"),
    ],
)
def test_usage(typed: Typist, words: tuple[str, ...], said: str) -> None:
    code, out, err = typed("test", *words)
    assert (code, out) == (2, "")
    assert said in err


def test_a_time_is_read_as_helm_reads_it() -> None:
    assert [
        parse_duration(text, "--timeout") for text in ("90", "90s", "5m", "1h30m", "1.5m", "500ms")
    ] == [90, 90, 300, 5400, 90, 0.5]
