"""What is built works without a checkout: in an empty environment, elsewhere, with plain pip."""

import email.message
import email.parser
import ensurepip
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import chartgen
from tests.support.once import once
from tests.support.paths import ROOT

JOB = ROOT / "values/jobs/mnist.yaml"

pytestmark = pytest.mark.slow


def _run(*command: str | Path, cwd: Path) -> str:
    """Run a command as on a bare machine: no checkout, no environment, no Python settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    bare = {**kept, "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        command, cwd=cwd, env=bare, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def dist() -> Path:
    """A source distribution, and the wheel built from it, which shows that it is complete."""

    def build(folder: Path) -> None:
        folder.mkdir()
        _run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)

    return once("dist", build)


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> email.message.Message:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.parser.BytesParser().parsebytes(archive.read(name))


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The bin/ of an environment where Python's own pip installed the wheel and what it needs."""

    def install(folder: Path) -> None:
        folder.mkdir()
        _run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
        asked = f"chartgen[helm] @ {wheel.as_uri()}"
        # pip runs from the wheel that Python has: to install it would take longer than all else.
        (pip,) = Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl")
        options = ("--quiet", "--no-compile", "--disable-pip-version-check")
        _run(folder / "bin/python", pip / "pip", "install", *options, asked, cwd=folder)

    return once("installed", install) / "bin"


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(wheel: Path) -> None:
    modules = {
        f"chartgen/{name}" for name in _files(ROOT / "chartgen") if "__pycache__" not in name
    }
    places = {"charts": "charts", "schemas": "schemas", "values": "values"}
    places["problems"] = "tests/corpus/problems"
    data = {
        f"chartgen/_data/{top}/{name}"
        for top, place in places.items()
        for name in _files(ROOT / place)
    }
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == modules | data


def test_the_source_distribution_can_be_tested_and_checked(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    needed = {
        "LICENSE",
        "README.md",
        "Makefile",
        ".importlinter",
        ".yamllint",
        ".ci/run",
        "tests/conftest.py",
    }
    assert needed - names == set()


def test_the_metadata_has_what_people_rely_on(metadata: email.message.Message) -> None:
    assert metadata["Version"] == chartgen.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert set(metadata.get_all("Provides-Extra", [])) == {
        "cluster",
        "helm",
        "lint",
        "schemas",
        "test",
    }
    assert metadata["Description-Content-Type"] == "text/markdown"


def test_the_wheel_renders_the_same_bytes_from_another_directory(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "job.yaml").write_bytes(JOB.read_bytes())
    _run(installed / "chartgen", "render", "job.yaml", "-o", "wheel", cwd=tmp_path)
    _run(sys.executable, "-m", "chartgen", "render", "job.yaml", "-o", "checkout", cwd=tmp_path)
    assert _files(tmp_path / "wheel")
    assert _files(tmp_path / "wheel") == _files(tmp_path / "checkout")


def test_the_wheel_knows_its_schemas_and_its_version(installed: Path, tmp_path: Path) -> None:
    assert (
        _run(installed / "chartgen", "--version", cwd=tmp_path).split()[-1] == chartgen.__version__
    )
    schema = _run(installed / "chartgen", "schema", "job", cwd=tmp_path)
    assert schema == _run(sys.executable, "-m", "chartgen", "schema", "job", cwd=tmp_path)
    assert "tensorflow" in _run(installed / "chartgen", "list", "frameworks", cwd=tmp_path)


@pytest.mark.parametrize("topic", ["chart", "tfjob", "key-unknown", "h100", "mnist", "lint"])
def test_the_wheel_has_the_whole_manual(installed: Path, tmp_path: Path, topic: str) -> None:
    """A guide, a format, a rule with its example, a device, an example and a stage."""
    page = _run(installed / "chartgen", "explain", topic, cwd=tmp_path)
    assert page == _run(sys.executable, "-m", "chartgen", "explain", topic, cwd=tmp_path)
    assert topic != "key-unknown" or "\nExample\n" in page


def test_the_helm_extra_brings_a_helm_that_is_found_without_path(
    installed: Path, tmp_path: Path
) -> None:
    code = "from chartgen.world.helm import find; print(find().path)"
    assert _run(installed / "python", "-c", code, cwd=tmp_path).strip() == str(installed / "helm")
