"""Ask a cluster, by the kubernetes client: what runs there, why it does not, and whether it is gone."""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from chartgen.errors import WorldError
from chartgen.k8s import health

Object = dict[str, Any]

MISSING = "the kubernetes client for Python is missing: pip install 'chartgen[cluster]'"

_PATIENCE = (5.0, 30.0)  # seconds to connect, and for an answer
_PAUSE = 1.0  # seconds between two looks
_OUTAGE = 30.0  # seconds that a cluster may not answer while it is waited for
_SETTLE = 3.0  # seconds that all must be well: a program may start, and die of what it finds
_LINES = 20  # of a log
_BLINK = 0.2  # seconds between two looks for a pod that will not be there for long
_LAST_WORDS = 2.0  # seconds for the end of a log to arrive


class Name(NamedTuple):
    """What an object is found by."""

    version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"


class Cluster:
    """A cluster that answered once, and the namespace that is meant if none is said."""

    def __init__(self, client: Any, namespace: str, version: str) -> None:
        self._client, self.namespace, self.version = client, namespace, version

    def list(self, version: str, kind: str, namespace: str = "") -> list[Object]:
        """All objects of a kind in a namespace."""
        with _explained(f"cannot list {kind}s in the namespace {namespace or self.namespace}"):
            found = self._resource(version, kind).get(namespace=namespace or self.namespace, _request_timeout=_PATIENCE)
            return [{**one, "kind": kind} for one in found.to_dict().get("items") or ()]

    def get(self, name: Name) -> Object | None:
        """An object; None if it is not there."""
        from kubernetes.dynamic.exceptions import NotFoundError

        with _explained(f"cannot look at {name}"):
            try:
                resource = self._resource(name.version, name.kind)
                found = resource.get(name=name.name, namespace=name.namespace, _request_timeout=_PATIENCE)
            except NotFoundError:
                return None
            return dict(found.to_dict())

    def delete(self, name: Name) -> None:
        """Remove an object and what it made; that it is gone already is fine."""
        from kubernetes.dynamic.exceptions import NotFoundError

        with _explained(f"cannot delete {name}"), suppress(NotFoundError):
            resource = self._resource(name.version, name.kind)
            policy = {"propagation_policy": "Background", "_request_timeout": _PATIENCE}
            resource.delete(name=name.name, namespace=name.namespace, **policy)

    def log(self, pod: Object, container: str) -> str:
        """The last lines of a container; what it said before it was started anew, if that is all there is."""
        from kubernetes.client import CoreV1Api

        where = {"name": pod["metadata"]["name"], "namespace": pod["metadata"]["namespace"], "container": container}
        for previous in (False, True):
            with suppress(WorldError), _explained(f"cannot read the log of {where['name']}"):
                said: str = CoreV1Api(self._client.client).read_namespaced_pod_log(
                    **where, previous=previous, tail_lines=_LINES, _request_timeout=_PATIENCE
                )
                if said.strip():
                    return said
        return ""

    def followed(self, name: Name, container: str, timeout: float) -> str:
        """All that a container says until it ends; WorldError as long as it has not started."""
        from kubernetes.client import CoreV1Api

        where = {"name": name.name, "namespace": name.namespace, "container": container}
        with _explained(f"cannot follow the log of {name}"):
            said: str = CoreV1Api(self._client.client).read_namespaced_pod_log(
                **where, follow=True, _request_timeout=(_PATIENCE[0], timeout)
            )
            return said

    def _resource(self, version: str, kind: str) -> Any:
        return self._client.resources.get(api_version=version, kind=kind)


def there() -> bool:
    """Whether the client is installed."""
    from importlib.util import find_spec

    return find_spec("kubernetes") is not None


def connect(kubeconfig: str, context: str, namespace: str, folder: str) -> Cluster:
    """The cluster that Helm would take for these words; `folder` is for what the client keeps on disk meanwhile."""
    if not there():
        raise WorldError(MISSING)
    from kubernetes import client, dynamic

    _silence()
    configuration = client.Configuration()
    context = context or os.environ.get("HELM_KUBECONTEXT", "")
    own = _configure(configuration, _file(kubeconfig, context), context, folder)
    configuration.retries = False  # or each failure is tried four times, and warned of three
    with _explained(f"the cluster at {configuration.host} cannot be reached"):
        found = dynamic.DynamicClient(
            client.ApiClient(configuration), cache_file=os.path.join(folder, "discovery.json")
        )
        version = found.version["kubernetes"]["gitVersion"]
    return Cluster(found, namespace or os.environ.get("HELM_NAMESPACE") or own or "default", version)


def _file(kubeconfig: str, context: str) -> str:
    """The kubeconfig that counts; none in a pod, where the cluster itself says how it is reached."""
    file = kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
    if any(os.path.exists(one) for one in file.split(os.pathsep)):
        return file
    if kubeconfig or context or "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise WorldError(f"there is no {file}; name a cluster by --kubeconfig or $KUBECONFIG")
    return ""


def _silence() -> None:
    """What the client logs, we say ourselves, or nobody needs to know."""
    import logging

    for name in ("kubernetes", "urllib3", "root"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _configure(configuration: Any, file: str, context: str, folder: str) -> str:
    """Fill in how to reach the cluster, and give the namespace that the context names, if any."""
    from kubernetes import config

    if os.environ.get("HELM_KUBEAPISERVER"):
        raise WorldError("$HELM_KUBEAPISERVER is set, which only Helm follows; name the cluster in a kubeconfig")
    try:
        if not file:
            config.load_incluster_config(client_configuration=configuration)
            return ""
        options = {"context": context or None, "client_configuration": configuration}
        config.load_kube_config(config_file=file, persist_config=False, temp_file_path=folder, **options)
        contexts, active = config.list_kube_config_contexts(file)
        chosen = next((one for one in contexts if one["name"] == context), active)
        return str(chosen["context"].get("namespace") or "")
    except (config.ConfigException, OSError, ValueError, KeyError, TypeError) as error:
        why = f"{error}".strip() or type(error).__name__
        raise WorldError(f"no cluster is named that could be asked: {why} (looked at {file})") from error


@contextmanager
def _explained(what: str) -> Iterator[None]:
    from kubernetes.client.exceptions import ApiException
    from kubernetes.dynamic.exceptions import NotFoundError, ResourceNotFoundError
    from urllib3.exceptions import HTTPError

    try:
        yield
    except NotFoundError:
        raise
    except ApiException as error:
        why = {401: "it does not know who we are (401)", 403: "we may not (403)"}.get(error.status, "")
        raise WorldError(f"{what}: {why or f'{error.reason} ({error.status})'}") from error
    except (HTTPError, OSError, ValueError, ResourceNotFoundError) as error:
        raise WorldError(f"{what}: {error}") from error


def look(cluster: Cluster, names: Sequence[Name]) -> dict[Name, Object | None]:
    """The objects of these names that run something, with one question per kind and namespace."""
    wanted = {(name.kind, name.namespace) for name in names}
    found = {
        Name(health.RUNNERS[kind], kind, namespace, one["metadata"]["name"]): one
        for kind, namespace in sorted(wanted)
        for one in cluster.list(health.RUNNERS[kind], kind, namespace)
    }
    return {name: found.get(name._replace(version=health.RUNNERS[name.kind])) for name in names}


def wait(
    cluster: Cluster, names: Sequence[Name], timeout: float, tell: Callable[[str], None]
) -> dict[Name, health.State]:
    """How these are, once all are well for a while, one is broken, or time is up."""
    end = answered = time.monotonic()
    end += timeout
    well = None
    while True:
        now = time.monotonic()
        try:
            states = {name: _state(one) for name, one in look(cluster, names).items()}
            answered = now
        except WorldError:
            if now - answered > _OUTAGE or now > end:
                raise
            states = {}
        words = {state.word for state in states.values()}
        well = (well or now) if states and words <= {health.DONE, health.HEALTHY} else None
        if health.BROKEN in words or words == {health.DONE} or (well and now - well >= _SETTLE) or now > end:
            return states
        tell(_progress(states))
        time.sleep(_PAUSE)


def _state(one: Object | None) -> health.State:
    return health.state(one) if one else health.State(health.WAITING, "it is not there")


def _progress(states: dict[Name, health.State]) -> str:
    waiting = [f"{name}: {state.why}" for name, state in states.items() if state.word == health.WAITING]
    ready = f"{len(states) - len(waiting):,} of {len(states):,} are well"
    return f"{ready}; {waiting[0]}" if waiting else ready


def pods(cluster: Cluster, names: Sequence[Name]) -> list[Object]:
    """The pods of the objects of these names."""
    spaces = {name.namespace: cluster.list("v1", "Pod", name.namespace) for name in names}
    objects = [(name, one) for name, one in look(cluster, names).items() if one]
    return [pod for name, one in objects for pod in health.pods_of(one, spaces[name.namespace])]


@contextmanager
def overheard(cluster: Cluster, containers: Iterable[tuple[Name, str]], timeout: float) -> Iterator[list[str]]:
    """What containers of pods say meanwhile, also of pods that are removed as soon as they have ended."""
    from threading import Event, Thread

    heard: list[str] = []
    over = Event()

    def listen(name: Name, container: str) -> None:
        while not over.wait(_BLINK):
            with suppress(WorldError):
                heard.extend(cluster.followed(name, container, timeout).splitlines())
                return

    listeners = [Thread(target=listen, args=one, daemon=True) for one in containers]
    for listener in listeners:
        listener.start()
    try:
        yield heard
    finally:
        over.set()
        for listener in listeners:
            listener.join(_LAST_WORDS)


def story(cluster: Cluster, name: Name) -> Iterator[str]:
    """What there is to tell of an object that is not well: its pods, its warnings, the logs of what failed."""
    one = cluster.get(name._replace(version=health.RUNNERS.get(name.kind, name.version)))
    own = health.pods_of({**one, "kind": name.kind}, cluster.list("v1", "Pod", name.namespace)) if one else []
    for pod in own:
        yield f"Pod/{pod['metadata']['name']}: {health.trouble(pod) or (pod.get('status') or {}).get('phase')}"
    concerned = {(it["kind"], it["metadata"]["name"]) for it in ({"kind": name.kind, **(one or {})}, *own) if one}
    yield from _warnings(cluster.list("v1", "Event", name.namespace), concerned)
    for pod in own[-1:]:
        for container in health.troubled(pod):
            lines = cluster.log(pod, container).splitlines()
            yield from (f"{container}: {line}" for line in lines)


def _warnings(events: Iterable[Object], concerned: set[tuple[str, str]]) -> Iterator[str]:
    """The warnings about some objects, each once: those that differ in names alone are one, tried again and again."""
    said: dict[str, str] = {}
    for event in events:
        about = event.get("involvedObject") or {}
        if event.get("type") == "Warning" and (about.get("kind"), about.get("name")) in concerned:
            text = f"{about['kind']}/{about['name']}: {event.get('reason')}: {event.get('message')}"
            said.setdefault(re.sub('"[^"]*"', '""', text), text)
    yield from said.values()


def until_gone(cluster: Cluster, uids: Mapping[Name, str], timeout: float) -> list[Name]:
    """Wait for objects to go; what is still there when time is up, and not another one of its name."""
    end = time.monotonic() + timeout
    while True:
        there = _uids(cluster, {name[:3] for name in uids})
        left = [name for name, uid in uids.items() if uid in there]
        if not left or time.monotonic() > end:
            return left
        time.sleep(_PAUSE)


def _uids(cluster: Cluster, kinds: set[tuple[str, str, str]]) -> set[str]:
    return {one["metadata"]["uid"] for kind in kinds for one in cluster.list(*kind)}
