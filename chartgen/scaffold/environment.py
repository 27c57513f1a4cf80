"""The jinja2 environment. Charts do without it: its import takes half as long as a cold start."""

from collections.abc import Mapping

from jinja2 import DictLoader, Environment, StrictUndefined

from chartgen import resources
from chartgen.startup.typing import Any
from chartgen.syntax.yaml.writer import scalar

# Brackets would collide with bash, and braces with Go templates.
SYNTAX: dict[str, Any] = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<%=",
    "variable_end_string": "%>",
    "comment_start_string": "<%#",
    "comment_end_string": "%>",
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "autoescape": False,  # the texts are YAML, where the filter `scalar` quotes what a person gave
}


def render(template: str, holes: Mapping[str, Any]) -> str:
    """The text of a template in charts/, with its holes filled."""
    environment = Environment(  # noqa: S701  as SYNTAX says
        **SYNTAX,
        undefined=StrictUndefined,
        loader=DictLoader({template: resources.text(f"charts/{template}")}),
    )
    environment.filters["scalar"] = scalar
    return environment.get_template(template).render(holes)
