"""Render or compare a whole project: check everything first, then make what is due."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from chartgen import outputs, sources
from chartgen.errors import Problem, WorldError
from chartgen.outputs import versions
from chartgen.outputs.base import OutputOptions, SharedFiles
from chartgen.project import find, make, state
from chartgen.project.find import Place
from chartgen.project.make import Checked, Outcome, PartMaker, RunOptions
from chartgen.project.state import JobEntry, ProjectState, SourceEntry
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.world import project_files
from chartgen.world.workers import Team


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


class Removal(NamedTuple):
    """An orphan that was to be removed: why it could not be, or whether something is left there."""

    target: str
    error: str = ""
    left: bool = False  # files that chartgen did not write


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
        maker = PartMaker(self.place, self.options)
        self._team = Team(maker.work, self.due, progress, self.options.cores)

    def _unchanged(self, path: str) -> SourceEntry | None:
        """What is known of a source, if neither its inputs nor its outputs have changed."""
        entry = self._state.sources.get(path)
        if entry is None:
            return None
        for name, digest in entry.inputs.items():
            if make.digest(project_files.content(name)) != digest:
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
        for checked in self._checked:
            problems += checked.problems
            texts |= checked.texts
            entries[checked.path] = checked.entry
        for path, entry in self._kept.items():
            problems += entry.warnings
            if entry.warnings:
                texts[path] = project_files.content(path) or b""
        jobs: list[JobEntry] = []
        for path in self.paths:
            jobs += entries[path].jobs
        own = self.place.project.document.file
        if any(problem.mark.file == own for problem in problems):  # its defaults are of every job
            texts[own] = self.place.text
        names = ((job.name, job.mark) for job in jobs)
        taken = {beside.name for beside in self.shared}
        for problem in sources.duplicate_names(names, taken, "rename one of them"):
            problems.append(problem)
            texts[problem.mark.file] = project_files.content(problem.mark.file) or b""
        broken = {problem.mark.file for problem in problems if problem.severity == "error"}
        # A source with problems may hold jobs whose names are not known.
        all_known = all(entries[path].jobs and path not in broken for path in self.paths)
        if self.whole:
            problems += find.check_environments(self.place)
        if self.whole and all_known:
            problems += find.check_values_files(self.place, [job.name for job in jobs])
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
            folders += [f"{output}/{name}" for name in project_files.list_folder(output)]
        orphaned = []
        for folder in folders:
            for name in project_files.ours(folder):
                if f"{folder}/{name}" not in wanted:
                    orphaned.append(f"{folder}/{name}")
        return orphaned

    def prune(self, orphans: Iterable[str]) -> Iterator[Removal]:
        """Remove orphans; one that cannot be removed does not keep the others."""
        for target in orphans:
            try:
                project_files.remove(target, force=self.options.force)
                yield Removal(target, left=project_files.is_folder(target))
            except WorldError as error:
                yield Removal(target, str(error))

    @cached_property
    def shared(self) -> list[SharedFiles]:
        """What all charts use."""
        output = outputs.output(self.place.project.format)
        return [*output.shared(OutputOptions(chart=make.chart_options(self.place)))]

    def _finish_shared(self, beside: SharedFiles) -> Outcome:
        target = self.place.path(f"{self.place.project.output}/{beside.name}")
        wanted = versions.settle_library(target, beside.files)
        return make.finish(beside.name, target, wanted, self.options)

    def _remember(self, outcomes: Iterable[Outcome]) -> None:
        """Write down what is up to date now, for the next run."""
        known = dict(self._state.sources) if not self.whole else {}
        known |= self._kept
        for checked in self._checked:
            known[checked.path] = checked.entry
        stamps = dict(self._state.stamps)
        stamps |= {outcome.target: outcome.stamp for outcome in outcomes}
        targets = {
            target for entry in known.values() for job in entry.jobs for target in job.targets
        }
        kept = {target: stamp for target, stamp in stamps.items() if target in targets}
        new = ProjectState(self._state.key, known, kept)
        if new != self._state:
            project_files.write_state(self.place.root, state.dump(new))
