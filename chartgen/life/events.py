"""What the cluster said about a job: the events of its Jobs and pods, oldest first."""

from collections.abc import Iterable, Iterator

from chartgen.k8s.objects import Object
from chartgen.k8s.times import seconds
from chartgen.life import find
from chartgen.life.causes import when
from chartgen.startup.records import NamedTuple


class Event(NamedTuple):
    """One event; equal ones that came again are counted."""

    time: float | None
    kind: str  # Normal or Warning
    reason: str
    about: str  # Pod/worker-76no-1-x7k2p
    message: str
    times: int


def events(objects: find.Objects) -> list[Event]:
    """The events about a release's Jobs and their pods, also pods that are gone."""
    jobs = {job["metadata"]["name"] for job in objects.jobs}
    pods = {pod["metadata"]["name"] for pod in objects.pods}
    own = [event for event in objects.events if _concerns(event, jobs, pods)]
    return [*_read_events(sorted(own, key=when))]


def _concerns(event: Object, jobs: set[str], pods: set[str]) -> bool:
    about = event.get("involvedObject") or {}
    kind, name = about.get("kind"), str(about.get("name"))
    if kind == "Job":
        return name in jobs
    # A Job's pods have its name and a suffix; that of an Indexed Job has an index before it.
    return kind == "Pod" and (name in pods or name.rpartition("-")[0] in jobs)


def _read_events(events: Iterable[Object]) -> Iterator[Event]:
    for event in events:
        about, time = event.get("involvedObject") or {}, when(event)
        series = event.get("series") or {}
        yield Event(
            seconds(time) if time else None,
            str(event.get("type") or ""),
            str(event.get("reason") or ""),
            f"{about.get('kind')}/{about.get('name')}",
            " ".join(str(event.get("message") or event.get("note") or "").split()),
            int(series.get("count") or event.get("count") or 1),
        )
