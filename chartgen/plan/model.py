"""Plan: what a framework adds to the chart, with late values for the facts known only at install or in the pod."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Ordinal(NamedTuple):
    """Late: the replica's own index."""


class RuntimeId(NamedTuple):
    """Late: the id in every object's name."""


class JobName(NamedTuple):
    """Late: the job's name, which is the chart's."""


class Release(NamedTuple):
    """Late: the release's name."""


class Namespace(NamedTuple):
    """Late: the namespace that the release is installed in."""


class Account(NamedTuple):
    """Late: the service account that the replica runs under."""


class Image(NamedTuple):
    """Late: the image of a role, or the replica's own."""

    role: str = ""


class Asked(NamedTuple):
    """Late: how much of a resource the replica asks for: CPUs or bytes; with `least`, whole ones, so many at least."""

    resource: str
    least: int | None = None


class Option(NamedTuple):
    """Late: what an option of the framework's says, as "mars.timeout"; a list with `between` between its items."""

    name: str
    between: str = ","


class Size(NamedTuple):
    """Late: an option that is a quantity of memory, in bytes; a share, as "20%", stays as it is."""

    option: str
    of: str = ""  # a resource: a share is one of what the replica asks for of it, and nothing if it asks for none
    percent: int = 100  # of the size that is told


class Count(NamedTuple):
    """Late: how many replicas a role has; or, if an option asks for fewer, how many that says."""

    role: str
    at_most: str = ""


class Port(NamedTuple):
    """Late: the port a role listens on; with a number, that replica's, whose override may name one; or one's own."""

    role: str = ""
    number: int | None = None


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


Fact = RuntimeId | JobName | Release | Namespace | Account | Image | Asked | Option | Size
Part = str | Ordinal | Fact | Count | Port | Host | Peers | Pick
Text = tuple[Part, ...]


def text(*parts: Part) -> Text:
    """A text made of fixed and late parts."""
    return parts


class Chosen(NamedTuple):
    """A condition: an option is so chosen at install."""

    option: str
    case: str


class Given(NamedTuple):
    """A condition: an option is set at install, and not empty."""

    option: str


class Asks(NamedTuple):
    """A condition: the replica asks for a resource."""

    resource: str


When = Chosen | Given | Asks | None


class Only(NamedTuple):
    """A part of Kubernetes' own fields, or words of a command line, only where a condition holds."""

    part: "Tree"
    when: When


# Kubernetes' own fields, some with late texts; one whose text comes to nothing is left out.
Tree = Mapping[str, "Tree"] | list["Tree"] | Text | Only | Port | str | int | bool


class Words(NamedTuple):
    """Words of a command line that the framework's own template chartgen.NAME makes, in templates/_FRAMEWORK.tpl."""

    name: str


class Field(NamedTuple):
    """An environment variable's value, taken from the pod itself, as "status.podIP"."""

    path: str


class ConfigKey(NamedTuple):
    """An environment variable's value, taken from a key of a config."""

    config: str
    key: Text


class Env(NamedTuple):
    """An environment variable the framework sets."""

    name: str
    value: Text | ConfigKey | Field
    when: When = None
    default: bool = False  # whether one of the job's own takes its place; else the job cannot have one


class Config(NamedTuple):
    """A ConfigMap; one with `start_of` exists only while that role starts what the framework ships.

    One with an `option`, as "angel.hadoop", has the texts that the option holds by name, and exists if there are any.
    """

    name: str
    data: Mapping[str, Text | ShippedFile]
    start_of: str = ""
    option: str = ""


class Mount(NamedTuple):
    """A config as files in the container."""

    config: str
    volume: str
    path: str
    when: When = None


class Volume(NamedTuple):
    """A volume of the framework's own in the container; its source is Kubernetes' own."""

    name: str
    source: Mapping[str, Tree]
    path: str
    when: When = None


class Wait(NamedTuple):
    """An init container that lets the replica start once others are ready; files/wait.sh tells its variables."""

    name: str
    env: tuple[Env, ...]
    when: When = None


class Rule(NamedTuple):
    """What the pods of the roles that speak to the cluster's API may do there."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    when: When = None


class Service(NamedTuple):
    """One Service for all replicas of a role, of a type that may be chosen at install."""

    name: str
    role: str
    type: Text
    about: str  # what is reached by it, for people
    when: When = None


class Start(NamedTuple):
    """What runs in a role that names no command of its own, with the config it needs."""

    command: tuple[Text, ...]
    mount: Mount | None = None


class RolePlan(NamedTuple):
    """What a framework adds to every replica of one role; one without a port is not looked for by others."""

    name: str
    container: str
    port: int | None
    port_name: str
    service: bool
    labels: Mapping[str, Text]
    env: tuple[Env, ...]
    mounts: tuple[Mount, ...] = ()
    start: Start | None = None
    at_most: int | None = None
    at_least: int = 0
    command: tuple[Text, ...] = ()  # what runs unless the role has a command of its own
    args: tuple[Text | Words | Only, ...] = ()  # its arguments, before the role's own; of an Only, a list of texts
    fields: Mapping[str, Tree] = MappingProxyType({})  # of the container; the role's own `container` wins
    volumes: tuple[Volume, ...] = ()
    waits: tuple[Wait, ...] = ()
    api: bool = False  # whether its pods speak to the cluster's API
    takes: tuple[str, ...] = ()  # for a role without Jobs, whose words only feed other roles: which words it takes
    rescalable: bool = False  # whether its count is left out of the runtime id
    defaults: Mapping[str, Any] = MappingProxyType({})  # words of the role where the job has none

    @property
    def jobs(self) -> bool:
        """Whether there is a Job for each replica."""
        return not self.takes


class Plan(NamedTuple):
    """A job's structure, as its framework wants it; every number and string a user may turn is left to Helm."""

    title: str
    roles: tuple[RolePlan, ...]
    configs: tuple[Config, ...]
    decides: str  # the role whose end is the job's: that of its first replica; none if the job has no end of its own
    reserved_env: tuple[str, ...]
    peers_hint: str = ""  # what to do when the list of peers is too long
    decides_all: bool = False  # or that of all its replicas
    settled: tuple[str, ...] = ()  # options that shape the plan itself, and so are no values
    tensorboard_labels: Mapping[str, Text] = MappingProxyType({})  # those that the native system's users select by
    rules: tuple[Rule, ...] = ()
    services: tuple[Service, ...] = ()
    strays: Text = ()  # what selects pods that are made at run time and that Helm does not know
    reserved: Text = ()  # a name that only one release in a namespace may have
    cleanup: bool = False  # whether the clean-up is enabled unless the job says otherwise
    notes: tuple[str, ...] = ()  # what a person should know after the install, a paragraph each

    @property
    def replicated(self) -> Iterator[RolePlan]:
        """The roles that have Jobs."""
        return (role for role in self.roles if role.jobs)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of charts/job/files that must travel with the chart."""
        shipped = (value for config in self.configs for value in config.data.values() if isinstance(value, ShippedFile))
        return (*(value.name for value in shipped), *(("wait.sh",) if self.waits else ()))

    @property
    def waits(self) -> bool:
        """Whether any replica waits for others."""
        return any(role.waits for role in self.roles)
