"""A command line while it is read: its flags, what they mean, and their places."""

from chartgen.document import Document, Path
from chartgen.errors import Mark, Problem
from chartgen.native.elasticdl.dialects import (
    FIRST,
    NEWER,
    OLDER,
)
from chartgen.native.elasticdl.flags import Flag
from chartgen.startup.typing import Any

MODEL_ZOO = "model_zoo"
ZOO_ROOT = "/model_zoo"  # where the client put models in the image that it built


class Line:
    """A command line as data, with the place of every flag and of every part of its value."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self.command, self.start = "", 0
        self.dialect = FIRST
        self.data: dict[str, Any] = {}
        self.given: dict[str, Flag] = {}
        self.values: dict[Path, Path] = {}
        self.keys: dict[Path, Path] = {}
        self.problems: list[Problem] = []

    def document(self) -> Document:
        """What the line says, in the form that the client's schema describes."""
        return Document(self.source.file, {self.place: self.data}, self.locate)

    @property
    def place(self) -> str:
        """Where the schema describes the command of this dialect."""
        return self.command if self.dialect == FIRST else f"{self.command}-later"

    def locate(self, path: Path, key: bool) -> Mark:
        """The place of a flag's value, or of a part of it; as a key, of its name."""
        if not path:
            return self.source.mark((), key=key)
        for end in range(len(path), 0, -1):
            if path[:end] in self.values:
                places = self.keys if key and end == len(path) else self.values
                return self.source.mark(places[path[:end]])
        return self.source.mark(("words", self.start - 1))

    def problem(self, at: Path, message: str, rule: str, hint: str = "") -> None:
        """A problem at a word, or at a character of one."""
        self.problems.append(self.source.problem(at, message, rule, hint))

    def warning(self, at: Path, message: str, rule: str, hint: str = "") -> None:
        """A warning at a word, or at a character of one."""
        self.problems.append(self.source.warning(at, message, rule, hint))

    def put(self, name: str, value: Any, flag: Flag) -> None:
        """Set what a flag says, or something that follows from it."""
        self.data[name] = value
        self.keys[self.place, name], self.values[self.place, name] = flag.key, flag.at

    def model_directory(self) -> str:
        """Where the model is in the image: where the client put it."""
        if self.dialect != FIRST:
            return str(self.data.get(MODEL_ZOO, ZOO_ROOT))
        path = str(self.data.get("model_def", "NAME")).rstrip("/").removesuffix(".py")
        return f"{ZOO_ROOT}/{path.rpartition('/')[2]}"


def version_of(line: Line) -> str:
    return {
        FIRST: "the ElasticDL of July 2019",
        OLDER: "ElasticDL 0.1.0rc0",
        NEWER: "ElasticDL 0.2.0rc3",
    }[line.dialect]
