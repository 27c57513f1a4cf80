"""Files of another revision, by the real Git."""

import subprocess
import tarfile
from pathlib import Path

import pytest

from chartgen.errors import UsageError, WorldError
from chartgen.world import git


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository with one commit, and a file that is not in it."""
    folder = tmp_path / "repository"
    (folder / "charts/mnist").mkdir(parents=True)
    (folder / "charts/mnist/Chart.yaml").write_text("name: mnist\n")
    monkeypatch.chdir(folder)
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-qm", "one")):
        subprocess.run(["git", *words], check=True)
    (folder / "charts/mnist/Chart.yaml").write_text("name: other\n")
    (folder / "later.yaml").write_text("name: later\n")


def test_what_the_revision_had(tmp_path: Path) -> None:
    git.export("HEAD", "charts", str(tmp_path / "out"))
    assert (tmp_path / "out/charts/mnist/Chart.yaml").read_text() == "name: mnist\n"


def test_what_the_disk_refuses_is_an_error_of_the_world(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WorldError, match=r"^cannot write HEAD:charts: .*Not a directory"):
        git.export("HEAD", "charts", str(tmp_path / "file/out"))


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (".", "{top}/charts"),
        ("charts", "."),
        ("charts", ""),
        ("charts/mnist", ".."),
        ("charts/mnist", "../../charts"),
        ("charts/mnist", "charts"),
    ],
)
def test_a_path_is_relative_to_here_or_to_the_top_or_absolute(
    place: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = Path.cwd()
    monkeypatch.chdir(place)
    folder = git.export("HEAD", path.format(top=top), str(tmp_path / "out"))
    assert folder == str(tmp_path / "out/charts")
    assert (Path(folder) / "mnist/Chart.yaml").read_text() == "name: mnist\n"


@pytest.mark.parametrize("path", ["/", "..", "../other", "charts/../.."])
def test_what_is_outside_of_the_repository_is_nothing(path: str, tmp_path: Path) -> None:
    assert git.export("HEAD", path, str(tmp_path / "out")) == ""


def test_a_path_that_did_not_exist_then_is_nothing(tmp_path: Path) -> None:
    git.export("HEAD", "later.yaml", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("gone", "Git has no revision 'gone' here"),
        ("--output=/tmp/x", "--output=/tmp/x is not a revision"),
    ],
)
def test_a_revision_that_there_is_not(revision: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        git.export(revision, "charts", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WorldError, match=r"cannot run git: .*; a revision needs it"):
        git.export("HEAD", "charts", str(tmp_path / "out"))


@pytest.mark.skipif(not hasattr(tarfile, "data_filter"), reason="needs Python 3.11.4")
def test_a_link_that_leads_out_of_the_directory(tmp_path: Path) -> None:
    Path("charts/link").symlink_to("/etc/passwd")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("add", "-A"), (*identity, "commit", "-qm", "two")):
        subprocess.run(["git", *words], check=True)
    with pytest.raises(WorldError, match="cannot write HEAD:charts: 'charts/link' is a link to"):
        git.export("HEAD", "charts", str(tmp_path / "out"))
