"""The configuration of the TfJob operator, and of MxJob's: the cloud that its accelerators mean.

`chartgen convert` reads the file that the operator's flag --controller_config_file named, alone or
in its ConfigMap, and prints a cloud: what a container that requests a resource is given. Save it as
a file, and name the file as the `cloud` of a job.

  kubectl get configmap tf-job-operator-config -o yaml | chartgen convert - > our-cloud.yaml

Fields
  accelerators            devices, by their resource
  volumes                 volumes with a hostPath, and volumeMounts
  envVars                 env
  grpcServerFilePath      dropped: the chart brings the default parameter server itself
  tfImage                 dropped: say `image` in the role ps, or in the job
"""

import re
from collections.abc import Iterable, Mapping

from chartgen import resources, schema
from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.native.operators.go_spelling import read_as_go
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.syntax.yaml.writer import emit

_LOOKS_LIKE_ONE = re.compile(rb"(accelerators|grpcServerFilePath)[\"']?\s*:", re.IGNORECASE)
_KEYS = {"accelerators", "grpcserverfilepath", "tfimage"}

_DROPPED = {
    "grpcServerFilePath": "the chart brings the script of the default parameter server itself",
    "tfImage": "a ps without an image of its own runs in the job's; say `image` in the role",
}


class OperatorConfig(NamedTuple):
    """The cloud that a configuration means, what was left out and why, and warnings."""

    cloud: dict[str, Any]
    notes: tuple[str, ...]
    warnings: tuple[Problem, ...]


def read(text: bytes, file: str) -> Document | None:
    """The configuration in a text, alone or in its ConfigMap; None if it holds none."""
    if not _LOOKS_LIKE_ONE.search(text):  # nearly every text is a job, and need not be read twice
        return None
    try:
        documents = yaml_reader.read(text, file)
    except InputError:
        return None
    if len(documents) != 1:
        return None
    document = documents[0]
    if _is_config(document.data):
        return document
    return _read_config_map(document, text.decode().split("\n"))


def _is_config(data: Any) -> bool:
    if not isinstance(data, dict) or "roles" in data:
        return False
    return any(key.lower() in _KEYS for key in data)


def _read_config_map(document: Document, lines: list[str]) -> Document | None:
    """The configuration in a ConfigMap, with the places of its values in the file."""
    data = document.data
    if not isinstance(data, dict) or data.get("kind") != "ConfigMap":
        return None
    if not isinstance(data.get("data"), dict):
        return None
    for key, value in data["data"].items():
        config = yaml_reader.read(str(value).encode(), document.file)[0]
        if _is_config(config.data):
            return _move_marks(config, document.mark(("data", key)), lines)
    return None


def _move_marks(config: Document, start: Mark, lines: list[str]) -> Document:
    """Of a block (`|`) each line is a line of the file; of other texts only the start is known."""
    is_block = lines[start.line - 1][start.column - 1 :].startswith("|")
    first = next((line for line in lines[start.line :] if line.strip()), "")
    indent = len(first) - len(first.lstrip())

    def locate(path: Path, key: bool) -> Mark:
        mark = config.locate(path, key)
        return Mark(start.file, start.line + mark.line, mark.column + indent) if is_block else start

    return config._replace(locate=locate)


def cloud(document: Document) -> OperatorConfig:
    """The cloud that a configuration means, or InputError with every problem found."""
    known = resources.data("schemas/controller.schema.json")
    document, problems = read_as_go(document, known, {})
    problems += schema.check(document, known)
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
    data, origins = _make_cloud(document.data)
    made = document.moved(data, origins)._replace(traps=())
    if refused := schema.check(made, resources.data("schemas/cloud.schema.json")):
        raise InputError(problems + refused)
    notes = [f"{key} was left out: {why}" for key, why in _DROPPED.items() if key in document.data]
    return OperatorConfig(data, tuple(notes), tuple(problems))


def clouds(
    documents: Iterable[Document], *, strict: bool
) -> tuple[dict[str, OperatorConfig], list[Problem]]:
    """The clouds that configurations mean, by file, and the problems of all of them."""
    configs: dict[str, OperatorConfig] = {}
    problems: list[Problem] = []
    for document in documents:
        try:
            configs[document.file] = cloud(document)
        except InputError as error:
            problems.extend(error.problems)
            continue
        for problem in configs[document.file].warnings:
            problems.append(problem._replace(severity="error") if strict else problem)
    return configs, problems


def _make_cloud(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[Path, Path]]:
    """The data of a cloud, and where each part of it comes from."""
    data: dict[str, Any] = {"description": "From the configuration of an operator"}
    devices: dict[str, Any] = {}
    origins: dict[Path, Path] = {("devices",): ("accelerators",)}
    for resource, accelerator in config.get("accelerators", {}).items():
        if "nvidia" in resource and resource != "nvidia.com/gpu":
            data.setdefault("types", {"nvidia-gpu": {"resource": resource}})  # for `gpu: 1`
        device: dict[str, Any] = {}
        for volume in accelerator.get("volumes", ()):
            name = volume["name"]
            host = {"name": name, "hostPath": {"path": volume["hostPath"]}}
            device.setdefault("volumes", []).append(host)
            mount = {"name": name, "mountPath": volume["mountPath"]}
            device.setdefault("volumeMounts", []).append(mount)
        for variable in accelerator.get("envVars", ()):
            device.setdefault("env", {})[variable["name"]] = variable.get("value", "")
        devices[resource] = device
        origins["devices", resource, "volumeMounts"] = ("accelerators", resource, "volumes")
        origins["devices", resource, "env"] = ("accelerators", resource, "envVars")
    return {**data, "devices": devices}, origins


def text(config: OperatorConfig, file: str) -> str:
    """The cloud as the text of a file."""
    lines = [f"# Made from {file} by `chartgen convert`; name this file as the `cloud` of a job."]
    lines += [f"# {note}." for note in config.notes]
    return "\n".join(lines) + "\n" + emit(config.cloud)
