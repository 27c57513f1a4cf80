"""What other installed packages add to chartgen by entry points, and who is to blame if it breaks.

Nothing is looked up until a name or a text is none of chartgen's own, or somebody wants a list.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from chartgen import resources
from chartgen.errors import ChartgenError, PackageError
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

FRAMEWORKS = "chartgen.frameworks"
FORMATS = "chartgen.formats"


class Extension(NamedTuple):
    """A module of an installed package, under the name that people use for it."""

    name: str
    module: str
    package: str  # with its version


@cache
def installed(group: str) -> dict[str, Extension]:
    """The modules that installed packages offer, by their names, which are sorted."""
    known: dict[str, Extension] = {}
    for name, module, package in sorted(resources.entry_points(group)):
        if name in known:
            raise PackageError(
                f"{known[name].package} and {package} both offer {name!r} ({group}); uninstall one"
            )
        known[name] = Extension(name, module, package)
    return known


def load(extension: Extension) -> Any:
    """The module itself."""
    with blame(extension, "cannot be imported"):
        return import_module(extension.module)


@contextmanager
def blame(extension: Extension, what: str) -> Iterator[None]:
    """Turn whatever the code of a package raises into an error that names the package."""
    try:
        yield
    except ChartgenError:
        raise
    except Exception as error:
        raise broken(extension, f"{what}: {type(error).__name__}: {error}") from error


def broken(extension: Extension, why: str) -> PackageError:
    """The error for a package that is not as it has to be."""
    return PackageError(
        f"{extension.name} of the package {extension.package} {why}\n"
        "report it to the authors of that package, or uninstall it"
    )
