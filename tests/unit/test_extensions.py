"""Frameworks and formats of other packages: one is built, installed and used; others are broken."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from chartgen import extensions, frameworks, native
from chartgen.frameworks import elsewhere as other_frameworks
from chartgen.native import elsewhere as other_formats
from tests.support.charts import run as run_helm
from tests.support.command_line import Typist
from tests.support.kits import KIT, write
from tests.support.once import once
from tests.support.paths import CORPUS

PACKAGE = CORPUS / "package"
JOB = """\
name: frames
framework: dask
image: registry.example.com/dask:2026.1
roles: {scheduler: {}, worker: {replicas: 2}}
"""
NATIVE = """\
apiVersion: example.com/v1
kind: DaskJob
metadata: {name: frames}
spec: {image: "registry.example.com/dask:2026.1", workers: 3}
"""
CACHES = (
    extensions.installed,
    other_frameworks.framework,
    other_frameworks.job_schema,
    other_formats.formats,
)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What was found in one test is not known to the next."""
    modules = {*sys.modules}
    for cached in CACHES:
        cached.cache_clear()
    yield
    for cached in CACHES:
        cached.cache_clear()
    for name in {*sys.modules} - modules:
        if name.startswith(("chartgen_", "broken_")):
            del sys.modules[name]


def install(folder: Path) -> None:
    """As pip does it, without the network."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    options = ["--no-build-isolation", "--disable-pip-version-check", "--target", str(folder)]
    subprocess.run([*pip, *options, str(PACKAGE)], check=True)


@pytest.fixture
def dask(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example package, built and installed once."""
    folder = once("dask-package", install)
    monkeypatch.syspath_prepend(str(folder))
    return folder


def offer(folder: Path, group: str, name: str, source: str, package: str = "broken") -> None:
    """A package with one module and an entry point for it."""
    info = folder / f"{package}-0.9.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {package}_module\n")
    (folder / f"{package}_module.py").write_text(source)


def test_the_example_package_has_fifty_lines() -> None:
    lines = [path.read_text().splitlines() for path in PACKAGE.rglob("*.py")]
    assert sum(map(len, lines)) <= 50


def test_a_job_of_another_package_is_rendered_and_follows_its_values(
    typed: Typist, dask: Path, helm: str
) -> None:
    typed.job("frames", JOB)
    code, _, err = typed("render", "frames.yaml", "-o", "charts")
    assert code == 0, err
    values = ("--set", "dask.protocol=tls", "--set", "dask.threads=4")
    done = run_helm(helm, "template", "x", typed.folder / "charts/frames", *values)
    assert "value: tls://scheduler-" in done.stdout, done.stderr
    assert '- "4"' in done.stdout
    refused = run_helm(
        helm, "template", "x", typed.folder / "charts/frames", "--set", "dask.protocol=ucx"
    )
    assert "dask" in refused.stderr
    thin = typed("render", "frames.yaml", "-o", "thin", "--layout", "thin")
    assert thin.code == 0, thin.err


def test_it_explains_itself_and_is_listed_and_starts_a_job(typed: Typist, dask: Path) -> None:
    page = typed("explain", "dask").out
    assert page.startswith("Dask: a scheduler and the workers")
    assert "chartgen explain daskjob" in page
    assert "\ndask " in typed("list", "frameworks").out
    assert "does the work" in typed("list", "roles", "dask").out
    assert "\ndaskjob " in typed("list", "formats").out
    assert "DaskJob: an object" in typed("explain", "daskjob").out
    assert "framework: dask" in typed("init", "frames", "--framework", "dask").out
    assert "dask" in typed("completion", "bash").out


def test_editors_complete_it(typed: Typist, dask: Path) -> None:
    schema = json.loads(typed("schema").out)
    assert "dask" in schema["definitions"]["framework"]["enum"]
    assert schema["definitions"]["dask"]["properties"]["protocol"]["enum"] == ["tcp", "tls"]
    assert schema["properties"]["dask"] == {"$ref": "#/definitions/dask"}


def test_its_format_is_recognized_converted_and_rendered(typed: Typist, dask: Path) -> None:
    typed.job("native", NATIVE)
    assert "replicas: 3" in typed("convert", "native.yaml").out
    assert typed("render", "native.yaml", "-o", "charts").code == 0
    assert typed("validate", "native.yaml", "--from", "daskjob").code == 0


def test_its_options_can_be_defaults_of_a_project_and_of_a_kit(typed: Typist, dask: Path) -> None:
    (typed.folder / "jobs").mkdir()
    typed.job("frames", JOB, "jobs/frames.yaml")
    typed.job(file="jobs/mnist.yaml")
    typed.job(text="kits: [kit]\ndefaults: {dask: {threads: 3}}\n", file="chartgen.yaml")
    files = {"kit.yaml": KIT, "job.yaml": "dask: {threads: 2, protocol: tls}\n"}
    write(typed.folder / "kit", files)
    done = typed("render")
    assert done.code == 0, done.err
    charts = typed.tree("charts")
    assert "  threads: 3\n" in charts["frames/values.yaml"]
    assert "  protocol: tls\n" in charts["frames/values.yaml"]
    assert "dask" not in charts["mnist/values.yaml"]


def test_its_problems_are_like_ours(typed: Typist, dask: Path) -> None:
    typed.job("frames", JOB.replace("scheduler: {}", "scheduler: {replicas: 2}"))
    out = typed("validate", "frames.yaml").out
    assert out.startswith("frames.yaml:4:8: expected 1 scheduler (role-one-replica)")
    typed.job("frames", JOB.replace("dask\nimage", "dusk\nimage"))
    assert "did you mean 'dask'?" in typed("validate", "frames.yaml").out
    typed.job("frames", JOB + "dask: {threads: many}\n")
    assert "frames.yaml:5:17: dask.threads: expected" in typed("validate", "frames.yaml").out


BROKEN = {
    "import": ("import nothing_like_it", "cannot be imported: ModuleNotFoundError"),
    "docstring": ("NAME = 'odd'", "is not a framework: __doc__ is None"),
    "name": ("'Odd.'\nNAME = 'even'", "is not a framework: NAME is 'even'"),
    "roles": (
        "'Odd.'\nNAME = 'odd'\nTITLE = 'Odd'\nROLES = {'A b': ''}",
        "is not a framework: ROLES is {'A b': ''}",
    ),
}
WHOLE = """\
'Odd.'
NAME, TITLE, ROLES, FIRST = 'odd', 'Odd', {'worker': 'works'}, ('worker',)
OPTIONS, CONTAINER = {}, 'odd'
def check(job, document):
    CHECK
def plan(job):
    PLAN
"""


@pytest.mark.parametrize("case", BROKEN)
def test_a_module_that_is_no_framework_is_blamed_by_its_package(
    typed: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    source, why = BROKEN[case]
    offer(tmp_path, extensions.FRAMEWORKS, "odd", source)
    monkeypatch.syspath_prepend(str(tmp_path))
    typed.job("frames", JOB.replace("dask\nimage", "odd\nimage"))
    code, _, err = typed("validate", "frames.yaml")
    assert code == 3
    assert err.startswith(f"chartgen: odd of the package broken 0.9 {why}")
    assert err.endswith("report it to the authors of that package, or uninstall it\n")


@pytest.mark.parametrize(
    ("check", "plan", "why"),
    [
        ("1 / 0", "pass", "failed to check a job: ZeroDivisionError"),
        ("yield 1 / 0", "pass", "failed to check a job: ZeroDivisionError"),
        ("return ()", "return {}['x']", "failed to plan a job: KeyError: 'x'"),
        ("return ()", "return {}", "plans a dict; expected a Plan"),
    ],
)
def test_a_framework_that_fails_at_work_is_blamed_too(
    typed: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: str, plan: str, why: str
) -> None:
    if "check" in why:
        plan = (
            "from chartgen.api import Plan, RolePlan; return Plan('Odd', "
            "(RolePlan('worker', 'odd', None, '', False, {}, ()),), (), 'worker', ())"
        )
    source = WHOLE.replace("CHECK", check).replace("PLAN", plan)
    offer(tmp_path, extensions.FRAMEWORKS, "odd", source)
    monkeypatch.syspath_prepend(str(tmp_path))
    text = "name: x\nframework: odd\nimage: a:1\nroles: {worker: {command: [a]}}\n"
    typed.job("frames", text)
    code, _, err = typed("validate", "frames.yaml")
    assert code == 3
    assert f"odd of the package broken 0.9 {why}" in err


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("FORMAT = 1\ndef adopt(document): pass", "is not a format: FORMAT is 1"),
        ("x = 1", "is not a format: it has no function adopt"),
        (
            "from chartgen.api import Format\nFORMAT = Format('mxnet', 'x')\n"
            "def adopt(document): pass",
            "cannot be recognized",
        ),
        (
            "from chartgen.api import Format\nFORMAT = Format('mxnet', 'x', kind='daskjob')\n"
            "def adopt(document): return document.data['y']",
            "failed to adopt a job: KeyError: 'y'",
        ),
        (
            "from chartgen.api import Format\nFORMAT = Format('mxnet', 'x', kind='daskjob')\n"
            "def adopt(document): return {}",
            "adopts a dict; expected an Adopted",
        ),
    ],
)
def test_a_format_that_breaks_is_blamed_too(
    typed: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, why: str
) -> None:
    offer(tmp_path, extensions.FORMATS, "odd", source)
    monkeypatch.syspath_prepend(str(tmp_path))
    typed.job("native", NATIVE)
    code, _, err = typed("validate", "native.yaml")
    assert code == 3
    assert f"odd of the package broken 0.9 {why}" in err


def test_two_packages_with_one_name_are_both_named(
    typed: Typist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(tmp_path, extensions.FRAMEWORKS, "odd", "")
    offer(tmp_path, extensions.FRAMEWORKS, "odd", "", "another")
    monkeypatch.syspath_prepend(str(tmp_path))
    err = typed("list", "frameworks").err
    assert err.startswith("chartgen: another 0.9 and broken 0.9 both offer 'odd'")


def test_no_package_replaces_what_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(tmp_path, extensions.FRAMEWORKS, "mxnet", "1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert frameworks.names() == [*frameworks.MODULES]
    assert frameworks.framework("mxnet").TITLE == "MXNet"
    assert native.formats() == native.FORMATS


def test_a_plain_job_looks_at_no_package(typed: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(group: str) -> Iterator[tuple[str, str, str]]:
        raise AssertionError(group)

    monkeypatch.setattr("chartgen.resources.entry_points", refuse)
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "charts").code == 0
    assert typed("validate", "mnist.yaml").code == 0
