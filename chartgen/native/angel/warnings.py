"""What Angel takes without a word, and a person will wonder about: a warning for each, with its reason."""

import re
from collections.abc import Set

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.native.draft import Draft, rules
from chartgen.schema.suggest import near

FORM = "angel-submit"  # whose schema holds for properties, by whichever road they came
PATHS = (
    "angel.train.data.path", "angel.predict.data.path", "angel.save.model.path", "angel.load.model.path",
    "angel.predict.out.path", "angel.log.path", "angel.tmp.output.path.prefix",
)  # fmt: skip
_NEEDED_PATHS = {
    "train": ("angel.train.data.path", "angel.save.model.path"),
    "inctrain": ("angel.train.data.path", "angel.save.model.path"),
    "predict": ("angel.predict.data.path", "angel.predict.out.path"),
}


def of_spark(document: Document, path: Path, what: str) -> Problem:
    """Spark on Angel is another system: Spark makes the executors, and uses Angel's parameter servers alone."""
    message = f"{what} belongs to Spark on Angel, where Spark starts the parameter servers; that is no job of Angel"
    hint = "run it by a Spark operator, or write the job for angel-submit; `chartgen explain angel` says what is read"
    return document.problem(path, message, "spark", hint, key=True)


class Traps:
    """Warnings, each with its reason."""

    def __init__(self, draft: Draft, left: dict[str, str], refused: Set[str]) -> None:
        self.draft = draft
        self.left = left
        self.refused = refused

    def warn(self) -> None:
        """Each of them, where it holds."""
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
        for key in [key for key in _NEEDED_PATHS.get(action, ()) if key not in {*self.left, *self.refused}]:
            self.draft.warning((), f"{key!r} is missing, without which Angel does not {action}", "path", key=True)
        mounts = [mount["mountPath"] for mount in self.draft.data.get("volumeMounts", ())]
        for key in [key for key in PATHS if key in self.left]:
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
