"""Plan: what a framework adds to the chart."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from chartgen.plan import restarts
from chartgen.plan.late import Only, Option, ShippedFile, Text, Tree, When, Words
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any, Literal

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class PodField(NamedTuple):
    """The value of an environment variable, from a field of the pod such as "status.podIP"."""

    path: str


class ConfigKey(NamedTuple):
    """The value of an environment variable, from a key of a config."""

    config: str
    key: Text


class Env(NamedTuple):
    """An environment variable the framework sets."""

    name: str
    value: Text | ConfigKey | PodField
    when: When = None
    default: bool = False  # whether the job may set it instead; if not, the job must not


class Config(NamedTuple):
    """A ConfigMap."""

    name: str
    data: Mapping[str, Text | ShippedFile]
    start_of: str = ""  # a role: the ConfigMap exists only while that role runs its `start`
    option: str = ""  # as "angel.hadoop": its entries are the data, and without any there is none
    when: When = None


class Mount(NamedTuple):
    """A config as files in the container."""

    config: str
    volume: str
    path: str
    when: When = None
    mode: int | None = None  # of the files, if they are programs


class Volume(NamedTuple):
    """A volume that the framework adds; its source is as Kubernetes writes it."""

    name: str
    source: Mapping[str, Tree]
    path: str | Option
    when: When = None


class Wait(NamedTuple):
    """An init container that waits until other replicas are ready; files/wait.sh reads its env."""

    name: str
    env: tuple[Env, ...]
    when: When = None
    hosts: str = ""  # a file of the role's mounts that lists them: HOSTS may be too long for env
    mount: Mount | None = None  # where that file is


class AccessRule(NamedTuple):
    """An RBAC rule for the pods of roles that use the Kubernetes API."""

    group: str
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    when: When = None


class Service(NamedTuple):
    """One Service for all replicas of a role."""

    name: str
    role: str
    type: Text
    about: str  # what it gives access to, for people
    when: When = None


class Start(NamedTuple):
    """What runs in a role without a command of its own, with the config it needs."""

    command: tuple[Text, ...]
    mount: Mount | None = None


class RolePlan(NamedTuple):
    """What a framework adds to every replica of a role."""

    name: str
    container: str
    port: int | None  # None if no other replica connects to it
    port_name: str
    service: bool
    labels: Mapping[str, Text]
    env: tuple[Env, ...]
    mounts: tuple[Mount, ...] = ()
    start: Start | None = None
    at_most: int | None = None
    at_least: int = 0
    command: tuple[Text, ...] = ()  # what runs unless the role has a command of its own
    args: tuple[Text | Words | Only, ...] = ()  # before the role's own; an Only holds a list
    fields: Mapping[str, Tree] = _EMPTY  # of the container; the role's own `container` wins
    pod: Mapping[str, Tree] = _EMPTY  # fields of the pod; the role's own `pod` wins
    volumes: tuple[Volume, ...] = ()
    waits: tuple[Wait, ...] = ()
    api: bool = False  # whether its pods use the Kubernetes API
    bare: str = ""  # the template that prints its replica as a pod and not a Job; NAMEName names it
    managed_by_framework: bool = False  # whether the framework creates its pods, not the chart
    watches: bool = False  # whether such pods read that bare pod, under the default account
    accepts: tuple[str, ...] = ()  # if so, the fields of the role that the framework can apply
    serves: bool = False  # whether it runs until it is stopped
    meets: bool = False  # whether all replicas meet at the port of the first
    rescalable: bool = False  # whether its count is left out of the runtime id
    rank_after: tuple[str, ...] = ()  # the roles whose replicas come before its own in a Rank
    defaults: Mapping[str, Any] = restarts.ALONE  # fields of the role where the job sets none
    lost_peer: int = 0  # the exit code of replicas that have lost another one, if they fail with it


class Plan(NamedTuple):
    """The structure of a job; every number and string that a user may change is left to Helm."""

    title: str
    roles: tuple[RolePlan, ...]
    configs: tuple[Config, ...]
    completion_role: str  # the role that ends the job; empty if the job runs until it is removed
    reserved_env: tuple[str, ...]
    peers_hint: str = ""  # what to do if the list of peers is too long
    completion: Literal["first", "all", "any"] = "first"  # which replicas of that role end the job
    fixed_options: tuple[str, ...] = ()  # options that shape the plan, and so are not values
    tensorboard_labels: Mapping[str, Text] = _EMPTY  # the ones users of the native system expect
    access_rules: tuple[AccessRule, ...] = ()
    services: tuple[Service, ...] = ()
    unmanaged_pods: Text = ()  # selects pods created at run time, which Helm does not know
    lock_name: Text = ()  # a name that only one release in a namespace may have
    ssh_keys: str = ""  # an option that names a Secret with them; a Job makes them if it is not set
    cleanup: bool = False  # whether replicas are released at the end unless the job says otherwise
    notation: bool = False  # whether texts of the job have late values: chartgen/plan/notation.py
    notes: tuple[str, ...] = ()  # what to know after the install, a paragraph each

    @property
    def replicated(self) -> Iterator[RolePlan]:
        """The roles that have a Job for each replica."""
        return (role for role in self.roles if not role.managed_by_framework)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of charts/job/files that the chart needs."""
        names = []
        for config in self.configs:
            for value in config.data.values():
                if isinstance(value, ShippedFile):
                    names.append(value.name)
        if self.waits:
            names.append("wait.sh")
        return tuple(names)

    @property
    def waits(self) -> bool:
        """Whether any replica waits for others."""
        return any(role.waits for role in self.roles)
