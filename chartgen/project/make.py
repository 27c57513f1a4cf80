"""Make a part of a project's sources: read and check all of them, then write or compare each."""

from collections.abc import Generator, Mapping, Sequence

from chartgen import outputs, sources
from chartgen.chart import ChartOptions
from chartgen.document import Document
from chartgen.errors import InputError, Problem, RefusedError, WorldError
from chartgen.gitops.changes import Field, changed_values
from chartgen.job.layers import says
from chartgen.outputs import versions
from chartgen.outputs.base import OutputOptions, Product
from chartgen.pipeline import CheckedJob
from chartgen.project import environments
from chartgen.project.defaults import source_options
from chartgen.project.find import Place
from chartgen.project.model import Environment
from chartgen.project.state import JobEntry, SourceEntry
from chartgen.sources import CheckedSource, SourceOptions
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.world import files, project_files
from chartgen.world.files import Difference
from chartgen.world.helm import HelmValues


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


class PartMaker:
    """What a worker does with its sources."""

    def __init__(self, place: Place, options: RunOptions) -> None:
        self.place, self.options = place, options
        self.project = place.project
        self.reading = source_options(place, SourceOptions(strict=options.strict))
        self.values: dict[tuple[str, str], Document] = {}  # by environment and job
        self.with_clouds: set[str] = set()  # jobs that need cloud data in some environment

    def work(self, paths: Sequence[str]) -> Generator[Any, bool | None, None]:
        """Both steps, one after the other."""
        checked: list[Checked] = []
        jobs: list[CheckedSource] = []
        for path in paths:
            result, own_jobs = self._check(path)
            checked.append(result)
            jobs += own_jobs
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
        gathered = sources.gather([path], self.reading)
        inputs = {name: digest(text) for name, text in gathered.texts.items()}
        problems = list(gathered.problems)
        jobs = []
        for source in gathered.jobs:
            name = source.checked.job.name
            targets = [self._target(name, environment) for environment in self._targets()]
            jobs.append(JobEntry(name, source.checked.name_mark, tuple(targets)))
            for environment in self.project.environments:
                problems += self._check_values(source.checked, environment, inputs, gathered.texts)
        if self.options.strict:
            problems = [problem._replace(severity="error") for problem in problems]
        shown = {problem.mark.file for problem in problems}
        texts = {name: text for name, text in gathered.texts.items() if name in shown}
        entry = SourceEntry(inputs, tuple(jobs), tuple(dict.fromkeys(problems)))
        return Checked(path, entry, problems, texts), gathered.jobs

    def _check_values(
        self,
        checked: CheckedJob,
        environment: Environment,
        inputs: dict[str, str],
        texts: dict[str, bytes],
    ) -> list[Problem]:
        file = self.place.path(environment.file(checked.job.name))
        text = project_files.content(file)
        inputs[file] = digest(text)
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
        problems, needs_clouds = environments.check(checked, values)
        if needs_clouds:
            self.with_clouds.add(checked.job.name)
        return problems

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
        options = OutputOptions(helm=self.options.helm, chart=chart_options(self.place))
        if checked.job.name in self.with_clouds:
            options = options._replace(chart=options.chart._replace(clouds="all"))
        if self.project.format == "chart":
            added = self._values_files(checked.job.name)
            options = options._replace(chart=options.chart._replace(added=added))
        if environment:
            said = self.values.get((environment, checked.job.name))
            known = {each.name: each.namespace for each in self.project.environments}
            values = HelmValues((), (said.file,) if said else (), known[environment])
            options = options._replace(values=values)
        return outputs.output(self.project.format).maker(options)(checked)

    def _finish(self, checked: CheckedJob, environment: str, library: str) -> Outcome:
        name = checked.job.name
        target = self._target(name, environment)
        try:
            product = self._make(checked, environment)
            wanted = versions.settle(target, product.files, library)
            outcome = finish(name, target, wanted, self.options)
        except (WorldError, RefusedError) as error:
            return Outcome(name, target, 0, error=str(error))
        if self.options.texts and outcome.differences:
            outcome = outcome._replace(
                wanted=wanted, values=self._differing_values(checked, target, wanted, environment)
            )
        return outcome._replace(totals=product.totals)

    def _differing_values(
        self, checked: CheckedJob, target: str, wanted: Mapping[str, str], environment: str
    ) -> dict[str, list[Field]]:
        """The values that differ in each environment, with the lines where they are written."""
        shared = changed_values_in(target, wanted, "values.yaml", checked.document)
        if environment or not self.project.environments:
            return {environment: shared}
        fields = {}
        for each in self.project.environments:
            name = environments.file_name(each.name)
            said = self.values.get((each.name, checked.job.name))
            own = changed_values_in(target, wanted, name, said or checked.document)
            counting = [field for field in shared if not (said and says(said, field.path))]
            fields[each.name] = counting + own
        return fields

    def _values_files(self, job: str) -> tuple[tuple[str, str], ...]:
        """The values of each environment that has any, for the chart that is for all of them."""
        added = []
        for environment in self.project.environments:
            if values := self.values.get((environment.name, job)):
                text = environments.text(environment, job, values)
                added.append((environments.file_name(environment.name), text))
        return tuple(added)

    def _library_version(self) -> str:
        """The version of the library beside the charts, which was written before them."""
        options = OutputOptions(chart=chart_options(self.place))
        for beside in outputs.output(self.project.format).shared(options):
            target = self.place.path(f"{self.project.output}/{beside.name}")
            return versions.version_of(versions.settle_library(target, beside.files))
        return ""


def finish(name: str, target: str, wanted: Mapping[str, str], options: RunOptions) -> Outcome:
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
        differences = [difference._replace(old="", new="") for difference in differences]
    return Outcome(name, target, len(wanted), len(differences), differences, edited)


def changed_values_in(
    target: str, wanted: Mapping[str, str], name: str, document: Document
) -> list[Field]:
    """The values that differ in a file of a chart; none if one of the two is no chart."""
    if "values.yaml" not in wanted or not files.text(target, "values.yaml"):
        return []
    old = files.text(target, name) or "{}"
    return changed_values(old, wanted.get(name, "{}"), document, f"{target}/{name}")


def chart_options(place: Place) -> ChartOptions:
    """What the project file says about charts."""
    project = place.project
    options = ChartOptions(
        clouds="all" if project.clouds == "all" else "used",
        layout="thin" if project.layout == "thin" else "full",
    )
    return options._replace(library=project.library) if project.library else options


def digest(text: bytes | None) -> str:
    """A digest of a file's content; empty if there is none."""
    if text is None:
        return ""
    from hashlib import blake2b

    return blake2b(text, digest_size=16).hexdigest()
