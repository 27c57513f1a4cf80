"""What the properties of a job of Angel mean, by whichever road they came."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from chartgen import schema
from chartgen.accept import matching
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.angel_pods import Pods
from chartgen.native.base import Adopted, Draft, rules
from chartgen.suggest import near

ENV = "\0env"  # where the variables stand that were set for angel-submit itself
FORM = "angel-submit"  # whose schema holds for all of them

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
_FAMILIES = (".label", ".annotation", ".secrets", ".secretKeyRef", ".volumes", "Env")
_FILES = ("angel.app.config.file", "angel.job.jar", "angel.app.user.resource.files", "angel.ml.conf")
_PATHS = (
    "angel.train.data.path", "angel.predict.data.path", "angel.save.model.path", "angel.load.model.path",
    "angel.predict.out.path", "angel.log.path", "angel.tmp.output.path.prefix",
)  # fmt: skip
_NEEDED_PATHS = {
    "train": ("angel.train.data.path", "angel.save.model.path"),
    "inctrain": ("angel.train.data.path", "angel.save.model.path"),
    "predict": ("angel.predict.data.path", "angel.predict.out.path"),
}
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
    _Reader(draft, env).describe()
    return draft.adopted(problems)


def of_spark(document: Document, path: Path, what: str) -> Problem:
    """Spark on Angel is another system: Spark makes the executors, and uses Angel's parameter servers alone."""
    message = f"{what} belongs to Spark on Angel, where Spark starts the parameter servers; that is no job of Angel"
    hint = "run it by a Spark operator, or write the job for angel-submit; `chartgen explain angel` says what is read"
    return document.problem(path, message, "spark", hint, key=True)


def _unknown(document: Document) -> Iterator[str]:
    """The properties for Kubernetes that Angel never looks at; of others it has more than anyone knows."""
    whole = rules(FORM)
    for key in [key for key in document.data if key.startswith(_KUBERNETES) and key not in whole["properties"]]:
        if not any(True for _ in matching(whole, key)):
            yield key


def _stranger(document: Document, key: str) -> Problem:
    """What to say of such a property: only what follows the prefix that all have is like another, or is not."""
    known = [one.removeprefix(_KUBERNETES) for one in rules(FORM)["properties"] if one.startswith(_KUBERNETES)]
    known += [f"{maker}{family}" for maker in ("master", "executor") for family in _FAMILIES]
    rest = key.removeprefix(_KUBERNETES)
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

    def __init__(self, draft: Draft, env: Mapping[str, str]) -> None:
        self.draft = draft
        self.env = env
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
        Pods(draft, self.left).describe()
        self._client_env()
        self._warn()
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

    def _warn(self) -> None:
        """What Angel takes without a word, and a person will wonder about."""
        _Traps(self.draft, self.left).warn()

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
        for key in [key for key in _PATHS if self.left.get(key, "").startswith("hdfs:")][:1]:
            text = "HDFS takes an image with a Hadoop client; angel.hadoop and angel.hadoopConfigMap configure it"
            self.draft.note(("angel", "properties", key), text)


class _Traps:
    """Warnings, each with its reason."""

    def __init__(self, draft: Draft, left: dict[str, str]) -> None:
        self.draft = draft
        self.left = left

    def warn(self) -> None:
        self._running_mode()
        self._splits()
        self._paths()
        self._ports()
        self._spelling()
        self._variables()
        if self.left.get("action.type") == "predict":
            message = "Angel's client ends well even if a prediction fails, and so will the job; look at its output"
            self.draft.warning(("action.type",), message, "predict")

    def _running_mode(self) -> None:
        if self.left.pop("angel.running.mode", "") == "ANGEL_PS":
            document = self.draft.source
            self.draft.problems.append(of_spark(document, ("angel.running.mode",), "'ANGEL_PS' as the running mode"))

    def _splits(self) -> None:
        workers = self.draft.data["roles"]["worker"].get("replicas", 1)
        wanted = workers * int(self.left.get("angel.worker.task.number", 1))
        if workers > 1:
            message = f"Angel waits for {workers} workers for ever if the data give fewer than {wanted} splits"
            hint = f"see that there are {wanted} files, or files of that many blocks"
            self.draft.warning(("angel.workergroup.number",), message, "data-splits", hint)

    def _paths(self) -> None:
        action = self.left.get("action.type", "train")
        for key in [key for key in _NEEDED_PATHS.get(action, ()) if key not in self.left]:
            self.draft.warning((), f"{key!r} is missing, without which Angel does not {action}", "path", key=True)
        mounts = [mount["mountPath"] for mount in self.draft.data.get("volumeMounts", ())]
        for key in [key for key in _PATHS if key in self.left]:
            path = self._local(key)
            if path and not any(f"{path}/".startswith(f"{mount.rstrip('/')}/") for mount in mounts):
                message = f"{path!r} is on no volume, so that every pod would see files of its own"
                self.draft.warning((key,), message, "path", "mount what they share in the master and the executors")

    def _local(self, key: str) -> str:
        """A path that is on the file system of a pod, as far as it can be told."""
        scheme, colon, rest = self.left[key].partition("://")
        if colon:
            return rest if scheme == "file" else ""
        remote = self.left.get("angel.save.model.path", "").partition("://")[0] not in ("", "file")
        return self.left[key] if self.left[key].startswith("/") and not remote else ""

    def _ports(self) -> None:
        key = "angel.listen.port.range"
        if key in self.left:
            first, last = map(int, self.left[key].split(","))
            if not 1025 <= first <= last <= 65535:
                message = (
                    f"{self.left[key]!r} is no range of ports from 1025 to 65535, and Angel takes 20000,30000 instead"
                )
                self.draft.warning((key,), message, "port-range")

    def _spelling(self) -> None:
        """A property that differs by a letter from one of those that size the job is one that Angel never looks at."""
        known = [key for key in rules(FORM)["properties"] if key.endswith((".number", ".gb", ".mb", ".vcores"))]
        for key in [key for key in self.left if key.startswith("angel.") and key not in known]:
            if meant := near(key, known, 0.9):
                self.draft.warning((key,), f"Angel knows no {key!r}", "spelling", f"did you mean {meant!r}?", key=True)

    def _variables(self) -> None:
        """`${NAME}` that reached angel-submit is filled in by it, from other properties or, of Angel's own, its env."""
        client, said = self.draft.data["roles"]["client"].get("env", {}), self.draft.source.data
        used = {*self.left, *(origin[0] for origin in self.draft.origins.values() if origin)}
        for key in [key for key in said if "angel" in key and key in used]:
            for name in re.findall(r"\$\{([^{}\s]+)\}", said[key]):
                if name not in said and name not in client:
                    message = f"Angel's client fills in ${{{name}}} from its environment, which is by now its pod's"
                    hint = f"say what it stands for: roles.client.env, or --define {name}=VALUE without single quotes"
                    self.draft.warning((key,), message, "client-variable", hint)
