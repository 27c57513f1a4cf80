"""Read YAML and JSON: data, the place of every value, and scalars that YAML readers dispute."""

import re
from collections.abc import Callable, Iterator

from chartgen.document import Document, Path, Trap
from chartgen.errors import InputError, Mark, Problem
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.budget import DEPTH, LIMITS, TOO_DEEP, Budget, OverBudgetError
from chartgen.syntax.text import (
    DEFAULTS,
    ReadOptions,
    TextPart,
    controls,
    decode,
    hide_surrogates,
    without_controls,
)
from chartgen.syntax.yaml.pyyaml import MappingNode, Node, ScalarNode, SequenceNode, yaml

LONGEST = 300  # characters of a number; longer ones fit no reader, and 1:1:1... takes minutes

_Entries = dict[str, tuple[Node, Node]]
_Base: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_construct: Any = yaml.constructor.SafeConstructor()

_INFINITE = float("inf")
_YAML = "tag:yaml.org,2002:"
_NULLS = dict.fromkeys(("", "~", "null", "Null", "NULL"))
_CONVERT: dict[str, Callable[[Any], Any]] = {
    "null": lambda node: _NULLS[node.value],
    "bool": _construct.construct_yaml_bool,
    "int": _construct.construct_yaml_int,
    "float": _construct.construct_yaml_float,
}
# Our loader gives short names to the tags that it resolves; the long ones were written, and mostly
# are refused.
_SCALARS = {"str", *_CONVERT}
_TAGS = {
    ScalarNode: {"timestamp", "merge", "value", *_SCALARS, *(_YAML + kind for kind in _SCALARS)},
    SequenceNode: {"seq", _YAML + "seq"},
    MappingNode: {"map", _YAML + "map"},
}
# Text to PyYAML, but a number or a time to Go's readers or to YAML 1.2.
_TRAP = (
    r"[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9_]+)?"
    r"|[-+]?0(?:[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9:.]+[ \t]*(?:Z|[-+][0-9:]+)?)?"
)
# The plain scalars that are neither texts nor numbers nor times to PyYAML.
_WORDS = {
    **dict.fromkeys(_NULLS, "null"),
    **dict.fromkeys(("yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON"), "bool"),
    **dict.fromkeys(("off", "Off", "OFF", "true", "True", "TRUE"), "bool"),
    **dict.fromkeys(("false", "False", "FALSE"), "bool"),
    "<<": "merge",
    "=": "value",
}
# All that numbers and times are made of, in hexadecimal digits and in words such as `.inf` too.
_NUMERIC = frozenset("0123456789+-_.:abcdefABCDEFxXoOinfINFntTZ \t")
_STARTS = frozenset("0123456789.")  # of numbers and times, perhaps behind a sign
_SINGLE_QUOTES = "in double quotes, \\ begins an escape; in single quotes, it is a \\"


def read(data: bytes, file: str, options: ReadOptions = DEFAULTS) -> list[Document]:
    """The documents of a stream, or InputError with every problem found.

    Documents with duplicate keys are refused too, unless they are to be kept: then each has these
    problems in its `problems`, and the last value counts.
    """
    text, problems = without_controls(decode(data, file), file)
    repeated: list[Problem] = []
    documents = list(_documents(_Source(file, problems, repeated, *hide_surrogates(text))))
    if not documents and not problems:
        message = "the file is empty; expected a YAML or JSON document"
        problems.append(Problem(Mark(file), message, "file-empty"))
    if problems or (repeated and not options.keep_duplicates):
        raise InputError(sorted(dict.fromkeys((*problems, *repeated))))  # nearly in order
    return documents


def parts(text: str) -> list[TextPart]:
    """The comments of a stream, document by document."""
    from chartgen.syntax.yaml import comments  # imports a second YAML library, for `convert` only

    return comments.parts(text)


class _StopError(Exception):
    """A problem after which the rest of a document cannot be read."""

    def __init__(self, mark: Any, message: str, rule: str) -> None:
        self.why = (mark, message, rule)


class _Loader(_Base):  # type: ignore[misc]
    """PyYAML's composer, with a limit of depth that keeps it within the stack."""

    depth = 0

    def descend_resolver(self, parent: Node, _index: Any) -> None:
        self.depth += 1
        if self.depth > DEPTH + 1:
            raise _too_deep(parent)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
        # What PyYAML says too, after it has compiled its patterns.
        if kind is ScalarNode and implicit[0]:
            if value in _WORDS:
                return _WORDS[value]
            if not _may_be_number(value):
                return "str"
            if _is_plain_number(value):
                return "int"
        tag: str = super().resolve(kind, value, implicit)
        if tag == _YAML + "int" and "o" in value:
            return "str"  # yamllint, once imported, teaches all of PyYAML the octals of YAML 1.2
        return tag.removeprefix(_YAML)


def _is_plain_number(value: str) -> bool:
    return value.isdecimal() and value.isascii() and value[0] != "0"


def _may_be_number(value: str) -> bool:
    """Whether a plain scalar can be a number or a time to any reader; if not, it is a text."""
    start = value[1:2] if value[:1] in ("-", "+") else value[:1]
    return start in _STARTS and _NUMERIC.issuperset(value)


def _is_trap(value: str) -> bool:
    """Whether PyYAML and other readers dispute what a plain scalar is."""
    if value in ("y", "Y", "n", "N"):
        return True
    return _may_be_number(value) and re.fullmatch(_TRAP, value) is not None


class _Source(NamedTuple):
    """The text of one file, and its problems so far."""

    file: str
    problems: list[Problem]
    repeated: list[Problem]
    text: str
    restore: Callable[[str, int, int], str] | None

    def mark(self, mark: Any) -> Mark:
        return Mark(self.file, mark.line + 1, mark.column + 1)

    def report(self, mark: Any, message: str, rule: str, hint: str = "") -> None:
        self.problems.append(Problem(self.mark(mark), message, rule, hint))


class _End:
    """The mark of the end of a text."""

    def __init__(self, text: str) -> None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.line, self.column = len(lines) - 1, len(lines[-1])


def _documents(source: _Source) -> Iterator[Document]:
    loader = _Loader(source.text)
    try:
        while loader.check_node():
            root = loader.get_node()
            if root.tag != "null" or root.value:  # else there are only comments
                builder, before = _Builder(source, root), len(source.repeated)
                data = builder.build(root)
                repeated = tuple(source.repeated[before:])
                yield Document(source.file, data, builder.locate, tuple(builder.traps), repeated)
    except _StopError as stop:
        source.report(*stop.why)
    except yaml.MarkedYAMLError as error:
        start, mark, problem = error.context_mark, error.problem_mark, error.problem or ""
        place, message = _explain(start, mark, problem, source.text)
        if place.index >= len(source.text):  # libyaml names the line after the last one
            place = _End(source.text)
        source.report(place, message, "file-syntax")
    except (ValueError, OverflowError) as error:  # PyYAML without libyaml, on "\UFFFFFFFF"
        source.report(*_explain(None, loader.get_mark(), str(error), source.text), "file-syntax")


def _explain(start: Any, mark: Any, problem: str, text: str) -> tuple[Any, str]:
    from chartgen.syntax.yaml.errors import explain  # most texts are read without

    return explain(start, mark, problem, text)


def _too_deep(node: Node) -> _StopError:
    return _StopError(node.start_mark, TOO_DEEP, "value-too-deep")


class _Builder:
    """Makes the data of one document from its nodes, and finds the nodes again."""

    def __init__(self, source: _Source, root: Node) -> None:
        self.source = source
        self.root = root
        self.traps: list[Trap] = []
        self.path: list[str | int] = []
        self.open: set[int] = set()  # collections around the current node
        self.seen: set[int] = set()
        self.latest = root  # the last node met for the first time
        self.budget = Budget()
        self.known: dict[int, _Entries] = {}
        self.escapes = "\\" in source.text

    def locate(self, path: Path, key: bool) -> Mark:
        place, node = self.root, self.root
        for step in path:
            if isinstance(node, MappingNode) and str(step) in self.entries(node):
                place, node = self.entries(node)[str(step)]
                continue
            if not isinstance(node, SequenceNode) or not isinstance(step, int):
                break
            if not 0 <= step < len(node.value):
                break
            place = node = node.value[step]
        return self.source.mark((place if key else node).start_mark)

    def build(self, node: Node) -> Any:
        if id(node) in self.seen:
            self.copy(1, len(node.value) if isinstance(node, ScalarNode) else 0)
        else:
            self.seen.add(id(node))
            self.latest = node
        self.check_tag(node)
        return self.scalar(node) if isinstance(node, ScalarNode) else self.collection(node)

    def check_tag(self, node: Node) -> None:
        if node.tag not in _TAGS[type(node)]:
            tag = node.tag.replace(_YAML, "!!")
            message = f"the tag {tag!r} is not supported; expected the value alone"
            self.source.report(node.start_mark, message, "yaml-tag")

    def collection(self, node: Node) -> Any:
        if not self.enter(node):
            return None
        data: Any
        if isinstance(node, MappingNode):
            data = {}
            for name, (_, value) in self.entries(node).items():
                child = self.child(name, value)
                if not name.startswith("\0"):  # else it is read for its own problems only
                    data[name] = child
        else:
            data = [self.child(index, value) for index, value in enumerate(node.value)]
        self.open.remove(id(node))
        return data

    def child(self, step: str | int, node: Node) -> Any:
        self.path.append(step)
        data = self.build(node)
        self.path.pop()
        return data

    def enter(self, node: Node) -> bool:
        """Step into a collection, unless it is one of those we are in."""
        if id(node) in self.open:
            message = "this anchor refers to itself; expected an alias of another one"
            self.source.report(node.start_mark, message, "yaml-alias-loop")
            return False
        self.open.add(id(node))
        if len(self.open) > DEPTH:
            raise _too_deep(node)
        return True

    def copy(self, values: int, characters: int = 0) -> None:
        """Count what aliases expand to: ten lines of them can make a billion values."""
        try:
            self.budget.spend(values, characters)
        except OverBudgetError:
            message = f"the aliases up to here expand to more than {LIMITS}; expected fewer"
            raise _StopError(self.latest.start_mark, message, "yaml-alias-bomb") from None

    def entries(self, node: MappingNode) -> _Entries:
        """Name -> key and value; those merged in (`<<`) come first, and the mapping's own win."""
        if id(node) in self.known:
            return self.known[id(node)]
        own: _Entries = {}
        lines: dict[str, int] = {}  # of the first of duplicate keys
        for key, value in node.value:
            name = self.name(key)
            if name in own:
                lines.setdefault(name, own[name][0].start_mark.line + 1)
                message = f"the key {name!r} is already set on line {lines[name]}; expected it once"
                problem = Problem(self.source.mark(key.start_mark), message, "key-duplicate")
                self.source.repeated.append(problem)
                earlier = own.pop(name)
                own[f"\0{earlier[0].start_mark.index}"] = earlier  # to be read for its own problems
            own[name] = key, value
        if "<<" in own and own["<<"][0].tag == "merge":
            own = self.merged(own.pop("<<")[1]) | own
        self.known[id(node)] = own
        return own

    def merged(self, value: Node) -> _Entries:
        merged: _Entries = {}
        # The first of several wins, so it comes last.
        for node in reversed(value.value) if isinstance(value, SequenceNode) else [value]:
            if not isinstance(node, MappingNode):
                message = "'<<' merges mappings; expected an alias of one"
                self.source.report(node.start_mark, message, "yaml-merge-key")
            elif self.enter(node):
                entries = self.entries(node)
                self.open.remove(id(node))
                self.copy(len(entries))
                merged |= entries
        return merged

    def name(self, key: Node) -> str:
        if isinstance(key, ScalarNode):
            self.check_tag(key)
            return self.text(key)
        message = "a mapping or list cannot be a key; expected text"
        hint = "put text that starts with '{' or '[' in quotes"
        self.source.report(key.start_mark, message, "key-not-text", hint)
        return f"\0{key.start_mark.index}"

    def text(self, node: ScalarNode) -> str:
        text: str = node.value
        if self.source.restore:
            text = self.source.restore(text, node.start_mark.index, node.end_mark.index)
        if self.escapes:
            hint = _SINGLE_QUOTES if node.style == '"' else ""
            for message in controls(text):
                self.source.report(node.start_mark, message, "file-control-character", hint)
        return text

    def scalar(self, node: ScalarNode) -> Any:
        value: Any = self.text(node)
        kind = node.tag.removeprefix(_YAML)
        if kind in _CONVERT:
            value = self.convert(kind, node)
            # Different also for any text that no value can hold, such as `.inf`.
            trap = value is not None and repr(value).lower() != node.value
        else:
            trap = not node.style and node.tag != _YAML + "str" and _is_trap(value)
        if trap and not node.style:
            self.traps.append(Trap(tuple(self.path), node.value))
        return value

    def convert(self, kind: str, node: ScalarNode) -> Any:
        """The number, boolean or null that PyYAML sees; the text if no value can hold it."""
        try:
            if len(node.value) > LONGEST:
                raise ValueError
            value = _CONVERT[kind](node)
        except (ValueError, KeyError, IndexError):  # IndexError: `!!int ""`
            if node.tag != kind:
                message = f"{node.value[:40]!r} is not what its tag !!{kind} says"
                self.source.report(node.start_mark, message, "yaml-tag")
            return node.value
        return value if kind != "float" or -_INFINITE < value < _INFINITE else node.value
