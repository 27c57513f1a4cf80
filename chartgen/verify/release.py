"""The stages on a cluster: install, wait, helm test, uninstall; whatever happens, nothing is left behind."""

import re
from argparse import Namespace
from collections.abc import Iterator, Sequence
from secrets import token_hex
from shlex import join

from chartgen.document import Document
from chartgen.errors import Mark, Problem, WorldError
from chartgen.k8s import health
from chartgen.k8s.objects import HOOK, entries, fields
from chartgen.verify import helm_output as rendered
from chartgen.verify.base import Course, Finding
from chartgen.verify.rendering import Renderings
from chartgen.verify.result import PASSED
from chartgen.verify.signals import Shield, shield
from chartgen.verify.stages.lint import NO_HELM
from chartgen.world import cluster
from chartgen.world.cluster import Cluster, Name
from chartgen.world.helm import HelmError

STAGES = ("install", "wait", "test", "uninstall")
_LONGEST = 53  # characters of a release's name
_SLACK = 30.0  # seconds that Helm gets on top of the time it was told to take
_LINES = 40  # of a log
_STORIES = 3  # objects that are told of when many are not well
# What Helm says when it is the cluster that fails us, and not the chart.
_WORLD = re.compile(
    r"cluster unreachable|connection refused|no such host|i/o timeout|TLS handshake|x509:|Unauthorized|"
    r"User \"[^\"]*\" cannot |namespaces \"[^\"]*\" not found|Client\.Timeout|connection reset|EOF$"
)


class Release:
    """A release that is being tested, and what it is made of."""

    def __init__(self, made: Renderings, args: Namespace, there: Cluster) -> None:
        self.made, self.args, self.there = made, args, there
        self.name = f"{made.chart.name[: _LONGEST - 12].rstrip('-.')}-test-{token_hex(3)}"
        # Until Helm can be asked what it made; names may depend on the release's.
        self.objects: list[Document] = made.render("", made.versions[-1], release=self.name).objects

    def helm(self, verb: str, *words: str, undisturbed: bool = False) -> str:
        """Run helm on the cluster; WorldError if it is the cluster that failed."""
        try:
            return self.made.helm.run(
                *verb.split(), *words, *self.where(), timeout=self.args.seconds + _SLACK, undisturbed=undisturbed
            )
        except HelmError as error:
            if error.code < 0 or _WORLD.search(error.stderr):
                raise WorldError(self.made.said(error)) from error
            raise

    def where(self) -> list[str]:
        """The words that make Helm find the cluster and the namespace."""
        words = [f"--namespace={self.there.namespace}"]
        words += [f"--kubeconfig={self.args.kubeconfig}"] if self.args.kubeconfig else []
        return words + ([f"--kube-context={self.args.kube_context}"] if self.args.kube_context else [])

    @property
    def timeout(self) -> str:
        """How long Helm may take, in its words."""
        return f"--timeout={self.args.seconds:g}s"

    def names(self, *, hooks: bool) -> list[Name]:
        """What its objects are found by: those of hooks, or those that run something."""
        chosen = [one.data for one in self.objects if (HOOK in fields(one.data, "metadata", "annotations")) == hooks]
        return [self._name(one) for one in chosen if hooks or one["kind"] in health.RUNNERS]

    def _name(self, one: cluster.Object) -> Name:
        namespace = one["metadata"].get("namespace") or self.there.namespace
        return Name(one["apiVersion"], one["kind"], namespace, one["metadata"]["name"])


def stages(course: Course, made: Renderings | None, place: str, args: Namespace) -> None:
    """All of them, or why there are none."""
    if not made or course.failed:
        why = f"{' and '.join(course.failed)} failed" if course.failed else NO_HELM
        for name in STAGES:
            course.skip(name, why)
        return
    course.unchecked.extend(f"{path} on the cluster (--values takes it there)" for path in made.values if path)
    with shield() as held:
        _shielded(course, made, place, args, held)


def _shielded(course: Course, made: Renderings, place: str, args: Namespace, held: Shield) -> None:
    """A signal stops the stages, never the uninstall: after the first one the shield is closed."""
    begun: list[Release] = []
    try:
        try:
            _run(course, made, place, args, begun)
        finally:
            held.close()
    finally:
        for release in begun:
            held.undoing = f"uninstalling {release.name}"
            _end(course, release)


def _run(course: Course, made: Renderings, place: str, args: Namespace, begun: list[Release]) -> None:
    with course.stage("install") as finding:
        there = cluster.connect(args.kubeconfig or "", args.kube_context or "", args.namespace or "", place)
        release = Release(made, args, there)
        begun.append(release)
        _install(release, finding)
    word = course.trial.stages[-1].verdict
    if word != PASSED:
        for name in STAGES[1:3] if begun else STAGES[1:]:
            course.skip(name, f"install {word}")
        return
    with course.stage("wait") as finding:
        _wait(course, release, finding)
    if course.failed:
        course.skip("test", "wait failed")
        return
    with course.stage("test") as finding:
        _test(release, finding)


def _install(release: Release, finding: Finding) -> None:
    there = release.there
    finding.about = f"{release.name} in {there.namespace}, Kubernetes {there.version}"
    options = [f"--values={file}" for file in release.args.values or ()]
    options += [f"--set={pair}" for pair in release.args.set or ()]
    about = "--description=made by chartgen test, and removed by it"
    try:
        release.helm("install", release.name, release.made.chart.folder, about, release.timeout, *options)
    except HelmError as error:
        finding.problems.append(_problem(release, release.made.said(error), "install"))
        finding.log += _stories(release, release.names(hooks=True))
        return
    printed = [release.helm(f"get {what}", release.name) for what in ("manifest", "hooks")]
    release.objects = [one for text in printed for one in rendered.read(text.encode(), "helm get")[0]]


def _problem(release: Release, message: str, rule: str, place: str = "") -> Problem:
    return Problem(Mark(place or f"release {release.name}", 0, 0), message, rule)


def _wait(course: Course, release: Release, finding: Finding) -> None:
    """All that runs must end well or be healthy."""
    names = release.names(hooks=False)
    if not names:
        finding.about = "nothing of the chart runs"
        return
    states = cluster.wait(release.there, names, release.args.seconds, lambda text: course.doing("wait", text))
    words = [state.word for state in states.values()]
    counts = {word: words.count(word) for word in (health.DONE, health.HEALTHY, health.WAITING, health.BROKEN)}
    finding.about = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count)
    broken = [name for name, state in states.items() if state.word == health.BROKEN]
    late = [name for name, state in states.items() if state.word == health.WAITING]
    for name in broken or late:
        why = f"not healthy within {release.args.timeout}: " if not broken else ""
        finding.problems.append(_problem(release, why + states[name].why, "wait", str(name)))
    finding.log += _stories(release, broken or late)


def _stories(release: Release, names: Sequence[Name]) -> Iterator[str]:
    """What the cluster tells of some objects that are not well, as far as it can be asked."""
    for name in names[:_STORIES]:
        try:
            yield from cluster.story(release.there, name)
        except WorldError as error:
            yield str(error)


def _test(release: Release, finding: Finding) -> None:
    tests = [name for name in release.names(hooks=True) if name.kind in ("Pod", "Job") and _is_test(release, name)]
    if not tests:
        finding.skipped = "the chart brings no tests"
        return
    with cluster.overheard(release.there, _containers(release, tests), release.args.seconds) as heard:
        try:
            said = release.helm("test", release.name, release.timeout)
        except HelmError as error:
            said = error.stdout
            finding.problems.append(_problem(release, release.made.said(error), "helm-test"))
    phases = re.findall(r"^Phase:\s+(\w+)", said, re.MULTILINE)
    finding.about = f"helm test: {', '.join(dict.fromkeys(phases))}" if phases else "helm test"
    finding.log += _logs(release, tests) or heard[-_LINES:] or _printed(said)
    if finding.problems:
        finding.log += _stories(release, tests)


def _is_test(release: Release, name: Name) -> bool:
    events = str(fields(_object(release, name), "metadata", "annotations").get(HOOK)).replace(" ", "").split(",")
    return bool({"test", "test-success"} & {*events})


def _object(release: Release, name: Name) -> cluster.Object:
    return next(one.data for one in release.objects if one.file == str(name))


def _containers(release: Release, tests: Sequence[Name]) -> list[tuple[Name, str]]:
    """The containers of the tests that are pods; what a Job will call its own is not known before."""
    pods = [(name, _object(release, name)) for name in tests if name.kind == "Pod"]
    return [(name, str(one.get("name"))) for name, pod in pods for one in entries(fields(pod, "spec"), "containers")]


def _logs(release: Release, tests: Sequence[Name]) -> list[str]:
    """What the tests' pods said, of those that are still there."""
    lines: list[str] = []
    for pod in cluster.pods(release.there, tests):
        for container in pod["spec"]["containers"]:
            lines += release.there.log(pod, container["name"]).splitlines()
    return lines[-_LINES:]


def _printed(said: str) -> list[str]:
    """What Helm itself printed of them, without its own words."""
    words = ("NAME:", "LAST DEPLOYED:", "NAMESPACE:", "STATUS:", "REVISION:", "DESCRIPTION:", "TEST SUITE:", "NOTES:")
    body = said.partition("\nNOTES:")[0]
    own = ("Last Started:", "Last Completed:", "Phase:", *words)
    return [line for line in body.splitlines() if line.strip() and not line.startswith(own)][-_LINES:]


def _end(course: Course, release: Release) -> None:
    """Uninstall, or say how to."""
    again = join(["helm", "uninstall", release.name, *release.where()])
    if release.args.keep:
        course.skip("uninstall", f"--keep; to remove it: {again}")
        return
    with course.stage("uninstall") as finding:
        try:
            _uninstall(release, finding)
        except HelmError as error:
            finding.problems.append(_problem(release, f"{release.made.said(error)}; try again: {again}", "uninstall"))
        except WorldError as error:
            raise WorldError(f"{error}\nthe release may still be there; to remove it: {again}") from error


def _uninstall(release: Release, finding: Finding) -> None:
    """Remove the release, the hooks that Helm leaves, and see that nothing of them is left."""
    pods = _pods(release, finding)
    said = release.helm("uninstall", release.name, "--ignore-not-found", "--wait", release.timeout, undisturbed=True)
    uids = pods | _without_hooks(release)
    left = cluster.until_gone(release.there, uids, release.args.seconds)
    finding.problems += [_problem(release, "it is still there", "left-behind", str(name)) for name in left]
    finding.about = "" if left else "nothing is left"
    if any(path.startswith("crds/") for path in release.made.chart.files()):
        finding.about = "the chart's CRDs are left, as Helm leaves them"
    if "kept due to the resource policy" in said:
        finding.about = "what the chart asks Helm to keep is left"
        finding.log += [line for line in said.splitlines() if line.startswith("[")]


def _pods(release: Release, finding: Finding) -> dict[Name, str]:
    """The pods that have to go, with their uids; that they cannot be listed keeps nothing from being removed."""
    try:
        found = cluster.pods(release.there, release.names(hooks=False))
    except WorldError as error:
        finding.reasons.append(f"whether all pods are gone: {error}")
        return {}
    return {Name("v1", "Pod", one["namespace"], one["name"]): one["uid"] for one in (pod["metadata"] for pod in found)}


def _without_hooks(release: Release) -> dict[Name, str]:
    """Remove what hooks made, which is no part of a release to Helm; gives their uids."""
    uids = {}
    for name in release.names(hooks=True):
        found = release.there.get(name)
        if found and HOOK in fields(found, "metadata", "annotations"):
            uids[name] = found["metadata"]["uid"]
            release.there.delete(name)
    return uids
