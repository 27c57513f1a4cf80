"""Charts through the real Helm: render a description, template the chart, read its objects."""

import hashlib
import os
import pickle
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from chartgen import pipeline
from chartgen.chart import ChartOptions
from tests.support import resident
from tests.support.once import once

ALL_CLOUDS = ChartOptions(clouds="all")  # so that tests can request devices at install
Objects = list[dict[str, Any]]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads `<<` and `=` as Kubernetes does: where they are values, they are texts."""


for tag in ("merge", "value"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{tag}", _Loader.construct_yaml_str)


def render(
    description: str, folder: Path, file: str = "job.yaml", options: ChartOptions = ALL_CLOUDS
) -> Path:
    """Render the one job in a description into a folder, and return its chart's path."""
    name, files = _rendered(description, file, options)
    return write(files, folder / name)


def write(files: Mapping[str, str], folder: Path) -> Path:
    """Write the files of a chart, by their paths, and return its path.

    Most files are the same in many charts. Another name for a file costs a tenth of a new file, so
    no test may write into a template that this wrote: it would change the other charts too.
    """
    for parent in {os.path.dirname(path) for path in files}:
        os.makedirs(folder / parent, exist_ok=True)
    top = str(folder)
    for path, text in files.items():
        if path.startswith(("templates/", "files/")):
            _replace(f"{top}/{path}", _original(text))
        else:
            Path(f"{top}/{path}").write_text(text, "utf-8")
    return folder


_digests: dict[int, str] = {}  # of the originals, by their inodes, which links to them share


@cache
def _original(text: str) -> Path:
    """The one file that has this text."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    place = once(f"text-{digest}", lambda place: place.write_text(text, "utf-8"))
    _digests[place.stat().st_ino] = digest
    return place


def _replace(path: str, original: Path) -> None:
    try:
        os.link(original, path)
    except FileExistsError:
        os.unlink(path)
        os.link(original, path)


def check_originals(folder: Path) -> None:
    """Raise an error if a test wrote into a file that charts share."""
    for place in folder.glob(f"text-{'?' * 64}"):
        digest = hashlib.sha256(place.read_bytes()).hexdigest()
        assert place.name == f"text-{digest}", f"a test wrote into {place}, which other charts have"


@cache
def _rendered(description: str, file: str, options: ChartOptions) -> tuple[str, dict[str, str]]:
    (document,) = pipeline.read(description.encode(), file)
    checked = pipeline.check(document)
    return checked.job.name, pipeline.render(checked, options)


def run(helm: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Helm and return the result, whatever it is; what `helm template` did is remembered."""
    if args[0] == "template":
        _, release, chart, *rest = args
        return _template(helm, Path(chart), tuple(map(str, rest)), str(release))
    return run_again(helm, *args)


def run_again(helm: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Helm, even if it ran before on the same chart with the same arguments."""
    return subprocess.run(
        [helm, *map(str, args)], capture_output=True, text=True, check=False, encoding="utf-8"
    )


def template(helm: str, chart: Path, *args: str, release: str = "demo") -> str:
    """What `helm template` prints."""
    done = _template(helm, chart, args, release)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read_objects(helm: str, chart: Path, *args: str, release: str = "demo") -> Objects:
    """The objects that `helm template` prints, as data."""
    printed = template(helm, chart, *args, release=release)

    def parse(place: Path) -> None:
        objects = [manifest for manifest in yaml.load_all(printed, Loader=_Loader) if manifest]
        place.write_bytes(pickle.dumps(objects))

    digest = hashlib.sha256(printed.encode()).hexdigest()
    objects: Objects = pickle.loads(once(f"objects-{digest}", parse).read_bytes())
    return objects


def refusal(helm: str, chart: Path, *args: str) -> str:
    """What Helm says when it refuses to render."""
    done = _template(helm, chart, args, "demo")
    assert done.returncode != 0, "Helm took what it should refuse"
    return done.stderr


def _template(
    helm: str, chart: Path, args: tuple[str, ...], release: str
) -> subprocess.CompletedProcess[str]:
    """What `helm template` does; it runs once for the same chart and arguments."""

    def process(place: Path) -> None:
        words = ("template", release, str(chart), *args)
        done = resident.run(helm, words) or run_again(helm, *words)
        place.write_bytes(pickle.dumps(done))

    digest = _digest(helm, chart, args, release)
    done: subprocess.CompletedProcess[str] = pickle.loads(
        once(f"template-{digest}", process).read_bytes()
    )
    return done


def _digest(helm: str, chart: Path, args: tuple[str, ...], release: str) -> str:
    """The digest of everything that `helm template` reads."""
    digest = hashlib.sha256(repr((helm, chart.name, release)).encode())
    for name, value in sorted(os.environ.items()):
        if name.startswith(("HELM_", "KUBE")):
            digest.update(f"{name}={value}".encode())
    for path in sorted(_files(str(chart))):
        name = path.removeprefix(str(chart))
        digest.update(f"\0{name}\0{_file_digest(path)}".encode())
    for arg in args:
        file = arg.rpartition("=")[2]  # of -f FILE and of --set-file KEY=FILE
        digest.update(f"\0{arg}\0{_file_digest(file)}".encode())
    return digest.hexdigest()


def _files(place: str) -> Iterator[str]:
    """The paths of all files below a folder, or the one file that is there."""
    if os.path.isfile(place):
        yield place
    for folder, _, names in os.walk(place, followlinks=True):
        yield from (f"{folder}/{name}" for name in names)


def _file_digest(path: str) -> str:
    """The digest of a file, which is not read if it is an original; empty if there is none."""
    try:
        inode = os.stat(path).st_ino
        if inode not in _digests:
            with open(path, "rb") as file:
                return hashlib.sha256(file.read()).hexdigest()
        return _digests[inode]
    except (OSError, ValueError):
        return ""


def named(objects: Objects, kind: str, prefix: str = "") -> Objects:
    """The objects of a kind whose names have this prefix."""
    return [
        manifest
        for manifest in objects
        if manifest["kind"] == kind and manifest["metadata"]["name"].startswith(prefix)
    ]


def env(pod: dict[str, Any], container: int = 0) -> dict[str, Any]:
    """A container's environment: values, or where they come from."""
    entries = pod["spec"]["containers"][container]["env"]
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in entries}


def pods(objects: Objects, role: str) -> list[dict[str, Any]]:
    """The pod templates of a role's Jobs, by index."""
    return [
        job["spec"]["template"]
        for job in named(objects, "Job")
        if job["metadata"]["labels"].get("chartgen/role") == role
    ]


def expanded(objects: Objects, pod: dict[str, Any], name: str) -> str:
    """An env value as the process sees it, with ConfigMap keys and $(NAME) resolved."""
    maps = {
        config_map["metadata"]["name"]: config_map["data"]
        for config_map in named(objects, "ConfigMap")
    }
    seen: dict[str, str] = {}
    for entry in pod["spec"]["containers"][0]["env"]:
        if "valueFrom" in entry:
            key = entry["valueFrom"]["configMapKeyRef"]
            seen[entry["name"]] = maps[key["name"]][key["key"]]
            continue
        value = entry["value"]
        for other, text in seen.items():
            value = value.replace(f"$({other})", text)
        seen[entry["name"]] = value
    return seen[name]
