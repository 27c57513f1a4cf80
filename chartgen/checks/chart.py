"""Checks of what a job says about its chart."""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.pods import Pods


def check_version(_pods: Pods, document: Document) -> Iterator[Problem]:
    """The chart has one version."""
    own = document.data.get("chart", {}).get("version")
    if own is not None and document.data.get("version", own) != own:
        message = f"the chart's version is {document.data['version']!r} here and {own!r} in chart"
        yield document.problem(("version",), f"{message}; expected it once", "chart-version-twice")
