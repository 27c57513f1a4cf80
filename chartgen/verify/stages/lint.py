"""The stages that need no cluster: lint, render, schemas and policy."""

import os
import re
from argparse import Namespace
from collections.abc import Iterable, Iterator

from chartgen import resources
from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem, WorldError
from chartgen.syntax import yaml_reader as yaml
from chartgen.verify import helm_output as rendered
from chartgen.verify import policy
from chartgen.verify import result as stages
from chartgen.verify import yamllint as lint
from chartgen.verify.base import Course, Finding
from chartgen.verify.policy import release_size as sizes
from chartgen.verify.policy import upgrades
from chartgen.verify.rendering import FEW, Renderings, called
from chartgen.verify.source import Chart, unpacked
from chartgen.verify.stages import schemas as kinds
from chartgen.world.helm import HelmError

STAGES = ("lint", "render", "schemas", "policy")
NO_YAMLLINT = "yamllint is missing: pip install 'chartgen[lint]'"
NO_HELM = "there is no Helm"
NO_SCHEMAS = "Kubernetes' schemas are missing: pip install 'chartgen[schemas]'"
DEFAULTS = "defaults"

_CONFIGS = (".yamllint", ".yamllint.yaml", ".yamllint.yml")
_LINTED = re.compile(
    r"^\[(?:ERROR|WARNING)\] ([^\s:]*): (.*(?:\n[ \t]+\S.*)*)", re.MULTILINE
)  # Helm 4 says it in lines
_NEXT = "999.0.0"  # a version that no chart has yet


def lint_stage(course: Course, chart: Chart, made: Renderings | None, trouble: str) -> None:
    """What helm lint and yamllint say of the chart's files and of what comes out of them."""
    with course.stage("lint") as finding:
        done = []
        if made:
            finding.problems += _helm_lint(made)
            done.append("helm lint --strict")
        else:
            finding.reasons.append(trouble)
        if lint.there():
            done.append(_yamllint(finding, chart, made))
        else:
            finding.reasons.append(NO_YAMLLINT)
        finding.about = ", ".join(done)


def _helm_lint(made: Renderings) -> list[Problem]:
    return stages.told({_way(values): list(_helm_lint_with(made, values)) for values in made.values})


def _helm_lint_with(made: Renderings, values: str) -> Iterator[Problem]:
    chart = made.chart
    try:
        made.lint(values)
    except HelmError as error:
        found = _LINTED.findall(error.stdout + error.stderr)
        for path, message in found:
            place = os.path.relpath(path, os.path.abspath(chart.folder)) if os.path.isabs(path) else path
            mark = Mark(os.path.normpath(os.path.join(chart.shown, place)), 0, 0)
            said = " ".join(map(str.strip, message.splitlines()))
            yield Problem(mark, said.replace(chart.folder, chart.shown), "helm-lint")
        if not found:
            yield Problem(Mark(chart.shown, 0, 0), made.said(error), "helm-lint")


def _yamllint(finding: Finding, chart: Chart, made: Renderings | None) -> str:
    """Let yamllint judge; what it looked at, in words."""
    files = [path for path in chart.files() if _plain_yaml(path)]
    every = made.values if made else ()
    printed = {values: text for values in every if made and (text := made.newest(values).printed)}
    try:
        for path in files:
            text = chart.read(path).decode(errors="replace")
            finding.problems += lint.check(text, os.path.join(chart.shown, path), _config(chart))
        for values, text in printed.items():
            finding.problems += lint.check(rendered.thinned(text, FEW), called(values), lint.RENDERED)
    except lint.ConfigError as error:
        finding.reasons.append(f"yamllint does not take its configuration: {error}")
    looked = [_count(len(files), "file")] + [_count(len(printed), "rendering")] * bool(printed)
    return f"yamllint of {' and '.join(looked)}"


def _plain_yaml(path: str) -> bool:
    """Whether a file of a chart is YAML before Helm has seen it; what came with a dependency is not ours."""
    return path.endswith((".yaml", ".yml")) and not path.startswith(("templates/", "charts/"))


def _config(chart: Chart) -> str:
    """The yamllint configuration beside the chart or in the working directory, as its people have it; or ours."""
    for folder in (chart.folder, "."):
        for name in _CONFIGS:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as stream:
                    return stream.read()
    return lint.FILES


def render_stage(course: Course, made: Renderings | None, trouble: str) -> None:
    """What helm template makes of each set of values, for each version."""
    with course.stage("render") as finding:
        if not made:
            finding.reasons.append(trouble)
            return
        finding.problems += stages.told({_way(*way): one.problems for *way, one in made.all()})
        counts = {values: len(made.newest(values).objects) for values in made.values}
        finding.about = ", ".join(
            f"{_count(count, 'object')} ({values or DEFAULTS})" for values, count in counts.items()
        )
        finding.about += _for(made)
        if not any(one.problems for _, _, one in made.all()) and not any(counts.values()):
            mark = Mark(made.chart.shown, 0, 0)
            finding.problems.append(Problem(mark, "the chart makes no object", "empty", severity="warning"))


def _for(made: Renderings) -> str:
    versions = [version for version in made.versions if version]
    return f", for Kubernetes {' and '.join(versions)}" if versions else ""


def _way(values: str, version: str = "") -> tuple[str, str]:
    """What a rendering is called where several are told apart."""
    return values or DEFAULTS, f"Kubernetes {version}"


def _nothing(course: Course, made: Renderings) -> str:
    """Why there is nothing to judge, if so."""
    if "render" in course.unjudged:
        return "render was not judged"
    if any(one.objects for _, _, one in made.all()):
        return ""
    return "render failed" if "render" in course.failed else "there are no objects"


def schemas_stage(course: Course, made: Renderings | None, args: Namespace) -> None:
    """Every object against Kubernetes' own schemas of each version."""
    if not made or (why := _nothing(course, made)):
        course.skip("schemas", why if made else NO_HELM)
        return
    with course.stage("schemas") as finding:
        known = resources.kubernetes_versions()
        if not known:
            finding.reasons.append(NO_SCHEMAS)
            return
        versions = [version for version in made.versions if _short(version) in known]
        for version in made.versions:
            if version not in versions:
                finding.reasons.append(f"no schemas are there for Kubernetes {version}; known are {_span(known)}")
        _judge(finding, made, versions, set(args.skip_kind or ()))


def _judge(finding: Finding, made: Renderings, versions: list[str], skipped: set[str]) -> None:
    ways: dict[tuple[str, ...], list[Problem]] = {}
    unknown: dict[str, None] = {}
    for version in versions:
        known = kinds.kinds(version, resources.kubernetes(_short(version)))
        for values in made.values:
            objects = [one for one in made.get(values, version).objects if one.data["kind"] not in skipped]
            judgement = kinds.check(objects, known)
            if objects:
                ways[_way(values, version)] = judgement.problems
            unknown |= dict.fromkeys(sorted(judgement.unknown))
    finding.problems += _placed(stages.told(ways), made)
    finding.about = f"of Kubernetes {' and '.join(versions)}" if versions else ""
    for kind in unknown:
        name = kind.partition(" ")[0]
        finding.reasons.append(f"{kind} is no kind of Kubernetes itself (--skip-kind {name} leaves it out)")


def _placed(problems: list[Problem], made: Renderings) -> list[Problem]:
    """Problems of objects, with the template that makes the object."""
    sources = made.sources() if problems else {}
    return [
        one._replace(mark=Mark(f"{sources[one.mark.file]}: {one.mark.file}", 0, 0)) if one.mark.file in sources else one
        for one in problems
    ]


def _short(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _span(known: list[str]) -> str:
    return f"{known[0]} to {known[-1]}"


def policy_stage(course: Course, made: Renderings | None, place: str) -> None:
    """What no schema can say: names, limits, privileges, and whether an upgrade would work."""
    if not made or (why := _nothing(course, made)):
        course.skip("policy", why if made else NO_HELM)
        return
    with course.stage("policy") as finding:
        objects = {_way(values): data for values in made.values if (data := _data(made, values))}
        finding.problems += _placed(stages.told({way: policy.check(data) for way, data in objects.items()}), made)
        finding.about = "names, limits, privileges"
        if made.newest().objects:
            finding.about += ", upgrades"
            finding.problems += _placed(stages.told({_way(""): list(_upgrades(made, place, finding))}), made)


def _data(made: Renderings, values: str = "") -> list[policy.Object]:
    return _plain(made.newest(values).objects)


def _upgrades(made: Renderings, place: str, finding: Finding) -> Iterator[Problem]:
    """What differs between two renderings of the chart, of its next version, and with other images."""
    before = _data(made)
    yield from upgrades.unstable(before, _plain(made.once_more()))
    package = _packaged(made, place)
    yield from upgrades.new_version(before, _plain(made.once_more(folder=package)))
    with open(package, "rb") as stream:
        yield from sizes.record(made.chart.name, dict(unpacked(stream.read(), package)), made.newest().printed)
    if other := _other_images(made, place):
        changed = made.once_more(f"--values={other}")
        yield from upgrades.new_image(before, _plain(changed))
        if not changed:
            finding.reasons.append("an upgrade to another image: the chart does not take one")


def _plain(objects: Iterable[Document]) -> list[policy.Object]:
    return [one.data for one in objects]


def _packaged(made: Renderings, place: str) -> str:
    """The chart as a package of a later version."""
    folder = os.path.join(place, "next")
    try:
        made.helm.run("package", made.chart.folder, f"--version={_NEXT}", f"--destination={folder}", timeout=300)
    except HelmError as error:
        raise WorldError(f"an upgrade to the next version: {made.said(error)}") from error
    return os.path.join(folder, f"{made.chart.name}-{_NEXT}.tgz")


def _other_images(made: Renderings, place: str) -> str:
    """A file with values that name other images, if the chart's values name any."""
    from json import dumps

    values = upgrades.other_images(_values(made))
    if not values:
        return ""
    file = os.path.join(place, "other-images.json")
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(dumps(values))
    return file


def _values(made: Renderings) -> object:
    """The chart's own values; none if there are only comments, or what only Helm can read."""
    try:
        return yaml.read(made.chart.read("values.yaml"), "values.yaml")[0].data
    except InputError:
        return None


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
