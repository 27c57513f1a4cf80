"""Forecasts of limits that otherwise show only at install: env strings, ConfigMaps and Helm's release record."""

import re
from collections.abc import Iterator

from chartgen import names
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job import Job
from chartgen.plan import ConfigKey, Env, Host, Ordinal, Part, Peers, Pick, Plan, RolePlan, ShippedFile, Text

ENV_STRING = 131_072  # Linux refuses a longer single string of environment or arguments
CONFIG_MAP = 1_048_576  # the API server refuses more data in one ConfigMap
RELEASE = 1_048_576  # and in the Secret that Helm keeps a release in

# What Helm's record of a release (gzip, then base64) takes, rounded up from what tests/test_limits.py measures.
RELEASE_BASE = 60_000
RELEASE_PER_REPLICA = 45

_REFERENCE = re.compile(r"\$\((\w+)\)")


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """A problem for each limit the job would meet, with the number and the limit."""
    sizes = Sizes(job, plan)
    for name, size in sizes.config_maps().items():
        if size > CONFIG_MAP:
            message = f"the ConfigMap {name!r} would hold {size:,} bytes; the limit is {CONFIG_MAP:,}"
            yield document.problem(("roles",), message, "config-size", plan.peers_hint, key=True)
    name, size = sizes.longest_env()
    if size > ENV_STRING:
        message = f"{name} would have {size:,} bytes; Linux allows {ENV_STRING:,} for one env string"
        yield document.problem(("roles",), message, "env-size", plan.peers_hint, key=True)
    total = sum(role.replicas for role in job.roles.values())
    size = RELEASE_BASE + RELEASE_PER_REPLICA * total
    if size > RELEASE:
        message = f"{total:,} replicas make Helm's release record about {size:,} bytes; the limit is {RELEASE:,}"
        yield document.problem(("roles",), message, "release-size", "split the job into several releases", key=True)


class Sizes:
    """How long the texts of a plan will be, late values filled in, without writing them."""

    def __init__(self, job: Job, plan: Plan) -> None:
        self.job = job
        self.plan = plan
        self.prefix = job.settings.get("namePrefix", "")
        self.runtime_id = str(job.settings.get("runtimeId", ""))

    def config_maps(self) -> dict[str, int]:
        """The bytes each config that lists peers will hold, by its name."""
        return {
            config.name: sum(
                len(key) + self.text(text) for key, text in config.data.items() if not isinstance(text, ShippedFile)
            )
            for config in self.plan.configs
        }

    def longest_env(self) -> tuple[str, int]:
        """The longest env string of any replica, with its name, as the kernel counts it: NAME=value and a zero byte."""
        longest = ("", 0)
        for role in self.plan.roles:
            if not self.job.replicas(role.name):
                continue
            sizes: dict[str, int] = {}
            for env in (*role.env, *(role.start.env if role.start else ())):
                sizes[env.name] = self._env(env, role, sizes)
                longest = max(longest, (env.name, len(env.name) + sizes[env.name] + 2), key=lambda item: item[1])
        return longest

    def _env(self, env: Env, role: RolePlan, before: dict[str, int]) -> int:
        if not isinstance(env.value, ConfigKey):
            return self.text(env.value, role) + sum(
                before[name] - len(f"$({name})")
                for part in self._chosen(env.value)
                if isinstance(part, str)
                for name in _REFERENCE.findall(part)
            )
        config = next(config for config in self.plan.configs if config.name == env.value.config)
        text = config.data["".join(map(str, self._chosen(env.value.key)))]
        assert not isinstance(text, ShippedFile), "env takes its text from the plan, not from a file"
        return self.text(text)

    def text(self, text: Text, role: RolePlan | None = None) -> int:
        """How long a text will be, in the last replica of a role."""
        return sum(self._part(part, role) for part in self._chosen(text))

    def _chosen(self, text: Text) -> Iterator[Part]:
        """The parts of a text, as the job's options choose them."""
        for part in text:
            if isinstance(part, Pick):
                yield from self._chosen(dict(part.cases)[self.job.options[part.option.rpartition(".")[2]]])
            else:
                yield part

    def _part(self, part: Part, role: RolePlan | None) -> int:
        if isinstance(part, str):
            return len(part)
        if isinstance(part, Peers):
            return self._peers(part)
        last = str(max(0, self.job.replicas(role.name) - 1)) if role else ""
        if isinstance(part, Ordinal):
            return len(last)
        if isinstance(part, Host):
            return len(self._name(part.role)) + len(last) + (len(self._port(part.role)) + 1 if part.port else 0)
        return len(self.runtime_id) or names.HASH

    def _peers(self, peers: Peers) -> int:
        present = [role for role in peers.roles if self.job.replicas(role)]
        size = sum(self._role_peers(role, peers.form) for role in present)
        between = len(present) if peers.form == "members" else max(0, len(present) - 1)
        return size + between + (2 if peers.form == "json" else 0)

    def _role_peers(self, role: str, form: str) -> int:
        count = self.job.replicas(role)
        address = len(self._name(role)) + 1 + len(self._port(role))
        size = count * (address + 1) - 1 + _digits_below(count)
        if form == "lines":
            return size
        if form == "spec":
            return size + len(role) + 1
        return size + 2 * count + len(role) + 5

    def _name(self, role: str) -> str:
        """A replica's name up to its index."""
        return names.replica(self.prefix, role, self.runtime_id, 0)[:-1]

    def _port(self, role: str) -> str:
        planned = next(planned.port for planned in self.plan.roles if planned.name == role)
        return str(self.job.roles[role].port or planned)


def _digits_below(count: int) -> int:
    """The digits of all numbers from 0 to count - 1."""
    total, power = count, 10
    while power < count:
        total += count - power
        power *= 10
    return total
