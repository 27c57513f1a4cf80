"""Compare the charts or manifests of jobs with the disk: where they differ, or what it means."""

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping

from chartgen.cli import screen
from chartgen.errors import OK, PROBLEMS
from chartgen.startup.typing import TYPE_CHECKING
from chartgen.words import verdict

if TYPE_CHECKING:
    from chartgen.cli.rendering.preview import Preview
    from chartgen.document import Document
    from chartgen.errors import Problem
    from chartgen.outputs.base import Maker, SharedFiles
    from chartgen.sources import CheckedSource


def compare(
    make: "Maker", jobs: "list[CheckedSource]", shared: "list[SharedFiles]", args: Namespace
) -> int:
    """Make one after the other, write none, and print how each differs from the existing one."""
    from chartgen.outputs import versions

    library = ""
    outdated: list[str] = []
    problems: list[Problem] = []
    for beside in shared:
        wanted = versions.settle_library(os.path.join(args.output_dir, beside.name), beside.files)
        library = versions.version_of(wanted)
        if _differs(beside.name, wanted, args, problems):
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
                differ += _differs(product.name, wanted, args, problems)
            step("")
    if args.diff:
        differ = _show(previews, {beside.name: beside.files for beside in shared}, args)
    elif args.output != "text":
        from chartgen.report import directories

        screen.out(directories.report(problems, args.output))
    if not args.quiet:
        screen.flush()
        for name in outdated:
            screen.say(f"{name} differs")
        screen.say(verdict(differ, len(jobs)) or f"{len(jobs):,} up to date")
    return PROBLEMS if differ or outdated else OK


def _differs(
    name: str, wanted: Mapping[str, str], args: Namespace, problems: "list[Problem]"
) -> bool:
    """Whether a directory is not as it would be written; prints where, or collects it."""
    from chartgen.report import directories
    from chartgen.world import files

    target = os.path.join(args.output_dir, name)
    differences = files.compare(target, wanted)
    edited = files.edited(target) if differences else []
    differing = [*directories.problems(target, differences, edited, len(wanted))]
    if args.output == "text":
        screen.out(directories.report(differing, "text"))
    problems += differing
    return bool(differences)


def _preview(target: str, wanted: Mapping[str, str], document: "Document") -> "Iterator[Preview]":
    """What would be written to a directory, if that differs from its content."""
    from chartgen.cli.rendering.preview import Preview
    from chartgen.project.make import changed_values_in
    from chartgen.world import files

    if files.compare(target, wanted):
        values = changed_values_in(target, wanted, "values.yaml", document)
        yield Preview(target, wanted, {"": values})


def _show(
    previews: "list[Preview]", beside: Mapping[str, Mapping[str, str]], args: Namespace
) -> int:
    """What would happen, in words, and as a patch if asked for; how many directories differ."""
    from chartgen.cli.rendering import patch, preview
    from chartgen.world import files

    worded = preview.show(previews, beside, args)
    if args.text or not worded:
        differences = []
        for target, wanted, _ in previews:
            differences += files.compare(target, wanted)
        patch.show(differences, args)
    return len(previews)
