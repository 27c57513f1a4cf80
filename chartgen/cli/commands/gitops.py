"""The command `gitops`: the objects with which Argo CD or Flux deploys charts."""

import os
from argparse import Namespace
from collections.abc import Mapping

from chartgen.cli import project, screen
from chartgen.cli.jobs import add_jobs, add_kits, add_reading, add_set, read_jobs, report_problems
from chartgen.cli.parser import Parser, add_color, add_quiet
from chartgen.errors import OK, PROBLEMS, UsageError
from chartgen.startup.typing import TYPE_CHECKING
from chartgen.words import count

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.gitops.model import Delivery, Target

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
    from chartgen.gitops import tools
    from chartgen.project import find
    from chartgen.syntax.yaml.writer import emit

    if not args.jobs and not find.has_project():
        raise UsageError("name a job description, or write chartgen.yaml")
    if args.output_dir == "-" and (args.check or args.force):
        raise UsageError("--check and --force need a directory; -o - prints instead")
    of_project = not args.jobs or project.is_meant(args, output_dir=False)
    deployment = _of_project(args) if of_project else _of_jobs(args)
    if deployment is None:
        return PROBLEMS
    targets, delivery, folder = deployment
    texts = {path: emit(obj) for path, obj in tools.objects(targets, delivery).items()}
    if args.output_dir == "-":
        screen.out("".join(f"---\n{text}" for text in texts.values()))
        return OK
    return _finish(os.path.join(folder, delivery.tool), texts, args)


def _delivery_options(args: Namespace) -> dict[str, str | None]:
    return {key: getattr(args, key) for key in ("tool", "repository", "revision", "registry")}


def _of_jobs(args: Namespace) -> "tuple[list[Target], Delivery, str] | None":
    """Jobs that were named, where the options say."""
    from chartgen.gitops import checks, model

    sources = read_jobs(project.expand(args.jobs), args)
    for source in sources.jobs:
        sources.problems.extend(checks.check(source.checked))
    if report_problems(sources, args):
        return None
    targets = [model.target_of(source.checked, args.namespace) for source in sources.jobs]
    return targets, model.delivery({}, _delivery_options(args)), args.output_dir or "gitops"


def _of_project(args: Namespace) -> "tuple[list[Target], Delivery, str] | None":
    """Every job of the project, or those that were named, in every environment."""
    from chartgen.gitops import model
    from chartgen.project import deployments

    project.refuse_options(args)
    place, given = project.open_project(args)
    if given and not args.output_dir:
        raise UsageError(
            "this directory is for all jobs of the project; "
            "name no jobs, or another directory with -o DIR"
        )
    to_deploy = deployments.targets(place, given, strict=args.strict)
    if project.report(to_deploy.survey, args):
        return None
    for missing in () if args.quiet else to_deploy.missing:
        screen.say(f"{missing}: missing; chartgen render writes it")
    said = (place.project.document.data or {}).get("gitops", {})
    folder = args.output_dir or place.path(said.get("output", "gitops"))
    return to_deploy.targets, model.delivery(said, _delivery_options(args)), folder


def _finish(target: str, texts: Mapping[str, str], args: Namespace) -> int:
    from chartgen.report import directories
    from chartgen.world import files

    if args.check:
        differences = files.compare(target, texts)
        edited = files.edited(target) if differences else []
        problems = [*directories.problems(target, differences, edited, len(texts))]
        screen.out(directories.report(problems, "text"))
        return PROBLEMS if problems else OK
    changed = files.write(target, texts, force=args.force)
    if not args.quiet:
        word = f"{len(changed)} changed" if changed else "unchanged"
        screen.say(f"{target}: {count(len(texts), 'object')}, {word}")
    return OK
