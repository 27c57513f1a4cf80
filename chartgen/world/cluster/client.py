"""Ask a cluster, with the kubernetes client: what runs, what failed and why, what is gone."""

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from chartgen.errors import WorldError
from chartgen.k8s import health
from chartgen.k8s.objects import Object

MISSING = "the Python client for Kubernetes is missing: pip install 'chartgen[cluster]'"

_TIMEOUTS = (5.0, 30.0)  # seconds to connect, and for an answer
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

    def __init__(self, client: Any, namespace: str, version: str) -> None:
        self._client, self.namespace, self.version = client, namespace, version

    def list(self, version: str, kind: str, namespace: str = "", labels: str = "") -> list[Object]:
        """The objects of a kind in a namespace, all of them or those that a selector names."""
        with _explain_errors(f"cannot list {kind}s in the namespace {namespace or self.namespace}"):
            where = {"namespace": namespace or self.namespace}
            if labels:
                where["label_selector"] = labels
            answer = self._resource(version, kind).get(**where, _request_timeout=_TIMEOUTS)
            items = answer.to_dict().get("items") or ()
            return [{**item, "kind": kind} for item in items]  # items of a list have no kind

    def get(self, name: Name) -> Object | None:
        """An object; None if it does not exist."""
        from kubernetes.dynamic.exceptions import NotFoundError

        with _explain_errors(f"cannot get {name}"):
            try:
                resource = self._resource(name.version, name.kind)
                answer = resource.get(
                    name=name.name, namespace=name.namespace, _request_timeout=_TIMEOUTS
                )
            except NotFoundError:
                return None
            return dict(answer.to_dict())

    def delete(self, name: Name) -> None:
        """Delete an object and what it owns; it may be gone already."""
        from kubernetes.dynamic.exceptions import NotFoundError

        with _explain_errors(f"cannot delete {name}"), suppress(NotFoundError):
            resource = self._resource(name.version, name.kind)
            policy = {"propagation_policy": "Background", "_request_timeout": _TIMEOUTS}
            resource.delete(name=name.name, namespace=name.namespace, **policy)

    def log(self, pod: Object, container: str) -> str:
        """The last lines of a container's log; those before its restart, if it has no others."""
        from kubernetes.client import CoreV1Api

        where = {
            "name": pod["metadata"]["name"],
            "namespace": pod["metadata"]["namespace"],
            "container": container,
        }
        for previous in (False, True):
            with suppress(WorldError), _explain_errors(f"cannot read the log of {where['name']}"):
                text: str = CoreV1Api(self._client.client).read_namespaced_pod_log(
                    **where, previous=previous, tail_lines=_LINES, _request_timeout=_TIMEOUTS
                )
                if text.strip():
                    return text
        return ""

    def follow_log(self, name: Name, container: str, timeout: float) -> str:
        """All that a container logs until it ends; WorldError as long as it has not started."""
        from kubernetes.client import CoreV1Api

        where = {"name": name.name, "namespace": name.namespace, "container": container}
        with _explain_errors(f"cannot follow the log of {name}"):
            text: str = CoreV1Api(self._client.client).read_namespaced_pod_log(
                **where, follow=True, _request_timeout=(_TIMEOUTS[0], timeout)
            )
            return text

    def _resource(self, version: str, kind: str) -> Any:
        return self._client.resources.get(api_version=version, kind=kind)


def installed() -> bool:
    """Whether the client is installed."""
    from importlib.util import find_spec

    return find_spec("kubernetes") is not None


def connect(kubeconfig: str, context: str, namespace: str, folder: str) -> Cluster:
    """The cluster that Helm would use for these options; the client keeps its files in `folder`."""
    if not installed():
        raise WorldError(MISSING)
    from kubernetes import client, dynamic

    _silence()
    configuration = client.Configuration()
    context = context or os.environ.get("HELM_KUBECONTEXT", "")
    own = _configure(configuration, _file(kubeconfig, context), context, folder)
    configuration.retries = (
        False  # by default each request is tried four times, with three warnings
    )
    with _explain_errors(f"cannot reach the cluster at {configuration.host}"):
        dynamic_client = dynamic.DynamicClient(
            client.ApiClient(configuration), cache_file=os.path.join(folder, "discovery.json")
        )
        version = dynamic_client.version["kubernetes"]["gitVersion"]
    return Cluster(
        dynamic_client, namespace or os.environ.get("HELM_NAMESPACE") or own or "default", version
    )


def authorization(kubeconfig: str, context: str) -> str:
    """Who the user of a context is, as a header; for what only the package can authenticate."""
    if not installed():
        raise WorldError(
            f"the user of context {context!r} has an auth-provider; for these, {MISSING}"
        )
    from kubernetes import client, config

    configuration = client.Configuration()
    with _explain_errors("cannot authenticate"):
        try:
            config.load_kube_config(kubeconfig, context, configuration, persist_config=False)
        except config.ConfigException as error:
            raise WorldError(f"cannot authenticate: {error}") from error
        return str(configuration.get_api_key_with_prefix("authorization") or "")


def _file(kubeconfig: str, context: str) -> str:
    """The kubeconfig to use; none in a pod, where the environment says how to reach the cluster."""
    file = kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
    if any(os.path.exists(path) for path in file.split(os.pathsep)):
        return file
    if kubeconfig or context or "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise WorldError(f"{file} does not exist; set --kubeconfig or $KUBECONFIG")
    return ""


def _silence() -> None:
    """Turn off the logging of the client: we report errors ourselves."""
    import logging

    for name in ("kubernetes", "urllib3", "root"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _configure(configuration: Any, file: str, context: str, folder: str) -> str:
    """Set how to reach the cluster; gives the namespace of the context, if it has one."""
    from kubernetes import config

    if os.environ.get("HELM_KUBEAPISERVER"):
        raise WorldError(
            "$HELM_KUBEAPISERVER is set, which only Helm supports; use a kubeconfig instead"
        )
    try:
        if not file:
            config.load_incluster_config(client_configuration=configuration)
            return ""
        options = {"context": context or None, "client_configuration": configuration}
        config.load_kube_config(
            config_file=file, persist_config=False, temp_file_path=folder, **options
        )
        contexts, active = config.list_kube_config_contexts(file)
        chosen = next((entry for entry in contexts if entry["name"] == context), active)
        return str(chosen["context"].get("namespace") or "")
    except (config.ConfigException, OSError, ValueError, KeyError, TypeError) as error:
        why = f"{error}".strip() or type(error).__name__
        source = f"kubeconfig {file}" if file else "configuration that a pod has"
        raise WorldError(f"cannot load the {source}: {why}") from error


@contextmanager
def _explain_errors(what: str) -> Iterator[None]:
    from kubernetes.client.exceptions import ApiException
    from kubernetes.dynamic.exceptions import NotFoundError, ResourceNotFoundError
    from urllib3.exceptions import HTTPError

    try:
        yield
    except NotFoundError:
        raise
    except ApiException as error:
        raise WorldError(f"{what}: {error.reason} ({error.status})") from error
    except (HTTPError, OSError, ValueError, ResourceNotFoundError) as error:
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
