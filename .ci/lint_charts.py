"""Run the linters of other projects on the chart of every example (`make lint-charts`).

What they may find is in .ci/lint.yaml, each with its reason; anything else fails.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import lint_tools
import yaml

from chartgen.k8s import schemas
from chartgen.k8s.limits import OLDEST_KUBERNETES

HERE = Path(__file__).parent
JOBS = sorted((HERE.parent / "values/jobs").glob("*.yaml"))
BUILD = Path("build/lint")
SCHEMAS = BUILD / "schemas"
LAYOUTS = ("full", "thin")
# Fewer replicas than the example has: each is like the next, and kube-linter compares all pairs.
SETTINGS = {"large": "roles.worker.replicas=2,roles.ps.replicas=2"}
OWN = ("test", "cleanup", "strays", "keys", "tensorboard", "helpers")
# What a job says if nothing else may reach its pods, and their images are pulled again.
GUARDED = """
networkPolicy: {create: true}
imagePullPolicy: Always
helperImagePullPolicy: Always
"""
# What a chart can know of itself. The rest, such as a logo, is what only the job can say.
KNOWN = ("Name", "Version", "Description", "Keywords", "Readme", "Values schema")

Objects = dict[tuple[str, str], str]  # the component of each object, by kind and name


class Finding(NamedTuple):
    """What a linter says about one object or chart."""

    tool: str
    check: str
    component: str
    where: str
    message: str


class Accepted(NamedTuple):
    """What may be found, and why."""

    tool: str
    checks: list[str]
    objects: list[str]
    why: str

    def covers(self, finding: Finding) -> bool:
        return (
            self.tool == finding.tool
            and finding.check in self.checks
            and finding.component in self.objects
        )


def ask(*words: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a program says; the tools of this virtual environment are found first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def run(*words: str | Path, folder: Path | None = None) -> str:
    """The output of a program that must not fail."""
    done = ask(*words, folder=folder)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}{words[0]} failed with exit code {done.returncode}")
    return done.stdout


def render(layout: str) -> list[Path]:
    """The charts of all examples."""
    folder = BUILD / layout / "charts"
    run("chartgen", "render", *JOBS, "-o", folder, "--layout", layout)
    return sorted(folder.iterdir())


def render_guarded() -> list[Path]:
    """The same of jobs that say more."""
    jobs, folder = BUILD / "guarded/jobs", BUILD / "guarded/charts"
    jobs.mkdir(parents=True)
    for path in JOBS:
        (jobs / path.name).write_text(path.read_text("utf-8") + GUARDED, "utf-8")
    run("chartgen", "render", *jobs.iterdir(), "-o", folder)
    return sorted(folder.iterdir())


def manifests(chart: Path, folder: str) -> Path:
    """What Helm makes of a chart, in one file."""
    path = BUILD / folder / f"{chart.name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    settings = SETTINGS.get(chart.name, "")
    path.write_text(run("helm", "template", chart.name, chart, "--set", settings), "utf-8")
    return path


def components(path: Path) -> Objects:
    """The component of each object: one of our own, or "roles" for those of the job."""
    objects = {}
    for item in yaml.load_all(path.read_text("utf-8"), Loader=yaml.CSafeLoader):
        if item:
            metadata = item["metadata"]
            component = metadata["labels"].get("app.kubernetes.io/component")
            named = item["kind"], metadata["name"]
            objects[named] = component if component in OWN else "roles"
    return objects


def write_schemas(version: str) -> None:
    """Kubernetes' schemas, with references that kubeconform resolves without the network."""
    package = files("kubernetes_validate") / f"kubernetes-json-schema/v{version}.0-local-strict"
    folder = SCHEMAS / f"v{version}.0-standalone-strict"
    folder.mkdir(parents=True)
    for file in package.iterdir():
        schema = json.loads(file.read_text("utf-8").replace("/api/_definitions", "_definitions"))
        schema.pop("$id", None)
        (folder / file.name).write_text(json.dumps(schema), "utf-8")


def kubeconform(program: Path, paths: Iterable[Path], version: str) -> Iterator[Finding]:
    write_schemas(version)
    words = ("-strict", "-summary", "-output", "json", "-kubernetes-version", f"{version}.0")
    report = json.loads(ask(program, *words, "-schema-location", SCHEMAS, *paths).stdout)
    print(f"kubeconform for Kubernetes {version}: {report['summary']}", flush=True)
    for item in report["resources"] or ():
        where = f"{Path(item['filename']).stem}: {item['kind']} {item['name']}"
        yield Finding("kubeconform", version, "", where, item["msg"])


def kube_linter(program: Path, path: Path, objects: Objects) -> Iterator[Finding]:
    answer = json.loads(ask(program, "lint", "--format", "json", path).stdout)
    for report in answer["Reports"] or ():
        item = report["Object"]["K8sObject"]
        kind, name = item["GroupVersionKind"]["Kind"], item["Name"]
        message = report["Diagnostic"]["Message"]
        where = f"{path.stem}: {kind} {name}"
        yield Finding("kube-linter", report["Check"], objects.get((kind, name), ""), where, message)


def kube_score(program: Path, path: Path, objects: Objects) -> Iterator[Finding]:
    critical = 1
    for item in json.loads(ask(program, "score", "--output-format", "json", path).stdout):
        kind, name = item["type_meta"]["kind"], item["object_meta"]["name"]
        where = f"{path.stem}: {kind} {name}"
        for check in item["checks"]:
            if check["grade"] <= critical and not check["skipped"]:
                said = "; ".join(comment["summary"] for comment in check["comments"] or ())
                yield Finding(
                    "kube-score", check["check"]["id"], objects.get((kind, name), ""), where, said
                )


def polaris(program: Path, path: Path, objects: Objects) -> Iterator[Finding]:
    report = json.loads(ask(program, "audit", "--audit-path", path, "--format", "json").stdout)
    for item in report["Results"]:
        kind, name = item["Kind"], item["Name"]
        where = f"{path.stem}: {kind} {name}"
        for result in polaris_results(item):
            if not result["Success"] and result["Severity"] == "danger":
                check, message = result["ID"], result["Message"]
                yield Finding("polaris", check, objects.get((kind, name), ""), where, message)


def polaris_results(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The results for an object, its pod and its containers."""
    yield from item["Results"].values()
    pod = item["PodResult"]
    if pod:
        yield from pod["Results"].values()
        for container in pod["ContainerResults"]:
            yield from container["Results"].values()


OBJECT_LINTERS = {"kube-linter": kube_linter, "kube-score": kube_score, "polaris": polaris}


def ct(program: Path, layout: str) -> Iterator[Finding]:
    """What `ct lint` says of a repository whose charts are all new."""
    folder = BUILD / layout
    shutil.copytree(program.with_name("etc"), folder / ".ct")
    git = ("git", "-C", folder, "-c", "user.name=lint", "-c", "user.email=lint@localhost")
    run("git", "init", "--quiet", "--initial-branch", "main", folder)
    run(*git, "commit", "--quiet", "--allow-empty", "--message", "nothing")
    run(*git, "remote", "add", "origin", ".")
    run(*git, "fetch", "--quiet", "origin")
    run(*git, "add", "charts")
    run(*git, "commit", "--quiet", "--message", "charts")
    # With maintainers it would ask a host in the network whether they have accounts there; no
    # example names any.
    done = ask(program, "lint", "--validate-maintainers=false", folder=folder)
    print(f"ct lint, {layout} charts: {done.stdout.rstrip().rpartition(chr(10))[2]}", flush=True)
    if done.returncode:
        yield Finding("ct", "lint", "", layout, done.stdout + done.stderr)


def ah(program: Path, folder: Path) -> Iterator[Finding]:
    """What `ah lint` says is wrong with charts, or missing in them though it can be known."""
    chart = ""
    for line in ask(program, "lint", "--path", folder).stdout.splitlines():
        label, _, said = line.lstrip("✓✗! ").partition(": ")
        chart = said if label == "Name" else chart
        if line.startswith(("✗", "  * ")) or ("NOT PROVIDED" in said and label in KNOWN):
            yield Finding("ah", label, "", chart, line)
    if not chart:
        yield Finding("ah", "lint", "", str(folder), "no chart was found")


def read_accepted() -> list[Accepted]:
    entries = yaml.safe_load((HERE / "lint.yaml").read_text("utf-8"))
    return [Accepted(**entry) for entry in entries]


def judge(findings: Iterable[Finding], entries: list[Accepted]) -> list[str]:
    """What is wrong: findings that no entry covers, and parts of entries that cover none."""
    needed = set()
    wrong = set()
    for finding in findings:
        tool, check, component, where, message = finding
        if any(entry.covers(finding) for entry in entries):
            needed.add((tool, check, component))
        else:
            rule = f"{tool} {check}, {component}" if component else f"{tool} {check}"
            wrong.add(f"{where}: {message} ({rule})")
    for entry in entries:
        for check in entry.checks:
            for component in entry.objects:
                if (entry.tool, check, component) not in needed:
                    wrong.add(f"lint.yaml: {entry.tool} finds no {check} on {component}")
    return sorted(wrong)


def lint(programs: Mapping[str, Path]) -> Iterator[Finding]:
    shutil.rmtree(BUILD, ignore_errors=True)
    charts = {layout: render(layout) for layout in LAYOUTS}
    # The thin charts make the same objects, which tests/helm/test_thin.py shows.
    paths = [manifests(chart, "objects") for chart in charts["full"]]
    guarded = [manifests(chart, "objects/guarded") for chart in render_guarded()]
    for version in (OLDEST_KUBERNETES, schemas.versions()[-1]):
        yield from kubeconform(programs["kubeconform"], (*paths, *guarded), version)
    for path in paths:
        objects = components(path)
        for tool, linter in OBJECT_LINTERS.items():
            yield from linter(programs[tool], path, objects)
    for path in guarded:
        # On those of the job, the same as above.
        own = {item: f"guarded {who}" for item, who in components(path).items() if who in OWN}
        for tool, linter in OBJECT_LINTERS.items():
            for finding in linter(programs[tool], path, own):
                if finding.component:
                    yield finding
    for layout in LAYOUTS:
        yield from ct(programs["ct"], layout)
    # Thin charts say the same of themselves, and their library is not one to look for in a hub.
    yield from ah(programs["ah"], BUILD / "full/charts")


def main() -> None:
    findings = list(lint(lint_tools.programs()))
    wrong = judge(findings, read_accepted())
    if wrong:
        print(*wrong, sep="\n")
        sys.exit(f"lint-charts: {len(wrong)} to mend, or to accept in .ci/lint.yaml")
    print(f"{len(JOBS)} examples: {len(findings)} findings, all of them accepted in .ci/lint.yaml")


if __name__ == "__main__":
    main()
