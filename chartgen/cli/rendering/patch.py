"""The text of differences, below the words or, without Helm, in their place."""

from argparse import Namespace
from collections.abc import Iterable

from chartgen.cli import screen
from chartgen.errors import UsageError, WorldError
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chartgen.world.files import Difference


def check_usage(args: Namespace) -> None:
    """Programs get what happens, and people the text."""
    if args.text and args.output == "json":
        raise UsageError("--text goes with --output text or markdown, not with json")


def excuse(error: WorldError, args: Namespace) -> None:
    """Say why there are no words; programs get an error instead."""
    if args.output == "json":
        raise error
    screen.say(f"only the differences of the files are shown, not what would happen: {error}")
    if args.output == "markdown":  # readers of the comment do not see the log
        screen.out(
            "Saying what would happen needs Helm; only the differences of the files are shown.\n"
        )


def show(differences: "Iterable[Difference]", args: Namespace) -> None:
    """Print them as a patch."""
    from chartgen.world import files

    text = files.diff(differences)
    if text and args.output == "markdown":
        text = f"\n```diff\n{text}```\n"
    screen.out(text)
