"""What the tests of every framework need to know of one: a job, what its replicas must be told, and how it must end."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.e2e import images
from tests.e2e.process import run
from tests.e2e.releases import Release, Values, merged
from tests.e2e.waiting import until

HERE = Path(__file__).parent
EXAMPLES = HERE.parent.parent / "values/jobs"

Counts = Mapping[str, int]


class Framework(NamedTuple):
    """A framework's row: the job that the tests of every framework use, and those that train."""

    name: str
    job: Path  # the description that is rendered
    roles: Counts  # how many replicas of each role the tests install, the role that decides first
    port: int
    addressed: tuple[str, ...]  # roles whose replicas have a name that others can reach them by
    told: Callable[[str, Counts, str, int], Mapping[str, Any]]  # runtime id, counts, role, index -> variables, flags
    peers: Callable[[Mapping[str, Any]], list[str]]  # what a replica of the role `member` is told -> addresses
    grows: str  # a role whose count a user may change
    alone: Values  # values that leave out what the machine lacks and what is beside the replicas
    trainings: Mapping[str, "Training"]
    joins: bool = False  # whether more replicas of the role that grows join a job that runs, and leave it as it is
    made: Counts = MappingProxyType({})  # how many of the roles without Jobs, whose pods the job makes itself
    once: bool = False  # whether a replica that is killed ends the job, because a second start would be another job

    @property
    def counts(self) -> Counts:
        """How many there are of each role, with Jobs or without."""
        return {**self.roles, **self.made}

    @property
    def member(self) -> str:
        """A role with Jobs, one of many if there is one: the role that grows, or else the one that decides."""
        return self.grows if self.grows in self.roles else next(iter(self.roles))


class Training(NamedTuple):
    """A run of the real framework: a job in any format, the values it is installed with, and what must come out."""

    job: Path
    values: Values
    ends: tuple[str, ...]  # roles whose replicas complete, the one that decides first
    serves: tuple[str, ...]  # roles whose replicas run on
    says: str  # a line that the first replica of the role that decides must print


def rendered(job: Path, folder: Path, *options: str) -> Path:
    """The chart of a job in any format, made by the command that people type."""
    run(sys.executable, "-m", "chartgen", "render", job, *options, "-o", folder / "charts")
    (chart,) = (folder / "charts").iterdir()
    return chart


def probes(framework: Framework, image: str = images.tag("python")) -> dict[str, Any]:
    """Values that put a small probe in every replica: it says what it was told and who it is."""
    resources = {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"cpu": 1, "memory": "128Mi"}}
    program = {"command": ["python", "/app/probe.py", str(framework.port)], "resources": resources}
    roles = {role: {**program, "replicas": count} for role, count in framework.roles.items()}
    made = {role: {"replicas": count} for role, count in framework.made.items()}
    return merged(framework.alone, {"image": image, "roles": {**roles, **made}})


def said(release: Release, job: str) -> dict[str, Any]:
    """What a Job's probe says it was told, by variables and by arguments; values that are JSON as data."""
    # A pod is ready as soon as its process has started, before that has said anything.
    log = until(lambda: release.logs(job), f"the probe of {job} says what it was told")
    return {name: _data(value) for name, value in json.loads(log.splitlines()[0]).items()}


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
