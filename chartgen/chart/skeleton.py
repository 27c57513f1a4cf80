"""The files of charts/job: which of them are part of a job's chart, and which parts of them.

Lines between `{{- /* only FEATURE */}}`, or `without FEATURE`, and `{{- /* end FEATURE */}}` are
for jobs with, or without, that feature. Programs are whole, because charts of all layouts make the
same objects.

Helm keeps a chart in its record of each release, and what a pod runs twice, so charts have less
prose than these files: helpers say what they do, and not how they are called or why, programs that
help have one line about themselves, and the test has one comment.
"""

import re
from functools import cache, lru_cache

from chartgen import frameworks, resources
from chartgen.job.model import Job
from chartgen.plan.model import Plan

_FOLDER = "charts/job"
_WITH_CLOUDS = (
    *("cloud.tpl", "accelerators.tpl", "accelerator_types.tpl", "machines.tpl", "fabrics.tpl"),
    *("injection.tpl", "custom_cloud.tpl"),
)
_WITHOUT_CLOUDS = "no_devices.tpl"
# Files whose names begin so are there only where the job, or its plan, says this.
_ONLY_WITH = {"networkpolicies": "networkPolicy", "priorityclasses": "priorityClasses"}
_ONLY_PLANNED = {
    "access-": "access_rules",
    "lock-": "lock_name",
    "keys": "ssh_keys",
    "shared-": "services",
    "strays": "unmanaged_pods",
}
# Files that ship only if what the framework adds needs them.
_ONLY_HAVING = {
    "options.tpl": "options",
    "peers.tpl": "peers",
    "peer_list.tpl": "lists",
    "notation.tpl": "notation",
    "notation_holes.tpl": "notation",
    "elasticdl_later.tpl": "later",
}
# Templates whose calls show what a framework's own text needs.
_LISTS = frozenset({"deviceTotal", "roleDevices", "peerList"})
_DEVICES = _LISTS | {"deviceCount"}
_SIZES = frozenset({"requested", "size"})
_OPTIONS = _DEVICES | _SIZES | {"option", "range", "replicaTotal"}
# Templates that a chart has only if its framework's own text calls them; marks name them.
_ONLY_CALLED = frozenset(
    (
        *("deviceTotal", "peers", "range", "replicaTotal", "size"),
        *("elasticdlMaster", "elasticdlWorker", "elasticdlWorkers"),
        *("elasticdlMaster01", "elasticdlWorker01", "elasticdlPods01"),
    )
)
# Texts of the job may need these, whatever its framework adds.
_NOTATION = frozenset(
    ("lists", "notation", "numbered", "options", "ranks", "replicaTotal", "totals")
)
_PASSED = {'"atMost"': "option", '"number"': "number"}  # to templates that then use these
_USES_RANKS = re.compile(r"\.(?:rank|first)\b")
_MARK = re.compile(r"\{\{- /\* (only|without|end) (\w+) \*/\}\}\n")
_LIB = "templates/lib/"
_PROSE = re.compile(r"\{\{/\*\s(.*?)\s\*/\}\}", re.S)
_ON_A_LINE = 90  # what fits between the braces of a comment, on a line of 100 columns
_TEST = "files/test.sh"
_COMMENT = re.compile(r"(?<=\n)#.*\n")
# The texts of other programs are in a hash that names a release's Jobs.
_HELPERS = frozenset(f"files/{name}.py" for name in ("any", "api", "cleanup", "keys", "strays"))


def features(job: Job, plan: Plan, framework_file: str, *, clouds: bool) -> frozenset[str]:
    """What the templates of a job need beyond those of every job."""
    managed = any(role.managed_by_framework for role in plan.roles)
    rescalable = any(role.rescalable for role in plan.roles)
    bare = any(role.bare for role in plan.roles)
    calls = _calls(framework_file)
    own = _own_calls(job.framework)
    once = any(role.defaults.get("backoffLimit") == 0 for role in plan.roles)
    fields = any(role.fields or role.pod for role in plan.roles)
    meets = any(role.meets for role in plan.roles)
    needs = {
        "all": plan.completion == "all",
        "amounts": not calls.isdisjoint(_SIZES),
        "any": plan.completion == "any",
        "api": bool(plan.access_rules),
        "bare": bare,
        "claim": not calls.isdisjoint(("elasticdlPods01", "elasticdlWorkers")),
        "clouds": clouds,
        "command": any(role.command for role in plan.roles),
        "lists": not calls.isdisjoint(_LISTS),
        "keys": bool(plan.ssh_keys),
        "endless": not plan.completion_role,
        "fields": fields,
        "image": "image" in calls or (managed and "image" in own),
        "jobless": managed or bare,
        "later": bare or "elasticdlMaster01" in calls,
        "managed": managed,
        "many": plan.completion in ("all", "any"),
        "meets": meets,
        "notes": bool(plan.notes),
        "numbered": "number" in calls | own,
        "once": once,
        "pulled": "helperImagePullPolicy" in job.settings,
        "ranks": bool(_USES_RANKS.search(framework_file)),
        "totals": not calls.isdisjoint(_DEVICES),
        "options": not (calls | own).isdisjoint(_OPTIONS),
        "rescalable": rescalable,
        "rights": bool(plan.access_rules or plan.unmanaged_pods or plan.ssh_keys),
        "services": bool(plan.services),
        "strays": bool(plan.unmanaged_pods),
        "thin": False,  # only the library has it
        "waits": plan.waits,
    }
    having = calls & _ONLY_CALLED | {name for name, needed in needs.items() if needed}
    return having | _NOTATION if plan.notation else having


@lru_cache(100)  # most jobs of a framework have the same text
def _calls(template: str) -> frozenset[str]:
    """The templates of the chart that a text calls, itself or by what it passes to others."""
    names = frozenset(rest.partition('"')[0] for rest in template.split('"chartgen.')[1:])
    return names.union(word for mark, word in _PASSED.items() if mark in template)


@cache
def _own_calls(framework: str) -> frozenset[str]:
    """The same of the templates that only this framework has."""
    own = [text(path) for path in paths() if _owner(path) == framework]
    return frozenset(name for template in own for name in _calls(template))


def text(path: str) -> str:
    """A file of the skeleton."""
    return resources.text(f"{_FOLDER}/{path}")


def shipped(path: str) -> str:
    """A file of the skeleton as charts have it, with the parts of all jobs."""
    whole = text(path)
    if path.startswith(_LIB):
        return _PROSE.sub(_first_sentence, whole)
    if path in _HELPERS:
        return _with_summary(whole)
    return _COMMENT.sub("", whole) if path == _TEST else whole


@lru_cache(5_000)  # as many as a hundred kinds of jobs have
def template(path: str, having: frozenset[str] | None = None) -> str:
    """A template of the skeleton, for jobs with these features; by default with all."""
    whole = shipped(path)
    if "/* end " not in whole:
        return whole
    *parts, last = _MARK.split(whole)
    kept = []
    chosen = [True]  # of each block that we are in, and of those around it
    for before, word, feature in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        kept += [before.rstrip(" ")] if chosen[-1] else []
        if word == "end":
            chosen.pop()
        else:
            present = having is None or feature in having
            chosen.append(chosen[-1] and present == (word == "only"))
    return "".join([*kept, last])


def _first_sentence(comment: re.Match[str]) -> str:
    first, dot, _ = comment[1].partition(". ")
    if len(split := comment[1].split(".\n", 1)) > 1 and len(split[0]) < len(first):
        first, dot = split[0], "."
    said = f"{first}{dot.rstrip()}"
    around = "\n" if "\n" in said or len(said) > _ON_A_LINE else " "
    return f"{{{{/*{around}{said}{around}*/}}}}"


def _with_summary(program: str) -> str:
    """A program of Python with the first line of its docstring."""
    summary, _, rest = program.partition("\n\n")
    if summary.count('"""') == 1:
        return f'{summary}"""\n' + rest.partition('"""\n')[2]
    return program


def thin_readme() -> str:
    """The README of a job's chart in the thin layout."""
    return resources.text("charts/thin/README.md")


def library_readme() -> str:
    """The README of the library chart."""
    return resources.text("charts/thin/library.md")


def paths() -> list[str]:
    """All files of the skeleton."""
    return resources.names(_FOLDER)


def used_paths(job: Job, plan: Plan, having: frozenset[str]) -> tuple[str, ...]:
    """The files that are part of a chart of a job with these features."""
    absent = [prefix for prefix, setting in _ONLY_WITH.items() if setting not in job.settings]
    absent += [prefix for prefix, field in _ONLY_PLANNED.items() if not getattr(plan, field)]
    return _used_paths(job.framework, plan.files, tuple(absent), having)


@lru_cache(1_000)
def _used_paths(
    framework: str, files: tuple[str, ...], absent: tuple[str, ...], having: frozenset[str]
) -> tuple[str, ...]:
    """The same, by all that it depends on, which many jobs share."""
    return tuple(path for path in paths() if _belongs(path, framework, files, absent, having))


def _owner(path: str) -> str:
    """The framework that alone has this template; otherwise some other word."""
    return path.rpartition("/")[2].removeprefix("_").partition("_")[0]


def _belongs(
    path: str,
    framework: str,
    files: tuple[str, ...],
    absent: tuple[str, ...],
    having: frozenset[str],
) -> bool:
    """Whether a file is part of such a chart; those whose names have an absent prefix are not."""
    if path.startswith("files/"):
        own = [f"{name}.py" for name in ("any", "keys", "strays") if name in having]
        return path.removeprefix("files/") in (*files, *own, "api.py", "cleanup.py", "test.sh")
    name = path.rpartition("/")[2].removeprefix("_")
    if name in (*_WITH_CLOUDS, _WITHOUT_CLOUDS):
        return ("clouds" in having) != (name == _WITHOUT_CLOUDS)
    if name in _ONLY_HAVING:
        return _ONLY_HAVING[name] in having
    owner = _owner(path)
    ours = owner not in frameworks.MODULES or owner == framework
    return ours and not name.startswith(absent)
