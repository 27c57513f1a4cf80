"""What `render --diff` says: first what would happen, in words, which needs Helm."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from chartgen.cli import hidden, screen
from chartgen.cli.rendering import patch
from chartgen.errors import UsageError, WorldError
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # other commands do not need it
    from chartgen.errors import Problem
    from chartgen.gitops.changes import Changes, Field
    from chartgen.world.helm import Helm


class Preview(NamedTuple):
    """A directory that would be written, and the values that differ, in each environment."""

    target: str
    wanted: Mapping[str, str]  # none if it would be removed
    values: "Mapping[str, Sequence[Field]]"  # by environment; "" if there is none


def show(
    previews: Sequence[Preview], beside: Mapping[str, Mapping[str, str]], args: Namespace
) -> bool:
    """Print what would happen to each; whether that was possible."""
    from chartgen.report import changes, problems
    from chartgen.world import helm

    patch.check_usage(args)
    if args.output not in changes.FORMS:
        raise UsageError("--diff is text, json or markdown; --check has --output github")
    try:
        tool = helm.find(args.helm)
    except WorldError as error:
        patch.excuse(error, args)
        return False
    all_changes: list[Changes] = []
    refused: list[Problem] = []
    for preview in previews:
        all_changes += _foresee(preview, beside, tool, refused)
    screen.out(changes.FORMS[args.output](all_changes))
    if refused:
        screen.flush()
        shown = hidden.conceal_problems(refused)
        text = problems.report(shown, "text", colour=screen.colour(args.color, sys.stderr))
        screen.say(text.rstrip("\n"))
    return True


def _foresee(
    preview: Preview,
    beside: Mapping[str, Mapping[str, str]],
    tool: "Helm",
    refused: "list[Problem]",
) -> "Iterator[Changes]":
    """What happens to a directory: the same in several environments once, with their names."""
    from chartgen.report import changes
    from chartgen.verify.comparison import sides

    happens: dict[str, Changes] = {}
    environments: dict[str, list[str]] = {}
    for environment, values in preview.values.items():
        options = sides.SideOptions(tool, environment=environment)
        old, new = sides.preview(preview.target, preview.wanted, beside, options)
        for change in sides.compare(old, new):
            change = change._replace(values=values or change.values)
            text = changes.as_text([change])
            happens.setdefault(text, change)
            environments.setdefault(text, []).append(environment)
        refused += sides.problems(old, new, f" ({environment})" if environment else "")
    for text, change in happens.items():
        note = ", ".join(filter(None, environments[text])) if preview.wanted else "with --prune"
        yield change._replace(name=f"{change.name} ({note})") if note else change
