"""What there is to know about a job on a cluster."""

from collections.abc import Iterator

from chartgen.startup.records import NamedTuple

# Phases and states, as the TfJob document has them.
CREATING, RUNNING, CLEAN_UP, FAILED, DONE = "Creating", "Running", "CleanUp", "Failed", "Done"
UNKNOWN, SUCCEEDED = "Unknown", "Succeeded"
# Of a replica, beside Running, Succeeded, Failed and Unknown; to the document all are Running.
PENDING, WAITING, RESTARTING = "Pending", "Waiting", "Restarting"
STOPPED, RELEASED = "Stopped", "Released"


class Cause(NamedTuple):
    """Why a replica does not run."""

    text: str
    lasting: bool = False  # whether waiting does not help


class Replica(NamedTuple):
    """One replica, as its Job and its newest pod have it."""

    role: str
    number: str  # its index, or nothing
    word: str
    restarts: int = 0
    node: str = ""
    since: float | None = None  # when its pod was created
    exit_code: int | None = None  # of its last end
    cause: Cause = Cause("")
    pod: str = ""
    job: str = ""
    started: bool = False  # whether its program ever ran
    on_node: bool = False  # whether its pod still holds what it requests

    @property
    def name(self) -> str:
        """worker-3"""
        return f"{self.role}-{self.number}" if self.number else self.role

    @property
    def state(self) -> str:
        """The word that the TfJob document has for it."""
        if self.word in (SUCCEEDED, FAILED, UNKNOWN):
            return self.word
        return UNKNOWN if self.word in (STOPPED, RELEASED) else RUNNING


class RoleStatus(NamedTuple):
    """The replicas of a role."""

    name: str
    replicas: tuple[Replica, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many replicas are in each state of the document."""
        numbers: dict[str, int] = {}
        for replica in self.replicas:
            numbers[replica.state] = numbers.get(replica.state, 0) + 1
        return numbers

    @property
    def state(self) -> str:
        """Failed if one failed, else Running if one runs, else Succeeded if all succeeded."""
        counts = self.counts
        for state in (FAILED, RUNNING):
            if counts.get(state):
                return state
        return SUCCEEDED if counts.keys() == {SUCCEEDED} else UNKNOWN


class Status(NamedTuple):
    """A job."""

    release: str
    namespace: str
    chart: str
    runtime_id: str
    phase: str
    state: str
    reason: str
    stopped: bool
    roles: tuple[RoleStatus, ...]
    since: float | None  # when its first Job was created
    endless: bool = False  # whether no replica decides its end: it runs until it is removed

    @property
    def ended(self) -> bool:
        """Whether it is decided how the job ends."""
        return self.state in (SUCCEEDED, FAILED)

    @property
    def replicas(self) -> Iterator[Replica]:
        """All replicas."""
        for role in self.roles:
            yield from role.replicas
