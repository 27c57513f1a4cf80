"""The files a command is given, all read and checked, with every problem there is."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from chartgen import pipeline
from chartgen.document import Document, Setting
from chartgen.errors import InputError, Mark, Problem, UsageError
from chartgen.job import cloud_file
from chartgen.pipeline import CheckedJob
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import TYPE_CHECKING, BinaryIO
from chartgen.words import count
from chartgen.world.files import inputs

if TYPE_CHECKING:
    from chartgen.kits.model import Kit

_TEMPLATE = ".j2"  # the end of the name of a description with parameters
MOST_PROBLEMS = 1_000  # of one file
# Rules about a way of writing, reported once for each file: it has one author.
_ONCE = ("angel-argument-", "shell-blank-")


class SourceOptions(NamedTuple):
    """How the files are read."""

    form: str = ""  # the native format they are written in; recognized if empty
    defines: Mapping[str, str] = {}  # the values of `${NAME}` in a command line
    strict: bool = False  # whether warnings are errors
    operator_configs: bool = False  # whether an operator's configuration is kept beside the jobs
    complete: Callable[[Document], Document] | None = None  # adds the defaults of a project
    settings: tuple[Setting, ...] = ()  # what jobs in native formats get beside what they say
    kits: "tuple[Kit, ...]" = ()  # what all jobs get
    matrix: Mapping[str, Sequence[str]] = {}  # values that templates of jobs get in turn


class CheckedSource(NamedTuple):
    """A job without problems, and the document it was read from."""

    checked: CheckedJob
    document: Document


class Sources(NamedTuple):
    """What the files hold: jobs, problems (warnings among them), and the text of each file."""

    jobs: list[CheckedSource]
    problems: list[Problem]
    texts: dict[str, bytes]
    operator_configs: list[Document]
    lines: dict[str, list[str]]  # of the files whose lines were asked for

    @property
    def names(self) -> Iterator[tuple[str, Mark]]:
        """The name of each job, and where it is."""
        for source in self.jobs:
            yield source.checked.job.name, source.checked.name_mark

    @property
    def broken(self) -> bool:
        """Whether any problem is more than a warning."""
        return any(problem.severity == "error" for problem in self.problems)

    def excerpt(self, mark: Mark) -> str | None:
        """The line of a mark, if the file could be read."""
        if mark.file not in self.lines:
            text = self.texts.get(mark.file, b"").decode(errors="replace").removeprefix("\ufeff")
            self.lines[mark.file] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        lines = self.lines[mark.file]
        return lines[mark.line - 1] if mark.line <= len(lines) else None


def gather(
    paths: Sequence[str],
    options: SourceOptions,
    *,
    stdin: BinaryIO | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Sources:
    """Read and check every file; problems are kept, not raised. Call `progress` after each file."""
    if paths.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    if options.matrix and not any(path.endswith(_TEMPLATE) for path in paths):
        raise UsageError("--matrix is for templates: descriptions whose names end in .j2")
    sources = Sources([], [], {}, [], {})
    for path in paths:
        before = len(sources.problems)
        _add_file(sources, path, options, stdin)
        sources.problems[before:] = _first_problems(sources.problems[before:])
        progress()
    for kit in options.kits:
        shown = {problem.mark.file for problem in sources.problems}
        sources.texts.update({file: kit.texts[file] for file in shown & kit.texts.keys()})
    if options.strict:
        sources.problems[:] = [problem._replace(severity="error") for problem in sources.problems]
    return sources


def duplicate_names(
    names: Iterable[tuple[str, Mark]],
    taken: Set[str] = frozenset(),
    hint: str = "rename one, or render them to different directories",
) -> Iterator[Problem]:
    """Jobs of one name, or of one that is taken, which would be written to the same directory."""
    first: dict[str, Mark] = {}
    for name, mark in names:
        if name in taken:
            message = (
                f"the library chart is named {name!r} too; both would be written to one directory"
            )
            yield Problem(mark, message, "job-duplicate", "rename the job")
        if name in first:
            message = (
                f"another job is named {name!r}, at {first[name]}; both would be written to one "
                "directory"
            )
            yield Problem(mark, message, "job-duplicate", hint)
        first.setdefault(name, mark)


def _add_file(sources: Sources, path: str, options: SourceOptions, stdin: BinaryIO | None) -> None:
    file = inputs.STDIN if path == "-" else path
    try:
        text = inputs.read(path, pipeline.LIMIT, stdin)
        sources.texts[file] = text
        if options.operator_configs and (config := _operator_config(text, file)):
            sources.operator_configs.append(config)
            return
        documents = _read(text, file, options)
    except InputError as error:
        sources.problems.extend(error.problems)
        return
    reported: set[str] = set()
    for document in documents:
        if document.form:
            document = document._replace(settings=options.settings)
        try:
            checked = _check(sources, path, document, options)
        except InputError as error:
            problems: Iterable[Problem] = error.problems
        else:
            sources.jobs.append(CheckedSource(checked, document))
            problems = checked.warnings
        for problem in problems:
            if not (problem.rule.startswith(_ONCE) and problem.rule in reported):
                sources.problems.append(problem)
            reported.add(problem.rule)


def _read(text: bytes, file: str, options: SourceOptions) -> list[Document]:
    if not file.endswith(_TEMPLATE):
        return pipeline.read(text, file, options.form, options.defines)
    from chartgen.scaffold import descriptions  # jinja2 is for templates alone

    return descriptions.read(text, file, options.form, options.defines, options.matrix)


def _first_problems(problems: list[Problem]) -> list[Problem]:
    """The problems of one file; if they are too many to be read, the first and their number."""
    if len(problems) <= MOST_PROBLEMS:
        return problems
    from heapq import nsmallest  # a file that a person wrote does without it

    unique = set(problems)
    shown = nsmallest(MOST_PROBLEMS + 1, unique)
    if len(shown) == len(unique) <= MOST_PROBLEMS:
        return shown
    first_hidden = shown.pop()
    rest = unique.difference(shown)
    message = f"{count(len(rest), 'more problem')} here and below; the first are reported"
    severity = min(problem.severity for problem in rest)  # "error" comes before "warning"
    return [*shown, Problem(first_hidden.mark, message, "file-more-problems", "", severity)]


def _check(sources: Sources, path: str, document: Document, options: SourceOptions) -> CheckedJob:
    cloud = _named_cloud(sources, path, document)
    if not options.kits:
        return pipeline.check(document, cloud, options.complete)
    from chartgen.kits import apply, defaults  # they need jinja2, and most jobs have no kit

    complete = defaults.completer(options.kits, options.complete)
    checked = pipeline.check(document, cloud, complete, defaults.groups(options.kits))
    return apply.apply(options.kits, checked)


def _operator_config(text: bytes, file: str) -> Document | None:
    from chartgen.native.operators import config  # only `convert` asks for it

    return config.read(text, file)


def _named_cloud(sources: Sources, path: str, document: Document) -> cloud_file.NamedFiles:
    """The file that a description names as its cloud; its path is relative to the description's."""
    name = cloud_file.file_name(document)
    if not name:
        return {}
    file = inputs.relative_to(path, name)
    try:
        sources.texts[file] = inputs.read(file, pipeline.LIMIT)
    except InputError as error:
        mark = document.mark(("cloud",))
        for problem in error.problems:
            message = f"{file}: {problem.message}"
            sources.problems.append(problem._replace(mark=mark, message=message))
        return {name: None}
    return {name: (file, sources.texts[file])}
