"""Which Mars a call of new_cluster was written for: 0.3 to 0.6, 0.7 to 0.10, or Xorbits."""

import re
from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.startup.records import NamedTuple
from chartgen.words import listed


class Dialect(NamedTuple):
    """A version of Mars: its name in descriptions, its roles, and what else distinguishes it."""

    name: str
    title: str
    roles: tuple[str, ...]
    image: str  # that of its newest release
    label: str = "mars/service-type"
    modules: str = "MARS_LOAD_MODULES"


SCHEDULERS = Dialect(
    "0.3", "Mars 0.3 to 0.6", ("scheduler", "worker", "web"), "marsproject/mars:v0.6.0"
)
SUPERVISORS = Dialect(
    "0.7", "Mars 0.7 to 0.10", ("supervisor", "worker"), "marsproject/mars:v0.10.0"
)
XORBITS = Dialect(
    "xorbits",
    "Xorbits",
    ("supervisor", "worker"),
    "xprobe/xorbits:v0.8.2-py3.10",
    "xorbits/service-type",
    "XORBITS_LOAD_MODULES",
)

# Arguments that only some have; all others are common to them.
_FIRST = ("scheduler_", "web_service_port", "web_extra_", "web_mem_limit_ratio")
_LATER = ("supervisor_", "web_port", "service_name")
_XORBITS = (
    "pip", "conda", "cluster_type", "external_storage", "use_local_image", "readiness_service_name",
)  # fmt: skip
_WEB = ("web_num", "web_cpu", "web_mem")  # taken by later Mars, too, and ignored
_LATER_IMAGE = re.compile(r"mars[^/:]*:v?0\.(?:[789]|1[0-9])\b")


def recognize(document: Document, module: str) -> Dialect:
    """The dialect of a call, by its import, its image and its arguments."""
    image = str(document.data.get("image", ""))
    keywords = tuple(document.data)
    if module.startswith("xorbits") or "xorbits" in image or set(_XORBITS) & {*keywords}:
        return XORBITS
    if _LATER_IMAGE.search(image) or any(word.startswith(_LATER) for word in keywords):
        return SUPERVISORS
    return SCHEDULERS


def check(document: Document, dialect: Dialect) -> Iterator[Problem]:
    """Arguments that this Mars does not have."""
    foreign: tuple[str, ...] = _FIRST
    if dialect is SCHEDULERS:
        foreign = (*_LATER, *_XORBITS)
    elif dialect is SUPERVISORS:
        foreign = (*_FIRST, *_XORBITS)
    else:
        foreign = (*_FIRST, *_WEB)
    for keyword in document.data:
        if keyword.startswith(foreign):
            message = (
                f"{dialect.title}, which this call is for, has no {keyword}; "
                f"its roles are {listed(dialect.roles, 'and')}"
            )
            hint = ""
            if keyword.startswith("scheduler_"):
                hint = f"did you mean supervisor_{keyword.removeprefix('scheduler_')}?"
            yield document.problem((keyword,), message, "mars-dialect", hint, key=True)
