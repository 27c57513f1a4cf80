"""The command `render`: job descriptions in; charts or manifests out, or compared with the disk."""

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from chartgen.cli import project, screen
from chartgen.cli.jobs import add_jobs, add_reading, read_jobs, report_problems
from chartgen.cli.parser import Parser, add_color, add_helm, add_quiet
from chartgen.errors import OK, PROBLEMS, UsageError, WorldError
from chartgen.outputs import MODULES

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.cli.changes import Preview
    from chartgen.document import Document
    from chartgen.errors import Problem
    from chartgen.outputs.base import Maker, Output, OutputOptions, Product, SharedFiles
    from chartgen.sources import CheckedSource

SYNTAX = "[JOB... -o DIR] [options]"
ABOUT = """\
Write one Helm chart per job to DIR/NAME; several documents in a file are several jobs. All jobs are
checked first: if any has a problem, nothing is written. A chart is written whole or not at all, and
the files that others put into it are kept. Without a job and a directory, everything that the
project file chartgen.yaml names is rendered; a directory stands for the jobs in it."""
EXAMPLES = """\
  chartgen render job.yaml -o charts                  write charts/NAME
  chartgen render jobs -o charts --check              fail if charts/ is not up to date (for CI)
  chartgen render jobs/*.yaml -o charts --diff        show what would change
  chartgen render --prune                             everything that chartgen.yaml names
  chartgen render job.yaml -o -                       print the chart's files
  chartgen render job.yaml -o - --format manifests --set image=mnist:2 | kubectl apply -f -

Exit codes: 0 fine, 1 the jobs have problems or DIR differs, 2 usage, 3 disk or Helm error."""


def options(parser: Parser) -> None:
    """What to render, into what and where to."""
    add_jobs(parser, optional=True)
    parser.add_argument(
        "-o", "--output-dir", metavar="DIR", help="where the charts go; - prints them"
    )
    parser.add_argument(
        "--format",
        choices=tuple(MODULES),
        default="chart",
        help="manifests are plain YAML, without Helm",
    )
    parser.add_argument(
        "--clouds",
        choices=("used", "all"),
        default="used",
        help="charts with cloud data: those of jobs that name a cloud or request a device, or all",
    )
    parser.add_argument(
        "--layout",
        choices=("full", "thin"),
        default="full",
        help="thin charts share their templates in a library chart, which is written beside them",
    )
    parser.add_argument(
        "--library",
        metavar="URL",
        help="where thin charts find the library, if not beside them, such as oci://example.com/charts",
    )
    _comparing_options(parser)
    add_reading(parser)
    parser.add_argument(
        "--set",
        action="append",
        metavar="KEY=VALUE",
        help="set a field of a job in a native format or, with --format manifests, of the chart",
    )
    add_color(parser)
    add_quiet(parser, "the summary and warnings")
    _helm_options(parser)


def _comparing_options(parser: Parser) -> None:
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if DIR differs, and say where"
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="like --check, and say what would happen on the cluster (this needs Helm)",
    )
    parser.add_argument(
        "--text", action="store_true", help="with --diff: show the differences of the files too"
    )
    parser.add_argument(
        "--output",
        choices=("text", "json", "github", "markdown"),
        default="text",
        help="the form of what --check reports; text by default",
    )
    parser.add_argument(
        "--prune",
        action="store_true",
        help="remove the charts of a project that no longer have a job",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite hand edits and files that chartgen did not write",
    )


def _helm_options(parser: Parser) -> None:
    group = parser.add_argument_group(
        "only with --format manifests; for a chart, pass them to helm install"
    )
    group.add_argument("--release", metavar="NAME", help="the release's name; the job's by default")
    group.add_argument("-n", "--namespace", metavar="NAME", help="the namespace of all objects")
    group.add_argument(
        "-f", "--values", action="append", metavar="FILE", help="set values from a file"
    )
    about = "write what `helm test` does too, as Jobs in NAME/tests"
    group.add_argument("--tests", action="store_true", help=about)
    about = "write all objects of a job to one file, NAME/manifests.yaml"
    group.add_argument("--stream", action="store_true", help=about)
    add_helm(group)


def run(args: Namespace) -> int:
    """Check all jobs, then make and write one after the other."""
    if project.is_meant(args):
        return project.render(args)
    _check_usage(args)
    args.jobs = project.expand(args.jobs)
    from chartgen import outputs
    from chartgen.sources import duplicate_names

    sources = read_jobs(args.jobs, args)
    _check_settings(args, sources.jobs)
    output = outputs.output(args.format)
    output_options = _output_options(args)
    shared = [*output.shared(output_options)]
    sources.problems.extend(duplicate_names(sources.jobs, {beside.name for beside in shared}))
    if report_problems(sources, args):
        return PROBLEMS
    if args.release and len(sources.jobs) > 1:
        raise UsageError(f"--release names one release, but there are {len(sources.jobs)} jobs")
    make = output.maker(output_options)
    if args.output_dir == "-":
        return _print(output, make, sources.jobs)
    act = _compare if args.check or args.diff else _write
    return act(make, sources.jobs, shared, args)


def _check_usage(args: Namespace) -> None:
    """What argparse cannot say about which options go together."""
    if not args.jobs:
        raise UsageError("name a job description, as in: chartgen render job.yaml -o charts")
    if args.output_dir is None:
        raise UsageError(
            "say where the charts go, as in: chartgen render job.yaml -o charts (or print them: "
            "-o -)"
        )
    if not args.output_dir:
        raise UsageError("-o names no directory; for this one, write -o .")
    if args.prune:
        raise UsageError("--prune is for a project (chartgen.yaml): it needs to know all jobs")
    if args.output_dir == "-" and (args.check or args.diff or args.force):
        raise UsageError("--check, --diff and --force need a directory; -o - prints instead")
    _check_format(args)
    if args.library is not None:
        _check_library(args.library, args.layout)


def _check_format(args: Namespace) -> None:
    for option in ("release", "namespace", "values", "tests", "stream", "helm"):
        if option == "helm" and args.diff:
            continue
        if getattr(args, option) and args.format == "chart":
            raise UsageError(_AT_INSTALL.format(option))
    if args.layout == "thin" and args.format != "chart":
        raise UsageError("--layout thin goes with --format chart; manifests need no library")


def _check_settings(args: Namespace, jobs: "list[CheckedSource]") -> None:
    """What --set is for: native texts, whose descriptions nobody can edit, and manifests."""
    native = [bool(source.document.form) for source in jobs]
    if args.set and args.format == "chart" and native and not any(native):
        raise UsageError(_AT_INSTALL.format("set"))
    if native and all(native):
        args.set = None  # each description has them already


_AT_INSTALL = (
    "--{} goes with --format manifests; a chart takes its values when it is "
    "installed, as in: helm install mnist charts/mnist --set image=mnist:2"
)


def _check_library(address: str, layout: str) -> None:
    if layout != "thin":
        raise UsageError("--library goes with --layout thin; other charts need no library")
    if not address.startswith(("file://", "oci://", "http://", "https://", "@", "alias:")):
        raise UsageError(
            f"--library {address}: expected what Helm accepts as a repository, such as "
            "oci://example.com/charts or file://../chartgen-library"
        )


def _output_options(args: Namespace) -> "OutputOptions":
    from chartgen.chart import ChartOptions
    from chartgen.outputs.base import OutputOptions
    from chartgen.world.helm import HelmValues

    values = HelmValues(tuple(args.set or ()), tuple(args.values or ()), args.namespace or "")
    chart = ChartOptions(clouds=args.clouds, layout=args.layout)
    if args.library:
        chart = chart._replace(library=args.library)
    return OutputOptions(
        args.release or "", values, args.helm or "", chart, args.tests, args.stream
    )


def _print(output: "Output", make: "Maker", jobs: "list[CheckedSource]") -> int:
    for source in jobs:
        screen.out(output.as_text(make(source.checked)))
    return OK


def _write(
    make: "Maker", jobs: "list[CheckedSource]", shared: "list[SharedFiles]", args: Namespace
) -> int:
    from chartgen.outputs import versions
    from chartgen.world import files

    library = ""
    for beside in shared:
        target = os.path.join(args.output_dir, beside.name)
        wanted = versions.settle_library(target, beside.files)
        files.write(target, wanted, force=args.force)
        library = versions.version_of(wanted)
    total = len(jobs)
    with screen.progress("writing", total, quiet=args.quiet) as step:
        for done, source in enumerate(jobs):
            product = make(source.checked)
            target = os.path.join(args.output_dir, product.name)
            try:
                wanted = versions.settle(target, product.files, library)
                changed = files.write(target, wanted, force=args.force)
            except WorldError as error:
                before = f"\n{done:,} of {total:,} were written before" if done else ""
                raise WorldError(f"{error}{before}") from error
            if os.path.islink(target) and not args.quiet:
                screen.say(f"{target} is a link to {os.path.realpath(target)}")
            step("" if args.quiet else _summary(target, product, len(changed), alone=total == 1))
    if total > 1 and not args.quiet:
        screen.say(f"next: {_next_command(target, product)}, and so on")
    return OK


def _summary(target: str, product: "Product", changed: int, *, alone: bool) -> str:
    """How it went, in a line; with the next thing to do if this is the only one."""
    from chartgen.k8s.quantities import in_words

    total = len(product.files)
    result = "unchanged"
    if changed:
        written = f"{changed} of {total} files changed"
        result = f"{total} files written" if changed >= total else written
    line = f"{target}: {result}, requests {in_words(product.totals)}"
    return f"{line}\nnext: {_next_command(target, product)}" if alone else line


def _next_command(target: str, product: "Product") -> str:
    from shlex import quote  # imported after all else is done

    command = f"{product.next_command} {quote(target)}"
    if product.prepare_command:
        return f"{product.prepare_command} {quote(target)} && {command}"
    return command


def _compare(
    make: "Maker", jobs: "list[CheckedSource]", shared: "list[SharedFiles]", args: Namespace
) -> int:
    from chartgen.outputs import versions

    library = ""
    outdated: list[str] = []
    found: list[Problem] = []
    for beside in shared:
        wanted = versions.settle_library(os.path.join(args.output_dir, beside.name), beside.files)
        library = versions.version_of(wanted)
        if _differs(beside.name, wanted, args, found):
            outdated.append(beside.name)
    differ = 0
    previews: list[Preview] = []
    with screen.progress("comparing", len(jobs), quiet=args.quiet) as step:
        for source in jobs:
            product = make(source.checked)
            target = os.path.join(args.output_dir, product.name)
            wanted = versions.settle(target, product.files, library)
            if args.diff:
                previews += _preview(target, wanted, source.checked.document)
            else:
                differ += _differs(product.name, wanted, args, found)
            step("")
    if args.diff:
        differ = _show(previews, {beside.name: beside.files for beside in shared}, args)
    elif args.output != "text":
        from chartgen.report import findings  # text does without it

        screen.out(findings.report(found, args.output))
    if not args.quiet:
        screen.flush()
        for name in outdated:
            screen.say(f"{name} differs")
        verdict = f"{differ:,} of {len(jobs):,} differ from their job descriptions"
        screen.say(verdict if differ else f"{len(jobs):,} up to date")
    return PROBLEMS if differ or outdated else OK


def _differs(name: str, wanted: Mapping[str, str], args: Namespace, found: "list[Problem]") -> bool:
    """Whether a directory is not as it would be written; prints where, or how, or collects it."""
    from chartgen.world import files

    target = os.path.join(args.output_dir, name)
    differences = files.compare(target, wanted)
    if args.output != "text":
        from chartgen.report import findings  # as above

        edited = files.edited(target) if differences else []
        found += findings.findings(target, differences, edited, len(wanted))
    else:
        for path, kind, _, _ in differences:
            screen.out(f"{path}: {_KINDS[kind]}\n")
    return bool(differences)


def _preview(target: str, wanted: Mapping[str, str], document: "Document") -> "Iterator[Preview]":
    """What would be written to a directory, if that differs from what is there."""
    from chartgen.cli.changes import Preview
    from chartgen.gitops.changes import changed_values
    from chartgen.world import files

    if files.compare(target, wanted):
        old = files.text(target, "values.yaml")
        values = changed_values(old, wanted["values.yaml"], document) if old else []
        yield Preview(target, wanted, {"": values})


def _show(
    previews: "list[Preview]", beside: Mapping[str, Mapping[str, str]], args: Namespace
) -> int:
    """What would happen, in words, and as a patch if asked for; how many directories differ."""
    from chartgen.cli import changes
    from chartgen.world import files

    worded = changes.show(previews, beside, args)
    if args.text or not worded:
        for preview in previews:
            screen.out(files.diff(files.compare(preview.target, preview.wanted)))
    return len(previews)


_KINDS = {"missing": "missing", "changed": "differs", "stale": "no longer generated"}
