"""Directories that tests write charts to, and what is in them."""

import os
from pathlib import Path
from typing import NoReturn

from chartgen.world.files import MANIFEST

OLD = {
    "Chart.yaml": "name: mnist\n",
    "values.yaml": "a: 1\n",
    "templates/jobs.yaml": "x\n",
    "templates/old/s.yaml": "y\n",
}
NEW = {
    "Chart.yaml": "name: mnist\n",
    "values.yaml": "a: 2\n",
    "templates/jobs.yaml": "z\n",
    "README.md": "héllo\n",
}


def texts_below(folder: Path) -> dict[str, str]:
    """The text of all files below a directory, except the manifest."""
    files = {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }
    return {name: path.read_bytes().decode() for name, path in files.items() if name != MANIFEST}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def snapshot(folder: Path) -> dict[Path, tuple[int, int, int]]:
    """What any change to a directory would change."""
    stats = {path: path.lstat() for path in [folder, *folder.rglob("*")]}
    return {path: (stat.st_ino, stat.st_mtime_ns, stat.st_mode) for path, stat in stats.items()}


def fail(number: int) -> NoReturn:
    """Fail as the operating system does with an error of this number."""
    raise OSError(number, os.strerror(number))
