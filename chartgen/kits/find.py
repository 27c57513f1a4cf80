"""Where kits are: in a directory that is named, or among those that ship with chartgen."""

from chartgen import resources
from chartgen.errors import UsageError
from chartgen.kits import model
from chartgen.kits.model import Kit
from chartgen.words import did_you_mean_or_known
from chartgen.world import folders, project_files

_SHIPPED = "charts/kits"


def open_kit(word: str) -> Kit:
    """The kit of a directory, or the shipped one of this name; InputError if it has problems."""
    if project_files.is_folder(word):
        return model.read(word, folders.read_folder(word, model.LARGEST))
    if word in shipped():
        return open_shipped(word)
    hint = did_you_mean_or_known(word, shipped())
    raise UsageError(f"there is no kit {word!r}: no such directory, and none ships; {hint}")


def shipped() -> list[str]:
    """The names of the kits that ship with chartgen."""
    return sorted({name.partition("/")[0] for name in resources.names(_SHIPPED)})


def open_shipped(name: str) -> Kit:
    """A kit that ships with chartgen."""
    folder = f"{_SHIPPED}/{name}"
    files = {path: resources.content(f"{folder}/{path}") for path in resources.names(folder)}
    return model.read(folder, files)
