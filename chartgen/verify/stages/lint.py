"""Check the chart's files with `helm lint --strict` and yamllint.

helm lint runs with the defaults and with each of the chart's `ci/*-values.yaml`.

yamllint reads the YAML files of the chart, except templates and dependencies, and what Helm renders
from the templates. It uses the configuration (`.yamllint`, `.yamllint.yaml` or `.yamllint.yml`) in
the chart or in the working directory; without one, it uses chartgen's own, which reports mistakes
and leaves style alone.

The stage is not judged where Helm or yamllint (`pip install 'chartgen[lint]'`) is missing.
"""

import os
import re
from collections.abc import Iterator

from chartgen.errors import Mark, Problem
from chartgen.verify import yamllint
from chartgen.verify.base import ChartTest, Findings
from chartgen.verify.helm_output import keep_few
from chartgen.verify.rendering import FEW, Renderer, template_command, variant
from chartgen.verify.result import merge_duplicates
from chartgen.verify.source import Chart
from chartgen.words import count, listed
from chartgen.world.helm import HelmError

NO_YAMLLINT = "yamllint is missing: pip install 'chartgen[lint]'"

_CONFIGS = (".yamllint", ".yamllint.yaml", ".yamllint.yml")
# Helm 4 prints a message in several lines.
_FINDING = re.compile(
    r"^\[(?:ERROR|WARNING)\] ([^\s:]*): (.*(?:\n[ \t]+\S.*)*)",
    re.MULTILINE,
)


def skip(_: ChartTest) -> str:
    """Always runs: the files of the chart can be linted without rendering."""
    return ""


def run(test: ChartTest, findings: Findings) -> None:
    """Collect what helm lint and yamllint find."""
    done = []
    renderer = None
    if missing := test.missing_helm():
        findings.reasons.append(missing)
    else:
        renderer = test.renderer
        problems = {}
        for values in renderer.values:
            problems[variant(values)] = list(_helm_lint(renderer, values))
        findings.problems += merge_duplicates(problems)
        done.append("helm lint --strict")
    if yamllint.installed():
        done.append(_yamllint(findings, test.chart, renderer))
    else:
        findings.reasons.append(NO_YAMLLINT)
    findings.about = ", ".join(done)


def _helm_lint(renderer: Renderer, values: str) -> Iterator[Problem]:
    chart = renderer.chart
    try:
        renderer.lint(values)
    except HelmError as error:
        complaints = _FINDING.findall(error.stdout + error.stderr)
        for path, message in complaints:
            if os.path.isabs(path):
                path = os.path.relpath(path, os.path.abspath(chart.folder))
            mark = Mark(os.path.normpath(os.path.join(chart.shown, path)), 0, 0)
            text = " ".join(map(str.strip, message.splitlines()))
            yield Problem(mark, text.replace(chart.folder, chart.shown), "helm-lint")
        if not complaints:
            yield Problem(Mark(chart.shown, 0, 0), renderer.explain(error), "helm-lint")


def _yamllint(findings: Findings, chart: Chart, renderer: Renderer | None) -> str:
    """Run yamllint; gives what it looked at, in words."""
    files = [path for path in chart.files() if _is_plain_yaml(path)]
    printed = {}
    for values in renderer.values if renderer else ():
        if renderer and (text := renderer.newest(values).printed):
            printed[template_command(values)] = keep_few(text, FEW)
    try:
        for path in files:
            text = chart.read(path).decode(errors="replace")
            file = os.path.join(chart.shown, path)
            findings.problems += yamllint.check(text, file, _configuration(chart))
        for command, text in printed.items():
            findings.problems += yamllint.check(text, command, yamllint.RENDERED)
    except yamllint.ConfigError as error:
        findings.reasons.append(f"yamllint refuses its configuration: {error}")
    looked_at = [count(len(files), "file")]
    if printed:
        looked_at.append(count(len(printed), "rendering"))
    return f"yamllint of {listed(looked_at, 'and')}"


def _is_plain_yaml(path: str) -> bool:
    """Whether a file of a chart is YAML before rendering, and not from a dependency."""
    return path.endswith((".yaml", ".yml")) and not path.startswith(("templates/", "charts/"))


def _configuration(chart: Chart) -> str:
    """The yamllint configuration of the chart or of the working directory; or ours."""
    for folder in (chart.folder, "."):
        for name in _CONFIGS:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as stream:
                    return stream.read()
    return yamllint.FILES
