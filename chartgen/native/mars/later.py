"""What only calls for Mars 0.7 to 0.10 and Xorbits say, or say in another way."""

from chartgen.native.draft import Draft
from chartgen.native.mars.dialects import XORBITS, Dialect

_CACHE = "40%"  # what the client gave where a call names none
_DISCOVERY = (
    "by the arguments, the import or the image of the call. "
    "Workers get the name of the supervisor; no pod uses the Kubernetes API"
)
_UNREAD = "this Mars accepts it and does not use it"
_LEFT_OUT = {
    "web_num": _UNREAD,
    "web_cpu": _UNREAD,
    "web_mem": _UNREAD,
    "worker_min_cache_mem": _UNREAD,
    "service_port": "it is that of the workers; the supervisor listens on 7103",
    "supervisor_service_port": "among processes, the supervisor listens on 7103",
    "service_name": "the Service is web-RUNTIME_ID",
    "readiness_service_name": "workers wait for the supervisor without such a Service",
    "cluster_type": "mars.serviceType says how sessions from outside connect",
}


def describe(draft: Draft, dialect: Dialect) -> None:
    """The dialect, the supervisor's web port, the cache, and what is left out."""
    arguments = draft.source.data
    draft.data["mars"] = {"dialect": dialect.name, **draft.data.get("mars", {})}
    draft.note(("mars", "dialect"), _DISCOVERY)
    if "web_port" in arguments:
        draft.take(("roles", "supervisor", "port"), int(arguments["web_port"]), ("web_port",))
    if "worker_cache_mem" not in arguments and arguments.get("worker_mem"):
        draft.take(("mars", "cacheMemory"), _CACHE, ())
        draft.note(("mars", "cacheMemory"), "the client's default")
    if arguments.get("use_local_image"):
        draft.take(("imagePullPolicy",), "Never", ("use_local_image",))
    if dialect is XORBITS:
        _describe_xorbits(draft)
    for keyword, why in _LEFT_OUT.items():
        if keyword in arguments:
            draft.note((), f"{keyword}: {why}")


def _describe_xorbits(draft: Draft) -> None:
    """What Xorbits did beside starting processes."""
    arguments = draft.source.data
    if "supervisor_cpu" not in arguments and "supervisor_mem" not in arguments:
        requests = {"requests": {"cpu": 1, "memory": "4Gi"}}
        draft.take(("roles", "supervisor", "resources"), requests, ())
        draft.note(("roles", "supervisor", "resources"), "the client's default")
    for keyword in ("pip", "conda"):
        if keyword in arguments:
            message = f"pods do not install packages when they start; {keyword} is left out"
            hint = "install them in the image"
            draft.warning((keyword,), message, "mars-packages", hint, key=True)
    if "worker_spill_paths" in arguments:
        message = "Xorbits mounted these directories and never wrote to them; they are left out"
        draft.warning(("worker_spill_paths",), message, "mars-spill-unused", key=True)
    for keyword in ("external_storage", "external_storage_config"):
        if keyword in arguments:
            message = f"{keyword} is not supported: the chart sets up no storage outside the pods"
            hint = "without it, data is in the memory of the workers"
            draft.problem((keyword,), message, "mars-dialect", hint, key=True)
