"""What a cluster has about a release: asked for once, or kept up to date until the job ends."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from chartgen.errors import MissingError
from chartgen.life import find
from chartgen.life.find import Objects
from chartgen.life.model import Status
from chartgen.life.status import status
from chartgen.startup.records import NamedTuple
from chartgen.world.cluster import api as world
from chartgen.world.cluster.api import EVENTS, JOBS, PODS, Api, Mirrors

_WARNINGS = {"fieldSelector": "type=Warning"}


class WaitOptions(NamedTuple):
    """How a job is followed until it ends."""

    timeout: float = float("inf")  # seconds
    must_end: bool = False  # whether a job that never ends is refused
    pause: float = 2.0  # seconds until it is shown again, whatever is heard


class LiveRelease:
    """A release whose objects are kept up to date."""

    def __init__(self, api: Api, name: str) -> None:
        self._api, self._name = api, name
        self._mirrors = Mirrors(api, dict(_queries(name)))
        self.wait = self._mirrors.wait  # until something changes, or for some seconds

    def current(self) -> tuple[Objects, Status]:
        """What there is now, and the status that it means."""
        objects = _complete(self._api, self._name, Objects(*self._mirrors.objects().values()))
        job_status = status(objects)
        if job_status is None:
            raise MissingError(f"{self._name} is gone")
        return objects, job_status


@contextmanager
def live(api: Api, name: str) -> Iterator[LiveRelease]:
    """A release that is kept up to date until the end of the `with`."""
    kept = LiveRelease(api, name)
    try:
        kept._mirrors.wait_until_known()
        yield kept
    finally:
        kept._mirrors.close()


def collect(api: Api, release: str, *, all_events: bool = False) -> Objects:
    """All there is about a release; MissingError if it is not one of ours."""
    lists = {}
    for collection, query in _queries(release):
        wanted = {} if all_events and collection == EVENTS else query
        lists[collection] = api.list(collection, **wanted)[0]
    return _complete(api, release, Objects(*lists.values()))


def read_status(api: Api, release: str) -> tuple[Objects, Status]:
    """All there is about a release, and the status that it means."""
    objects = collect(api, release)
    job_status = status(objects)
    assert job_status is not None  # collect found its Jobs
    return objects, job_status


def list_releases(api: Api, *, everywhere: bool = False) -> list[Status]:
    """The releases of chartgen's charts in the namespace, or in all of them."""
    namespace = "" if everywhere else None
    selected = {"labelSelector": find.OURS}
    jobs, pods = (api.list(kind, namespace, **selected)[0] for kind in (JOBS, PODS))
    jobs, pods, _ = find.pods_as_jobs(Objects(jobs, pods, []))
    events = api.list(EVENTS, namespace, **_WARNINGS)[0]
    statuses, pods_of = [], find.releases(pods)
    for key, own in find.releases(jobs).items():
        here = [event for event in events if event["metadata"].get("namespace") == key[0]]
        job_status = status(Objects(own, pods_of.get(key, []), here))
        if job_status:
            statuses.append(job_status)
    return statuses


def follow(
    api: Api, release: str, options: WaitOptions, show: Callable[[Status, bool], None]
) -> Status:
    """Show each status, and whether it is the last, until the job ends or time is over."""
    collect(api, release)  # a release that is missing or not ours is reported at once
    end = world.now() + options.timeout
    with live(api, release) as kept:
        while True:
            _, job_status = kept.current()
            if job_status.endless and options.must_end:
                why = "it runs until it is removed, and --wait would never end"
                raise MissingError(f"no replica of {job_status.release} decides its end: {why}")
            over = job_status.ended or world.now() >= end
            show(job_status, over)
            if over:
                return job_status
            kept.wait(max(0.0, min(options.pause, end - world.now())))


def _queries(release: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """What to ask for about a release."""
    selected = {"labelSelector": find.of_release(release)}
    yield JOBS, selected
    yield PODS, selected
    yield EVENTS, _WARNINGS


def _complete(api: Api, release: str, objects: Objects) -> Objects:
    """The same with the pods that ElasticDL's master makes, which have only its own labels."""
    objects = find.pods_as_jobs(objects)
    jobs = find.replica_jobs(objects.jobs)
    if not jobs:
        others, pods = (api.list(kind, labelSelector=find.OURS)[0] for kind in (JOBS, PODS))
        ours = find.pods_as_jobs(Objects(others, pods, [])).jobs
        raise MissingError(find.why_missing(release, api.namespace, ours))
    known = {pod["metadata"].get("uid") for pod in objects.pods}
    for key, name in find.elasticdl_names(jobs):
        more = api.list(PODS, labelSelector=f"{key}={name}")[0]
        new = [pod for pod in more if pod["metadata"].get("uid") not in known]
        objects = objects._replace(pods=objects.pods + new)
    return objects
