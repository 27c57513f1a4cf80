"""The command `render`: job descriptions in; charts or manifests out, on disk or printed, or compared with the disk."""

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.parser import Parser, add_color, add_define, add_from, add_helm, add_jobs, add_quiet, add_strict
from chartgen.errors import OK, PROBLEMS, Mark, Problem, UsageError, WorldError

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.outputs.base import Product
    from chartgen.sources import Found

SYNTAX = "JOB... -o DIR [options]"
ABOUT = """\
Write one Helm chart per job to DIR/NAME; several documents in a file are several jobs. All jobs are
checked first: if any has a problem, nothing is written. A chart is written whole or not at all, and
the files that others put into it are kept."""
EXAMPLES = """\
  chartgen render job.yaml -o charts                  write charts/NAME
  chartgen render jobs/*.yaml -o charts --check       fail if charts/ is not up to date (for CI)
  chartgen render jobs/*.yaml -o charts --diff        show what would change
  chartgen render job.yaml -o -                       print the chart's files
  chartgen render job.yaml -o - --format manifests --set image=mnist:2 | kubectl apply -f -

Exit codes: 0 fine, 1 the jobs have problems or DIR differs, 2 usage, 3 the disk or Helm failed us."""


def options(parser: Parser) -> None:
    """What to render, into what and where to."""
    add_jobs(parser)
    parser.add_argument("-o", "--output-dir", metavar="DIR", help="where the charts go; - prints them")
    forms = ("chart", "manifests")
    parser.add_argument("--format", choices=forms, default="chart", help="manifests are plain YAML with no Helm in it")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if DIR differs, and say where")
    parser.add_argument("--diff", action="store_true", help="as --check, and show the differences")
    parser.add_argument("--force", action="store_true", help="write over hand edits and what chartgen did not make")
    add_from(parser)
    add_define(parser)
    add_strict(parser)
    add_color(parser)
    add_quiet(parser, "summary and no warnings")
    _helm_options(parser)


def _helm_options(parser: Parser) -> None:
    group = parser.add_argument_group("only for --format manifests; a chart takes them from helm at install")
    group.add_argument("--release", metavar="NAME", help="the release's name; the job's by default")
    group.add_argument("-n", "--namespace", metavar="NAME", help="the namespace of all objects")
    group.add_argument("--set", action="append", metavar="KEY=VALUE", help="set a value of the chart")
    group.add_argument("-f", "--values", action="append", metavar="FILE", help="set values from a file")
    add_helm(group)


def run(args: Namespace) -> int:
    """Check all, then make one after the other."""
    _check_usage(args)
    from chartgen import sources as inputs
    from chartgen.outputs import base as products

    found = inputs.gather(args.jobs, strict=args.strict, quiet=args.quiet, form=args.form, define=args.define)
    found.problems.extend(_clashes(found.found))
    if inputs.problems_end(found, args):
        return PROBLEMS
    if args.release and len(found.found) > 1:
        raise UsageError(f"--release names one release, and there are {len(found.found)} jobs")
    make = products.maker(args)
    made = (make(job.checked) for job in found.found)
    if args.output_dir == "-":
        for product in made:
            screen.out(products.printed(product, args.format))
        return OK
    return (_compare if args.check or args.diff else _write)(made, len(found.found), args)


def _check_usage(args: Namespace) -> None:
    """What argparse cannot say about which options go together."""
    if args.output_dir is None:
        raise UsageError("say where the charts go, as in: chartgen render job.yaml -o charts (or print them: -o -)")
    if args.output_dir == "-" and (args.check or args.diff or args.force):
        raise UsageError("--check, --diff and --force are about a directory, and -o - names none")
    if "-" in (args.values or ()):
        raise UsageError("--values takes files only; standard input can be a JOB")
    for option in ("release", "namespace", "set", "values", "helm"):
        if getattr(args, option) and args.format == "chart":
            raise UsageError(
                f"--{option} goes with --format manifests; a chart takes its values when it is installed, as in: "
                "helm install mnist charts/mnist --set image=mnist:2"
            )


def _clashes(found: "list[Found]") -> Iterator[Problem]:
    """Jobs of one name would be written over each other."""
    first: dict[str, Mark] = {}
    for job in found:
        name, place = job.checked.job.name, job.checked.name
        if name in first:
            message = f"a job named {name!r} stands already at {first[name]}; both would go to one directory"
            yield Problem(place, message, "duplicate-name", "rename one, or render them to different directories")
        first.setdefault(name, place)


def _write(made: "Iterator[Product]", total: int, args: Namespace) -> int:
    with screen.progress("writing", total, quiet=args.quiet) as step:
        for done, product in enumerate(made):
            target = os.path.join(args.output_dir, product.name)
            changed = _write_one(target, product, args.force, done and f"\n{done:,} of {total:,} were written before")
            step("" if args.quiet else _told(target, product, len(changed), alone=total == 1))
    if total > 1 and not args.quiet:
        screen.say(f"next: {product.next} {_quoted(os.path.join(args.output_dir, product.name))}, and so on")
    return OK


def _write_one(target: str, product: "Product", force: bool, before: str | int) -> list[str]:
    from chartgen.world import files as tree

    try:
        return tree.write(target, product.files, force=force)
    except WorldError as error:
        raise WorldError(f"{error}{before or ''}") from error


def _told(target: str, product: "Product", changed: int, *, alone: bool) -> str:
    """How it went, in a line; with the next thing to do if this is the only one."""
    from chartgen.k8s.quantities import in_words

    files = len(product.files)
    written = f"{files} files written" if changed >= files else f"{changed} of {files} files changed"
    told = f"{target}: {written if changed else 'unchanged'}, asks for {in_words(product.asks)}"
    return f"{told}\nnext: {product.next} {_quoted(target)}" if alone else told


def _quoted(path: str) -> str:
    from shlex import quote  # imported after all else is done

    return quote(path)


def _compare(made: "Iterator[Product]", total: int, args: Namespace) -> int:
    from chartgen.world import files as tree

    differ = 0
    with screen.progress("comparing", total, quiet=args.quiet) as step:
        for product in made:
            differences = tree.compare(os.path.join(args.output_dir, product.name), product.files)
            differ += bool(differences)
            lines = (f"{path}: {_KINDS[kind]}\n" for path, kind, _, _ in differences)
            screen.out(tree.diff(differences) if args.diff else "".join(lines))
            step("")
    if not args.quiet:
        screen.flush()
        screen.say(f"{differ:,} of {total:,} differ from their job descriptions" if differ else f"{total:,} up to date")
    return PROBLEMS if differ else OK


_KINDS = {"missing": "missing", "changed": "differs", "stale": "no longer made"}
