"""What an API server, or something in its place, may answer without breaking a command."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chartgen.errors import ChartgenError
from chartgen.k8s.answers import sound
from chartgen.life import events, find, logs, switch
from chartgen.life.status import status
from chartgen.report import status as report
from tests.support import api_objects

JUNK: tuple[Any, ...] = (
    None, "", 0, -1, True, [], {}, [[]], [None], {"a": None}, "x" * 300, "\x1b[31m", 1e400,
    "2024-13-45T99:99:99Z", "9" * 5000, 10**30, [{}], "NaN", {"name": {}}, ["a"], "e\u202e",
)  # fmt: skip
JOBS = [api_objects.job("chief"), api_objects.job("worker", conditions={"Failed": {}})]
PODS = [
    api_objects.pod("chief", 0, api_objects.running(2, {"exitCode": 1})),
    api_objects.pod("worker", 0, api_objects.ended(1)),
    api_objects.pod("worker", 1, api_objects.waits("ImagePullBackOff", "no")),
    api_objects.pod("worker", 2, api_objects.unscheduled("0/3 nodes are available")),
]
EVENTS = [api_objects.warning("Pod", "worker-76no-0-x7k2p", "FailedMount", "no")]
ANSWER = {"jobs": JOBS, "pods": PODS, "events": EVENTS}


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    keys = [*data] if isinstance(data, dict) else range(len(data) if isinstance(data, list) else 0)
    for key, value in ((key, data[key]) for key in keys):
        yield from _paths(value, (*path, key))


def _put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = data.copy()
    copy[path[0]] = _put(data[path[0]], path[1:], value)
    return copy


PATHS = [path for path in _paths(ANSWER) if len(path) > 1]


@given(st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(JUNK)), min_size=1, max_size=40))
def test_no_answer_breaks_a_command(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    """Whatever is in place of a field; each change is tried by itself."""
    for path, junk in changes:
        changed = _put(ANSWER, path, junk)
        objects = find.Objects(**{name: _sound(items) for name, items in changed.items()})
        events.events(objects)
        told = status(objects)
        for form in ("text", "json") if told else ():
            report.report(told, form, report.Look(api_objects.NOW, 80, False))  # type: ignore[arg-type]
        if told:
            logs.sources(told, objects.pods, "", "")
        for change in (switch.stop, switch.start):
            with suppress(ChartgenError):
                change(objects, "mnist")


def _sound(items: list[Any]) -> list[Any]:
    return [sound_item for item in items if (sound_item := sound(item))]


def test_a_sound_object_stays_as_it_is() -> None:
    """With the fields that nobody reads, too."""
    for manifest in (*JOBS, *PODS, *EVENTS):
        assert sound(manifest) == manifest
    assert sound({**JOBS[0], "extra": [None]}) == {**JOBS[0], "extra": [None]}
