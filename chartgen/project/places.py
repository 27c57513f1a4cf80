"""Where the values of a project's charts are written: the lines of its jobs and environments."""

from collections.abc import Sequence

from chartgen import sources
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.gitops.changes import Changes, Field, placed
from chartgen.job.layers import says
from chartgen.project import environments, find
from chartgen.project.defaults import completer
from chartgen.project.find import Place
from chartgen.sources import SourceOptions
from chartgen.world import project_files


def place_values(found: Sequence[Changes], charts: str, environment: str) -> list[Changes]:
    """The same changes with the lines that say so, if the charts are those of the project here."""
    if not find.has_project() or not any(one.values for one in found):
        return [*found]
    try:
        place = find.open_project()
        documents = _documents(place)
    except InputError:  # whoever compares charts may do so with broken jobs
        return [*found]
    output = place.path(place.project.output)
    if not f"{project_files.join('', charts)}/".startswith(f"{output}/"):
        return [*found]
    changes = []
    for one in found:
        if one.name in documents:
            own = _values(place, one.name, environment)
            one = one._replace(
                values=[_placed(field, documents[one.name], own) for field in one.values]
            )
        changes.append(one)
    return changes


def _documents(place: Place) -> dict[str, Document]:
    options = SourceOptions(complete=completer(place.project), kits=place.kits)
    gathered = sources.gather(find.sources(place), options)
    return {source.checked.job.name: source.checked.document for source in gathered.jobs}


def _values(place: Place, job: str, environment: str) -> Document | None:
    for one in place.project.environments:
        file = place.path(one.file(job))
        text = project_files.content(file) if one.name == environment else None
        if text is not None:
            return environments.read(text, file)
    return None


def _placed(field: Field, job: Document, values: Document | None) -> Field:
    if field.place:
        return field
    (found,) = placed([field], values if values and says(values, field.path) else job)
    return found
