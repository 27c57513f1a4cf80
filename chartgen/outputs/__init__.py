"""What a job can become: one module each, found by the name that --format gives."""

from importlib import import_module

from chartgen.startup.typing import TYPE_CHECKING, cast

# By name, what each is, as help says it. A module is imported only when it is needed: making a
# chart does not need Helm.
OUTPUTS = {
    "chart": "a Helm chart",
    "manifests": "plain YAML, without Helm",
}

if TYPE_CHECKING:  # mypy checks each module against the Protocol; nothing is imported at run time
    from chartgen.outputs import chart, manifests
    from chartgen.outputs.base import Output

    _CHECKED: tuple[Output, ...] = (chart, manifests)


def output(name: str) -> "Output":
    """The output of this name."""
    return cast("Output", import_module(f"chartgen.outputs.{name}"))
