"""Artefacts that take long to make, kept outside the repository under a hash of their inputs."""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.e2e.progress import step

HOME = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "chartgen-e2e"
UNUSED = 30 * 24 * 3600  # seconds after which an unused artefact is removed
HALF_MADE = ".making-"
LOST = 3 * 3600  # seconds after which an unfinished artefact counts as abandoned


def make_once(name: str, key: Sequence[str | bytes], make: Callable[[Path], None]) -> Path:
    """The folder that `make` fills, made once for each key."""
    place = HOME / name / _digest(key)
    if not place.exists():
        with step(f"Making {name}"):
            _fill(place, make)
    os.utime(place)
    _prune(place.parent)
    return place


def _digest(key: Sequence[str | bytes]) -> str:
    parts = [part.encode() if isinstance(part, str) else part for part in key]
    return hashlib.sha256(
        b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    ).hexdigest()[:16]


def _fill(place: Path, make: Callable[[Path], None]) -> None:
    """Make it aside, then move it into place; if two runs do so, the second uses the first's."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=HALF_MADE, dir=place.parent) as folder:
        content = Path(folder) / "content"
        content.mkdir()
        make(content)
        if not place.exists():
            content.rename(place)


def _prune(folder: Path) -> None:
    """Remove what is no longer used, and what a killed run left unfinished."""
    for entry in folder.iterdir():
        limit = LOST if entry.name.startswith(HALF_MADE) else UNUSED
        if time.time() - entry.stat().st_mtime > limit:
            shutil.rmtree(entry, ignore_errors=True)
