"""Every job of a project in every environment, for the tools that deploy them."""

from collections.abc import Iterator, Sequence

from chartgen import sources
from chartgen.errors import Problem
from chartgen.gitops import checks
from chartgen.gitops.model import Target
from chartgen.outputs import versions
from chartgen.project import environments
from chartgen.project.defaults import source_options
from chartgen.project.find import Place
from chartgen.project.make import RunOptions
from chartgen.project.model import Environment, Project
from chartgen.project.run import Run, Survey
from chartgen.startup.records import NamedTuple
from chartgen.world import files, git, project_files


class Deployments(NamedTuple):
    """The jobs in their environments, and what the check of the project found."""

    targets: list[Target]
    survey: Survey
    missing: list[str]  # charts and directories of manifests that are not there yet


def targets(place: Place, given: Sequence[str], *, strict: bool) -> Deployments:
    """What is to be deployed, of all sources or of those given; nothing if there are problems."""
    run = Run(place, given, RunOptions(write=False, strict=strict))
    try:
        survey = run.check()
    finally:
        run.close()
    if survey.broken:
        return Deployments([], survey, [])
    all_targets = []
    for job in survey.jobs:
        for environment in place.project.environments or (Environment("", "default", "", ""),):
            all_targets.append(_target(place, job.name, environment))
    folders = dict.fromkeys(folder for job in survey.jobs for folder in job.targets)
    missing = [folder for folder in folders if not project_files.is_folder(folder)]
    all_targets.sort(key=lambda target: (target.environment, target.job))
    problems = [*_job_warnings(place, run.paths), *_collisions(place.project, all_targets)]
    if strict:
        problems = [problem._replace(severity="error") for problem in problems]
    survey.problems.extend(problems)
    survey.texts[place.project.document.file] = place.text
    return Deployments(all_targets, survey, missing)


def _job_warnings(place: Place, paths: Sequence[str]) -> Iterator[Problem]:
    for source in sources.gather(paths, source_options(place)).jobs:
        yield from checks.check(source.checked)


def _collisions(project: Project, targets: Sequence[Target]) -> Iterator[Problem]:
    """Environments whose releases, or objects of the tool, would take each other's place."""
    places: dict[tuple[str, str], str] = {}
    for environment in project.environments:
        other = places.setdefault((environment.cluster, environment.namespace), environment.name)
        if other != environment.name:
            namespace = environment.namespace
            message = f"the namespace {namespace!r} is also that of the environment {other!r}"
            message += ": two releases of one name would replace each other's Jobs"
            hint = "give one of them another namespace or cluster"
            path = ("environments", environment.name)
            yield project.document.warning(path, message, "gitops-same-place", hint, key=True)
    names: dict[str, Target] = {}
    for target in targets:
        first = names.setdefault(target.name, target)
        if first is not target:
            jobs = f"{first.job!r} in {first.environment!r} and {target.job!r} here"
            message = f"the objects for the jobs {jobs} would both be named {target.name!r}"
            path = ("environments", target.environment)
            hint = "rename a job or an environment"
            yield project.document.problem(path, message, "gitops-same-name", hint, key=True)


def _target(place: Place, job: str, environment: Environment) -> Target:
    project = place.project
    manifests = project.format == "manifests"
    folder = project.output
    if manifests and environment.name:
        folder = f"{project.output}/{environment.name}"
    path = f"{folder}/{job}"
    above = _place_in_repository(place)
    chart = files.text(place.path(path), versions.CHART)
    values = None
    if environment.name:
        file = place.path(environment.file(job))
        text = project_files.content(file)
        document = environments.read(text, file) if text is not None else None
        values = document.data if document else None
    return Target(
        job,
        environment.name,
        environment.namespace,
        environment.cluster,
        f"{above}/{path}" if above else path,
        versions.version_of({versions.CHART: chart}) if chart else "0.1.0",
        manifests,
        values,
    )


def _place_in_repository(place: Place) -> str:
    """The directory of the project, as the project file says or Git knows; empty for the top."""
    said = (place.project.document.data or {}).get("gitops", {}).get("path")
    folder: str = git.prefix(place.root) if said is None else said
    return project_files.join("", folder) if folder.strip("./") else ""
