"""A cloud of one's own in a file beside the job description, taken as if it stood in the description itself."""

from collections.abc import Mapping

from chartgen.document import Document, Path, Trap
from chartgen.errors import InputError, Mark, Problem
from chartgen.syntax import yaml_reader as yaml

Files = Mapping[str, tuple[str, bytes] | None]  # by the name in the description: the file, and its text if there is one

_ENDS = (".yaml", ".yml", ".json")


def named(document: Document) -> str:
    """The file that a description names as its cloud, as it names it; nothing if it names a cloud that has a name."""
    cloud = document.data.get("cloud") if isinstance(document.data, dict) else None
    return cloud if isinstance(cloud, str) and cloud.endswith(_ENDS) else ""


def inserted(document: Document, files: Files) -> tuple[Document, list[Problem]]:
    """The description with the cloud in it, each word of which is found where it stands in the file."""
    path = named(document)
    if not path:
        return document, []
    without = {key: value for key, value in document.data.items() if key != "cloud"}
    found = files.get(path)
    if found is None:  # whoever was to read it has said why there is none
        return document._replace(data=without), []
    name = path.replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
    own = without.get("clouds", {})
    if isinstance(own, dict) and name in own:
        message = f"the description itself has a cloud {name!r} under clouds; expected it here or there"
        return document._replace(data=without), [document.problem(("cloud",), message, "cloud-file")]
    try:
        cloud = _read(*found)
    except InputError as error:
        return document._replace(data=without), list(error.problems)
    data = {**document.data, "cloud": name, "clouds": {**own, name: cloud.data}}
    return _joined(document, cloud, data, ("clouds", name)), []


def _read(file: str, text: bytes) -> Document:
    document, *more = yaml.read(text, file)
    if more:
        message = "a second document in the file of a cloud; expected one cloud in it"
        raise InputError([more[0].problem((), message, "cloud-file")])
    if isinstance(document.data, dict) and {key.lower() for key in document.data} & {"accelerators", "kind"}:
        message = "this is no cloud, but looks like the configuration of an operator"
        hint = f"`chartgen convert {file}` makes a cloud of the TfJob operator's"
        raise InputError([document.problem((), message, "cloud-file", hint)])
    return document


def _joined(document: Document, cloud: Document, data: object, at: Path) -> Document:
    def locate(path: Path, key: bool) -> Mark:
        return cloud.locate(path[len(at) :], key) if path[: len(at)] == at else document.locate(path, key)

    traps = (*document.traps, *(Trap((*at, *trap.path), trap.text) for trap in cloud.traps))
    return document._replace(data=data, locate=locate, traps=traps)
