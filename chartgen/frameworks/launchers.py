"""Commands that start processes on several replicas, and words of them that a chart must differ in.

A word with a `$` refers to a variable, and so to what the chart sets.
"""

from collections.abc import Iterator, Mapping

from chartgen.document import Path
from chartgen.job.model import Job
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any


class LauncherWord(NamedTuple):
    """A word of a role's command or args; several may be in one text, as after `sh -c`."""

    text: str
    path: Path

    @property
    def option(self) -> str:
        """The option that it begins, as in --node-rank=0, in one spelling; or nothing."""
        name = self.text.partition("=")[0]
        return name.lstrip("-").replace("-", "_") if name.startswith("-") else ""


def words(job: Job, role: str) -> list[LauncherWord]:
    """The command of a role, with the places of its words."""
    own = job.roles[role].spec
    launcher_words = []
    for field in ("command", "args"):
        at: Path = ("roles", role, field) if field in own else (field,)
        for number, text in enumerate(job.spec(role).get(field, ())):
            launcher_words += [LauncherWord(part, (*at, number)) for part in str(text).split()]
    return launcher_words


def find_program(
    command: list[LauncherWord], programs: Mapping[str, str]
) -> tuple[str, list[LauncherWord]]:
    """The first of these programs in a command, by its name, and the words after it."""
    for number, word in enumerate(command):
        name = word.text.rpartition("/")[2]
        if name in programs:
            return programs[name], command[number + 1 :]
    return "", []


def find_fixed(command: list[LauncherWord], options: Mapping[str, Any]) -> Iterator[LauncherWord]:
    """Words that give an option a value which is the same in every replica."""
    for number, word in enumerate(command):
        value = word.text.partition("=")[2]
        if not value and number + 1 < len(command):
            value = command[number + 1].text
        if word.option in options and "$" not in value:
            yield word
