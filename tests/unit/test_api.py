"""The Python API: what the manual shows works, and what it may not do it does not."""

import contextlib
import io
import re
import textwrap
from pathlib import Path

import pytest

from chartgen import api, pipeline
from chartgen.manual import guides
from tests.support.paths import ROOT

PAGE = "\n".join(guides.page("api"))
MNIST = (ROOT / "values/jobs/mnist.yaml").read_text("utf-8")


def example() -> str:
    """The program in the manual."""
    block = PAGE.partition("From a text to a chart\n")[2].partition("\n\n  read(")[0]
    return textwrap.dedent(block)


def run(program: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "page", "exec"), {})  # noqa: S102  the manual's own program
    return out.getvalue()


def test_the_program_in_the_manual_renders_a_chart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mnist.yaml").write_text(MNIST)
    name, files = run(example()).split()
    assert name == "mnist"
    assert int(files) > 20


def test_the_program_in_the_manual_shows_problems_with_their_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mnist.yaml").write_text(MNIST.replace("worker:", "wroker:"))
    assert re.match(r"mnist\.yaml:\d+:3: TensorFlow has no role 'wroker'", run(example()))


def test_everything_that_may_be_imported_is_in_the_manual() -> None:
    words = {*re.findall(r"\w+", PAGE)}
    assert {name for name in api.__all__ if name not in words} == set()
    assert sorted(api.__all__) == api.__all__
    for name in api.__all__:
        assert getattr(api, name).__doc__


def test_the_api_makes_what_the_command_makes() -> None:
    (document,) = api.read(MNIST, "mnist.yaml")
    (same,) = pipeline.read(MNIST.encode(), "mnist.yaml")
    thin = api.ChartOptions(layout="thin")
    assert api.render(api.check(document), thin) == pipeline.render(pipeline.check(same), thin)


def test_all_problems_come_at_once_and_a_cloud_can_be_given() -> None:
    text = MNIST.replace("worker:", "wroker:").replace("name: mnist", "name: Mnist")
    (document,) = api.read(text)
    with pytest.raises(api.InputError) as caught:
        api.check(document)
    assert {problem.rule for problem in caught.value.problems} >= {"role-unknown"}
    assert len(caught.value.problems) > 1
    (named,) = api.read(f"cloud: ./own.yaml\n{MNIST}")
    own = (ROOT / "values/clouds/gke.yaml").read_bytes()
    assert api.check(named, {"./own.yaml": own}).job.settings["cloud"] == "own"
