"""What a project adds to its job descriptions: its defaults, laid under each, and its kits."""

from collections.abc import Callable

from chartgen import frameworks
from chartgen.chart.metadata import AUTO
from chartgen.document import Document
from chartgen.job.defaults import lay_defaults
from chartgen.project.find import Place
from chartgen.project.model import Project
from chartgen.sources import SourceOptions

_PLAIN = SourceOptions()


def source_options(place: Place, options: SourceOptions = _PLAIN) -> SourceOptions:
    """The same options for the sources of a project; its kits come first."""
    kits = (*place.kits, *options.kits)
    return options._replace(complete=_completer(place.project), kits=kits)


def _completer(project: Project) -> Callable[[Document], Document]:
    """The function that adds a project's defaults to a job description."""
    version = {} if "version" in project.defaults.data else {"version": AUTO}
    under = project.defaults._replace(data={**version, **project.defaults.data})
    groups = frameworks.option_groups(under.data)

    def complete(document: Document) -> Document:
        return lay_defaults(document, under, project.registry, groups)

    return complete
