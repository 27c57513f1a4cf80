"""What a framework states, as a Protocol that each framework's module fulfils."""

from collections.abc import Iterable, Mapping

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from chartgen.startup.typing import Any, Protocol


class Framework(Protocol):
    """A module of this package; its docstring is the manual page that `chartgen explain` prints."""

    __doc__: str | None

    @property
    def NAME(self) -> str:  # noqa: N802
        """The framework's name in a job description."""

    @property
    def TITLE(self) -> str:  # noqa: N802
        """The framework's name for people."""

    @property
    def ROLES(self) -> Mapping[str, str]:  # noqa: N802
        """Every role a job may have, with what it does; empty if a job names its own."""

    @property
    def FIRST(self) -> tuple[str, ...]:  # noqa: N802
        """The roles of the starter job that `chartgen init` prints."""

    @property
    def OPTIONS(self) -> Mapping[str, Any]:  # noqa: N802
        """Its options, each with its default: a tuple of choices (the first), a value, or None."""

    @property
    def CONTAINER(self) -> str:  # noqa: N802
        """The name of a pod's main container."""

    def check(self, job: Job, document: Document) -> Iterable[Problem]:
        """Check what the schema cannot say about a job of this framework."""

    def plan(self, job: Job) -> Plan:
        """Plan the structure of the job's chart."""
