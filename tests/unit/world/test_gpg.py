"""Signatures: what gpg is asked, and what people are told when it cannot; it is a script here.

tests/helm/test_package.py asks the real one, and Helm about its signature.
"""

from pathlib import Path

import pytest

from chartgen.errors import WorldError
from chartgen.world.gpg import clearsign


@pytest.fixture
def gpg(tmp_path: Path) -> Path:
    """A program that prints its arguments and its input."""
    path = tmp_path / "gpg"
    path.write_text('#!/bin/sh\necho "$@"\ncat\n')
    path.chmod(0o755)
    return path


def test_the_message_and_the_key(gpg: Path) -> None:
    words, message = clearsign("name: größe\n", "a@b.c", str(gpg)).splitlines()
    assert message == "name: größe"
    assert words == "--batch --yes --digest-algo SHA512 --local-user a@b.c --clearsign"


def test_a_passphrase_comes_from_a_file_and_is_never_asked_for(gpg: Path) -> None:
    words, _ = clearsign("x\n", "a@b.c", str(gpg), "/run/secret").splitlines()
    assert "--pinentry-mode loopback --passphrase-file /run/secret --clearsign" in words


def test_a_gpg_that_is_found_on_path(gpg: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{gpg.parent}:/usr/bin:/bin")
    assert clearsign("x\n", "a@b.c").endswith("--clearsign\nx\n")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo first >&2; echo 'gpg: No secret key' >&2; exit 2", "gpg: No secret key"),
        ("exit 5", "exit code 5"),
    ],
)
def test_a_key_that_cannot_sign(gpg: Path, script: str, why: str) -> None:
    gpg.write_text(f"#!/bin/sh\ncat > /dev/null\n{script}\n")
    with pytest.raises(WorldError) as caught:
        clearsign("x\n", "a@b.c", str(gpg))
    assert str(caught.value).startswith(f"gpg cannot sign with the key 'a@b.c': {why}\n")
    assert "gpg --list-secret-keys" in str(caught.value)


def test_no_gpg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WorldError, match="gpg was not found, and a signature needs it"):
        clearsign("x\n", "a@b.c")


def test_a_gpg_that_cannot_run(gpg: Path) -> None:
    gpg.write_bytes(b"\x7fELF")
    with pytest.raises(WorldError, match=r"cannot run .*/gpg: Exec format error"):
        clearsign("x\n", "a@b.c", str(gpg))
