"""Container images: layers and a configuration, passed to the runtime as one docker archive."""

import hashlib
import io
import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import IO, NamedTuple

import pytest

from tests.e2e import interpreters, layers, maven
from tests.e2e.layers import HERE, SITE, Layer
from tests.e2e.process import Failure
from tests.e2e.progress import say

PAUSE = "local/pause:1"
LARGE = HERE / "requirements/large"
ALL = "CHARTGEN_E2E_ALL"  # the variable that asks for large images too
ENTRYPOINT = "opt/entrypoint.sh"  # the entrypoint of images that have one
_ENV = ["PATH=/usr/local/bin:/bin", f"PYTHONPATH=/{SITE}:/app"]


class Image(NamedTuple):
    """An image: its tags, its layers from the bottom up, and what it runs by default."""

    tags: tuple[str, ...]
    layers: tuple[Layer, ...]
    command: tuple[str, ...] = ("/bin/sh",)
    entrypoint: tuple[str, ...] = ()  # the program that gets the command


def tag(name: str, version: int = 1) -> str:
    """The name of an image in charts; each has two versions, so that a release can change it."""
    return f"local/{name}:{version}"


def lacking(name: str) -> str:
    """What this machine, or this run, lacks for a framework's image, if anything."""
    if _requirements(name).parent == LARGE and not os.environ.get(ALL):
        return "it is large, so that only `make e2e-all` makes it"
    jars = HERE / "requirements" / f"{name}.jars"
    return interpreters.lacking(_requirements(name)) or maven.lacking(jars)


def needs(name: str) -> pytest.MarkDecorator:
    """For tests that run a framework's image: they are skipped where it cannot be made."""
    reason = lacking(name)
    return pytest.mark.skipif(bool(reason), reason=f"{tag(name)}: {reason}")


def _requirements(name: str) -> Path:
    path = LARGE / f"{name}.txt"
    return path if path.exists() else HERE / "requirements" / path.name


def images() -> list[Image]:
    """Every image of the tests: three small ones, and one per requirements/ file if possible."""
    base, python, programs = (
        layers.busybox(),
        layers.python(interpreters.running()),
        layers.programs(),
    )
    result = [
        Image((PAUSE,), (base,), ("/bin/sleep", "2147483647")),
        Image((tag("busybox"),), (base,)),
        Image((tag("python"), tag("python", 2)), (base, python, programs)),
    ]
    for path in sorted((HERE / "requirements").rglob("*.txt")):
        if lacking(path.stem):
            say(f"There is no {tag(path.stem)}, and tests of it are skipped: {lacking(path.stem)}")
            continue
        result.append(_framework(path.stem))
    return result


def _framework(name: str) -> Image:
    """A framework's image: its requirements/, its jars and debs, and files of overlays/."""
    own = list(layers.packages(_requirements(name)))
    if (HERE / "requirements" / f"{name}.jars").exists():
        own.append(layers.jars(name))
    if (HERE / "requirements" / f"{name}.debs").exists():
        own.append(layers.debs(name))
    if (HERE / "overlays" / name).exists():
        own.append(layers.overlay(name))
    entrypoint = (f"/{ENTRYPOINT}",) if (HERE / "overlays" / name / ENTRYPOINT).exists() else ()
    return Image(
        (tag(name), tag(name, 2)),
        (layers.busybox(), *own, layers.programs()),
        entrypoint=entrypoint,
    )


def load(images: list[Image], importer: list[str]) -> None:
    """Pass images to the command that imports an archive from its stdin."""
    child = subprocess.Popen(
        importer, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert child.stdin
    assert child.stderr
    try:
        write(images, child.stdin)
        child.stdin.close()
    except BrokenPipeError:
        pass  # the reason is reported below
    errors = child.stderr.read().decode(errors="replace")
    if child.wait():
        raise Failure(f"the container runtime did not take the images: {errors}")


def write(images: list[Image], stream: IO[bytes]) -> None:
    """A docker archive: every layer once, a configuration for each image, and their list."""
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        manifest = []
        for layer in {layer.digest: layer for image in images for layer in image.layers}.values():
            archive.add(layer.path, arcname=f"{layer.digest}.tar")
        for image in images:
            config = json.dumps(_config(image)).encode()
            name = f"{hashlib.sha256(config).hexdigest()}.json"
            _add(archive, name, config)
            files = [f"{layer.digest}.tar" for layer in image.layers]
            manifest.append({"Config": name, "RepoTags": image.tags, "Layers": files})
        _add(archive, "manifest.json", json.dumps(manifest).encode())


def _config(image: Image) -> dict[str, object]:
    return {
        "architecture": _architecture(),
        "os": "linux",
        "config": {"Env": _ENV, "Cmd": image.command, "Entrypoint": image.entrypoint},
        "rootfs": {
            "type": "layers",
            "diff_ids": [f"sha256:{layer.digest}" for layer in image.layers],
        },
    }


def _architecture() -> str:
    import platform

    return {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
