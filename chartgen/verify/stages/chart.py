"""Open what is to be tested: a chart's directory, a package (.tgz), or a job.

A package is unpacked into a temporary directory. Links, devices and paths that lead out of it are
refused, and so is a package that Helm would find too large.

A job, in chartgen's own format or in a native one, is checked and rendered as `chartgen render`
does; its warnings are shown here. A file with several jobs becomes several charts, each tested
separately.
"""

import os

from chartgen.verify import source
from chartgen.verify.base import ChartTest, Findings
from chartgen.world.files.temporary import make_directory


def skip(_: ChartTest) -> str:
    """Always runs."""
    return ""


def run(test: ChartTest, findings: Findings) -> None:
    """Find the charts, and say what they are called."""
    folder = make_directory(os.path.join(test.folder, "charts"))
    options = test.options
    reading = options.reading(test.path, options.sources)
    charts = list(source.open_charts(test.path, folder, reading, options.stdin))
    names = ", ".join(f"{chart.name} {chart.version}" for chart in charts)
    findings.about = f"{names} {charts[0].origin}".rstrip()
    for chart in charts:
        findings.problems += chart.warnings
    test.charts += charts
