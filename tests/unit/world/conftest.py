"""A directory to render into, and one that holds a chart."""

from pathlib import Path

import pytest

from chartgen.world.files import write
from tests.support.folders import OLD


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A directory to render into, with nothing in it."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def chart(out: Path) -> Path:
    """The directory of a chart that chartgen wrote."""
    write(f"{out}/mnist", OLD)
    return out / "mnist"
