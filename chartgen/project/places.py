"""Where the values of a project's charts are written: the lines of its jobs and environments."""

from collections.abc import Sequence

from chartgen import sources
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.gitops.changes import Changes, Field, place_fields
from chartgen.job.layers import says
from chartgen.project import environments, find
from chartgen.project.defaults import source_options
from chartgen.project.find import Place
from chartgen.world import project_files


def place_values(unplaced: Sequence[Changes], charts: str, environment: str) -> list[Changes]:
    """The same changes with the lines that say so, if the charts are those of the project here."""
    if not find.has_project() or not any(change.values for change in unplaced):
        return [*unplaced]
    try:
        place = find.open_project()
        documents = _documents(place)
        values = {name: _values(place, name, environment) for name in documents}
    except InputError:  # charts can be compared even if jobs or their values are broken
        return [*unplaced]
    output = place.path(place.project.output)
    if not f"{project_files.join('', charts)}/".startswith(f"{output}/"):
        return [*unplaced]
    changes = []
    for change in unplaced:
        if document := documents.get(change.name):
            own = values[change.name]
            fields = [_place_field(field, document, own) for field in change.values]
            change = change._replace(values=fields)
        changes.append(change)
    return changes


def _documents(place: Place) -> dict[str, Document]:
    gathered = sources.gather(find.sources(place), source_options(place))
    return {source.checked.job.name: source.checked.document for source in gathered.jobs}


def _values(place: Place, job: str, environment: str) -> Document | None:
    for known in place.project.environments:
        file = place.path(known.file(job))
        text = project_files.content(file) if known.name == environment else None
        if text is not None:
            return environments.read(text, file)
    return None


def _place_field(field: Field, job: Document, values: Document | None) -> Field:
    if field.place:
        return field
    (placed_field,) = place_fields([field], values if values and says(values, field.path) else job)
    return placed_field
