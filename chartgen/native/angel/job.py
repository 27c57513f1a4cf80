"""What the properties of an Angel job mean, from a command line or a file."""

import re
from collections.abc import Iterator, Mapping, Set

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Mark, Problem
from chartgen.native.angel import warnings
from chartgen.native.angel.pods import describe_pods
from chartgen.native.draft import Adopted, Draft
from chartgen.native.schemas import native_schema
from chartgen.schema.walk import matching
from chartgen.startup.typing import Any
from chartgen.words import nearest

ENV = "\0env"  # the place of variables that were set for angel-submit itself

_FORM = "angel-submit"  # its schema is that of property files, too
_KUBERNETES = "angel.kubernetes."
_IMAGE = "angel.kubernetes.container.image"
_MODE = "angel.deploy.mode"
_DEFAULT_NAME = "angel app"
_SIZES = {"master": "am", "ps": "ps", "worker": "worker"}
_COUNTS = {"ps": "angel.ps.number", "worker": "angel.workergroup.number"}
_SPARK = ("spark.ps.", "spark.angel.", "spark.master")
_INTERNAL = (
    "executor.role", "executor.podNamePrefix", "master.pod.ip", "master.pod.name",
    "app.id", "app.clusterTimestamp", "app.randomId",
)  # fmt: skip
_NAMED = "(letters, digits, '-', '_' and '.', with an optional domain and '/' before)"
_VARIABLE = "the name of a variable (letters, digits, '_', '-' and '.', not starting with a digit)"
# Properties whose keys end in a name, and what that must be; more follows the name of a volume.
_FAMILIES = {
    ".label": f"the name of a label {_NAMED}",
    ".annotation": f"the name of an annotation {_NAMED}",
    ".secrets": "the name of a Secret (lowercase letters, digits, '-' and '.')",
    ".secretKeyRef": _VARIABLE,
    ".volumes": "",
    "Env": _VARIABLE,
}
_OF_MACHINE = ("ANGEL_HOME", "HADOOP_HOME", "HADOOP_CONF_DIR", "JAVA_HOME", "PATH", "CLASSPATH")


def adopt(document: Document, env: Mapping[str, str], syntax: str) -> Adopted:
    """The job description that properties mean; if some are refused, that of the others.

    `syntax` is how the text sets a property, with holes for its name and its value.
    """
    for key in document.data:
        if key.startswith(_SPARK):
            problem = spark_problem(document, (key,), f"the property {key!r}")
            return Adopted(None, (), (problem,))
    known, problems = _without_unknown(document)
    refused = schema.check(known, native_schema(_FORM))
    problems += [_in_terms_of(problem, syntax) for problem in refused]
    problems += _placeholders(document, {problem.mark for problem in refused})
    problems += _check_image(known, syntax)
    sound: Document | None = known
    if refused:
        sound = schema.sound_part(known, native_schema(_FORM), {})
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _PropertyReader(draft, env, known.data.keys() - sound.data.keys()).describe()
    return draft.adopted(problems)


def _in_terms_of(problem: Problem, syntax: str) -> Problem:
    """A problem of the schema with its hint in the syntax of the text, not in YAML."""
    example = re.fullmatch(r"for example (\S+): (.+)", problem.hint)
    if not example:
        return problem
    return problem._replace(hint=f"for example {syntax.format(example[1], example[2])}")


def _check_image(document: Document, syntax: str) -> Iterator[Problem]:
    if _IMAGE not in document.data and not document.gives("image"):
        message = f"no image is given; expected {_IMAGE}, or chartgen's own --image"
        hint = f"for example {syntax.format(_IMAGE, 'tencentangel/angel:v3.0.0')}"
        yield document.problem((), message, "image-missing", hint, key=True)


def spark_problem(document: Document, path: Path, what: str) -> Problem:
    """Spark on Angel is another system: Spark makes the executors, Angel the parameter servers."""
    message = (
        f"{what} belongs to Spark on Angel, where Spark starts the parameter servers; "
        "chartgen reads jobs of Angel itself"
    )
    hint = (
        "use a Spark operator, or write the job for angel-submit; "
        "`chartgen explain angel-submit` says what is read"
    )
    return document.problem(path, message, "angel-spark", hint, key=True)


def chart_name(text: str) -> str:
    """A job's name as in the names of Angel's pods: only letters, digits and '-' are kept."""
    name = re.sub(r"[\s.]+", "-", text.strip().lower())
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9-]", "", name)).strip("-")


def _without_unknown(document: Document) -> tuple[Document, list[Problem]]:
    """The document without the properties for Kubernetes that Angel does not have.

    Of other properties Angel has more than any list.
    """
    known: dict[str, str] = {}
    problems: list[Problem] = []
    whole = native_schema(_FORM)
    for key, value in document.data.items():
        if (
            not key.startswith(_KUBERNETES)
            or key in whole["properties"]
            or any(True for _ in matching(whole, key))
        ):
            known[key] = value
        else:
            problems.append(_unknown_property(document, key))
    return document._replace(data=known), problems


def _unknown_property(document: Document, key: str) -> Problem:
    known = []
    for name in native_schema(_FORM)["properties"]:
        if name.startswith(_KUBERNETES):
            known.append(name.removeprefix(_KUBERNETES))
    rest = key.removeprefix(_KUBERNETES)
    for kind in ("master", "executor"):
        for word, expected in _FAMILIES.items():
            family = f"{kind}{word}"
            known.append(family)
            if rest.startswith(f"{family}."):
                end = rest.removeprefix(f"{family}.")
                message = f"{key!r}: expected {expected} at its end, got {end!r}"
                return document.problem((key,), message, "value-malformed", key=True)
    meant = nearest(rest, known, 0.8)
    head = re.match(r"[^.]*\.[^.]*", rest)
    if not meant and head and (near := nearest(head[0], known, 0.8)):
        meant = f"{near}{rest[len(head[0]) :]}"
    hint = "`chartgen schema angel-submit` lists all properties"
    if meant:
        hint = f"did you mean {_KUBERNETES}{meant}?"
    message = f"Angel has no property {key!r}"
    return document.problem((key,), message, "key-unknown", hint, key=True)


def _placeholders(document: Document, refused: Set[Mark]) -> Iterator[Problem]:
    """The values that were never filled in, except where they are already refused."""
    for key, value in document.data.items():
        if re.fullmatch(r"<[^<>]+>", value) and key != f"{_KUBERNETES}master":
            message = f"{value!r} is a placeholder; expected the value of {key}"
            problem = document.problem((key,), message, "angel-placeholder")
            if problem.mark not in refused:
                yield problem


class _PropertyReader:
    """Takes properties into the description; those without a field remain properties."""

    def __init__(self, draft: Draft, env: Mapping[str, str], refused: Set[str]) -> None:
        self.draft = draft
        self.env = env
        self.refused = refused  # properties that are given, but cannot be read
        self.left: dict[str, str] = dict(draft.source.data)

    def describe(self) -> None:
        """Everything that the properties say, as a job description."""
        draft = self.draft
        self._name()
        draft.take(("framework",), "angel", (_MODE,) if _MODE in self.left else ())
        if (mode := self.left.pop(_MODE, "KUBERNETES")) != "KUBERNETES":
            message = f"a chart runs Angel on Kubernetes; {_MODE}={mode} is left out"
            draft.warning((_MODE,), message, "angel-deploy-mode")
        draft.take(("roles",), {role: {} for role in ("client", "master", "ps", "worker")}, ())
        for name, field in (
            ("container.image", "image"),
            ("container.image.pullPolicy", "imagePullPolicy"),
        ):
            if value := self.left.pop(_KUBERNETES + name, ""):
                draft.take((field,), value, (_KUBERNETES + name,))
        self._leave_out()
        for role in _SIZES:
            self._size(role)
        if port := self.left.pop(f"{_KUBERNETES}master.port", ""):
            draft.take(("roles", "master", "port"), int(port), (f"{_KUBERNETES}master.port",))
        describe_pods(draft, self.left, self.refused)
        self._client_env()
        if self.left.pop("angel.running.mode", "") == "ANGEL_PS":
            path, what = ("angel.running.mode",), "'ANGEL_PS' as the running mode"
            draft.problems.append(spark_problem(draft.source, path, what))
        draft.problems += warnings.check(draft, self.left, self.refused)
        self._properties()

    def _name(self) -> None:
        """The chart has the name that starts the names of Angel's pods; the job keeps its own."""
        name = self.draft.source.data.get("angel.job.name", _DEFAULT_NAME)
        self.draft.take(("name",), chart_name(name), ("angel.job.name",))
        if "angel.job.name" not in self.left:
            self.draft.note(("name",), f"Angel's default for a job without a name: {name!r}")

    def _leave_out(self) -> None:
        """What belonged to the machine that submitted the job, or to its cluster."""
        note = self.draft.note
        if namespace := self.left.pop(f"{_KUBERNETES}namespace", ""):
            self.draft.in_namespace(namespace, f"{_KUBERNETES}namespace")
        if self.left.pop(f"{_KUBERNETES}master", ""):
            text = "the client runs in the cluster, and uses the API server of that cluster"
            note((), f"{_KUBERNETES}master: {text}")
        account = self.left.pop(f"{_KUBERNETES}serviceaccount", "default")
        if account != "default":
            text = (
                "the chart brings an account with the rights that Angel needs; "
                f"to use your own, set serviceAccountName: {account}"
            )
            note((), f"{_KUBERNETES}serviceaccount: {text}")
        if keys := [key for key in self.left if key.startswith(f"{_KUBERNETES}authenticate.")]:
            for key in keys:
                del self.left[key]
            text = "in the cluster, the client is authenticated by its service account"
            note((), f"{', '.join(keys)}: {text}")
        for key in (f"{_KUBERNETES}{name}" for name in _INTERNAL):
            if self.left.pop(key, None) is not None:
                message = f"Angel sets {key!r} itself; this value is not used"
                self.draft.warning((key,), message, "angel-property-internal", key=True)

    def _size(self, role: str) -> None:
        """Replicas and resources of a role; the framework fills in what is not given."""
        draft, path = self.draft, ("roles", role)
        if count := self.left.pop(_COUNTS.get(role, ""), ""):
            draft.take((*path, "replicas"), int(count), (_COUNTS[role],))
        prefix = f"angel.{_SIZES[role]}"
        sizes: list[tuple[str, str, Any, str]] = []
        if cores := self.left.pop(f"{prefix}.cpu.vcores", ""):
            sizes.append(("requests", "cpu", int(cores), f"{prefix}.cpu.vcores"))
        if memory := self._memory(prefix):
            sizes.append(("limits", "memory", *memory))
        limit = f"{_KUBERNETES}{role}.limit.cores"
        if cores := self.left.pop(limit, ""):
            sizes.append(("limits", "cpu", int(cores) if cores.isdecimal() else cores, limit))
        for part, name, value, key in sizes:
            draft.data["roles"][role].setdefault("resources", {}).setdefault(part, {})
            draft.take((*path, "resources", part, name), value, (key,))

    def _memory(self, prefix: str) -> tuple[str, str] | None:
        """Whole GiB, and the property that says so; Angel uses MiB only where there are none."""
        whole, old = f"{prefix}.memory.gb", f"{prefix}.memory.mb"
        gigabytes, megabytes = self.left.pop(whole, ""), self.left.pop(old, "")
        if megabytes and gigabytes:
            message = f"{old!r} is not used, because {whole!r} is given"
            self.draft.warning((old,), message, "angel-property-deprecated", key=True)
        elif megabytes:
            rounded = -(-int(megabytes) // 1024)
            message = f"{old!r} is deprecated, and Angel rounds it up to whole GiB: {rounded}"
            self.draft.warning(
                (old,), message, "angel-property-deprecated", f"write {whole}={rounded}", key=True
            )
            return f"{rounded}Gi", old
        return (f"{gigabytes}Gi", whole) if gigabytes else None

    def _client_env(self) -> None:
        """Variables set for angel-submit are the client's, except those of the machine."""
        path: Path = ("roles", "client", "env")
        kept: dict[str, str] = {}
        dropped: list[str] = []
        for name, value in self.env.items():
            if name in _OF_MACHINE:
                dropped.append(name)
            else:
                kept[name] = value
                self.draft.origins[*path, name] = (ENV, name)
        if dropped:
            text = f"{', '.join(dropped)}: for the machine that the job was submitted from"
            self.draft.note(("roles", "client"), text)
        if kept:
            self.draft.take(path, kept, ())

    def _properties(self) -> None:
        """All other properties, unchanged."""
        draft = self.draft
        options = draft.data.setdefault("angel", {})
        if not self.left:
            return
        options["properties"] = {}
        for key, value in self.left.items():
            draft.take(("angel", "properties", key), value, (key,))
