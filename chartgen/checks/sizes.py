"""Forecasts of limits that otherwise show only at install: env strings, ConfigMaps and Helm's release record."""

import re
from collections.abc import Iterator, Mapping
from json import dumps
from typing import Any

from chartgen.checks.env import ENV_STRING
from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import Job, ends
from chartgen.plan import names
from chartgen.plan.model import (
    Account,
    Asked,
    Config,
    ConfigKey,
    Count,
    Env,
    Fact,
    Field,
    Host,
    Image,
    JobName,
    Namespace,
    Option,
    Ordinal,
    Peers,
    Pick,
    Plan,
    Port,
    Release,
    RolePlan,
    RuntimeId,
    ShippedFile,
    Size,
    Text,
)

CONFIG_MAP = 1_048_576  # the API server refuses more data in one ConfigMap
RELEASE = 1_048_576  # and in the Secret that Helm keeps a release in

# What Helm's record of a release (JSON, gzip, base64) takes: measured with Helm 3.17 at 1 to 10,000 replicas and
# rounded up; tests/helm/test_sizes.py makes such records and fails when these have to follow a change of charts/job.
_CHART = 102_000  # bytes of any chart, with its templates, schema and README
_SHIPPED = 15_200  # more for a file that travels with it and lands in a ConfigMap
_REPLICA = 76  # bytes of one more replica whose pod says nothing of its own
_REPEATED = 0.0105  # bytes of one more copy of a byte that gzip has seen
_JOB = 1_500  # bytes of a Job around what the description says of its pod
_WINDOW = 32_768  # bytes that gzip looks back
_ENTRY = 30  # bytes that an entry of JSON grows by as it is printed as YAML
_SHORT = 1_000  # bytes of a text that is not worth packing to know how long it gets
_TWICE = 2.3  # a text stands in the values and in the manifest

_NAME = 53  # characters of a release's name at most; about as many for other names of the cluster
_Chosen = str | Ordinal | Fact | Count | Port | Host | Peers
_REFERENCE = re.compile(r"\$\((\w+)\)")


def check(job: Job, plan: Plan, document: Document) -> Iterator[Problem]:
    """A problem for each limit the job would meet, with the number and the limit."""
    sizes = Sizes(job, plan)
    for name, size in sizes.config_maps().items():
        if size > CONFIG_MAP:
            message = f"the ConfigMap {name!r} would hold {size:,} bytes; the limit is {CONFIG_MAP:,}"
            yield document.problem(("roles",), message, "config-size", _FEWER, key=True)
    name, size = sizes.longest_env()
    if size > ENV_STRING:
        message = f"{name} would have {size:,} bytes; Linux allows {ENV_STRING:,} for one env string"
        yield document.problem(("roles",), message, "env-size", _way_out(job, plan), key=True)
    size = sizes.release()
    if size > RELEASE:
        total = sum(role.replicas for role in job.roles.values())
        message = f"{total:,} replicas make Helm's record of the release about {size:,} bytes; the limit is {RELEASE:,}"
        hint = "use fewer replicas, or keep long texts out of their pods, in a ConfigMap of your own"
        yield document.problem(("roles",), message, "release-size", hint, key=True)


def _way_out(job: Job, plan: Plan) -> str:
    """The framework's way out of a list that is too long, unless the job takes it already."""
    values = [env.value for role in plan.roles for env in role.env]
    texts = (value.key if isinstance(value, ConfigKey) else value for value in values if not isinstance(value, Field))
    picks = (part for text in texts for part in text)
    options = {pick.option.rpartition(".")[2]: pick.cases for pick in picks if isinstance(pick, Pick)}
    taken = any(job.options[option] != cases[0][0] for option, cases in options.items())
    return _FEWER if taken else plan.peers_hint


_FEWER = "use fewer replicas, or a shorter namePrefix"  # a ConfigMap lists all of them in any form


class Sizes:
    """How long the texts of a plan will be, late values filled in, without writing them."""

    def __init__(self, job: Job, plan: Plan) -> None:
        self.job = job
        self.plan = plan
        self.prefix = job.settings.get("namePrefix", "")
        self.runtime_id = str(job.settings.get("runtimeId", ""))

    def config_maps(self) -> dict[str, int]:
        """The bytes of data that each ConfigMap made of late values will hold, by its name."""
        return {
            config.name: sum(self.text(text) for text in config.data.values() if not isinstance(text, ShippedFile))
            + sum(len(text.encode()) for text in self._given(config).values())
            for config in self.plan.configs
        }

    def _given(self, config: Config) -> Mapping[str, str]:
        """The texts of a config that an option holds."""
        texts: Mapping[str, str] = self.job.options.get(config.option.rpartition(".")[2], {})
        return texts

    def longest_env(self) -> tuple[str, int]:
        """The longest env string of any replica, with its name, as the kernel counts it: NAME=value and a zero byte."""
        longest = ("", 0)
        for role in self.plan.replicated:
            for name, size in self.env(role).items() if self.job.replicas(role.name) else ():
                longest = max(longest, (name, len(name) + size + 2), key=lambda item: item[1])
        return longest

    def env(self, role: RolePlan) -> dict[str, int]:
        """How long the framework's variables will be in the last replica of a role, by name."""
        sizes: dict[str, int] = {}
        for env in role.env:
            sizes[env.name] = self._env(env, role, sizes)
        return sizes

    def _env(self, env: Env, role: RolePlan, before: Mapping[str, int]) -> int:
        if isinstance(env.value, ConfigKey):
            config = next(config for config in self.plan.configs if config.name == env.value.config)
            text = config.data["".join(map(str, self._chosen(env.value.key)))]
            assert not isinstance(text, ShippedFile), "env takes its text from the plan, not from a file"
            return self.text(text)
        if isinstance(env.value, Field):
            return _NAME
        fixed = "".join(part for part in self._chosen(env.value) if isinstance(part, str))
        return self.text(env.value, role) + sum(
            before[name] - len(f"$({name})") for name in _REFERENCE.findall(fixed) if name in before
        )

    def text(self, text: Text, role: RolePlan | None = None) -> int:
        """How long a text will be, in the last replica of a role."""
        return sum(self._part(part, role) for part in self._chosen(text))

    def _chosen(self, text: Text) -> Iterator[_Chosen]:
        """The parts of a text, as the job's options choose them."""
        for part in text:
            if isinstance(part, Pick):
                yield from self._chosen(dict(part.cases)[self.job.options[part.option.rpartition(".")[2]]])
            else:
                yield part

    def _part(self, part: _Chosen, role: RolePlan | None) -> int:
        last = max(0, self.job.replicas(role.name) - 1) if role else 0
        match part:
            case str():
                return len(part)
            case Ordinal():
                return len(str(last))
            case RuntimeId() | JobName() | Release() | Namespace() | Account() | Image() | Asked() | Option() | Size():
                return self._fact(part)
            case Count(name, _):
                return len(str(self.job.replicas(name)))
            case Port(name, number):
                own = (role.name if role else "", last)
                return len(str(self._port(*((name, number) if name else own))))
            case Host(name, number, port):
                index = last if number is None else number
                size = len(names.replica(self.prefix, name, self.runtime_id, index))
                return size + len(f":{self._port(name, index)}") if port else size
            case _:
                return self._peers(part)

    def _fact(self, fact: Fact) -> int:
        match fact:
            case RuntimeId():
                return len(self.runtime_id) or names.HASH
            case JobName():
                return len(self.job.name)
            case Option(name) | Size(name):
                return len(str(self.job.options.get(name.rpartition(".")[2], "")))
            case _:
                return _NAME

    def _peers(self, peers: Peers) -> int:
        present = [role for role in peers.roles if self.job.replicas(role)]
        size = sum(self._role_peers(role, peers.form) for role in present)
        between = len(present) if peers.form == "members" else max(0, len(present) - 1)
        return size + between + (2 if peers.form == "json" else 0)

    def _role_peers(self, role: str, form: str) -> int:
        """One role's addresses and what stands between them: worker-76no-0:2222,worker-76no-1:2222."""
        count, port = self.job.replicas(role), len(str(self._port(role)))
        address = len(names.replica(self.prefix, role, self.runtime_id, 0)) - 1 + 1 + port
        size = count * (address + 1) - 1 + _digits_below(count)
        size += sum(len(str(own)) - port for own in self._ports(role).values())
        if form in ("lines", "list"):
            return size
        if form == "spec":
            return size + len(f"{role}|")
        return size + 2 * count + len(f'"{role}":[]')

    def _port(self, role: str, number: int | None = None) -> int:
        """The port of a role, or of one replica of it; 0 if the job lacks the role, which is a problem of its own."""
        planned = next((planned.port for planned in self.plan.roles if planned.name == role), None)
        if planned is None:
            return 0
        port = self.job.roles[role].port or planned
        return port if number is None else self._ports(role).get(number, port)

    def _ports(self, role: str) -> dict[int, int]:
        """The ports of the replicas whose override names one."""
        found: dict[int, int] = {}
        for key, override in self.job.roles[role].overrides.items():
            if "port" in override:
                found.update(dict.fromkeys(self._indices(role, key), override["port"]))
        return found

    def release(self) -> int:
        """About how long Helm's record of the release will be."""
        size = _CHART + _SHIPPED * len(self.plan.files) + _TWICE * _packed(self.job.settings)
        for role in self.plan.replicated:
            plain = self.job.replicas(role.name)
            size += _TWICE * _packed(self.job.spec(role.name))
            for key, override in self.job.roles[role.name].overrides.items():
                count = len(self._indices(role.name, key))
                plain -= count
                size += _TWICE * _packed(override) + count * _copy(self.job.spec(role.name, key))
            size += plain * _copy(self.job.spec(role.name))
        return round(size)

    def _indices(self, role: str, override: str) -> range:
        first, last = ends(override)
        return range(first, min(last + 1, self.job.replicas(role)))


def _digits_below(count: int) -> int:
    """The digits of all numbers from 0 to count - 1."""
    total, power = count, 10
    while power < count:
        total += count - power
        power *= 10
    return total


def _packed(data: Any) -> float:
    """How long data is after gzip and base64; a short text stays about as long as it is."""
    text = dumps(data)
    if len(text) < _SHORT:
        return len(text)
    from zlib import compress  # few jobs need it

    return len(compress(text.encode())) * 4 / 3


def _copy(spec: Mapping[str, Any]) -> float:
    """What one more replica with this pod adds to a release: little, unless gzip has forgotten the one before."""
    text = dumps(spec)
    length = len(text) + _ENTRY * text.count(",")
    forgotten = length + _JOB > _WINDOW
    return _REPLICA + (_packed(spec) + _JOB / 2 if forgotten else _REPEATED * length)
