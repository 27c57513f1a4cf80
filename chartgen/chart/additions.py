"""What kits add to a chart: templates, and blocks of its notes and its README."""

import re
from collections.abc import Mapping

from chartgen.chart.files import Files
from chartgen.startup.records import NamedTuple

NOTES = "templates/NOTES.txt"
README = "README.md"


class Addition(NamedTuple):
    """What one kit adds; in its texts the templates of the chart are named `chartgen.NAME`."""

    kit: str
    version: str
    digest: str
    templates: Mapping[str, str]  # by the name of the file
    notes: str = ""
    readme: str = ""

    @property
    def annotation(self) -> tuple[str, str]:
        """What Chart.yaml records of it."""
        return f"chartgen/kit-{self.kit}", f"{self.version} {self.digest}"


def add(files: Files, addition: Addition, head: str) -> Files:
    """The files of a chart that are new or other with a kit; `head` starts every template."""
    start = f'{head}{{{{- include "chartgen.job" . }}}}\n'
    made = {f"templates/{name}": start + text for name, text in addition.templates.items()}
    for path, block in ((NOTES, addition.notes), (README, addition.readme)):
        if block.strip():
            made[path] = files[path].rstrip("\n") + "\n\n" + block.strip("\n") + "\n"
    return made


def rename_calls(text: str, job: str) -> str:
    """The text with the names that templates have in a job's own chart.

    Only calls are changed, because other texts of a kit may well begin with the same word.
    """
    return re.sub(r'(\b(?:include|template) )"chartgen\.', rf'\1"{job}.', text)
