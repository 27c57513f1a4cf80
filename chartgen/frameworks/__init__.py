"""The frameworks chartgen knows: one module each, found by the name a job description gives.

A name that is none of ours may be that of a module of another installed package.
"""

from collections.abc import Collection, Iterable
from functools import cache
from importlib import import_module

from chartgen import resources
from chartgen.frameworks.base import Framework
from chartgen.schema.walk import Schema
from chartgen.startup.typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:  # mypy checks each module against the Protocol; nothing is imported at run time
    from chartgen.frameworks import (
        angel,
        custom,
        elasticdl,
        jax,
        mars,
        mpi,
        mxnet,
        pytorch,
        tensorflow,
    )

    _CHECKED: tuple[Framework, ...] = (
        *(angel, custom, elasticdl, jax, mars),
        *(mpi, mxnet, pytorch, tensorflow),
    )

# A module is imported only when a job asks for it: a render pays for one framework, not for all.
MODULES = {
    "tensorflow": "chartgen.frameworks.tensorflow",
    "mxnet": "chartgen.frameworks.mxnet",
    "elasticdl": "chartgen.frameworks.elasticdl",
    "angel": "chartgen.frameworks.angel",
    "mars": "chartgen.frameworks.mars",
    "pytorch": "chartgen.frameworks.pytorch",
    "jax": "chartgen.frameworks.jax",
    "mpi": "chartgen.frameworks.mpi",
    "custom": "chartgen.frameworks.custom",
}


def framework(name: str) -> Framework:
    """Load the framework of this name, which the schema has checked."""
    if name in MODULES:
        return _own(name)
    from chartgen.frameworks import elsewhere  # most jobs do without it

    return elsewhere.framework(name)


@cache  # a project asks for the same ones thousands of times, and import_module is slow
def _own(name: str) -> Framework:
    return cast(Framework, import_module(MODULES[name]))


def names() -> list[str]:
    """All frameworks, those of other installed packages at the end."""
    from chartgen.frameworks import elsewhere  # as above

    return [*MODULES, *elsewhere.names()]


def option_groups(keys: Iterable[str]) -> Collection[str]:
    """The names of the fields with options; those of other packages if one of the keys needs it."""
    fields = resources.data("schemas/job.schema.json")["properties"]
    return MODULES if all(key in fields for key in keys) else names()


def job_schema(name: Any) -> Schema:
    """The schema of descriptions of jobs of a framework; other packages have their say if need be.

    What is not one of their names either is refused by the schema, which then knows all of them.
    """
    if isinstance(name, str) and name not in MODULES:
        from chartgen.frameworks import elsewhere  # as above

        if elsewhere.names():
            return elsewhere.job_schema()
    schema: Schema = resources.data("schemas/job.schema.json")
    return schema
