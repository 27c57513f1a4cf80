"""The sources of a project: which files hold its jobs."""

from collections.abc import Iterable, Iterator, Sequence

from chartgen.errors import InputError, Mark, Problem, UsageError
from chartgen.job import cloud_file
from chartgen.project import model
from chartgen.project.model import Project
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import TYPE_CHECKING
from chartgen.words import did_you_mean, did_you_mean_or_known, listed
from chartgen.world import project_files

if TYPE_CHECKING:
    from chartgen.kits.model import Kit

JOBS = (".yaml", ".yml", ".json")  # files that are jobs, whatever is in them
NATIVE = (
    ".sh",
    ".bash",
    ".properties",
    ".conf",
    ".xml",
    ".py",
    ".txt",
)  # that may hold a native job


class Place(NamedTuple):
    """A project and the directory it is in."""

    project: Project
    root: str
    text: bytes
    kits: "tuple[Kit, ...]" = ()

    def path(self, name: str) -> str:
        """A path of the project, as people would type it here."""
        return project_files.join(self.root, name)


def open_project(root: str = "") -> Place:
    """The project of a directory; InputError if it has problems, with the lines of its file."""
    file = project_files.join(root, model.FILE)
    text = project_files.content(file)
    if text is None:
        above = project_files.above(root, model.FILE)
        if above:
            raise UsageError(f"the project file is {above}/{model.FILE}; run chartgen there")
        raise UsageError(
            f"name a job description, or write {file}: `chartgen init --repo` makes a first one"
        )
    try:
        place = Place(model.read(text, file), root, text)
        if place.project.kits:
            place = _with_kits(place)
        return _with_cloud(place) if cloud_file.file_name(place.project.defaults) else place
    except InputError as error:
        raise InputError(error.problems, {file: text, **error.texts}) from error


def _with_kits(place: Place) -> Place:
    """The same project, with its kits, which are part of what decides whether a job is due."""
    from chartgen.kits import find as find_kits  # most projects have none

    opened = []
    for index, name in enumerate(place.project.kits):
        path = place.path(name)
        if not project_files.is_folder(path) and name in find_kits.shipped():
            path = name
        try:
            opened.append(find_kits.open_kit(path))
        except UsageError as error:
            document = place.project.document
            problem = document.problem(("kits", index), str(error), "kit-missing")
            raise InputError([problem]) from error
    digests = "".join(kit.digest for kit in opened)
    return place._replace(kits=tuple(opened), text=place.text + digests.encode())


def _with_cloud(place: Place) -> Place:
    """The same project, with the cloud that its defaults name as a file."""
    defaults = place.project.defaults
    name = cloud_file.file_name(defaults)
    file = place.path(name)
    text = project_files.content(file)
    if text is None:
        raise InputError([defaults.problem(("cloud",), f"{file}: no such file", "file-missing")])
    complete, problems = cloud_file.insert(defaults, {name: (file, text)})
    if problems:
        raise InputError(problems, {file: text})
    return place._replace(project=place.project._replace(defaults=complete), text=place.text + text)


def has_project(root: str = "") -> bool:
    """Whether a directory is that of a project."""
    return project_files.exists(project_files.join(root, model.FILE))


def sources(place: Place) -> list[str]:
    """The files with jobs, as people would type them here; each once."""
    project = place.project
    beside = [f"{environment.values}/" for environment in project.environments]
    paths: dict[str, None] = {}
    for pattern in project.sources:
        loose = pattern.endswith("**") or project_files.is_folder(place.path(pattern))
        for path in project_files.matching(place.root, pattern):
            if path == model.FILE or path.startswith(tuple(beside)):
                continue
            if not loose or _is_candidate(place.path(path)):
                paths[place.path(path)] = None
    return list(paths)


def in_folder(folder: str) -> list[str]:
    """The files with jobs below a directory; UsageError if there is none.

    Charts, and what chartgen wrote, are left out, so that they may be below the same directory.
    """
    names = project_files.matching(folder, "**")
    written = tuple(project_files.find_written(folder, names))
    paths = []
    for name in names:
        path = project_files.join(folder, name)
        if name.startswith(written) or name.rpartition("/")[2] == model.FILE:
            continue
        if _is_candidate(path):
            paths.append(path)
    if not paths:
        suffixes = listed([f"*{suffix}" for suffix in JOBS])
        raise UsageError(f"there is no job in {folder}; expected {suffixes}, or a native format")
    return paths


def _is_candidate(path: str) -> bool:
    """Whether a file in a directory is meant to be a job: by its name, or by what it says."""
    if path.endswith(JOBS):
        return True
    if not path.endswith(NATIVE):
        return False
    from chartgen import native  # directories without other files do without it

    text = project_files.content(path) or b""
    form = native.recognize(text, "", [])
    return bool(form)


def restrict(known: Sequence[str], given: Iterable[str]) -> list[str]:
    """The sources that were named, by file or by directory; UsageError for others."""
    kept: dict[str, None] = {}
    for word in given:
        path = project_files.join("", word)
        below = [
            source
            for source in known
            if source == path or source.startswith(f"{path}/") or path == "."
        ]
        if not below:
            hint = did_you_mean(path, known)
            raise UsageError(f"{word} is not a source of this project; {hint}".rstrip("; "))
        kept.update(dict.fromkeys(below))
    return list(kept)


def covers(words: Sequence[str]) -> bool:
    """Whether all of these are sources of the project here."""
    known = sources(open_project())
    try:
        return "-" not in words and bool(restrict(known, words))
    except UsageError:
        return False


def check_environment(name: str) -> None:
    """In a project it must be one of its environments; elsewhere, charts may have any."""
    if has_project():
        known = [environment.name for environment in open_project().project.environments]
        if name not in known:
            hint = did_you_mean_or_known(name, known)
            raise UsageError(f"this project has no environment {name!r}; {hint}")


def charts() -> list[str]:
    """The charts in the output of the project here; UsageError if there is none."""
    place = open_project()
    output = place.path(place.project.output)
    if place.project.format != "chart":
        raise UsageError(f"this project has no charts: {output} is for {place.project.format}")
    folders = [f"{output}/{name}" for name in project_files.ours(output)]
    if not folders:
        raise UsageError(f"there is no chart in {output}; run chartgen render first")
    return folders


def check_environments(place: Place) -> Iterator[Problem]:
    """Directories of environments that there are not, and files that belong into one."""
    known = {environment.values: environment.name for environment in place.project.environments}
    if not known or model.VALUES in known:
        return
    for name in project_files.list_folder(place.path(model.VALUES)):
        folder = f"{model.VALUES}/{name}"
        if name.endswith(JOBS):
            expected = f"{model.VALUES}/ENVIRONMENT/JOB.yaml"
            message = f"no job uses these values; expected {expected}"
            yield Problem(Mark(place.path(folder)), message, "environment-unknown")
        elif folder not in known and project_files.is_folder(place.path(folder)):
            hint = did_you_mean(name, known.values()) or "add it to the project file"
            message = f"there is no environment {name!r}; expected {listed([*known.values()])}"
            mark = Mark(place.path(folder), 0, 0)
            yield Problem(mark, message, "environment-unknown", hint)


def check_values_files(place: Place, names: Sequence[str]) -> Iterator[Problem]:
    """Values of jobs that there are not."""
    for environment in place.project.environments:
        for name in project_files.list_folder(place.path(environment.values)):
            stem, _, suffix = name.rpartition(".")
            if suffix in ("yaml", "yml", "json") and (stem not in names or suffix != "yaml"):
                message = f"there is no job {stem!r}; no job uses these values"
                hint = did_you_mean(stem, names)
                if stem in names:
                    message, hint = f"values are in {stem}.yaml; expected that name", ""
                mark = Mark(place.path(f"{environment.values}/{name}"))
                yield Problem(mark, message, "environment-job-unknown", hint)


def no_sources(place: Place) -> InputError:
    """The problem of a project in which no file is a source."""
    document = place.project.document
    message = f"no file matches {listed([*place.project.sources])}"
    path = ("sources",) if "sources" in (document.data or {}) else ()
    hint = "`chartgen init NAME > jobs/NAME.yaml` writes a first job"
    file = place.path(model.FILE)
    texts = {file: project_files.content(file) or b""}
    return InputError([document.problem(path, message, "project-empty", hint)], texts)
