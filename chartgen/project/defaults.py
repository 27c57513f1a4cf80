"""The defaults of a project, laid under a job description."""

from collections.abc import Callable

from chartgen import frameworks
from chartgen.chart.metadata import AUTO
from chartgen.document import Document
from chartgen.job.defaults import lay_defaults
from chartgen.project.model import Project


def completer(project: Project) -> Callable[[Document], Document]:
    """The function that adds a project's defaults to a job description."""
    version = {} if "version" in project.defaults.data else {"version": AUTO}
    under = project.defaults._replace(data={**version, **project.defaults.data})

    groups = frameworks.option_groups(under.data)

    def complete(document: Document) -> Document:
        return lay_defaults(document, under, project.registry, groups)

    return complete
