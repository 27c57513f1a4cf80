"""Late values: texts and conditions made of facts known only at install or in the pod."""

from collections.abc import Mapping

from chartgen.startup.records import NamedTuple


class Ordinal(NamedTuple):
    """Late: the replica's own index."""


class Rank(NamedTuple):
    """Late: the replica's index, counted on from the replicas of `RolePlan.rank_after`."""


class First(NamedTuple):
    """Late: 1 in the first replica of a role, and 0 in the others."""


class RuntimeId(NamedTuple):
    """Late: the runtime id, which is part of every object's name."""


class JobName(NamedTuple):
    """Late: the job's name, which is the chart's."""


class ReleaseName(NamedTuple):
    """Late: the release's name."""


class Namespace(NamedTuple):
    """Late: the namespace the release is installed in."""


class Account(NamedTuple):
    """Late: the service account the replica runs as."""


class KeySecret(NamedTuple):
    """Late: the name of the Secret with the ssh keys of the plan."""


class Image(NamedTuple):
    """Late: the image of a role; without a role, the replica's own."""

    role: str = ""


class Requested(NamedTuple):
    """Late: how much of a resource the replica requests, in CPUs or bytes."""

    resource: str
    least: int | None = None  # if set, rounded to a whole number and not below this


class Option(NamedTuple):
    """Late: the value of a framework option, such as "mars.timeout"."""

    name: str
    between: str = ","  # separates the items of a list


class Range(NamedTuple):
    """Late: two options that are numbers, as in "1:4"; Helm refuses a first above the second."""

    least: str
    most: str


class Size(NamedTuple):
    """Late: an option that is an amount of memory, in bytes; a share such as "20%" is kept."""

    option: str
    of: str = ""  # a resource: a share is then taken of the replica's request for it, if any
    percent: int = 100  # of the amount that the option names


class Count(NamedTuple):
    """Late: how many replicas a role has."""

    role: str
    at_most: str = ""  # an option that may ask for fewer


class Total(NamedTuple):
    """Late: how many replicas some roles have together."""

    roles: tuple[str, ...]
    times: str = ""  # an option that multiplies it, if that is a number


class Devices(NamedTuple):
    """Late: how many devices the replica requests, and at least 1."""

    unless: str = ""  # an option that says something else
    role: str = ""  # if set, those of the replicas of that role, without its overrides


class DeviceIds(NamedTuple):
    """Late: the numbers of the devices that the replica requests, from 0, as in "0,1,2"."""


class DeviceTotal(NamedTuple):
    """Late: how many devices all replicas of some roles request, each at least 1."""

    roles: tuple[str, ...]
    unless: str = ""  # an option that says something else for each


class Port(NamedTuple):
    """Late: the port a role listens on; without a role, the replica's own."""

    role: str = ""
    number: int | None = None  # that replica's port, which an override may change


class Host(NamedTuple):
    """Late: the DNS name of a replica; without a number, the replica's own."""

    role: str
    number: int | None = None
    port: bool = False  # whether ":PORT" follows


class Peers(NamedTuple):
    """Late: the addresses of all replicas of some roles, in a form of templates/lib/_peers.tpl."""

    roles: tuple[str, ...]
    form: str


class PeerList(NamedTuple):
    """Late: a text for every replica of some roles, such as a line of a hostfile."""

    roles: tuple[str, ...]
    item: str  # in it, {host}, {port}, {index}, {role} and {devices} are the replica's own
    between: str = ","
    unless: str = ""  # an option that says something else than {devices}, which are at least 1


class ShippedFile(NamedTuple):
    """The text of a file that is shipped in the chart, by its name in charts/job/files."""

    name: str
    when: "When" = None  # where the ConfigMap has it; the chart always does


class Pick(NamedTuple):
    """Late: one of several texts, chosen by an option at install; the first is the default."""

    option: str
    cases: tuple[tuple[str, "Text"], ...]


Fact = (
    RuntimeId
    | JobName
    | ReleaseName
    | Namespace
    | Account
    | KeySecret
    | Image
    | Requested
    | DeviceIds
    | Option
    | Range
    | Size
)
Number = Ordinal | Rank | First | Count | Total | Devices | DeviceTotal
Part = str | Number | Fact | Port | Host | Peers | PeerList | Pick
Text = tuple[Part, ...]


def text(*parts: Part) -> Text:
    """A text made of fixed and late parts."""
    return parts


class Chosen(NamedTuple):
    """A condition: an option has this value at install."""

    option: str
    case: str


class Given(NamedTuple):
    """A condition: an option is set at install, and not empty."""

    option: str


class Tensorboard(NamedTuple):
    """A condition: at install there is a TensorBoard beside the job, or there is none."""

    exists: bool


class Asks(NamedTuple):
    """A condition: the replica requests a resource."""

    resource: str


When = Chosen | Given | Tensorboard | Asks | None


class Only(NamedTuple):
    """Kubernetes fields, or words of a command line, that exist only where a condition holds."""

    part: "Tree"
    when: When


# Kubernetes fields, some with late texts; a field whose text is empty at install is left out.
Tree = Mapping[str, "Tree"] | list["Tree"] | Text | Only | Port | str | int | bool


class Words(NamedTuple):
    """Words of a command line, printed by the template chartgen.NAME in _FRAMEWORK.tpl."""

    name: str
