"""Ask a cluster about any kind of object: what runs, what failed and why, what is gone."""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from chartgen.errors import WorldError
from chartgen.k8s import health
from chartgen.k8s.objects import Object
from chartgen.startup.records import NamedTuple
from chartgen.world.cluster import api
from chartgen.world.cluster.api import PODS, Api, ApiError

_NOT_FOUND = 404
_PAUSE = 1.0  # seconds between two requests
_OUTAGE = 30.0  # seconds that the cluster may not answer while we wait for objects
_SETTLE = 3.0  # seconds that all must be healthy, because a program may fail soon after its start
_LINES = 20  # of a log
_BLINK = 0.05  # seconds between two looks for a pod that will not exist for long
_LAST_LINES = 2.0  # seconds for the end of a log to arrive


class Name(NamedTuple):
    """What identifies an object."""

    version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Cluster:
    """A cluster that has answered once, and the namespace to use by default."""

    def __init__(self, server: Api) -> None:
        self._api, self.namespace = server, server.namespace
        self.version = str(server.get("/version")["gitVersion"])
        self._kinds: dict[str, dict[str, tuple[str, bool]]] = {}

    def list(self, version: str, kind: str, namespace: str = "", labels: str = "") -> list[Object]:
        """The objects of a kind in a namespace, all of them or those that a selector names."""
        place = namespace or self.namespace
        with _explain_errors(f"cannot list {kind}s in the namespace {place}"):
            collection, namespaced = self._collection(version, kind)
            query = {"labelSelector": labels} if labels else {}
            items, _ = self._api.list(collection, place if namespaced else "", **query)
            return [{**item, "kind": kind} for item in items]  # items of a list have no kind

    def get(self, name: Name) -> Object | None:
        """An object; None if it does not exist."""
        with _explain_errors(f"cannot get {name}"):
            try:
                return self._api.get(self._path(name))
            except ApiError as error:
                if error.code == _NOT_FOUND:
                    return None
                raise

    def delete(self, name: Name) -> None:
        """Delete an object and what it owns; it may be gone already."""
        with _explain_errors(f"cannot delete {name}"):
            try:
                self._api.delete(self._path(name), propagationPolicy="Background")
            except ApiError as error:
                if error.code != _NOT_FOUND:
                    raise

    def log(self, pod: Object, container: str) -> str:
        """The last lines of a container's log; those before its restart, if it has no others."""
        meta = pod["metadata"]
        path = self._api.path(PODS, meta["namespace"], f"{meta['name']}/log")
        for previous in ("false", "true"):
            query = {"container": container, "previous": previous, "tailLines": str(_LINES)}
            with suppress(WorldError):
                text = _text(self._api.lines(path, **query))
                if text.strip():
                    return text
        return ""

    def follow_log(self, name: Name, container: str, timeout: float) -> str:
        """All that a container logs until it ends; WorldError as long as it has not started."""
        path = self._api.path(PODS, name.namespace, f"{name.name}/log")
        with _explain_errors(f"cannot follow the log of {name}"):
            return _text(self._api.lines(path, timeout, container=container, follow="true"))

    def close(self) -> None:
        """Close all connections."""
        self._api.close()

    def _path(self, name: Name) -> str:
        collection, namespaced = self._collection(name.version, name.kind)
        return self._api.path(collection, name.namespace if namespaced else "", name.name)

    def _collection(self, version: str, kind: str) -> tuple[str, bool]:
        """The collection that a kind is in, and whether it is in namespaces."""
        if version not in self._kinds:
            root = f"/apis/{version}" if "/" in version else f"/api/{version}"
            self._kinds[version] = {}
            for resource in self._api.get(root).get("resources") or ():
                if "/" not in resource["name"]:  # status, log and others of an object
                    collection = f"{version}/{resource['name']}", bool(resource.get("namespaced"))
                    self._kinds[version].setdefault(resource["kind"], collection)
        if kind not in self._kinds[version]:
            raise WorldError(f"the cluster has no kind {kind} of {version}")
        return self._kinds[version][kind]


def connect(kubeconfig: str, context: str, namespace: str) -> Cluster:
    """The cluster that Helm would use for these options."""
    if os.environ.get("HELM_KUBEAPISERVER"):
        raise WorldError(
            "$HELM_KUBEAPISERVER is set, which only Helm supports; use a kubeconfig instead"
        )
    return Cluster(api.connect(kubeconfig, context, namespace))


def _text(lines: Iterable[bytes]) -> str:
    return b"".join(lines).decode(errors="replace")


@contextmanager
def _explain_errors(what: str) -> Iterator[None]:
    try:
        yield
    except WorldError as error:
        raise WorldError(f"{what}: {error}") from error


def look(cluster: Cluster, names: Sequence[Name]) -> dict[Name, Object | None]:
    """The objects of these names that run something, with one request per kind and namespace."""
    objects: dict[Name, Object] = {}
    for kind, namespace in sorted({(name.kind, name.namespace) for name in names}):
        version = health.RUNNERS[kind]
        for obj in cluster.list(version, kind, namespace):
            objects[Name(version, kind, namespace, obj["metadata"]["name"])] = obj
    return {name: objects.get(name._replace(version=health.RUNNERS[name.kind])) for name in names}


def wait(
    cluster: Cluster, names: Sequence[Name], timeout: float, tell: Callable[[str], None]
) -> dict[Name, health.State]:
    """The states of objects once all are healthy for a while, one is broken, or time is up."""
    answered = time.monotonic()
    end = answered + timeout
    well_since = None
    while True:
        now = time.monotonic()
        states: dict[Name, health.State] = {}
        try:
            for name, obj in look(cluster, names).items():
                missing = health.State(health.WAITING, "it does not exist")
                states[name] = health.state(obj) if obj else missing
            answered = now
        except WorldError:
            if now - answered > _OUTAGE or now > end:
                raise
        words = {state.word for state in states.values()}
        well = bool(states) and words <= {health.DONE, health.HEALTHY}
        well_since = (well_since or now) if well else None
        settled = words == {health.DONE} or (well_since and now - well_since >= _SETTLE)
        if health.BROKEN in words or settled or now > end:
            return states
        tell(_progress(states))
        time.sleep(_PAUSE)


def _progress(states: Mapping[Name, health.State]) -> str:
    waiting = []
    for name, state in states.items():
        if state.word == health.WAITING:
            waiting.append(f"{name}: {state.why}")
    ready = f"{len(states) - len(waiting):,} of {len(states):,} are healthy"
    return f"{ready}; {waiting[0]}" if waiting else ready


def pods(cluster: Cluster, names: Sequence[Name]) -> list[Object]:
    """The pods of the objects of these names."""
    by_namespace: dict[str, list[Object]] = {}
    for name in names:
        if name.namespace not in by_namespace:
            by_namespace[name.namespace] = cluster.list("v1", "Pod", name.namespace)
    result: list[Object] = []
    for name, obj in look(cluster, names).items():
        if obj:
            result += health.pods_of(obj, by_namespace[name.namespace])
    return result


@contextmanager
def follow_logs(
    cluster: Cluster, containers: Iterable[tuple[Name, str]], timeout: float
) -> Iterator[list[str]]:
    """What containers log meanwhile, also those of pods that are deleted as soon as they end."""
    from threading import Event, Thread

    lines: list[str] = []
    over = Event()

    def follow(name: Name, container: str) -> None:
        text = ""  # a pod that has hardly started may have no log yet, without an error
        while not text and not over.wait(_BLINK):
            with suppress(WorldError):
                text = cluster.follow_log(name, container, timeout)
        lines.extend(text.splitlines())

    threads = [Thread(target=follow, args=where, daemon=True) for where in containers]
    for thread in threads:
        thread.start()
    try:
        yield lines
    finally:
        over.set()
        for thread in threads:
            thread.join(_LAST_LINES)


def describe_failure(cluster: Cluster, name: Name) -> Iterator[str]:
    """Details of an unhealthy object: its pods, warnings, and logs of what failed."""
    obj = cluster.get(name._replace(version=health.RUNNERS.get(name.kind, name.version)))
    if not obj:
        return
    obj["kind"] = name.kind
    own = health.pods_of(obj, cluster.list("v1", "Pod", name.namespace))
    concerned = {(name.kind, name.name)}
    for pod in own:
        pod_name = pod["metadata"]["name"]
        concerned.add(("Pod", pod_name))
        state = health.trouble(pod) or (pod.get("status") or {}).get("phase")
        yield f"Pod/{pod_name}: {state}"
    yield from _warnings(cluster.list("v1", "Event", name.namespace), concerned)
    for pod in own[-1:]:
        for container in health.troubled_containers(pod):
            for line in cluster.log(pod, container).splitlines():
                yield f"{container}: {line}"


def _warnings(events: Iterable[Object], concerned: set[tuple[str, str]]) -> Iterator[str]:
    """The warnings about some objects; those that differ only in names are reported once."""
    by_text: dict[str, str] = {}
    for event in events:
        about = event.get("involvedObject") or {}
        if event.get("type") == "Warning" and (about.get("kind"), about.get("name")) in concerned:
            text = f"{about['kind']}/{about['name']}: {event.get('reason')}: {event.get('message')}"
            by_text.setdefault(re.sub('"[^"]*"', '""', text), text)
    yield from by_text.values()


def until_gone(cluster: Cluster, uids: Mapping[Name, str], timeout: float) -> list[Name]:
    """Wait until objects are gone; gives those that still exist, by uid, when time is up."""
    end = time.monotonic() + timeout
    while True:
        existing = set()
        for kind in {name[:3] for name in uids}:
            existing |= {obj["metadata"]["uid"] for obj in cluster.list(*kind)}
        left = [name for name, uid in uids.items() if uid in existing]
        if not left or time.monotonic() > end:
            return left
        time.sleep(_PAUSE)
