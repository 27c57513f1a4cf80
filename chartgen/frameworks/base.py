"""What a framework must state, as a Protocol that each framework's module itself fulfils."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import Plan


class Framework(Protocol):
    """A module in this package; its docstring is the manual page that `chartgen explain` prints."""

    __doc__: str | None
    NAME: str
    TITLE: str
    ROLES: Mapping[str, str]  # every role a job may have, with what it does
    FIRST: tuple[str, ...]  # the roles of a first job, which `chartgen init` begins with
    OPTIONS: Mapping[
        str, Any
    ]  # what may stand under the framework's name: of choices a tuple, else the default, or None
    CONTAINER: str  # the name of a pod's main container

    def check(self, job: Job, document: Document) -> Iterable[Problem]:
        """What the schema cannot say about a job of this framework."""
        ...

    def plan(self, job: Job) -> Plan:
        """The job's structure."""
        ...
