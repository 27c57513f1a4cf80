"""Late values as Go template text: expressions, conditions, and YAML scalars with holes.

Everything here is made of a framework's words, never of a user's, so quoting is safe. In the
templates, the dot is a dict: root, plan, id, and for a replica role, spec and index.
"""

from collections.abc import Iterator
from itertools import pairwise
from json import dumps

from chartgen.plan.late import (
    Account,
    Chosen,
    Count,
    DeviceIds,
    Devices,
    DeviceTotal,
    First,
    Given,
    Host,
    Image,
    JobName,
    KeySecret,
    Namespace,
    Option,
    Ordinal,
    Part,
    PeerList,
    Peers,
    Pick,
    Port,
    Range,
    Rank,
    ReleaseName,
    Requested,
    RuntimeId,
    Size,
    Tensorboard,
    Text,
    Total,
    When,
)
from chartgen.syntax.yaml.writer import scalar

_OPEN, _CLOSE = "{{ ", " }}"
_SIMPLE: dict[type, str] = {
    Ordinal: ".index",
    Rank: ".rank",
    First: ".first",
    RuntimeId: ".id",
    JobName: ".root.Chart.Name",
    ReleaseName: ".root.Release.Name",
    Namespace: ".root.Release.Namespace",
    Account: 'include "chartgen.account" .',
    KeySecret: 'include "chartgen.keySecret" .',
    DeviceIds: 'include "chartgen.deviceCount" (dict "spec" .spec) | int | until | join ","',
}
# What a replica requests, as data.
REQUESTS = 'include "chartgen.requests" .spec | fromJson'
# Facts of letters, digits, '-', '.' and ',' alone, so that they may be put between quotes.
_PLAIN = (
    *(Ordinal, Rank, First, Count, Total, Devices, DeviceTotal, DeviceIds, Requested),
    *(RuntimeId, JobName, ReleaseName, Namespace, KeySecret, Port, Host),
)


def hole(expression: str) -> str:
    """An expression where Helm is to print it."""
    return f"{_OPEN}{expression}{_CLOSE}"


def block(
    condition: str, lines: list[str], space: str, other: list[str] | None = None
) -> list[str]:
    """Lines that exist only where a condition holds, and perhaps others where it does not."""
    if not condition:
        return lines
    otherwise = [f"{space}{{{{- else }}}}", *other] if other else []
    return [f"{space}{{{{- if {condition} }}}}", *lines, *otherwise, f"{space}{{{{- end }}}}"]


def condition(when: When) -> str:
    """A condition of the plan; empty if there is none."""
    match when:
        case None:
            return ""
        case Chosen(option, case):
            return f"eq (toString {variable(option)}) {dumps(case)}"
        case Given(option):
            return f'include "chartgen.option" (dict "value" {variable(option)})'
        case Tensorboard(exists):
            return f"{'' if exists else 'not '}.root.Values.tensorboard"
        case _:
            return f"hasKey ({REQUESTS}) {dumps(when.resource)}"


def variable(option: str) -> str:
    """An option of a framework, of which each template has the group as a variable."""
    return f"${option}"


def alternatives(text: Text) -> list[tuple[str, Text]]:
    """The texts that one with choices may become: conditions and texts, the last without one.

    That is the first choice, which is the default: an option may be unset at install.
    """
    for index, part in enumerate(text):
        if isinstance(part, Pick):
            (_, default), *cases = part.cases
            chosen = [(condition(Chosen(part.option, name)), inner) for name, inner in cases]
            before, after = text[:index], text[index + 1 :]
            return [(case, (*before, *inner, *after)) for case, inner in (*chosen, ("", default))]
    return [("", text)]


def choice(first: tuple[str, Text], other: tuple[str, Text]) -> str:
    """An expression for one of two plain words; empty if they are anything else."""
    (case, chosen), (_, default) = first, other
    match chosen, default:
        case (str(yes),), (str(no),) if scalar(yes) == yes and scalar(no) == no:
            return f"ternary {dumps(yes)} {dumps(no)} ({case})"
    return ""


def string(text: Text) -> str:
    """An expression for a text without choices."""
    if len(text) == 1 and not isinstance(text[0], str):
        return expression(text[0])
    form = "".join(part.replace("%", "%%") if isinstance(part, str) else "%v" for part in text)
    words = [_argument(part) for part in text if not isinstance(part, str)]
    return " ".join(["printf", dumps(form, ensure_ascii=False), *words])


def yaml(text: Text) -> str:
    """A text without choices as a YAML scalar, which stays a string whatever its holes become."""
    parts = tuple(_join_literals(text))
    if not parts:
        return scalar("")
    if len(parts) == 1 and isinstance(parts[0], str) and "{{" not in parts[0]:
        return scalar(parts[0])
    if len(parts) == 1 and isinstance(parts[0], _PLAIN):
        return hole(f"{expression(parts[0])} | quote")
    if _fits_between_quotes(parts):
        shown = (
            part.replace("'", "''") if isinstance(part, str) else hole(expression(part))
            for part in parts
        )
        return f"'{''.join(shown)}'"
    return hole(f"{string(parts)} | toJson")


def _join_literals(text: Text) -> Iterator[Part]:
    """The same text: neighbouring literals as one, no empty ones, and hosts apart from ports."""
    literal = ""
    for part in text:
        for piece in _pieces(part):
            if isinstance(piece, str):
                literal += piece
                continue
            if literal:
                yield literal
            literal = ""
            yield piece
    if literal:
        yield literal


def _pieces(part: Part) -> tuple[Part, ...]:
    """A host with its port is three: the host, a colon, the port."""
    if isinstance(part, Host) and part.port:
        port = Port() if part.number is None else Port(part.role, part.number)
        return part._replace(port=False), ":", port
    return (part,)


def _fits_between_quotes(parts: tuple[Part, ...]) -> bool:
    for part, following in pairwise((*parts, "")):
        if isinstance(part, str):
            # A brace before a hole would be read as the beginning of the hole.
            if "{{" in part or not part.isprintable() or (part.endswith("{") and following != ""):
                return False
        elif not isinstance(part, _PLAIN):
            return False
    return True


def _argument(part: Part) -> str:
    text = expression(part)
    return f"({text})" if " " in text else text


def expression(part: Part) -> str:
    """What prints one late value."""
    if type(part) in _SIMPLE:
        return _SIMPLE[type(part)]
    match part:
        case Count(role, at_most):
            more = {"atMost": variable(at_most)} if at_most else {}
            return _include_here("count", role=dumps(role), **more)
        case Total(roles, times):
            listed = f"(list {' '.join(map(dumps, roles))})"
            more = {"times": variable(times)} if times else {}
            return _include("replicaTotal", root=".root", roles=listed, **more)
        case Devices() | DeviceTotal():
            return _devices(part)
        case Port("", _):
            return "int .spec.port"
        case Port(role, number):
            more = {} if number is None else {"number": str(number)}
            return _include("port", root=".root", role=dumps(role), **more)
        case Host(role, number, _):
            if number is None:
                return _include_here("replicaName", role=dumps(role))
            index = str(number)
            return _include("replicaName", root=".root", id=".id", role=dumps(role), index=index)
        case Peers() | PeerList():
            return _list(part)
        case _:
            return _fact(part)


def _devices(devices: Devices | DeviceTotal) -> str:
    more = {"unless": variable(devices.unless)} if devices.unless else {}
    if isinstance(devices, DeviceTotal):
        listed = f"(list {' '.join(map(dumps, devices.roles))})"
        return _include_here("deviceTotal", roles=listed, **more)
    if devices.role:
        return _include_here("roleDevices", role=dumps(devices.role), **more)
    return _include("deviceCount", spec=".spec", **more)


def _list(peers: Peers | PeerList) -> str:
    if isinstance(peers, Peers):
        texts = " ".join(map(dumps, (peers.form, *peers.roles)))
        return f'include "chartgen.peers" (list . {texts})'
    words = {
        "roles": f"(list {' '.join(map(dumps, peers.roles))})",
        "item": dumps(peers.item),
        "between": dumps(peers.between),
    }
    if peers.unless:
        words["unless"] = variable(peers.unless)
    return _include_here("peerList", **words)


def _fact(part: Part) -> str:
    match part:
        case Image(role):
            spec = f"(get .root.Values.roles {dumps(role)})" if role else ".spec"
            return _include("image", root=".root", spec=spec)
        case Requested(resource, least):
            more = {} if least is None else {"least": str(least)}
            return _include("requested", spec=".spec", resource=dumps(resource), **more)
        case Option(name, between):
            more = {} if between == "," else {"between": dumps(between)}
            return _include("option", value=variable(name), **more)
        case Range(least, most):
            pair = {"least": variable(least), "most": variable(most)}
            return _include("range", **pair, names=f"(list {dumps(least)} {dumps(most)})")
        case Size(option, resource, percent):
            more = (
                {"spec": ".spec", "resource": dumps(resource), "percent": str(percent)}
                if resource
                else {}
            )
            return _include("size", value=variable(option), **more)
        case _:
            raise TypeError(f"not a late value: {part!r}")


def _include_here(name: str, **words: str) -> str:
    """A template with these words over those of the dot; to merge, a 0 would be no word."""
    pairs = " ".join(f"{dumps(key)} {word}" for key, word in words.items())
    return f'include "chartgen.{name}" (merge (dict {pairs}) .)'


def _include(name: str, **words: str) -> str:
    pairs = " ".join(f"{dumps(key)} {word}" for key, word in words.items())
    return f'include "chartgen.{name}" (dict {pairs})'
