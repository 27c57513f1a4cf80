"""Container images: layers and a configuration, handed to the container runtime as one docker archive."""

import hashlib
import io
import json
import subprocess
import tarfile
from typing import IO, NamedTuple

from tests.e2e import interpreters, layers, maven
from tests.e2e.layers import HERE, SITE, Layer
from tests.e2e.process import Failure
from tests.e2e.progress import say

PAUSE = "local/pause:1"
ENTRYPOINT = "opt/entrypoint.sh"  # starts the pods of images that have it
_ENV = ["PATH=/usr/local/bin:/bin", f"PYTHONPATH=/{SITE}:/app"]


class Image(NamedTuple):
    """An image: its tags, its layers from below, and what it runs if nobody says otherwise."""

    tags: tuple[str, ...]
    layers: tuple[Layer, ...]
    command: tuple[str, ...] = ("/bin/sh",)
    entrypoint: tuple[str, ...] = ()  # what the command is given to


def tag(name: str, version: int = 1) -> str:
    """What charts call an image; each is there under two versions, so that a release can change to the other."""
    return f"local/{name}:{version}"


def lacking(name: str) -> str:
    """What this machine lacks for the image of a framework, if anything."""
    requirements = HERE / "requirements"
    return interpreters.lacking(requirements / f"{name}.txt") or maven.lacking(requirements / f"{name}.jars")


def images() -> list[Image]:
    """Every image the tests use: three small ones, and one for each file in requirements/ that can be made here."""
    base, python, programs = layers.busybox(), layers.python(interpreters.running()), layers.programs()
    found = [
        Image((PAUSE,), (base,), ("/bin/sleep", "2147483647")),
        Image((tag("busybox"),), (base,)),
        Image((tag("python"), tag("python", 2)), (base, python, programs)),
    ]
    for path in sorted((HERE / "requirements").glob("*.txt")):
        if lacking(path.stem):
            say(f"There is no {tag(path.stem)}, and tests of it are skipped: {lacking(path.stem)}")
            continue
        found.append(_framework(path.stem))
    return found


def _framework(name: str) -> Image:
    """What requirements/ asks for a framework, with what its image has beside that: jars, and files of overlays/."""
    own = list(layers.packages(name))
    if (HERE / "requirements" / f"{name}.jars").exists():
        own.append(layers.jars(name))
    if (HERE / "overlays" / name).exists():
        own.append(layers.overlay(name))
    entrypoint = (f"/{ENTRYPOINT}",) if (HERE / "overlays" / name / ENTRYPOINT).exists() else ()
    return Image((tag(name), tag(name, 2)), (layers.busybox(), *own, layers.programs()), entrypoint=entrypoint)


def load(found: list[Image], importer: list[str]) -> None:
    """Hand images to the command that imports an archive from its stdin."""
    child = subprocess.Popen(importer, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stdin
    assert child.stderr
    try:
        write(found, child.stdin)
        child.stdin.close()
    except BrokenPipeError:
        pass  # it says why below
    said = child.stderr.read().decode(errors="replace")
    if child.wait():
        raise Failure(f"the container runtime did not take the images: {said}")


def write(found: list[Image], stream: IO[bytes]) -> None:
    """A docker archive: every layer once, a configuration for each image, and the list of them all."""
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT) as archive:
        manifest = []
        for layer in {layer.digest: layer for image in found for layer in image.layers}.values():
            archive.add(layer.path, arcname=f"{layer.digest}.tar")
        for image in found:
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
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.digest}" for layer in image.layers]},
    }


def _architecture() -> str:
    import platform

    return {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
