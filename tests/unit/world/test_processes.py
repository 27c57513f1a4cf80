"""world.processes: which process it is, and whether it still runs."""

import subprocess
import sys

import pytest

from chartgen.world import processes

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems have no /proc"
)
NAMED = "from chartgen.world import processes; print(processes.own_name(), flush=True); input()"


def test_a_process_is_known_to_have_ended_once_it_has() -> None:
    """Also while it is a zombie: its parent has not asked how it ended."""
    with subprocess.Popen(
        [sys.executable, "-c", NAMED, "a-word"], stdin=-1, stdout=-1, text=True
    ) as child:
        assert child.stdout
        name = child.stdout.readline().strip()
        assert not processes.has_ended(name)
        assert processes.is_an_argument("a-word")
        child.kill()
        child.stdout.read()
        while not processes.has_ended(name):
            pass
        assert child.returncode is None
    assert processes.has_ended(name)
    assert not processes.is_an_argument("a-word")


def test_another_process_with_the_same_id_is_another() -> None:
    own = processes.own_name()
    assert not processes.has_ended(own)
    assert processes.has_ended(own + "0")


@pytest.mark.parametrize("name", ["", "x", "0123456789ab.1.2", "000000000000.1.2", "a.b.c"])
def test_nothing_is_known_about_processes_elsewhere(name: str) -> None:
    assert not processes.has_ended(name)


def test_where_processes_cannot_be_told_apart_nothing_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processes, "_machine", lambda: "0" * 12)
    assert not processes.has_ended(processes.own_name() + "0")


def test_the_name_fits_into_a_label() -> None:
    assert len(processes.own_name()) <= 63
