"""A kit, read and checked: kit.yaml, job.yaml, and the templates beside them."""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from json import dumps

from chartgen import frameworks, resources, schema
from chartgen.devices import catalog
from chartgen.document import Document, Path
from chartgen.errors import InputError, Mark, Problem
from chartgen.schema.walk import Schema
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.text import decode, without_controls
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.words import did_you_mean, either

LARGEST = 2**20  # bytes of all files of a kit together
FILE = "kit.yaml"
DEFAULTS = "job.yaml"
TEMPLATES = "templates/"
NOTES = "notes.txt.j2"
README = "readme.md.j2"
REGISTRY = "registry"  # a field of job.yaml alone: put before images that name no registry

_OBJECTS = ".yaml.j2"
_JOB_SCHEMA = "schemas/job.schema.json"
_KNOWN = re.compile(r"kit\.yaml|job\.yaml|notes\.txt\.j2|readme\.md\.j2|templates/.*|[A-Z].*")


class Kit(NamedTuple):
    """What a kit says, and its templates by their paths."""

    folder: str
    name: str
    version: str
    about: str
    frameworks: tuple[str, ...]
    clouds: tuple[str, ...]
    values: Mapping[str, Mapping[str, Any]]  # that it adds to charts, as kit.yaml has them
    group: str  # the JSON Schema of the values that it adds; empty if it adds none
    defaults: Document  # of every job, with the values of the group
    registry: str
    templates: Mapping[str, str]
    texts: Mapping[str, bytes]  # of all its files, by the paths that people know
    digest: str

    def path(self, name: str) -> str:
        """The path of a file of the kit, as people know it."""
        return f"{self.folder}/{name}"

    @property
    def objects(self) -> list[str]:
        """The templates that print objects."""
        names = [name for name in self.templates if name.endswith(_OBJECTS)]
        return [name for name in names if "/" not in name.removeprefix(TEMPLATES)]


def read(folder: str, files: Mapping[str, bytes]) -> Kit:
    """The kit of a directory; every problem at once, as an InputError."""
    folder = folder.rstrip("/") or "/"
    texts = {f"{folder}/{name}": data for name, data in files.items()}
    if FILE not in files:
        message = f"no such file; a directory with a {FILE} is a kit"
        raise InputError([Problem(Mark(f"{folder}/{FILE}"), message, "kit-missing")])
    document = _only_document(files[FILE], f"{folder}/{FILE}")
    problems = schema.check(document, resources.data("schemas/kit.schema.json"))
    if problems:
        raise InputError(problems)
    problems += [*_check(document), *_check_files(folder, files)]
    group = _group_schema(document.data)
    values = document.data.get("values", {})
    given = {name: value["default"] for name, value in values.items()}
    origins: dict[Path, Path] = {(): ("values",)}
    for name in given:
        origins[name,] = ("values", name, "default")
    if group and not problems:
        added = document.moved(given, origins)
        problems += schema.check(added, _complete_schema(group))
    defaults, more = _read_defaults(folder, files)
    if problems or more:
        raise InputError([*problems, *more])
    return _typed(folder, document, group, defaults, files, texts)


def _typed(
    folder: str,
    document: Document,
    group: str,
    defaults: Document,
    files: Mapping[str, bytes],
    texts: Mapping[str, bytes],
) -> Kit:
    data = document.data
    digest = sha256()
    for name, text in sorted(files.items()):
        digest.update(f"{name}\n{len(text)}\n".encode() + text)
    registry = defaults.data.get(REGISTRY, "")
    under = {key: value for key, value in defaults.data.items() if key != REGISTRY}
    return Kit(
        folder=folder,
        name=data["name"],
        version=data["version"],
        about=data["about"],
        frameworks=tuple(data.get("frameworks", ())),
        clouds=tuple(data.get("clouds", ())),
        values=data.get("values", {}),
        group=group,
        defaults=_with_values(defaults._replace(data=under), document),
        registry=registry,
        templates=_read_templates(folder, files),
        texts=texts,
        digest=f"sha256:{digest.hexdigest()}",
    )


def _read_templates(folder: str, files: Mapping[str, bytes]) -> dict[str, str]:
    templates: dict[str, str] = {}
    problems: list[Problem] = []
    for name, data in files.items():
        if name.startswith(TEMPLATES) or name in (NOTES, README):
            text = decode(data, f"{folder}/{name}").replace("\r\n", "\n")
            templates[name], refused = without_controls(text, f"{folder}/{name}")
            problems += refused
    if problems:
        raise InputError(problems)
    return templates


def _with_values(defaults: Document, kit: Document) -> Document:
    """The defaults of jobs, with those of the kit's values; each with its place."""
    values = kit.data.get("values", {})
    if not values:
        return defaults
    name = kit.data["name"]
    given = {key: value["default"] for key, value in values.items()}

    def locate(path: Any, key: bool) -> Mark:
        if path[:1] != (name,):
            return defaults.locate(path, key)
        if len(path) == 1:
            return kit.locate(("values",), key)
        return kit.locate(("values", path[1], "default", *path[2:]), False)

    return defaults._replace(data={**defaults.data, name: given}, locate=locate)


def _only_document(text: bytes, file: str) -> Document:
    document, *more = yaml_reader.read(text, file)
    problems = [*document.problems]
    if more:
        message = "second document in a file of a kit; expected one"
        problems.append(more[0].problem((), message, "kit-several"))
    if problems:
        raise InputError(problems)
    return document


def _read_defaults(folder: str, files: Mapping[str, bytes]) -> tuple[Document, list[Problem]]:
    """The defaults of jobs, and what the schema of job descriptions refuses in them."""
    file = f"{folder}/{DEFAULTS}"
    if DEFAULTS not in files:
        return Document(file, {}, lambda _path, _key: Mark(file)), []
    document = _only_document(files[DEFAULTS], file)
    if not isinstance(document.data, dict):
        message = "not a mapping; expected fields of a job description"
        return document, [document.problem((), message, "value-wrong-type")]
    return document, schema.check(document, _defaults_schema(document.data))


def _defaults_schema(data: Mapping[str, Any]) -> Schema:
    """The schema of job.yaml: some fields of a job description, and a registry."""
    known = {*resources.data(_JOB_SCHEMA)["properties"], REGISTRY}
    job = frameworks.job_schema(next((key for key in data if key not in known), None))
    project = resources.data("schemas/project.schema.json")
    fields = {key: node for key, node in job["properties"].items() if key != "name"}
    fields[REGISTRY] = project["properties"]["registry"]
    return {**job, "required": [], "properties": fields}


def _group_schema(data: Mapping[str, Any]) -> str:
    """The JSON Schema of the values that a kit adds, as text; empty if it adds none."""
    values: Mapping[str, Any] = data.get("values", {})
    if not values:
        return ""
    properties = {name: _value_schema(value) for name, value in values.items()}
    group = {
        "type": "object",
        "description": f"Values of the kit {data['name']}: {data['about']}",
        "additionalProperties": False,
        "required": [*properties],
        "properties": properties,
    }
    return dumps(group)


def _value_schema(value: Mapping[str, Any]) -> dict[str, Any]:
    node = {key: part for key, part in value.items() if key != "default"}
    node["examples"] = [value["default"]]
    if node["type"] == "image":
        del node["type"]
        parts = ("imageReference", "imageParts")
        node["anyOf"] = [{"$ref": f"#/definitions/{part}"} for part in parts]
    return node


def _complete_schema(group: str) -> Schema:
    """The schema of a group alone, with the definitions that it may refer to."""
    from json import loads

    return {**loads(group), "definitions": resources.data(_JOB_SCHEMA)["definitions"]}


def _check(document: Document) -> Iterator[Problem]:
    """What no schema can say about kit.yaml."""
    data, job = document.data, resources.data(_JOB_SCHEMA)
    if data["name"] in {*job["properties"], *job["definitions"], "global"}:
        message = f"{data['name']!r} is a field of job descriptions; expected another name"
        yield document.problem(("name",), message, "kit-name-taken")
    known = {"frameworks": frameworks.names(), "clouds": catalog.names("cloud")}
    for field, names in known.items():
        for index, name in enumerate(data.get(field, ())):
            if name not in names:
                kind = field.removesuffix("s")
                message = f"there is no {kind} {name!r}; expected {either(names)}"
                hint = did_you_mean(name, names)
                yield document.problem((field, index), message, "value-not-listed", hint)
    for name, value in data.get("values", {}).items():
        try:
            re.compile(value.get("pattern", ""))
        except (re.error, OverflowError, RecursionError) as error:
            message = f"not a regular expression: {error}"
            yield document.problem(("values", name, "pattern"), message, "value-malformed")


def _check_files(folder: str, files: Mapping[str, bytes]) -> Iterator[Problem]:
    """Files that would be ignored silently."""
    for name in files:
        mark = Mark(f"{folder}/{name}")
        if not _KNOWN.fullmatch(name):
            expected = either((FILE, DEFAULTS, TEMPLATES, NOTES, README))
            message = f"not part of a kit; expected {expected}"
            hint = did_you_mean(name, (FILE, DEFAULTS, NOTES, README))
            yield Problem(mark, message, "kit-file-unknown", hint)
        below = name.removeprefix(TEMPLATES)
        if name.startswith(TEMPLATES) and "/" not in below and not below.endswith(_OBJECTS):
            message = f"objects are printed by files named *{_OBJECTS}"
            hint = "what they include goes to a directory below, such as templates/parts"
            yield Problem(mark, message, "kit-file-unknown", hint)
        if below.endswith(_OBJECTS) and not re.fullmatch(r"[a-z0-9-]+", below[: -len(_OBJECTS)]):
            message = "expected a name of lowercase letters, digits and '-'"
            if "/" not in below:
                yield Problem(mark, message, "kit-file-unknown")
