"""The thin layout: what all jobs share is in a library, and a job's chart has only its own."""

import re
from pathlib import Path

import pytest
import yaml

from chartgen import __version__, pipeline
from chartgen.chart import ChartOptions, skeleton, thin
from chartgen.chart.framework_file import JOB_TEMPLATES
from chartgen.pipeline import CheckedJob
from tests.support.command_line import Typist
from tests.support.paths import ROOT
from tests.unit.chart.test_framework_file import DESCRIPTIONS, EXAMPLES

THIN = ChartOptions(layout="thin")
SCHEMA = "values.schema.json"
LIBRARY = thin.library()


def check(description: Path) -> CheckedJob:
    (document, *_) = pipeline.read(description.read_bytes(), "job.yaml")
    return pipeline.check(document)


def files_of(description: Path) -> dict[str, str]:
    return pipeline.render(check(description), THIN)


def size(files: dict[str, str]) -> int:
    return sum(len(text.encode()) for path, text in files.items() if path != SCHEMA)


def lines(files: dict[str, str]) -> int:
    return sum(text.count("\n") for path, text in files.items() if path != SCHEMA)


@pytest.mark.parametrize("description", EXAMPLES, ids=lambda path: path.stem)
def test_the_chart_of_an_example_is_small(description: Path) -> None:
    """What a reviewer reads: values, what the framework adds to this job, a page around them."""
    assert size(files_of(description)) <= 12_000


def test_what_a_framework_adds_to_every_job_is_in_the_library() -> None:
    """A role that gets something else than in the library's job has it in the job's chart."""
    shared = files_of(ROOT / "values/jobs/analysis.yaml")["templates/_mars.tpl"]
    assert 'define "job.analysis.role.web" -}}{{ include "chartgen.mars.role.web" . }}' in shared
    assert "MARS_CONTAINER_IP" not in shared
    assert "MARS_CONTAINER_IP" in LIBRARY["templates/frameworks/_mars_worker.tpl"]
    own = files_of(ROOT / "values/jobs/gpu.yaml")["templates/_tensorflow.tpl"]
    assert "TF_CONFIG" in own


def test_the_examples_are_a_repository_to_read() -> None:
    """Eleven jobs and their library; in full they have tens of thousands of lines."""
    assert sum(map(lines, map(files_of, EXAMPLES)), lines(LIBRARY)) < 10_000


def test_the_library_has_no_values_and_says_so() -> None:
    """chart-testing fails on a chart without the file, and what it held would be set for no job."""
    assert yaml.safe_load(LIBRARY["values.yaml"]) is None


def test_the_chart_of_a_job_has_only_its_own() -> None:
    files = files_of(ROOT / "values/jobs/mnist.yaml")
    assert sorted(files) == [
        ".gitattributes",
        ".helmignore",
        "Chart.yaml",
        "README.md",
        "templates/NOTES.txt",
        "templates/_tensorflow.tpl",
        "templates/objects.yaml",
        SCHEMA,
        "values.yaml",
    ]
    assert "helm dependency build ./mnist" in files["README.md"]
    assert "files/" not in "".join(files)
    (dependency,) = yaml.safe_load(files["Chart.yaml"])["dependencies"]
    assert dependency == {
        "name": "chartgen-library",
        "version": __version__,
        "repository": "file://../chartgen-library",
    }


def test_the_library_has_everything_of_the_skeleton() -> None:
    """Objects as named templates, helpers and files as they are, and the data of all clouds."""
    paths = skeleton.paths()
    objects = [path for path in paths if re.fullmatch(r"templates/.*\.yaml", path)]
    assert sum(path.startswith("templates/objects/") for path in LIBRARY) == len(objects)
    for path in paths:
        if path.startswith("files/"):
            assert LIBRARY[path] == skeleton.template(path)
    helpers = {path for path in paths if path.startswith("templates/lib/")}
    assert helpers - LIBRARY.keys() == {"templates/lib/_no_devices.tpl"}
    assert "cloud: gke\n" in LIBRARY["files/clouds.yaml"]
    metadata = yaml.safe_load(LIBRARY["Chart.yaml"])
    assert (metadata["type"], metadata["version"]) == ("library", __version__)


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_every_template_that_is_called_exists_once(description: Path) -> None:
    checked = check(description)
    files = pipeline.render(checked, THIN)
    everything = "".join([*files.values(), *LIBRARY.values()])
    defined = re.findall(r'define "([^"]+)"', everything)
    assert len(defined) == len({*defined})
    assert {*re.findall(r'include "([^"]+)"', everything)} <= {*defined}
    own = {name for name in defined if name.startswith(f"job.{checked.job.name}.")}
    prefix = f"job.{checked.job.name}"
    roles = {f"{prefix}.role.{role.name}" for role in checked.plan.roles}
    assert own == roles | {f"{prefix}.{name}" for name in JOB_TEMPLATES}


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_values_are_those_of_the_full_layout(description: Path) -> None:
    """The layouts differ in comments alone."""
    checked = check(description)
    full, files = pipeline.render(checked), pipeline.render(checked, THIN)
    assert yaml.safe_load(files["values.yaml"]) == yaml.safe_load(full["values.yaml"])


def test_a_job_cannot_be_named_like_the_library(typed: Typist) -> None:
    """Both would be written to one directory; nothing is."""
    typed.job("chartgen-library")
    code, out, err = typed("render", "chartgen-library.yaml", "-o", "out", "--layout", "thin")
    assert (code, out) == (1, "")
    assert "chartgen-library.yaml:1:7: the library chart is named 'chartgen-library' too" in err
    assert not (typed.folder / "out").exists()
    assert typed("render", "chartgen-library.yaml", "-o", "out").code == 0, "in full there is none"


def test_the_library_is_written_once_beside_the_charts(typed: Typist) -> None:
    typed.job("one")
    typed.job("two")
    code, out, err = typed("render", "one.yaml", "two.yaml", "-o", "out", "--layout", "thin")
    assert (code, out) == (0, "")
    assert sorted(path.name for path in (typed.folder / "out").iterdir()) == [
        "chartgen-library",
        "one",
        "two",
    ]
    assert err.endswith(
        "next: helm dependency build out/two && helm install two out/two, and so on\n"
    )
    written = typed.tree("out/chartgen-library")
    assert written.pop(".chartgen")
    assert written == LIBRARY


def test_a_library_elsewhere_is_not_written(typed: Typist) -> None:
    typed.job()
    words = ("--layout", "thin", "--library", "oci://example.com/charts")
    assert typed("render", "mnist.yaml", "-o", "out", *words).code == 0
    assert [path.name for path in (typed.folder / "out").iterdir()] == ["mnist"]
    (dependency,) = yaml.safe_load(typed.tree("out/mnist")["Chart.yaml"])["dependencies"]
    assert dependency["repository"] == "oci://example.com/charts"


def test_a_changed_library_is_a_difference(typed: Typist) -> None:
    """--check names it, and the charts that are as they should be."""
    typed.job()
    words = ("render", "mnist.yaml", "-o", "out", "--layout", "thin")
    typed(*words)
    assert typed(*words, "--check") == (0, "", "1 up to date\n")
    file = typed.folder / "out/chartgen-library/templates/lib/_metadata.tpl"
    file.write_text("")
    code, out, err = typed(*words, "--check")
    assert (code, out) == (1, "out/chartgen-library/templates/lib/_metadata.tpl: edited by hand\n")
    assert "chartgen-library differs\n" in err
    assert "_metadata.tpl" in typed(*words, "--diff", "--text").out
    assert "changed by hand" in typed(*words).err
    assert typed(*words, "--force").code == 0
    assert typed(*words, "--check").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--library", "oci://x/y"), "--library goes with --layout thin"),
        (
            ("--layout", "thin", "--library", "charts"),
            "--library charts: expected what Helm accepts",
        ),
        (("--layout", "thin", "--format", "manifests"), "manifests need no library"),
    ],
)
def test_options_that_do_not_go_together_are_usage_errors(
    words: tuple[str, ...], message: str, typed: Typist
) -> None:
    typed.job()
    code, _, err = typed("render", "mnist.yaml", "-o", "out", *words)
    assert code == 2
    assert message in err


def test_a_full_chart_becomes_thin_and_full_again(typed: Typist) -> None:
    """What the other layout had is removed, and nothing else."""
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    full = typed.tree("out/mnist")
    (typed.folder / "out/mnist/notes.md").write_text("mine\n")
    assert typed("render", "mnist.yaml", "-o", "out", "--layout", "thin").code == 0
    assert "templates/lib/_job.tpl" not in typed.tree("out/mnist")
    assert typed("render", "mnist.yaml", "-o", "out").code == 0
    assert typed.tree("out/mnist") == {**full, "notes.md": "mine\n"}


def test_a_missing_library_is_named_by_test(typed: Typist) -> None:
    """A chart without what it depends on is not one that can be tested."""
    typed.job()
    typed("render", "mnist.yaml", "-o", "out", "--layout", "thin")
    (typed.folder / "out/chartgen-library").rename(typed.folder / "away")
    code, out, err = typed("test", "out/mnist")
    assert code == 1
    assert "no chart in out/chartgen-library, which this chart depends on" in out + err
    assert "(chart-dependency)" in out + err
    assert "helm dependency build" in out + err
