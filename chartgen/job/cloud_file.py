"""A custom cloud in a file of its own, read as if it were part of the job description."""

from collections.abc import Mapping

from chartgen.document import Document, Path, Trap
from chartgen.errors import InputError, Mark, Problem
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.words import in_shell

# By the name in the description: the file and its text, or None if it could not be read.
NamedFiles = Mapping[str, tuple[str, bytes] | None]

_SUFFIXES = (".yaml", ".yml", ".json")


def file_name(document: Document) -> str:
    """The file that a description names as its cloud; empty if it names a cloud by name."""
    cloud = document.data.get("cloud") if isinstance(document.data, dict) else None
    return cloud if isinstance(cloud, str) and cloud.endswith(_SUFFIXES) else ""


def insert(document: Document, files: NamedFiles) -> tuple[Document, list[Problem]]:
    """Insert the cloud into the description; its problems keep their places in the file."""
    path = file_name(document)
    if not path:
        return document, []
    without = {key: value for key, value in document.data.items() if key != "cloud"}
    file = files.get(path)
    if file is None:  # who tried to read it has reported why
        return document._replace(data=without), []
    name = path.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
    own = without.get("clouds", {})
    if isinstance(own, dict) and name in own:
        message = f"cloud {name!r} is also defined under clouds; expected it in one place"
        problem = document.problem(("cloud",), message, "cloud-file-clash")
        return document._replace(data=without), [problem]
    try:
        cloud = _read(*file)
    except InputError as error:
        return document._replace(data=without), list(error.problems)
    data = {**document.data, "cloud": name, "clouds": {**own, name: cloud.data}}
    return _join(document, cloud, data, ("clouds", name)), []


def _read(file: str, text: bytes) -> Document:
    document, *more = yaml_reader.read(text, file)
    if more:
        message = "second document in the file of a cloud; expected one cloud"
        raise InputError([more[0].problem((), message, "cloud-file-several")])
    keys = {key.lower() for key in document.data} if isinstance(document.data, dict) else set()
    if keys & {"accelerators", "kind"}:
        message = "not a cloud; this looks like the configuration of an operator"
        hint = f"`chartgen convert {in_shell(file)}` converts that of the TfJob operator to a cloud"
        raise InputError([document.problem((), message, "cloud-file-not-a-cloud", hint)])
    return document


def _join(document: Document, cloud: Document, data: object, at: Path) -> Document:
    def locate(path: Path, key: bool) -> Mark:
        if path[: len(at)] == at:
            return cloud.locate(path[len(at) :], key)
        return document.locate(path, key)

    traps = (*document.traps, *(Trap((*at, *trap.path), trap.text) for trap in cloud.traps))
    return document._replace(data=data, locate=locate, traps=traps)
