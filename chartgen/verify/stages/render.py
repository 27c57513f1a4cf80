"""Render the chart with `helm template`, and read the objects it prints.

It is rendered with the defaults and with each of the chart's `ci/*-values.yaml`, as chart-testing
does, on top of what --values and --set give; and for each --kube-version. By default these are the
oldest version that the chart accepts, from 1.29 on, and the newest that has schemas here.

What Helm prints must be YAML, and every document in it a Kubernetes object with a name. A chart
that renders no object is a warning. A library chart is not rendered.
"""

from chartgen.errors import Mark, Problem
from chartgen.verify.base import LIBRARY, ChartTest, Findings
from chartgen.verify.rendering import DEFAULTS, variant
from chartgen.verify.result import merge_duplicates
from chartgen.words import count, listed


def skip(test: ChartTest) -> str:
    """A library renders nothing."""
    return LIBRARY if test.chart.library else ""


def run(test: ChartTest, findings: Findings) -> None:
    """Render every variant, and count the objects."""
    renderer = test.renderer
    problems = {}
    for values, version, rendering in renderer.all():
        problems[variant(values, version)] = rendering.problems
    findings.problems += merge_duplicates(problems)
    counts = []
    empty = True
    for values in renderer.values:
        objects = renderer.newest(values).objects
        counts.append(f"{count(len(objects), 'object')} ({values or DEFAULTS})")
        empty = empty and not objects
    versions = [version for version in renderer.versions if version]
    if versions:
        counts.append(f"for Kubernetes {listed(versions, 'and')}")
    findings.about = ", ".join(counts)
    if empty and not any(problems.values()):
        mark, message = Mark(renderer.chart.shown, 0, 0), "the chart renders no object"
        findings.problems.append(Problem(mark, message, "chart-empty", severity="warning"))
