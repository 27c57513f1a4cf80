"""What a project adds to a job that a command line names by itself: defaults, kits and values."""

from chartgen.project import find
from chartgen.project.defaults import source_options
from chartgen.sources import SourceOptions
from chartgen.world import project_files


def read_as_source(word: str, options: SourceOptions) -> SourceOptions:
    """How the jobs of a word are read: sources of the project here get what its file adds."""
    return source_options(find.open_project(), options) if _is_source(word) else options


def values_file(word: str, job: str, environment: str) -> str:
    """The file with the values of a word's job in an environment; empty if there is none."""
    if environment and _is_source(word):
        place = find.open_project()
        for known in place.project.environments:
            if known.name == environment:
                return place.path(known.file(job))
    return ""


def _is_source(word: str) -> bool:
    """Whether a word, as FILE or REVISION:FILE, names a source of the project here."""
    exists = project_files.exists(word) or project_files.is_folder(word)
    path = word if exists else word.partition(":")[2]
    is_chart = project_files.is_folder(path) or path.endswith((".tgz", ".tar.gz"))
    return bool(path) and not is_chart and find.has_project() and find.covers([path])
