"""The command `gitops`: the objects with which Argo CD or Flux deploys charts."""

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.jobs import add_jobs, add_kits, add_reading, add_set, read_jobs, report_problems
from chartgen.cli.parser import Parser, add_color, add_quiet
from chartgen.errors import OK, PROBLEMS, UsageError
from chartgen.words import count

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.gitops.model import Delivery, Target
    from chartgen.k8s.objects import Object

SYNTAX = "[JOB...] [options]"
ABOUT = """\
Write the objects with which Argo CD or Flux deploys the charts of a repository: Applications, or an
ApplicationSet; HelmReleases with their sources, or Kustomizations. In a project (chartgen.yaml),
every job in every environment is deployed, as `gitops` in the project file says."""
EXAMPLES = """\
  chartgen gitops                         everything that chartgen.yaml names, into gitops/
  chartgen gitops --check                 fail if gitops/ is not up to date (for CI)
  chartgen gitops job.yaml --tool flux --repository https://example.com/jobs.git -o -

Exit codes: 0 fine, 1 the jobs have problems or DIR differs, 2 usage, 3 disk error."""


def options(parser: Parser) -> None:
    """What to deploy, with which tool, and from where."""
    add_jobs(parser, optional=True)
    about = "where the objects go; gitops by default; - prints them"
    parser.add_argument("-o", "--output-dir", metavar="DIR", help=about)
    tools = ("argocd", "flux")
    parser.add_argument("--tool", choices=tools, help="which tool; argocd by default")
    about = "the URL of the Git repository with the charts"
    parser.add_argument("--repository", metavar="URL", help=about)
    parser.add_argument("--revision", metavar="BRANCH", help="its branch; main by default")
    about = "take charts from this registry instead, such as oci://example.com/charts"
    parser.add_argument("--registry", metavar="URL", help=about)
    parser.add_argument("-n", "--namespace", metavar="NAME", help="the namespace of the releases")
    about = "write nothing; fail if DIR differs, and say where"
    parser.add_argument("--check", action="store_true", help=about)
    parser.add_argument("--force", action="store_true", help="overwrite hand edits")
    add_kits(parser)
    add_reading(parser)
    add_set(parser)
    add_color(parser)
    add_quiet(parser, "the summary and warnings")


def run(args: Namespace) -> int:
    """Make the objects, and write, print or compare them."""
    from chartgen.project import find

    if args.jobs or not find.has_project():
        if not args.jobs:
            raise UsageError("name a job description, or write chartgen.yaml")
        found = _of_jobs(args)
    else:
        found = _of_project(args)
    if found is None:
        return PROBLEMS
    targets, delivery, folder = found
    objects = _objects(targets, delivery)
    if args.output_dir == "-":
        from chartgen.syntax.yaml.writer import emit

        for one in objects.values():
            screen.out(f"---\n{emit(one)}")
        return OK
    return _finish(os.path.join(folder, delivery.tool), objects, args)


def _objects(targets: "list[Target]", delivery: "Delivery") -> "dict[str, Object]":
    from chartgen.gitops import argocd, flux

    if not delivery.registry and not delivery.repository:
        raise UsageError(
            "say where the charts are: --repository URL, or gitops.repository in chartgen.yaml"
        )
    if delivery.tool == "flux":
        return flux.objects(targets, delivery)
    return argocd.objects(targets, delivery)


def _delivery(args: Namespace, said: Mapping[str, object]) -> "Delivery":
    """What the command line says, and else the project file."""
    from chartgen.gitops.model import Delivery

    fields: dict[str, object] = {}
    names = {"applicationSet": "application_set"}
    for key, value in said.items():
        if key != "output":
            fields[names.get(key, key)] = value
    for key in ("tool", "repository", "revision", "registry"):
        if getattr(args, key):
            fields[key] = getattr(args, key)
    return Delivery(**fields)  # type: ignore[arg-type]


def _of_jobs(args: Namespace) -> "tuple[list[Target], Delivery, str] | None":
    """Jobs that were named: charts/NAME, in one namespace."""
    from chartgen.gitops import checks
    from chartgen.gitops.model import Target

    sources = read_jobs(args.jobs, args)
    for source in sources.jobs:
        sources.problems.extend(checks.check(source.checked))
    if report_problems(sources, args):
        return None
    targets = []
    for source in sources.jobs:
        job = source.checked.job
        namespace = args.namespace or source.checked.namespace or "default"
        version = job.version if job.version != "auto" else "0.1.0"
        targets.append(Target(job.name, "", namespace, "", f"charts/{job.name}", version))
    return targets, _delivery(args, {}), args.output_dir or "gitops"


def _of_project(args: Namespace) -> "tuple[list[Target], Delivery, str] | None":
    """Every job of the project, in every environment."""
    from chartgen.cli import project
    from chartgen.project import deployments, find

    project.refuse_kits(args)
    place = find.open_project()
    found = deployments.targets(place, strict=args.strict)
    if project.report(found.survey, args):
        return None
    said = (place.project.document.data or {}).get("gitops", {})
    folder = args.output_dir or place.path(said.get("output", "gitops"))
    return found.targets, _delivery(args, said), folder


def _finish(target: str, objects: "Mapping[str, Object]", args: Namespace) -> int:
    from chartgen.report import findings
    from chartgen.syntax.yaml.writer import emit
    from chartgen.world import files

    texts = {path: emit(one) for path, one in objects.items()}
    if args.check:
        differences = files.compare(target, texts)
        edited = files.edited(target) if differences else []
        found = [*findings.findings(target, differences, edited, len(texts))]
        screen.out(findings.report(found, "text"))
        return PROBLEMS if found else OK
    changed = files.write(target, texts, force=args.force)
    if not args.quiet:
        word = f"{len(changed)} changed" if changed else "unchanged"
        screen.say(f"{target}: {count(len(texts), 'object')}, {word}")
    return OK
