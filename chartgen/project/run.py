"""Render or compare a whole project: check everything first, then make what is due."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from chartgen import outputs, sources
from chartgen.chart import ChartOptions
from chartgen.chart.metadata import AUTO
from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem, RefusedError, WorldError
from chartgen.gitops.changes import Field, changed_values
from chartgen.outputs import versions
from chartgen.outputs.base import OutputOptions, Product, SharedFiles
from chartgen.pipeline import CheckedJob
from chartgen.project import environments, find, state
from chartgen.project.defaults import completer
from chartgen.project.find import Place
from chartgen.project.model import Environment
from chartgen.project.state import JobEntry, ProjectState, SourceEntry
from chartgen.sources import CheckedSource, SourceOptions
from chartgen.world import files, project_files
from chartgen.world.files import Difference
from chartgen.world.helm import HelmValues
from chartgen.world.workers import Team


class RunOptions(NamedTuple):
    """What a command line says about a run."""

    write: bool = True  # or only compare
    texts: bool = False  # whether differences come with their texts
    force: bool = False
    strict: bool = False
    helm: str = ""
    cores: int = 0  # all if 0


class Checked(NamedTuple):
    """What became of a source in the first step."""

    path: str
    entry: SourceEntry
    problems: list[Problem]
    texts: dict[str, bytes]


class Outcome(NamedTuple):
    """What became of a target in the second step."""

    name: str
    target: str
    files: int
    changed: int = 0
    differences: Sequence[Difference] = ()
    edited: Sequence[str] = ()
    stamp: str = ""
    error: str = ""
    totals: Mapping[str, float] = {}
    wanted: Mapping[str, str] = {}  # all files, if they differ and their texts are asked for
    values: Mapping[str, Sequence[Field]] = {}  # the values that differ, by environment


class Survey(NamedTuple):
    """What the first step found: the problems of all sources, and how many jobs there are."""

    problems: list[Problem]
    texts: dict[str, bytes]
    jobs: list[JobEntry]
    due: int  # sources that have to be made

    @property
    def broken(self) -> bool:
        """Whether any problem is more than a warning."""
        return any(problem.severity == "error" for problem in self.problems)


class Run:
    """A run over a project, in two steps."""

    def __init__(
        self,
        place: Place,
        given: Sequence[str],
        options: RunOptions,
    ) -> None:
        self.place, self.options = place, options
        self.whole = not given
        every = find.sources(place)
        if not every:
            raise find.no_sources(place)
        self.paths = find.restrict(every, given) if given else every
        own = (project_files.own_stamp(), str(options.strict), place.text.decode(errors="replace"))
        self._state = state.parse(
            project_files.read_state(place.root), f"{project_files.hash_of(own):x}"
        )
        self._kept = {path: entry for path in self.paths if (entry := self._unchanged(path))}
        self.due = [path for path in self.paths if path not in self._kept]
        self._team: Team | None = None
        self._checked: list[Checked] = []

    def start(self, progress: Callable[[int], None] = lambda _: None) -> None:
        """Start as many workers as pay."""
        maker = _Maker(self.place, self.options)
        self._team = Team(maker.work, self.due, progress, self.options.cores)

    def _unchanged(self, path: str) -> SourceEntry | None:
        """What is known of a source, if neither its inputs nor its outputs have changed."""
        entry = self._state.sources.get(path)
        if entry is None:
            return None
        for name, digest in entry.inputs.items():
            if _digest(project_files.content(name)) != digest:
                return None
        for job in entry.jobs:
            for target in job.targets:
                if project_files.stamp(target) != self._state.stamps.get(target, "-"):
                    return None
        return entry

    def check(self) -> Survey:
        """The first step: read and check every source that has changed."""
        problems: list[Problem] = []
        texts: dict[str, bytes] = {}
        for results in self._step():
            self._checked += results
        entries = dict(self._kept)
        for one in self._checked:
            problems += one.problems
            texts |= one.texts
            entries[one.path] = one.entry
        for path, entry in self._kept.items():
            problems += entry.warnings
            if entry.warnings:
                texts[path] = project_files.content(path) or b""
        jobs: list[JobEntry] = []
        for path in self.paths:
            jobs += entries[path].jobs
        problems += duplicate_names(jobs, {beside.name for beside in self.shared})
        if self.whole and not any(problem.severity == "error" for problem in problems):
            names = [job.name for job in jobs]
            problems += find.check_environments(self.place, names)
        return Survey(problems, texts, jobs, len(self.due))

    def finish(self) -> list[Outcome]:
        """The second step: write, or compare, what is due; unchanged targets have no outcome."""
        outcomes = [self._finish_shared(beside) for beside in self.shared]
        for results in self._step():
            outcomes += results
        if self.options.write and not any(outcome.error for outcome in outcomes):
            self._remember(outcomes)
        return sorted(outcomes, key=lambda outcome: outcome.target)

    def _step(self) -> list[Any]:
        if self._team is None:
            self.start()
        return self._team.step() if self._team else []

    def close(self) -> None:
        """End what is still running."""
        if self._team:
            self._team.close()

    def orphans(self, jobs: Iterable[JobEntry]) -> list[str]:
        """Directories in the output that chartgen wrote, and that no job has any more."""
        if not self.whole:
            return []
        output = self.place.path(self.place.project.output)
        wanted = {target for job in jobs for target in job.targets}
        wanted |= {f"{output}/{beside.name}" for beside in self.shared}
        folders = [output]
        if self.place.project.format == "manifests":
            folders += [f"{output}/{name}" for name in project_files.listed(output)]
        found = []
        for folder in folders:
            for name in project_files.ours(folder):
                if f"{folder}/{name}" not in wanted:
                    found.append(f"{folder}/{name}")
        return found

    @cached_property
    def shared(self) -> list[SharedFiles]:
        """What all charts use."""
        output = outputs.output(self.place.project.format)
        return [*output.shared(OutputOptions(chart=_chart_options(self.place)))]

    def _finish_shared(self, beside: SharedFiles) -> Outcome:
        target = self.place.path(f"{self.place.project.output}/{beside.name}")
        wanted = versions.settle_library(target, beside.files)
        return _finish(beside.name, target, wanted, self.options)

    def _remember(self, outcomes: Iterable[Outcome]) -> None:
        """Write down what is up to date now, for the next run."""
        known = dict(self._state.sources) if not self.whole else {}
        known |= self._kept
        for one in self._checked:
            known[one.path] = one.entry
        stamps = dict(self._state.stamps)
        stamps |= {outcome.target: outcome.stamp for outcome in outcomes}
        targets = {
            target for entry in known.values() for job in entry.jobs for target in job.targets
        }
        kept = {target: stamp for target, stamp in stamps.items() if target in targets}
        new = ProjectState(self._state.key, known, kept)
        if new != self._state:
            project_files.write_state(self.place.root, state.dump(new))


class _Maker:
    """What a worker does with its sources."""

    def __init__(self, place: Place, options: RunOptions) -> None:
        self.place, self.options = place, options
        self.project = place.project
        complete = completer(place.project)
        self.reading = SourceOptions(strict=options.strict, complete=complete)
        self.values: dict[tuple[str, str], Document] = {}  # by environment and job

    def work(self, paths: Sequence[str]) -> Generator[Any, bool | None, None]:
        """Both steps, one after the other."""
        checked: list[Checked] = []
        jobs: list[CheckedSource] = []
        for path in paths:
            result, found = self._check(path)
            checked.append(result)
            jobs += found
            yield 1
        yield checked
        outcomes = []
        library = self._library_version() if jobs else ""
        for job in jobs:
            for environment in self._targets():
                outcomes.append(self._finish(job.checked, environment, library))
            yield 1
        yield outcomes

    def _check(self, path: str) -> tuple[Checked, list[CheckedSource]]:
        found = sources.gather([path], self.reading)
        inputs = {name: _digest(text) for name, text in found.texts.items()}
        problems = list(found.problems)
        jobs = []
        for source in found.jobs:
            name = source.checked.job.name
            targets = [self._target(name, environment) for environment in self._targets()]
            jobs.append(JobEntry(name, source.checked.name_mark, tuple(targets)))
            for environment in self.project.environments:
                problems += self._check_values(source.checked, environment, inputs, found.texts)
        if self.options.strict:
            problems = [problem._replace(severity="error") for problem in problems]
        shown = {problem.mark.file for problem in problems}
        texts = {name: text for name, text in found.texts.items() if name in shown}
        entry = SourceEntry(inputs, tuple(jobs), tuple(dict.fromkeys(problems)))
        return Checked(path, entry, problems, texts), found.jobs

    def _check_values(
        self,
        checked: CheckedJob,
        environment: Environment,
        inputs: dict[str, str],
        texts: dict[str, bytes],
    ) -> list[Problem]:
        file = self.place.path(environment.file(checked.job.name))
        text = project_files.content(file)
        inputs[file] = _digest(text)
        if text is None:
            return []
        texts[file] = text
        try:
            values = environments.read(text, file)
        except InputError as error:
            return [*error.problems]
        if values is None:
            return []
        self.values[environment.name, checked.job.name] = values
        return environments.check(checked, values, clouds=self.project.clouds == "all")

    def _targets(self) -> list[str]:
        """The environments that have a directory of their own; charts are for all of them."""
        if self.project.format == "chart" or not self.project.environments:
            return [""]
        return [environment.name for environment in self.project.environments]

    def _target(self, job: str, environment: str) -> str:
        folder = f"{self.project.output}/{environment}" if environment else self.project.output
        return self.place.path(f"{folder}/{job}")

    def _make(self, checked: CheckedJob, environment: str) -> Product:
        """The files of a job, in an environment that has a directory of its own."""
        options = OutputOptions(helm=self.options.helm, chart=_chart_options(self.place))
        if environment:
            said = self.values.get((environment, checked.job.name))
            known = {one.name: one.namespace for one in self.project.environments}
            values = HelmValues((), (said.file,) if said else (), known[environment])
            options = options._replace(values=values)
        return outputs.output(self.project.format).maker(options)(checked)

    def _finish(self, checked: CheckedJob, environment: str, library: str) -> Outcome:
        name = checked.job.name
        target = self._target(name, environment)
        try:
            product = self._make(checked, environment)
            wanted = self._with_values(checked, product.files)
            wanted = versions.settle(target, wanted, library)
            outcome = _finish(name, target, wanted, self.options)
        except (WorldError, RefusedError) as error:
            return Outcome(name, target, 0, error=str(error))
        if self.options.texts and outcome.differences:
            outcome = outcome._replace(
                wanted=wanted, values=self._changed(checked, target, wanted, environment)
            )
        return outcome._replace(totals=product.totals)

    def _changed(
        self, checked: CheckedJob, target: str, wanted: Mapping[str, str], environment: str
    ) -> dict[str, list[Field]]:
        """The values that differ in each environment, with the lines where they are written."""
        shared = _changed_values(target, wanted, "values.yaml", checked.document)
        if environment or not self.project.environments:
            return {"": shared}
        found = {}
        for one in self.project.environments:
            name = environments.file_name(one.name)
            said = self.values.get((one.name, checked.job.name), checked.document)
            found[one.name] = shared + _changed_values(target, wanted, name, said)
        return found

    def _with_values(self, checked: CheckedJob, made: Mapping[str, str]) -> Mapping[str, str]:
        """The files of a chart, with the values of each environment beside its own."""
        added = {}
        for environment in self.project.environments:
            values = self.values.get((environment.name, checked.job.name))
            if values and self.project.format == "chart":
                text = environments.text(environment.name, values)
                added[environments.file_name(environment.name)] = text
        if not added:
            return made
        together = dict(sorted({**made, **added}.items()))
        if checked.job.version != AUTO:
            return together
        from chartgen.chart import thin, version

        return version.sign(together, thin.content() if self.project.layout == "thin" else ())

    def _library_version(self) -> str:
        """The version of the library beside the charts, which was written before them."""
        options = OutputOptions(chart=_chart_options(self.place))
        for beside in outputs.output(self.project.format).shared(options):
            target = self.place.path(f"{self.project.output}/{beside.name}")
            return versions.version_of(versions.settle_library(target, beside.files))
        return ""


def _finish(name: str, target: str, wanted: Mapping[str, str], options: RunOptions) -> Outcome:
    """Write or compare one directory."""
    if options.write:
        try:
            changed = files.write(target, wanted, force=options.force)
        except WorldError as error:
            return Outcome(name, target, len(wanted), error=str(error))
        stamp = project_files.stamp(target)
        return Outcome(name, target, len(wanted), len(changed), stamp=stamp)
    differences = files.compare(target, wanted)
    edited = files.edited(target) if differences else []
    if not options.texts:
        differences = [one._replace(old="", new="") for one in differences]
    return Outcome(name, target, len(wanted), len(differences), differences, edited)


def _changed_values(
    target: str, wanted: Mapping[str, str], name: str, document: Document
) -> list[Field]:
    old, new = files.text(target, name), wanted.get(name)
    if not files.text(target, "values.yaml") or (old is None and new is None):
        return []
    return changed_values(old or "{}", new or "{}", document)


def duplicate_names(jobs: Iterable[JobEntry], taken: set[str]) -> Iterator[Problem]:
    """Jobs of one name, or of one that is taken, which would be written to one directory."""
    first: dict[str, Mark] = {}
    for job in jobs:
        if job.name in taken or job.name in first:
            other = f"another job, at {first[job.name]}," if job.name in first else "the library"
            message = f"{other} is named {job.name!r} too; both would be written to one directory"
            yield Problem(job.mark, message, "job-duplicate", "rename one of them")
        first.setdefault(job.name, job.mark)


def _chart_options(place: Place) -> ChartOptions:
    project = place.project
    options = ChartOptions(
        clouds="all" if project.clouds == "all" else "used",
        layout="thin" if project.layout == "thin" else "full",
    )
    return options._replace(library=project.library) if project.library else options


def _digest(text: bytes | None) -> str:
    """A digest of a file's content; empty if there is none."""
    if text is None:
        return ""
    from hashlib import blake2b

    return blake2b(text, digest_size=16).hexdigest()
