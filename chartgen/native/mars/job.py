"""Mars: a `new_cluster(...)` call of 0.3 to 0.6, read as Mars read it, but for what it should not have taken."""

import re
from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from chartgen import resources, schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.k8s.quantities import in_units, mars_size
from chartgen.native.draft import Adopted, Draft, rules
from chartgen.native.mars import refusals as mars_refusals
from chartgen.syntax.python_call import Expression, expressions

IMAGE = "marsproject/mars:v0.6.0"
ROLES = ("scheduler", "worker", "web")

_CLIENT = "kube_api_client"
_LABEL = "mars/service-type"
_GROUP = "MARS_K8S_GROUP_LABELS"
_MODULES = "MARS_LOAD_MODULES"
_PLAIN = "a number, a text, a list, a dict, True, False or None"


def adopt(document: Document) -> Adopted:
    """The job description that a call means; where parts of it are refused, as much as can be judged without them."""
    read, problems = _plain(document)
    problems += mars_refusals.check(read)
    sound = schema.sound_part(read, rules("mars"), {}) if problems else read
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _describe(draft, whole=not problems)
    return draft.adopted(problems)


def _plain(document: Document) -> tuple[Document, list[Problem]]:
    """The call without None, which says nothing, and without its client; with a problem for what is no plain value."""
    kept: dict[str, Any] = {}
    problems: list[Problem] = []
    for keyword, value in document.data.items():
        if keyword == _CLIENT:
            problems += _client(document, value)
            continue
        strange = list(expressions(value, (keyword,)))
        for path, text in strange:
            shown = text if len(text) <= 60 else f"{text[:57]}..."
            message = f"{shown} is known only when Python runs, which chartgen never does; expected {_PLAIN}"
            hint = "write the value, or a name that is assigned once, at the top level of the file"
            problems.append(document.problem(path, message, "literal", hint))
        if value is not None and not strange:
            kept[keyword] = value
    return document._replace(data=kept), problems


def _client(document: Document, value: Any) -> Iterator[Problem]:
    if value is not None and not isinstance(value, Expression):
        message = f"the first argument is Mars' connection to Kubernetes, not {value!r}; expected a keyword before it"
        yield document.problem((_CLIENT,), message, "call", f"for example image={value!r}")


def _describe(draft: Draft, *, whole: bool) -> None:
    """All that a call says, in a job description's words."""
    given = draft.source.data
    draft.take(("name",), _name(draft.source.file), ())
    draft.note(("name",), "new_cluster has no name; a file's is taken, if it can be one")
    draft.take(("framework",), "mars", ())
    draft.take(("image",), given.get("image", IMAGE), ("image",))
    if "image" not in given:
        draft.note(("image",), "the image of Mars 0.6.0; new_cluster took that of the Mars it was called from")
    draft.take(("roles",), {}, ())
    draft.note(("roles",), _DRIVER)
    for role in ROLES:
        _role(draft, role)
        if whole:
            _both(draft, role)
    _for_all(draft)
    _options(draft)
    _leave_out(draft)


_DRIVER = (
    "The code that used the cluster can be a role: with a driver, whose command runs it, its end is the end of the "
    "job. It finds the cluster by new_session(os.environ['MARS_ENDPOINT'])."
)


def _name(file: str) -> str:
    """The file's own name as a job's, if it can be one."""
    stem = file.replace("\\", "/").rpartition("/")[2]
    slug = re.sub(r"[^a-z0-9]+", "-", stem.removesuffix(".py").lower()).strip("-")
    place = resources.data("schemas/job.schema.json")["definitions"]["name"]
    return slug if stem.endswith(".py") and schema.accepts(place, slug) else "mars"


def _role(draft: Draft, role: str) -> None:
    given, at = draft.source.data, ("roles", role)
    draft.take(at, {}, (f"{role}_num",))
    draft.take((*at, "replicas"), int(given.get(f"{role}_num", 1)), (f"{role}_num",))
    port = next((name for name in (f"{role}_service_port", "service_port") if name in given), "")
    if port:
        draft.take((*at, "port"), int(given[port]), (port,))
    _resources(draft, role)
    _env(draft, at, role)
    _labels(draft, at, f"{role}_extra_labels")
    if role == "worker" and (spill := given.get("worker_spill_paths")):
        _spill(draft, spill)


def _both(draft: Draft, role: str) -> None:
    """CPUs and memory are given together or not at all."""
    asked = [name for name in (f"{role}_cpu", f"{role}_mem") if draft.source.data.get(name)]
    if len(asked) == 1:
        other = f"{role}_mem" if asked[0].endswith("cpu") else f"{role}_cpu"
        message = f"{asked[0]} is given without {other}; expected both or neither, for Mars fails on one alone"
        draft.problem((asked[0],), message, "cpu-and-memory", f"write {other}, too", key=True)


def _resources(draft: Draft, role: str) -> None:
    """What each replica asks for; workers are held to it, the others may take more, as with Mars."""
    given, at = draft.source.data, ("roles", role, "resources")
    names = {"cpu": f"{role}_cpu", "memory": f"{role}_mem"}
    asked: dict[str, Any] = {}
    if given.get(names["cpu"]):
        asked["cpu"] = int(given[names["cpu"]])
    if names["memory"] in given:
        asked["memory"] = in_units(mars_size(given[names["memory"]]))
    if not asked:
        return
    first = names[next(iter(asked))]
    draft.take(at, {}, (first,))
    ratio = f"{role}_mem_limit_ratio"
    above = role == "worker" and ratio in given and "memory" in asked
    # A limit alone is the request, too: one number to turn at install, and not two.
    for part in ("limits", "requests") if above else ("limits" if role == "worker" else "requests",):
        draft.take((*at, part), dict(asked), (first,))
        for name in asked:
            draft.origins[*at, part, name] = (names[name],)
    if above:
        draft.take((*at, "limits", "memory"), in_units(mars_size(given[names["memory"]]) * given[ratio]), (ratio,))


def _env(draft: Draft, at: Path, role: str = "") -> None:
    """Variables and modules, of a role or of all."""
    given = draft.source.data
    name = f"{role}_extra_env".lstrip("_")
    env = {key: str(value) for key, value in given.get(name, {}).items()}
    if _GROUP in env:
        del env[_GROUP]
        draft.note(at, f"{name}: {_GROUP} is left out: every release finds its own pods alone")
    modules = f"{role}_extra_modules".lstrip("_")
    if modules in given and _MODULES not in env:
        named = {*_listed(given[modules]), *_listed(given.get("extra_modules", []))}
        env[_MODULES] = ",".join(sorted(named))
    if env:
        draft.take((*at, "env"), env, (name if name in given else modules,))
    if _MODULES in env and modules in given:
        draft.origins[*at, "env", _MODULES] = (modules,)


def _labels(draft: Draft, at: Path, source: str) -> None:
    labels = dict(draft.source.data.get(source, {}))
    if labels.pop(_LABEL, None) is not None:
        message = f"the label {_LABEL!r} tells the pods' roles; with another value, Mars does not find its own pods"
        draft.problem((source, _LABEL), message, "reserved-label", "remove it", key=True)
    if labels:
        draft.take((*at, "labels"), labels, (source,))


def _listed(modules: list[str] | str) -> list[str]:
    return modules.split(",") if isinstance(modules, str) else modules


def _spill(draft: Draft, spill: list[Any]) -> None:
    """Directories of the machines, and volumes, that take what does not fit into memory."""
    extra = draft.source.data.get("extra_volumes", [])
    own = [_host_path(index, one) if isinstance(one, str) else one for index, one in enumerate(spill)]
    places: list[Path] = [("extra_volumes", index) for index in range(len(extra))]
    places += [("worker_spill_paths", index) for index in range(len(spill))]
    _take_volumes(draft, ("roles", "worker"), [*extra, *own], places)
    mounts = draft.data["roles"]["worker"]["volumeMounts"][len(extra) :]
    draft.take(("mars",), {}, ())
    draft.take(("mars", "spillDirs"), [mount["mountPath"] for mount in mounts], ("worker_spill_paths",))


def _host_path(index: int, path: str) -> dict[str, Any]:
    fields = {"name": f"host-path-vol-{index}", "mount_path": f"/mnt/hostpath{index}", "host_path": path}
    return {"HostPathVolumeConfig": fields}


def _take_volumes(draft: Draft, at: Path, objects: list[Any], places: list[Path]) -> None:
    """Objects of volumes as Kubernetes' volumes and mounts, each found where its object stands."""
    draft.take((*at, "volumes"), [_volume(*one) for each in objects for one in each.items()], places[0][:1])
    mounts = [{"name": one["name"], "mountPath": one["mount_path"]} for each in objects for one in each.values()]
    draft.take((*at, "volumeMounts"), mounts, places[0][:1])
    for index, place in enumerate(places):
        draft.origins[*at, "volumes", index] = draft.origins[*at, "volumeMounts", index] = place


def _volume(kind: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "HostPathVolumeConfig":
        source = {"path": fields["host_path"], "type": fields.get("volume_type") or "DirectoryOrCreate"}
        return {"name": fields["name"], "hostPath": source}
    return {"name": fields["name"], "emptyDir": {"medium": "Memory"} if fields.get("use_memory") else {}}


def _for_all(draft: Draft) -> None:
    """What holds for all pods."""
    given = draft.source.data
    _env(draft, ())
    _labels(draft, (), "extra_labels")
    if objects := given.get("extra_volumes"):
        _take_volumes(draft, (), objects, [("extra_volumes", index) for index in range(len(objects))])
    if command := given.get("pre_stop_command"):
        draft.take(("container",), {"lifecycle": {"preStop": {"exec": {"command": command}}}}, ("pre_stop_command",))


def _options(draft: Draft) -> None:
    """What stands under the framework's name."""
    given = draft.source.data
    draft.data["mars"] = {"discovery": "api", **draft.data.get("mars", {})}
    draft.note(("mars", "discovery"), _DISCOVERY)
    for option, keyword in (("cacheMemory", "worker_cache_mem"), ("minCacheMemory", "worker_min_cache_mem")):
        if keyword in given:
            draft.take(("mars", option), _part(given[keyword]), (keyword,))
    if "min_worker_num" in given:
        draft.take(("mars", "minWorkers"), int(given["min_worker_num"]), ("min_worker_num",))
    if "timeout" in given:
        draft.take(("mars", "timeout"), ceil(given["timeout"]), ("timeout",))


_DISCOVERY = "as new_cluster had it: pods find each other by Kubernetes' API; endpoints does without any rights"


def _leave_out(draft: Draft) -> None:
    given = draft.source.data
    if namespace := given.get("namespace"):
        draft.in_namespace(namespace, "namespace")
    if "log_when_fail" in given:
        draft.note((), "log_when_fail: the logs stay where they are; NOTES.txt says how to read them")
    for keyword in ("scheduler_mem_limit_ratio", "web_mem_limit_ratio"):
        if keyword in given:
            draft.note((), f"{keyword}: Mars limited the memory of workers alone, and had no use for it")


def _part(size: float | str) -> str | int:
    """A size, or a percentage of the memory."""
    if isinstance(size, str) and size.strip().endswith("%"):
        return f"{size.strip()[:-1].strip()}%"
    return in_units(mars_size(size))
