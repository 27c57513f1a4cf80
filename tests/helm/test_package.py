"""Helm takes our packages: it reads, verifies, pushes and pulls them."""

import os
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Typist
from tests.support.programs import shell
from tests.support.registry import registry


def run(*words: str, **more: str) -> str:
    done = subprocess.run(
        words, env={**os.environ, **more}, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def packed(typed: Typist) -> Typist:
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "charts", "-q").code == 0
    assert typed("package", "charts/mnist", "-o", "packages", "-q").code == 0
    return typed


def test_helm_renders_the_package_as_the_chart(packed: Typist, helm: str) -> None:
    run(helm, "lint", "--strict", "packages/mnist-0.1.0.tgz")
    chart = run(helm, "template", "x", "charts/mnist")
    assert run(helm, "template", "x", "packages/mnist-0.1.0.tgz") == chart


def test_helm_packages_the_same_files(packed: Typist, helm: str) -> None:
    run(helm, "package", "charts/mnist", "-d", "theirs")
    names = []
    for folder in ("packages", "theirs"):
        with tarfile.open(packed.folder / folder / "mnist-0.1.0.tgz") as archive:
            names.append(sorted(archive.getnames()))
    assert names[0] == names[1]


@pytest.fixture
def key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home of GnuPG with a key, and its public part as Helm reads it."""
    shell("gpg")
    home = tmp_path_factory.mktemp("g")
    home.chmod(0o700)
    where = {"GNUPGHOME": str(home)}
    name = "Test <test@example.com>"
    words = ("--batch", "--passphrase", "", "--quick-generate-key", name, "rsa2048", "sign")
    run("gpg", *words, "never", **where)
    run("gpg", "--output", str(home / "public.gpg"), "--export", **where)
    yield home
    run("gpgconf", "--kill", "gpg-agent", **where)


def test_helm_verifies_the_provenance(
    packed: Typist, key: Path, helm3: str, helm4: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNUPGHOME", str(key))
    words = ("package", "charts/mnist", "-o", "packages", "--key")
    done = packed(*words, "test@example.com")
    assert done.code == 0
    assert done.out.endswith("packages/mnist-0.1.0.tgz.prov  signed with test@example.com\n")
    for helm in (helm3, helm4):
        said = run(helm, "verify", "packages/mnist-0.1.0.tgz", "--keyring", str(key / "public.gpg"))
        assert "Signed by: Test <test@example.com>" in said
    done = packed(*words, "nobody@example.com")
    assert done.code == 3
    assert "gpg cannot sign with the key 'nobody@example.com'" in done.err


def test_a_registry_gives_back_the_same_bytes(packed: Typist, helm: str) -> None:
    """tests/e2e/test_repository.py installs from it."""
    with registry() as charts:
        run(helm, "push", "packages/mnist-0.1.0.tgz", charts, "--plain-http")
        address = (f"{charts}/mnist", "--version", "0.1.0", "--plain-http")
        (packed.folder / "pulled").mkdir()
        run(helm, "pull", *address, "-d", "pulled")
        ours = (packed.folder / "packages/mnist-0.1.0.tgz").read_bytes()
        assert (packed.folder / "pulled/mnist-0.1.0.tgz").read_bytes() == ours
        assert "kind: Job" in run(helm, "template", "x", *address)
