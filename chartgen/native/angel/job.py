"""What the properties of a job of Angel mean, by whichever road they came."""

import re
from collections.abc import Iterator, Mapping, Set
from typing import Any

from chartgen import schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.angel.pods import Pods
from chartgen.native.angel.warnings import FORM, PATHS, Traps, of_spark
from chartgen.native.draft import Adopted, Draft, rules
from chartgen.schema.accept import matching
from chartgen.schema.suggest import near

ENV = "\0env"  # where the variables stand that were set for angel-submit itself

_KUBERNETES = "angel.kubernetes."
_NEEDED = {"angel.deploy.mode": "KUBERNETES", "angel.kubernetes.container.image": "none"}
_NAME = "angel app"  # what Angel calls a job without a name
_SIZES = {"master": "am", "ps": "ps", "worker": "worker"}
_COUNTS = {"ps": "angel.ps.number", "worker": "angel.workergroup.number"}
_SPARK = ("spark.ps.", "spark.angel.", "spark.master")
_INTERNAL = (
    "executor.role", "executor.podNamePrefix", "master.pod.ip", "master.pod.name",
    "app.id", "app.clusterTimestamp", "app.randomId",
)  # fmt: skip
_NAMED = "(letters, digits, '-', '_' and '.', maybe with a domain and '/' before)"
_VARIABLE = "a variable's name (letters, digits, '_', '-' and '.', not starting with a digit)"
# Properties whose keys end in a name, and what that must be; of a volume, more than a name follows.
_FAMILIES = {
    ".label": f"a label's name {_NAMED}",
    ".annotation": f"an annotation's name {_NAMED}",
    ".secrets": "a Secret's name (lower-case letters, digits, '-' and '.')",
    ".secretKeyRef": _VARIABLE,
    ".volumes": "",
    "Env": _VARIABLE,
}
_FILES = ("angel.app.config.file", "angel.job.jar", "angel.app.user.resource.files", "angel.ml.conf")
_OF_MACHINE = ("ANGEL_HOME", "HADOOP_HOME", "HADOOP_CONF_DIR", "JAVA_HOME", "PATH", "CLASSPATH")


def adopt(document: Document, env: Mapping[str, str]) -> Adopted:
    """The job description that properties mean; where some are refused, as much as can be judged without them."""
    if spark := next((key for key in document.data if key.startswith(_SPARK)), ""):
        return Adopted(None, (), (of_spark(document, (spark,), f"the property {spark!r}"),))
    unknown = list(_unknown(document))
    known = document._replace(data={key: document.data[key] for key in document.data if key not in unknown})
    refused = schema.check(known, rules(FORM))
    problems = [_stranger(document, key) for key in unknown] + refused + list(_placeholders(document))
    filled = known._replace(data={**_NEEDED, **known.data})
    sound = schema.sound_part(filled, rules(FORM), _NEEDED) if refused else known
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    _Reader(draft, env, known.data.keys() - sound.data.keys()).describe()
    return draft.adopted(problems)


def _unknown(document: Document) -> Iterator[str]:
    """The properties for Kubernetes that Angel never looks at; of others it has more than anyone knows."""
    whole = rules(FORM)
    for key in [key for key in document.data if key.startswith(_KUBERNETES) and key not in whole["properties"]]:
        if not any(True for _ in matching(whole, key)):
            yield key


def _stranger(document: Document, key: str) -> Problem:
    """What to say of such a property: only what follows the prefix that all have is like another, or is not."""
    known = [one.removeprefix(_KUBERNETES) for one in rules(FORM)["properties"] if one.startswith(_KUBERNETES)]
    families = {f"{maker}{word}": noun for maker in ("master", "executor") for word, noun in _FAMILIES.items()}
    known += families
    rest = key.removeprefix(_KUBERNETES)
    if family := next((family for family in families if rest.startswith(f"{family}.")), ""):
        message = f"{key!r}: expected {families[family]} at its end, got {rest.removeprefix(f'{family}.')!r}"
        return document.problem((key,), message, "pattern", key=True)
    head = re.match(r"[^.]*\.[^.]*", rest)
    whole, part = near(rest, known, 0.8), near(head[0], known, 0.8) if head else None
    meant = whole or (f"{part}{rest[len(head[0]) :]}" if part and head else "")
    hint = f"did you mean {_KUBERNETES}{meant}?" if meant else "`chartgen schema angel-submit` has all there are"
    return document.problem((key,), f"Angel knows no property {key!r}", "unknown-key", hint, key=True)


def _placeholders(document: Document) -> Iterator[Problem]:
    for key, value in document.data.items():
        if re.fullmatch(r"<[^<>]+>", value) and key != f"{_KUBERNETES}master":
            message = f"{value!r} says what to write here; expected the value of {key}"
            yield document.problem((key,), message, "placeholder")


def chart_name(text: str) -> str:
    """A job's name as Angel has it in the names of its pods: what is no letter, digit or '-' is dropped."""
    name = re.sub(r"[\s.]+", "-", text.strip().lower())
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9-]", "", name)).strip("-")


class _Reader:
    """Takes property by property into the description; what no field stands for is left as a property."""

    def __init__(self, draft: Draft, env: Mapping[str, str], refused: Set[str]) -> None:
        self.draft = draft
        self.env = env
        self.refused = refused  # properties that are there, but cannot be read
        self.left: dict[str, str] = dict(draft.source.data)

    def describe(self) -> None:
        """All that the properties say, in a job description's words."""
        draft = self.draft
        self._name()
        draft.take(("framework",), "angel", ("angel.deploy.mode",))
        self.left.pop("angel.deploy.mode", None)
        draft.take(("roles",), {role: {} for role in ("client", "master", "ps", "worker")}, ())
        self._field("container.image", "image")
        self._field("container.image.pullPolicy", "imagePullPolicy")
        self._leave_out()
        for role in _SIZES:
            self._size(role)
        if port := self.left.pop(f"{_KUBERNETES}master.port", ""):
            draft.take(("roles", "master", "port"), int(port), (f"{_KUBERNETES}master.port",))
        Pods(draft, self.left, self.refused).describe()
        self._client_env()
        Traps(draft, self.left, self.refused).warn()
        self._properties()

    def _name(self) -> None:
        """The chart's name is what Angel begins the names of pods with; the job keeps its own."""
        given = self.draft.source.data.get("angel.job.name", _NAME)
        self.draft.take(("name",), chart_name(given), ("angel.job.name",))
        if "angel.job.name" not in self.left:
            self.draft.note(("name",), f"Angel's own name for a job that has none: {_NAME!r}")

    def _field(self, key: str, field: str) -> None:
        if value := self.left.pop(_KUBERNETES + key, ""):
            self.draft.take((field,), value, (_KUBERNETES + key,))

    def _leave_out(self) -> None:
        """What belonged to the machine and the cluster that the job was submitted from and to."""
        note = self.draft.note
        if namespace := self.left.pop(f"{_KUBERNETES}namespace", ""):
            self.draft.in_namespace(namespace, f"{_KUBERNETES}namespace")
        if self.left.pop(f"{_KUBERNETES}master", ""):
            note((), f"{_KUBERNETES}master: the client runs in the cluster, and asks the API server of that cluster")
        account = self.left.pop(f"{_KUBERNETES}serviceaccount", "default")
        if account != "default":
            what = f"{_KUBERNETES}serviceaccount: the chart brings an account with the rights that Angel needs"
            note((), f"{what}; to use your own, say serviceAccountName: {account}")
        if keys := self._dropped(f"{_KUBERNETES}authenticate."):
            note((), f"{', '.join(keys)}: in the cluster the client is known by its service account")
        for key in [_KUBERNETES + name for name in _INTERNAL if _KUBERNETES + name in self.left]:
            self.left.pop(key)
            self.draft.warning((key,), f"{key!r} is set by Angel itself; this one is not used", "internal", key=True)

    def _dropped(self, prefix: str) -> list[str]:
        keys = [key for key in self.left if key.startswith(prefix)]
        for key in keys:
            del self.left[key]
        return keys

    def _size(self, role: str) -> None:
        """How many there are, and what each asks for; what is not said is filled in by the framework."""
        path: Path = ("roles", role)
        if count := self.left.pop(_COUNTS.get(role, ""), ""):
            self.draft.take((*path, "replicas"), int(count), (_COUNTS[role],))
        prefix = f"angel.{_SIZES[role]}"
        sizes: dict[tuple[str, str], tuple[Any, str]] = {}
        if cores := self.left.pop(f"{prefix}.cpu.vcores", ""):
            sizes["requests", "cpu"] = int(cores), f"{prefix}.cpu.vcores"
        if memory := self._memory(prefix):
            sizes["limits", "memory"] = memory
        limit = f"{_KUBERNETES}{role}.limit.cores"
        if cores := self.left.pop(limit, ""):
            sizes["limits", "cpu"] = int(cores) if cores.isdecimal() else cores, limit
        if sizes:
            self.draft.data["roles"][role]["resources"] = {part: {} for part, _ in sizes}
        for (part, name), (value, key) in sizes.items():
            self.draft.take((*path, "resources", part, name), value, (key,))

    def _memory(self, prefix: str) -> tuple[str, str] | None:
        """Whole GiB; MiB, which Angel rounds up, count only where there are none."""
        whole, old = f"{prefix}.memory.gb", f"{prefix}.memory.mb"
        gigabytes, megabytes = self.left.pop(whole, ""), self.left.pop(old, "")
        if megabytes and gigabytes:
            self.draft.warning((old,), f"{old!r} is not used, for there is {whole!r}", "deprecated", key=True)
        elif megabytes:
            rounded = -(-int(megabytes) // 1024)
            message = f"{old!r} is deprecated, and Angel rounds it up to a whole GiB: {rounded}"
            self.draft.warning((old,), message, "deprecated", f"write {whole}={rounded}", key=True)
            return f"{rounded}Gi", old
        return (f"{gigabytes}Gi", whole) if gigabytes else None

    def _client_env(self) -> None:
        """Variables that were set for angel-submit are the client's, but for those of the machine it ran on."""
        kept = {name: value for name, value in self.env.items() if name not in _OF_MACHINE}
        if dropped := [name for name in self.env if name in _OF_MACHINE]:
            self.draft.note(
                ("roles", "client"), f"{', '.join(dropped)}: of the machine that the job was submitted from"
            )
        if kept:
            self.draft.take(("roles", "client", "env"), kept, ())
            self.draft.origins |= {("roles", "client", "env", name): (ENV, name) for name in kept}

    def _properties(self) -> None:
        """All other properties, as they are."""
        options = self.draft.data.setdefault("angel", {})
        if not self.left:
            return
        options["properties"] = {}
        for key, value in self.left.items():
            self.draft.take(("angel", "properties", key), value, (key,))
        for key in [key for key in _FILES if key in self.left]:
            text = "a file of the machine that the job was submitted from; now it must be in the image or on a volume"
            self.draft.note(("angel", "properties", key), text)
        for key in [key for key in PATHS if self.left.get(key, "").startswith("hdfs:")][:1]:
            text = "HDFS takes an image with a Hadoop client; angel.hadoop and angel.hadoopConfigMap configure it"
            self.draft.note(("angel", "properties", key), text)
