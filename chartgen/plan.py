"""Plan: what a framework adds to the chart, with late values for the facts known only at install or in the pod."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Ordinal(NamedTuple):
    """Late: the replica's own index."""


class RuntimeId(NamedTuple):
    """Late: the id in every object's name."""


class JobName(NamedTuple):
    """Late: the job's name, which is the chart's."""


class Count(NamedTuple):
    """Late: how many replicas a role has."""

    role: str


class Port(NamedTuple):
    """Late: the port a role listens on."""

    role: str


class Host(NamedTuple):
    """Late: the name a replica is reached by, with its port if asked; without a number, the replica's own."""

    role: str
    number: int | None = None
    port: bool = False


class Peers(NamedTuple):
    """Late: the addresses of all replicas of some roles, in one of the forms of templates/_peers.tpl."""

    roles: tuple[str, ...]
    form: str


class ShippedFile(NamedTuple):
    """The text of a file that travels with the chart, by its name in charts/job/files."""

    name: str


class Pick(NamedTuple):
    """Late: one of several texts, by an option that the framework offers at install; the first case is the default."""

    option: str
    cases: tuple[tuple[str, "Text"], ...]


Part = str | Ordinal | RuntimeId | JobName | Count | Port | Host | Peers | Pick
Text = tuple[Part, ...]


def text(*parts: Part) -> Text:
    """A text made of fixed and late parts."""
    return parts


class ConfigKey(NamedTuple):
    """An environment variable's value, taken from a key of a config."""

    config: str
    key: Text


class Env(NamedTuple):
    """An environment variable the framework sets."""

    name: str
    value: Text | ConfigKey


class Config(NamedTuple):
    """A ConfigMap; one with `start_of` exists only while that role starts what the framework ships."""

    name: str
    data: Mapping[str, Text | ShippedFile]
    start_of: str = ""


class Mount(NamedTuple):
    """A config as files in the container; one with an option, only where that option is so chosen."""

    config: str
    volume: str
    path: str
    option: str = ""
    case: str = ""


class Start(NamedTuple):
    """What runs in a role that names no command of its own, with the config it needs."""

    command: tuple[Text, ...]
    mount: Mount


class RolePlan(NamedTuple):
    """What a framework adds to every replica of one role."""

    name: str
    container: str
    port: int
    port_name: str
    service: bool
    labels: Mapping[str, Text]
    env: tuple[Env, ...]
    mounts: tuple[Mount, ...] = ()
    start: Start | None = None
    at_most: int | None = None
    at_least: int = 0


class Plan(NamedTuple):
    """A job's structure, as its framework wants it; every number and string a user may turn is left to Helm."""

    title: str
    roles: tuple[RolePlan, ...]
    configs: tuple[Config, ...]
    decides: str
    reserved_env: tuple[str, ...]
    peers_hint: str = ""  # what to do when the list of peers is too long
    tensorboard_labels: Mapping[str, Text] = MappingProxyType({})  # those that the native system's users select by

    @property
    def files(self) -> tuple[str, ...]:
        """The files of charts/job/files that must travel with the chart."""
        shipped = (value for config in self.configs for value in config.data.values() if isinstance(value, ShippedFile))
        return tuple(value.name for value in shipped)
