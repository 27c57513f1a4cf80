"""The defaults of kits, laid under every job description."""

from collections.abc import Callable, Sequence

from chartgen import frameworks
from chartgen.document import Document
from chartgen.job.defaults import lay_defaults
from chartgen.kits.model import Kit


def completer(
    kits: Sequence[Kit], above: Callable[[Document], Document] | None
) -> Callable[[Document], Document]:
    """The function that adds defaults: those of a project win, then those of the last kit."""

    def complete(document: Document) -> Document:
        if above:
            document = above(document)
        for kit in reversed(kits):
            own = [key for key in kit.defaults.data if key != kit.name]
            groups = frameworks.option_groups(own)
            document = lay_defaults(document, kit.defaults, kit.registry, groups)
        return document

    return complete


def groups(kits: Sequence[Kit]) -> dict[str, str]:
    """The schemas of the values that the kits add, by their names."""
    return {kit.name: kit.group for kit in kits if kit.group}
