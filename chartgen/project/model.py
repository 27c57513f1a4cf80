"""The project file chartgen.yaml, read and checked."""

from collections.abc import Iterator, Mapping

from chartgen import __version__, resources, schema
from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.schema.walk import Schema
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.yaml import reader as yaml_reader

FILE = "chartgen.yaml"
SCHEMA = "schemas/project.schema.json"
VALUES = "environments"


class Environment(NamedTuple):
    """Where jobs run, and with which values."""

    name: str
    namespace: str
    cluster: str  # a name, or the URL of an API server; empty for the one the GitOps tool is in
    values: str  # the directory with a file for each job that has values of its own there

    def file(self, job: str) -> str:
        """Where the values of a job are, if it has any."""
        return f"{self.values}/{job}.yaml"


class Project(NamedTuple):
    """What a project file says; paths are relative to it."""

    document: Document
    sources: tuple[str, ...]
    output: str
    format: str
    layout: str
    library: str
    clouds: str
    registry: str
    kits: tuple[str, ...]
    defaults: Document
    environments: tuple[Environment, ...]


def read(text: bytes, file: str) -> Project:
    """The project of a file; every problem at once, as an InputError."""
    document, *more = yaml_reader.read(text, file)
    problems = [*document.problems]
    if more:
        message = "second document in a project file; expected one"
        problems.append(more[0].problem((), message, "project-several"))
    problems += schema.check(document, resources.data(SCHEMA))
    if not problems:
        problems += _check(document)
    if problems:
        raise InputError(problems)
    return _typed(document)


def _typed(document: Document) -> Project:
    data: Mapping[str, Any] = document.data or {}
    environments = []
    for name, said in (data.get("environments") or {}).items():
        folder = said.get("values", f"{VALUES}/{name}").rstrip("/")
        environments.append(
            Environment(name, said.get("namespace", name), said.get("cluster", ""), folder)
        )
    return Project(
        document=document,
        sources=tuple(data.get("sources", ("jobs/**",))),
        output=data.get("output", "charts").rstrip("/").removeprefix("./"),
        format=data.get("format", "chart"),
        layout=data.get("layout", "full"),
        library=data.get("library", ""),
        clouds=data.get("clouds", "used"),
        registry=data.get("registry", ""),
        kits=tuple(data.get("kits", ())),
        defaults=document.moved(data.get("defaults", {}), {(): ("defaults",)}),
        environments=tuple(environments),
    )


def _check(document: Document) -> Iterator[Problem]:
    """What no schema can say about a project file."""
    data = document.data
    if _numbers(data.get("requires", "")) > _numbers(__version__):
        message = f"this repository requires {data['requires']}, and this is {__version__}"
        hint = "install a newer chartgen"
        yield document.problem(("requires",), message, "project-requires", hint)
    if data.get("layout") == "thin" and data.get("format") == "manifests":
        message = "manifests have no layout; expected it only with format: chart"
        yield document.problem(("layout",), message, "project-layout")
    if "library" in data and data.get("layout") != "thin":
        message = "a library is only for layout: thin; expected none"
        yield document.problem(("library",), message, "project-layout")
    yield from _check_output(document)
    yield from _check_shared(document)


def _check_shared(document: Document) -> Iterator[Problem]:
    """What is written must not be among what people write, or what else is written."""
    project = _typed(document)
    others = {VALUES: "the values of environments"}
    others |= {
        environment.values: "the values of environments" for environment in project.environments
    }
    others[document.data.get("gitops", {}).get("output", "gitops")] = (
        "the objects of `chartgen gitops`"
    )
    others[".git"] = "Git's own files"
    for folder, what in others.items():
        if f"{project.output}/".startswith(f"{folder.rstrip('/')}/"):
            message = f"the output directory {project.output!r} is that of {what}"
            hint = "name another directory"
            yield document.problem(("output",), message, "project-output-shared", hint)
            return


def _check_output(document: Document) -> Iterator[Problem]:
    """What is written must not be read as a source the next time."""
    project = _typed(document)
    for index, pattern in enumerate(project.sources):
        steps = pattern.removeprefix("./").split("/")
        recursive = "**" in steps or not any(set(step) & set("*?[") for step in steps)
        fixed = []
        for step in steps:
            if set(step) & set("*?["):
                break
            fixed.append(step)
        if recursive and f"{project.output}/".startswith("/".join([*fixed, ""])):
            message = (
                f"the output directory {project.output!r} is inside the sources {pattern!r}: "
                "charts would be read as jobs"
            )
            path = ("output",) if "output" in document.data else ("sources", index)
            hint = "name another directory, or more exact sources"
            yield document.problem(path, message, "project-output-in-sources", hint)


def _numbers(text: str) -> tuple[int, ...]:
    version = text.rpartition("=")[2].strip()
    numbers = [int(part) for part in version.split(".") if part.isdecimal()]
    return (*numbers, 0, 0, 0)[:3]


def project_schema() -> Schema:
    """The schema of project files for editors: the defaults have the fields of a description."""
    own = resources.data(SCHEMA)
    job = resources.data("schemas/job.schema.json")
    fields = {key: value for key, value in job["properties"].items() if key != "name"}
    defaults = {
        **own["properties"]["defaults"],
        "additionalProperties": False,
        "properties": fields,
    }
    return {
        **own,
        "properties": {**own["properties"], "defaults": defaults},
        "definitions": {**own["definitions"], **job["definitions"]},
    }
