"""Forecasts of limits that otherwise show at install: env strings, ConfigMaps, Helm's record."""

import re
from collections.abc import Iterator, Mapping

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.job.model import Job, ends
from chartgen.k8s import limits
from chartgen.plan import names
from chartgen.plan.late import (
    Count,
    DeviceIds,
    Devices,
    DeviceTotal,
    Fact,
    First,
    Host,
    JobName,
    Number,
    Option,
    Ordinal,
    PeerList,
    Peers,
    Pick,
    Port,
    Range,
    Rank,
    RuntimeId,
    ShippedFile,
    Size,
    Text,
    Total,
)
from chartgen.plan.model import ConfigKey, Env, Plan, PodField, RolePlan
from chartgen.pods import Pods
from chartgen.startup.json import dumps

# Bytes of Helm's record of a release, which is gzipped and base64-encoded JSON: measured with
# Helm 3.17 at 1 to 10,000 replicas and rounded up. tests/helm/test_sizes.py measures real records
# and fails when these numbers have to follow a change of charts/job.
_CHART = 88_000  # of any chart, with its templates, schema and README, and the clean-up
_CLOUDS = 26_500  # of cloud data and the templates that read it
_SHIPPED = 15_200  # of each file that is shipped in a ConfigMap
_REPLICA = 76  # of one more replica whose pod says nothing of its own
_REPEATED = 0.0105  # of each repeated byte that gzip has seen
_JOB = 1_500  # of a Job around what the description says about its pod
_WINDOW = 32_768  # that gzip looks back
_ENTRY = 30  # that an entry of JSON grows by when it is printed as YAML
_SHORT = 1_000  # of a text that is not worth compressing to know its size
_TWICE = 2.3  # times that a text counts, which is in the values and in the manifest
# A job with no more replicas and characters than these is far from every limit: its longest text
# lists its replicas a few times, and says what the job says. Measuring it would be in vain.
FEW_REPLICAS = 100
FEW_CHARACTERS = 20_000

_NAME = limits.RELEASE_NAME  # about as long as other names of the cluster
_DEVICES = 16  # of one replica, at most
_FEWER = "use fewer replicas, or a shorter namePrefix"
_ChosenPart = str | Number | Fact | Port | Host | Peers | PeerList
_REFERENCE = r"\$\((\w+)\)"


def check_sizes(pods: Pods, document: Document) -> Iterator[Problem]:
    """A problem for each limit that the job would exceed, with the number and the limit."""
    if _is_small(pods.job):
        return
    sizes = Sizes(pods.job, pods.plan)
    for name, size in sizes.config_maps().items():
        if size > limits.OBJECT_BYTES:
            message = f"the ConfigMap {name!r} would have {size:,} bytes"
            message += f"; the limit is {limits.OBJECT_BYTES:,}"
            yield document.problem(("roles",), message, "data-too-large", _FEWER, key=True)
    size = sizes.cleanup_role() if pods.cleanup else 0
    if size > limits.OBJECT_BYTES:
        message = f"the Role that names the Jobs for the clean-up would have {size:,} bytes"
        message += f"; the limit is {limits.OBJECT_BYTES:,}"
        yield document.problem(("roles",), message, "data-too-large", _FEWER, key=True)
    name, size = sizes.longest_env()
    if size > limits.ENV_STRING_BYTES:
        message = f"{name} would have {size:,} bytes"
        message += f"; Linux allows {limits.ENV_STRING_BYTES:,} for one env string"
        hint = _suggest_way_out(pods)
        yield document.problem(_where(pods.job, name), message, "env-too-long", hint, key=True)
    size = sizes.release(clouds=pods.needs_clouds)
    if size > limits.OBJECT_BYTES:
        replicas = sum(role.replicas for role in pods.job.roles.values())
        message = f"with {replicas:,} replicas Helm's record of the release has about"
        message += f" {size:,} bytes; the limit is {limits.OBJECT_BYTES:,}"
        hint = "use fewer replicas, or move long texts from their pods to a ConfigMap of your own"
        yield document.problem(("roles",), message, "release-too-large", hint, key=True)


def _where(job: Job, variable: str) -> Path:
    """Where a job sets a variable; its roles, if the framework does."""
    for role in job.roles.values():
        if variable in role.spec.get("env", {}):
            return "roles", role.name, "env", variable
    return ("env", variable) if variable in job.shared.get("env", {}) else ("roles",)


def _is_small(job: Job) -> bool:
    if sum(role.replicas for role in job.roles.values()) > FEW_REPLICAS:
        return False
    said = [job.shared, job.settings, job.options, [*job.roles.values()]]
    return len(dumps(said)) <= FEW_CHARACTERS


def _suggest_way_out(pods: Pods) -> str:
    """The framework's alternative to a list that is too long, unless the job already uses it."""
    for role in pods.plan.roles:
        for env in role.env:
            text = env.value.key if isinstance(env.value, ConfigKey) else env.value
            for part in () if isinstance(text, PodField) else text:
                if isinstance(part, Pick):
                    default, _ = part.cases[0]
                    if pods.job.options[_option_name(part.option)] != default:
                        return _FEWER
    return pods.plan.peers_hint


def _option_name(option: str) -> str:
    """The name of an option below its framework: "cluster" of "tensorflow.cluster"."""
    return option.rpartition(".")[2]


class Sizes:
    """How long the texts of a plan will be, with their late values, without writing them."""

    def __init__(self, job: Job, plan: Plan) -> None:
        self.job = job
        self.plan = plan
        self.prefix = job.settings.get("namePrefix", "")
        self.runtime_id = str(job.settings.get("runtimeId", ""))
        self._planned = {role.name: role.port for role in plan.roles}
        self._configs = {config.name: config.data for config in plan.configs}
        self._addresses = {role: self._size_of_addresses(role) for role in job.roles}

    def config_maps(self) -> dict[str, int]:
        """The bytes of data in each ConfigMap, by its name; shipped files are not counted."""
        sizes = {}
        for config in self.plan.configs:
            given: Mapping[str, str] = self.job.options.get(_option_name(config.option), {})
            size = sum(self._own_text(text) for text in given.values())
            for text in config.data.values():
                if not isinstance(text, ShippedFile):
                    size += self.text(text)
            sizes[config.name] = size
        return sizes

    def cleanup_role(self) -> int:
        """The bytes of the names of all Jobs, which the clean-up's Role lists: "worker-76no-0",."""
        size = 0
        for role in self.plan.replicated:
            count = self.job.replicas(role.name)
            prefix = len(names.replica(self.prefix, role.name, self.runtime_id, 0)) - 1
            size += count * (prefix + len('"",')) + _digits_below(count)
        return size

    def longest_env(self) -> tuple[str, int]:
        """The longest variable of any replica, in bytes: NAME=value and a zero byte."""
        longest = ("", 0)
        for role in self.plan.replicated:
            if not self.job.replicas(role.name):
                continue
            for name, length in self.env(role).items():
                size = len(name) + length + 2
                if size > longest[1]:
                    longest = (name, size)
        return longest

    def env(self, role: RolePlan) -> dict[str, int]:
        """The lengths of the framework's variables in the last replica of a role, by name."""
        sizes: dict[str, int] = {}
        if self.plan.notation:
            for name, value in self.job.spec(role.name).get("env", {}).items():
                if isinstance(value, str):
                    sizes[name] = self._own_text(value, role)
        for env in role.env:
            sizes[env.name] = self._env(env, role, sizes)
        return sizes

    def _env(self, env: Env, role: RolePlan, before: Mapping[str, int]) -> int:
        if isinstance(env.value, PodField):
            return _NAME
        if isinstance(env.value, ConfigKey):
            data = self._configs[env.value.config]
            text = data["".join(map(str, self._choose(env.value.key)))]
            assert not isinstance(text, ShippedFile), "env takes its text from the plan"
            return self.text(text)
        size = self.text(env.value, role)
        for part in self._choose(env.value) if before else ():
            for name in re.findall(_REFERENCE, part) if isinstance(part, str) else ():
                if name in before:
                    size += before[name] - len(f"$({name})")
        return size

    def _own_text(self, text: str, role: RolePlan | None = None) -> int:
        """How long a text of the job will be, with its late values if it has any."""
        if not self.plan.notation or "%{" not in text:
            return len(text.encode())
        from chartgen.plan import notation  # few jobs need it

        named = {planned.name: planned.service for planned in self.plan.roles}
        reader = notation.Reader(role.name if role else "", named)
        return self.text(notation.read(text, reader)[0], role)

    def text(self, text: Text, role: RolePlan | None = None) -> int:
        """How long a text will be, in the last replica of a role."""
        size = 0
        for part in self._choose(text):
            size += len(part) if isinstance(part, str) else self._part(part, role)
        return size

    def _choose(self, text: Text) -> list[_ChosenPart]:
        """The parts of a text, as the job's options choose them."""
        parts: list[_ChosenPart] = []
        for part in text:
            if isinstance(part, Pick):
                chosen = self.job.options[_option_name(part.option)]
                # A switch is true or false, as YAML spells them.
                case = str(chosen).lower() if isinstance(chosen, bool) else chosen
                parts += self._choose(dict(part.cases)[case])
            else:
                parts.append(part)
        return parts

    def _part(self, part: _ChosenPart, role: RolePlan | None) -> int:
        if isinstance(part, str):
            return len(part)
        if isinstance(part, Peers):
            return self._peers(part)
        if isinstance(part, PeerList):
            return self._peer_list(part)
        last = max(0, self.job.replicas(role.name) - 1) if role else 0
        match part:
            case Ordinal() | Rank() | First() | Count() | Total() | Devices() | DeviceTotal():
                return len(str(self._number(part, last)))
            case Port(""):
                return len(str(self._port(role.name, last))) if role else 1
            case Port(name, number):
                return len(str(self._port(name, number)))
            case Host(name, number, port):
                index = last if number is None else number
                size = len(names.replica(self.prefix, name, self.runtime_id, index))
                return size + len(f":{self._port(name, index)}") if port else size
            case _:
                return self._fact(part)

    def _number(self, number: Number, last: int) -> int:
        """A number in the last replica of a role; the largest it can be, where that is later."""
        match number:
            case Count(name, _):
                return self.job.replicas(name)
            case Total(roles, times):
                factor = self.job.options.get(_option_name(times), 1)
                total = sum(self.job.replicas(role) for role in roles)
                return total * factor if isinstance(factor, int) else total
            case DeviceTotal(roles, unless):
                each = int(self.job.options.get(_option_name(unless), _DEVICES))
                return each * sum(self.job.replicas(role) for role in roles)
            case Rank():
                return sum(role.replicas for role in self.job.roles.values())
            case First() | Devices():
                return 1
            case _:
                return last

    def _fact(self, fact: Fact) -> int:
        match fact:
            case RuntimeId():
                return len(self.runtime_id) or names.HASH
            case JobName():
                return len(self.job.name)
            case DeviceIds():
                return 1  # for a few devices a few characters more, which is not worth a count
            case Range(least, most):
                return self._fact(Option(least)) + 1 + self._fact(Option(most))
            case Option(name) | Size(name):
                return len(str(self.job.options.get(_option_name(name), "")))
            case _:
                return _NAME

    def _peers(self, peers: Peers) -> int:
        present = [role for role in peers.roles if self.job.replicas(role)]
        size = sum(self._role_peers(role, peers.form) for role in present)
        between = len(present) if peers.form == "members" else max(0, len(present) - 1)
        return size + between + (2 if peers.form == "json" else 0)

    def _role_peers(self, role: str, form: str) -> int:
        """One role's addresses as a form writes them."""
        size = self._addresses[role]
        if form in ("lines", "list"):
            return size
        if form == "spec":
            return size + len(role) + len("|")
        return size + 2 * self.job.replicas(role) + len(role) + len('"":[]')

    def _peer_list(self, peers: PeerList) -> int:
        present = [role for role in peers.roles if self.job.replicas(role)]
        size = len(peers.between) * max(0, len(present) - 1)
        devices = str(self.job.options.get(_option_name(peers.unless), 1))
        for role in present:
            name = names.replica(self.prefix, role, self.runtime_id, 0)[:-1] + "{index}"
            item = peers.item.replace("{role}", role).replace("{host}", name)
            item = item.replace("{devices}", devices)
            digits, ports = item.count("{index}"), item.count("{port}")
            bare = len(item.replace("{index}", "").replace("{port}", ""))
            count, port = self.job.replicas(role), len(str(self._port(role)))
            size += count * (bare + ports * port) + digits * _digits_below(count)
            size += len(peers.between) * (count - 1)
            for indices, own in self._ports(role):
                size += len(indices) * ports * (len(str(own)) - port)
        return size

    def _size_of_addresses(self, role: str) -> int:
        """One role's addresses with separators: worker-76no-0:2222,worker-76no-1:2222."""
        count, port = self.job.replicas(role), len(str(self._port(role)))
        address = len(names.replica(self.prefix, role, self.runtime_id, 0)) - 1 + 1 + port
        size = count * (address + 1) - 1 + _digits_below(count)
        for indices, own in self._ports(role):
            size += len(indices) * (len(str(own)) - port)
        return size

    def _port(self, role: str, number: int | None = None) -> int:
        """The port of a role, or of one replica; 0 if the job lacks the role, a problem itself."""
        planned = self._planned.get(role)
        if planned is None:
            return 0
        port = self.job.roles[role].port or planned
        if number is None:
            return port
        return next((own for indices, own in self._ports(role) if number in indices), port)

    def _ports(self, role: str) -> Iterator[tuple[range, int]]:
        """The ports that overrides set, each with the replicas that have it."""
        for key, override in self.job.roles[role].overrides.items():
            if "port" in override:
                yield self._indices(role, key), override["port"]

    def release(self, *, clouds: bool) -> int:
        """About how long Helm's record of the release will be, with or without cloud data."""
        chart = _CHART + _CLOUDS * clouds + _SHIPPED * len(self.plan.files)
        size = chart + _TWICE * _packed_size(dumps(self.job.settings))
        for role in self.plan.replicated:
            plain = self.job.replicas(role.name)
            spec = dumps(self.job.spec(role.name))
            size += _TWICE * _packed_size(spec)
            for key, override in self.job.roles[role.name].overrides.items():
                count = len(self._indices(role.name, key))
                plain -= count
                size += _TWICE * _packed_size(dumps(override))
                size += count * _copy(dumps(self.job.spec(role.name, key)))
            size += plain * _copy(spec)
        return round(size)

    def _indices(self, role: str, override: str) -> range:
        first, last = ends(override)
        return range(first, min(last + 1, self.job.replicas(role)))


def _digits_below(count: int) -> int:
    """How many digits all numbers from 0 to count - 1 have together."""
    total, power = count, 10
    while power < count:
        total += count - power
        power *= 10
    return total


def _packed_size(text: str) -> float:
    """The bytes of JSON after gzip and base64, which leave a short text about as long as it is."""
    if len(text) < _SHORT:
        return len(text)
    from zlib import compress  # few jobs need it

    return len(compress(text.encode())) * 4 / 3


def _copy(spec: str) -> float:
    """The bytes that one more replica adds: few, unless gzip has forgotten the one before."""
    length = len(spec) + _ENTRY * spec.count(",")
    forgotten = length + _JOB > _WINDOW
    return _REPLICA + (_packed_size(spec) + _JOB / 2 if forgotten else _REPEATED * length)
