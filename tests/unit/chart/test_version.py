"""`version: auto`: the version grows with the content, and with nothing else."""

import sys
from pathlib import Path

import pytest

from chartgen.chart import thin, version
from tests.support.command_line import Typist

JOB = """\
name: mnist
framework: tensorflow
version: auto
image: registry.example.com/mnist:{tag}
roles: {{chief: {{}}}}
"""


def chart_yaml(typed: Typist) -> str:
    return (typed.folder / "charts/mnist/Chart.yaml").read_text("utf-8")


def render(typed: Typist, tag: str, *more: str) -> str:
    """Render the job with this tag; the version that its chart has then."""
    typed.job(text=JOB.format(tag=tag))
    assert typed("render", "mnist.yaml", "-o", "charts", *more).code == 0
    return version.version_of(chart_yaml(typed))


def test_the_patch_number_grows_when_the_content_changes(typed: Typist) -> None:
    assert render(typed, "1") == "0.1.0"
    assert render(typed, "1") == "0.1.0"
    assert render(typed, "2") == "0.1.1"
    assert render(typed, "2") == "0.1.1"
    assert render(typed, "1") == "0.1.2"
    assert 'appVersion: "1"' in chart_yaml(typed)


def test_check_agrees_with_what_render_writes(typed: Typist) -> None:
    render(typed, "1")
    assert typed("render", "mnist.yaml", "-o", "charts", "--check").code == 0
    typed.job(text=JOB.format(tag="2"))
    assert typed("render", "mnist.yaml", "-o", "charts", "--check").code == 1


def test_a_given_version_is_kept_and_counted_on_from(typed: Typist) -> None:
    typed.job(text=JOB.format(tag="1").replace("auto", "2.3.9"))
    typed("render", "mnist.yaml", "-o", "charts")
    assert version.version_of(chart_yaml(typed)) == "2.3.9"
    assert render(typed, "1") == "2.3.10"


@pytest.mark.parametrize(
    ("before", "after"), [("0.1.0", "0.1.1"), ("1.2.3-rc.1", "1.2.4"), ("9.9.99+b1", "9.9.100")]
)
def test_the_next_version(before: str, after: str) -> None:
    new = 'version: "0.1.0"\n  chartgen/digest: "sha256:b"\n'
    old = f'version: "{before}"\n  chartgen/digest: "sha256:a"\n'
    assert version.version_of(version.settle(new, old)) == after


def test_both_sides_of_a_merge_conflict_are_passed() -> None:
    """Two branches that both made 0.1.1 and 0.1.4 of 0.1.0: what is merged is neither."""
    new = 'version: "0.1.0"\n  chartgen/digest: "sha256:b"\n'
    old = (
        '<<<<<<< ours\nversion: "0.1.1"\n=======\nversion: "0.1.4"\n>>>>>>> theirs\n'
        '  chartgen/digest: "sha256:b"\n'
    )
    assert version.version_of(version.settle(new, old)) == "0.1.5"


@pytest.mark.parametrize("layout", ["full", "thin"])
@pytest.mark.parametrize("kind", ["auto", "1.0.0"])
def test_a_release_of_chartgen_that_makes_the_same_changes_nothing(
    typed: Typist, monkeypatch: pytest.MonkeyPatch, layout: str, kind: str
) -> None:
    typed.job(text=JOB.format(tag="1").replace("auto", kind))
    words = ("render", "mnist.yaml", "-o", "charts", "--layout", layout)
    assert typed(*words).code == 0
    before = typed.tree("charts")
    monkeypatch.setattr(sys.modules["chartgen.chart.metadata"], "__version__", "99.0.0")
    monkeypatch.setattr(sys.modules["chartgen.chart.thin"], "__version__", "99.0.0")
    thin.library.cache_clear()
    assert typed(*words, "--check") == (0, "", "1 up to date\n")
    assert typed(*words).code == 0
    assert typed.tree("charts") == before
    thin.library.cache_clear()


def test_another_change_also_brings_the_version_of_chartgen(
    typed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    render(typed, "1")
    monkeypatch.setattr(sys.modules["chartgen.chart.metadata"], "__version__", "99.0.0")
    assert render(typed, "2") == "0.1.1"
    assert 'chartgen/version: "99.0.0"' in chart_yaml(typed)


def test_printing_a_chart_gives_the_first_version(typed: Typist) -> None:
    typed.job(text=JOB.format(tag="1"))
    done = typed("render", "mnist.yaml", "-o", "-")
    assert 'version: "0.1.0"' in done.out
    assert not Path("charts").exists()
