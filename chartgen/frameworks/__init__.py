"""The frameworks chartgen knows: one module each, found by the name a job description gives."""

from importlib import import_module
from typing import TYPE_CHECKING, cast

from chartgen.frameworks.base import Framework

if TYPE_CHECKING:  # mypy checks each module against the Protocol; nothing is imported at run time
    from chartgen.frameworks import angel, elasticdl, mars, mxnet, tensorflow

    _CHECKED: tuple[Framework, ...] = (angel, elasticdl, mars, mxnet, tensorflow)

# A module is imported only when a job asks for it: a render pays for one framework, not for all.
MODULES = {
    "tensorflow": "chartgen.frameworks.tensorflow",
    "mxnet": "chartgen.frameworks.mxnet",
    "elasticdl": "chartgen.frameworks.elasticdl",
    "angel": "chartgen.frameworks.angel",
    "mars": "chartgen.frameworks.mars",
}


def framework(name: str) -> Framework:
    """Load the framework of this name, which the schema has checked."""
    return cast(Framework, import_module(MODULES[name]))
