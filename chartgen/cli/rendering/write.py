"""Write the charts or manifests of jobs, and say in a line how each went."""

import os
from argparse import Namespace

from chartgen.cli import screen
from chartgen.errors import OK, WorldError
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chartgen.outputs.base import Maker, Product, SharedFiles
    from chartgen.sources import CheckedSource


def write(
    make: "Maker", jobs: "list[CheckedSource]", shared: "list[SharedFiles]", args: Namespace
) -> int:
    """Make and write one after the other, after what all of them share."""
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
