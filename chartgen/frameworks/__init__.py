"""The frameworks chartgen knows: one module each, found by the name a job description gives."""

from importlib import import_module
from typing import cast

from chartgen.frameworks.base import Framework

# A module is imported only when a job asks for it: a render pays for one framework, not for all.
MODULES = {
    "tensorflow": "chartgen.frameworks.tensorflow",
    "mxnet": "chartgen.frameworks.mxnet",
    "elasticdl": "chartgen.frameworks.elasticdl",
    "angel": "chartgen.frameworks.angel",
    "mars": "chartgen.frameworks.mars",
}


def framework(name: str) -> Framework:
    """The framework of this name, which the schema has made sure of."""
    return cast(Framework, import_module(MODULES[name]))
