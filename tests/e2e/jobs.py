"""What the tests need to know about a framework: its job, its parameters, and how it must end."""

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
    """A framework: the job that all tests use, and those that train."""

    name: str
    job: Path  # the description that is rendered
    roles: Counts  # how many replicas of each role the tests install, the role that decides first
    port: int
    addressed: tuple[str, ...]  # roles whose replicas have a name by which others can reach them
    # Runtime id, counts, role and index -> the variables and flags of a replica.
    parameters: Callable[[str, Counts, str, int], Mapping[str, Any]]
    # The parameters of a replica of the role `member` -> the addresses of its peers.
    peers: Callable[[Mapping[str, Any]], list[str]]
    grows: str  # a role whose count a user may change
    alone: Values  # values without what the machine lacks and what is beside the replicas
    trainings: Mapping[str, "Training"]
    # Whether more replicas of the role `grows` join a running job without changing it.
    joins: bool = False
    # How many replicas have the roles without Jobs, whose pods the job creates itself.
    made: Counts = MappingProxyType({})
    # Whether a killed replica ends the job, because it cannot be started a second time.
    once: bool = False

    @property
    def counts(self) -> Counts:
        """How many replicas each role has, with Jobs or without."""
        return {**self.roles, **self.made}

    @property
    def member(self) -> str:
        """A role with Jobs: the role that grows if it has Jobs, otherwise the one that decides."""
        return self.grows if self.grows in self.roles else next(iter(self.roles))


class Training(NamedTuple):
    """A run of the real framework: a job in any format, its values, and the expected result."""

    job: Path
    values: Values
    ends: tuple[str, ...]  # roles whose replicas complete, the one that decides first
    serves: tuple[str, ...]  # roles whose replicas keep running
    says: str  # a line that the first replica of the role that decides must print
    image: str = ""  # by default the one that is named after the framework


def rendered(job: Path, folder: Path, *options: str) -> Path:
    """The chart of a job in any format, made by the command that people type."""
    run(sys.executable, "-m", "chartgen", "render", job, *options, "-o", folder / "charts")
    # Beside a thin chart is the library that it depends on, which has no values of its own.
    (schema,) = (folder / "charts").glob("*/values.schema.json")
    return schema.parent


def probes(framework: Framework, image: str = images.tag("python")) -> dict[str, Any]:
    """Values that put a small probe in every replica, which prints its parameters and its name."""
    resources = {
        "requests": {"cpu": "20m", "memory": "32Mi"},
        "limits": {"cpu": 1, "memory": "128Mi"},
    }
    program = {"command": ["python", "/app/probe.py", str(framework.port)], "resources": resources}
    roles = {role: {**program, "replicas": count} for role, count in framework.roles.items()}
    made = {role: {"replicas": count} for role, count in framework.made.items()}
    return merged(framework.alone, {"image": image, "roles": {**roles, **made}})


def reported_parameters(release: Release, job: str) -> dict[str, Any]:
    """The variables and arguments that a Job's probe prints; JSON values are parsed."""
    # A pod is ready as soon as its process has started, before it has printed anything.
    log = until(lambda: release.logs(job), f"the probe of {job} prints its parameters")
    return {name: _data(value) for name, value in json.loads(log.splitlines()[0]).items()}


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
