"""The configuration of the TfJob operator (and MxJob's): the cloud that its accelerators mean."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from chartgen import resources, schema
from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.native.operators.go_spelling import as_go_reads
from chartgen.syntax import yaml_reader as yaml
from chartgen.syntax.yaml_writer import emit

_LOOKS = re.compile(rb"(accelerators|grpcServerFilePath)[\"']?\s*:", re.IGNORECASE)
_KEYS = {"accelerators", "grpcserverfilepath", "tfimage"}

_DROPPED = {
    "grpcServerFilePath": "the chart brings the script of the default parameter server itself",
    "tfImage": "a ps without an image of its own runs in the job's; say `image` in the role",
}


class Config(NamedTuple):
    """What became of a configuration: a cloud, what was left out and why, and what there is to warn of."""

    cloud: dict[str, Any]
    notes: tuple[str, ...]
    warnings: tuple[Problem, ...]


def read(text: bytes, file: str) -> Document | None:
    """The configuration in a text, alone or in its ConfigMap; None if the text is something else."""
    if not _LOOKS.search(text):  # nearly all that is converted is a job, and need not be read twice
        return None
    try:
        documents = yaml.read(text, file)
    except InputError:
        return None
    if len(documents) != 1:
        return None
    if _is_config(documents[0].data):
        return documents[0]
    return _inside(documents[0], text)


def _is_config(data: Any) -> bool:
    return isinstance(data, dict) and bool({key.lower() for key in data} & _KEYS) and "roles" not in data


def _inside(document: Document, text: bytes) -> Document | None:
    """The configuration in a ConfigMap, each word of which is found where it stands in the file."""
    data = document.data
    if not isinstance(data, dict) or data.get("kind") != "ConfigMap" or not isinstance(data.get("data"), dict):
        return None
    for key, value in data["data"].items():
        inner = yaml.read(str(value).encode(), document.file)
        if _is_config(inner[0].data):
            return _placed(inner[0], document.mark(("data", key)), text.decode().split("\n"))
    return None


def _placed(inner: Document, start: Mark, lines: list[str]) -> Document:
    """Texts in a block stand line by line in the file; of others, only the start is known."""
    block = lines[start.line - 1][start.column - 1 :].startswith("|")
    first = next((line for line in lines[start.line :] if line.strip()), "")
    indent = len(first) - len(first.lstrip())

    def locate(path: Path, key: bool) -> Mark:
        mark = inner.locate(path, key)
        return Mark(start.file, start.line + mark.line, mark.column + indent) if block else start

    return inner._replace(locate=locate)


def cloud(document: Document) -> Config:
    """The cloud that a configuration means; all that is wrong with it, as an InputError."""
    rules = resources.data("schemas/controller.schema.json")
    spelt, problems = as_go_reads(document, rules, {})
    problems += schema.check(spelt, rules)
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
    data, origins = _data(spelt.data)
    moved = spelt.moved(data, origins)._replace(traps=())
    if refused := schema.check(moved, resources.data("schemas/cloud.schema.json")):
        raise InputError(problems + refused)
    notes = [f"{key} was left out: {why}" for key, why in _DROPPED.items() if key in spelt.data]
    return Config(data, tuple(notes), tuple(problems))


def _data(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[Path, Path]]:
    devices: dict[str, Any] = {}
    origins: dict[Path, Path] = {("devices",): ("accelerators",)}
    accelerators = config.get("accelerators", {})
    for resource, adds in accelerators.items():
        volumes = adds.get("volumes", [])
        devices[resource] = {
            "volumes": [{"name": one["name"], "hostPath": {"path": one["hostPath"]}} for one in volumes],
            "volumeMounts": [{"name": one["name"], "mountPath": one["mountPath"]} for one in volumes],
            "env": {one["name"]: one.get("value", "") for one in adds.get("envVars", [])},
        }
        origins["devices", resource, "volumeMounts"] = ("accelerators", resource, "volumes")
        origins["devices", resource, "env"] = ("accelerators", resource, "envVars")
        devices[resource] = {field: value for field, value in devices[resource].items() if value}
    found: dict[str, Any] = {"description": "From the configuration of an operator"}
    if plain := [resource for resource in accelerators if "nvidia" in resource and resource != "nvidia.com/gpu"]:
        found["types"] = {"nvidia-gpu": {"resource": plain[0]}}  # what `gpu: 1` asks for
    return {**found, "devices": devices}, origins


def text(config: Config, file: str) -> str:
    """The cloud as a file of one's own."""
    head = f"# Made of {file} by `chartgen convert`; name this file as the `cloud` of a job."
    return "".join(f"{line}\n" for line in (head, *(f"# {note}." for note in config.notes))) + emit(config.cloud)
