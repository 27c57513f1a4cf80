"""A directory read as a whole: every regular file in it, and nothing outside it."""

import os

from chartgen.errors import InputError, Mark, Problem, WorldError


def is_kit(path: str) -> bool:
    """Whether a path, which is written as one, is that of a kit."""
    return "/" in path and os.path.isfile(os.path.join(path, "kit.yaml"))


def read_folder(folder: str, most: int) -> dict[str, bytes]:
    """The files below a directory by their relative paths; hidden ones are left out.

    A link that leads out of the directory, and more than so many bytes, are InputErrors.
    """
    top = os.path.realpath(folder)
    contents: dict[str, bytes] = {}
    left = most
    try:
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = os.path.join(place, name)
                shown = os.path.relpath(path, folder).replace(os.sep, "/")
                if name.startswith("."):
                    continue
                if not os.path.realpath(path).startswith(f"{top}{os.sep}"):
                    _refuse(path, "this link points outside the kit's directory", "kit-link")
                with open(path, "rb") as stream:
                    contents[shown] = stream.read(left + 1)
                left -= len(contents[shown])
                if left < 0:
                    _refuse(folder, f"the kit has more than {most:,} bytes", "kit-too-large")
    except OSError as error:
        raise WorldError(f"cannot read {folder}: {error.strerror}") from error
    return contents


def _refuse(path: str, message: str, rule: str) -> None:
    raise InputError([Problem(Mark(path), message, rule)])
