"""Check what no schema can: names, limits, privileges, and whether an upgrade would work.

Problems are what a cluster would refuse: names and labels that are too long or misspelt, selectors
that match nothing, duplicate ports or variables, requests above limits, ConfigMaps and release
records that are too large. Warnings are what its users would regret: containers with privileges,
pods without resources, Jobs that delete themselves.

For upgrades, the chart is rendered again, as the next version, and with other images. What changes
without a reason never converges under Argo CD and Flux; what changes a field that cannot be changed
makes `helm upgrade` fail.
"""

import os
from collections.abc import Iterable, Iterator
from json import dumps

from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.gitops.package import CHART
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.verify import policy
from chartgen.verify.base import ChartTest, Findings
from chartgen.verify.policy import release_size, upgrades
from chartgen.verify.rendering import Renderer, variant
from chartgen.verify.result import merge_duplicates
from chartgen.verify.source import Chart
from chartgen.world.files.temporary import copy_tree

_NEXT = "999.0.0"  # a version that no chart has yet


def skip(test: ChartTest) -> str:
    """Needs objects."""
    return test.why_no_objects()


def run(test: ChartTest, findings: Findings) -> None:
    """Check the objects of every set of values, and an upgrade of the defaults."""
    renderer = test.renderer
    findings.about = "names, limits, privileges"
    problems = {}
    for values in renderer.values:
        objects = _data(renderer.newest(values).objects)
        if objects:
            problems[variant(values)] = policy.check(objects)
    findings.problems += renderer.add_templates(merge_duplicates(problems))
    if renderer.newest().objects:
        findings.about += ", upgrades"
        problems = {variant(""): list(_upgrades(renderer, test.folder, findings))}
        findings.problems += renderer.add_templates(merge_duplicates(problems))


def _data(objects: Iterable[Document]) -> list[policy.Object]:
    return [document.data for document in objects]


def _upgrades(renderer: Renderer, folder: str, findings: Findings) -> Iterator[Problem]:
    """What differs when the chart is rendered again, as its next version, and with other images."""
    now = renderer.newest()
    before = _data(now.objects)
    later = renderer.render_few(folder=_next_version(renderer.chart, os.path.join(folder, "next")))
    # Most charts print their version and nothing else that is new, so they are stable as well.
    if later.printed.replace(_NEXT, renderer.chart.version) != now.printed:
        yield from upgrades.unstable(before, _data(renderer.render_few().objects))
    yield from upgrades.new_version(before, _data(later.objects))
    yield from release_size.check(renderer.chart.name, renderer.chart.packed(), now.printed)
    images = upgrades.other_images(_own_values(renderer))
    if not images:
        return
    file = os.path.join(folder, "other-images.json")
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(dumps(images))
    changed = _data(renderer.render_few(f"--values={file}").objects)
    yield from upgrades.new_image(before, changed)
    if not changed:
        findings.reasons.append("an upgrade to another image: the chart does not accept one")


def _next_version(chart: Chart, folder: str) -> str:
    """A copy of the chart that has a later version."""
    copy_tree(chart.folder, folder, follow_links=True)
    metadata = yaml_reader.read(chart.read(CHART), CHART)[0].data
    with open(os.path.join(folder, CHART), "w", encoding="utf-8") as stream:
        stream.write(dumps({**metadata, "version": _NEXT}, ensure_ascii=False))
    return folder


def _own_values(renderer: Renderer) -> object:
    """The chart's own values; None if there are only comments, or what only Helm can read."""
    try:
        return yaml_reader.read(renderer.chart.read("values.yaml"), "values.yaml")[0].data
    except InputError:
        return None
