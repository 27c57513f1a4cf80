"""The status of jobs, as people and programs read it: tables, JSON and YAML."""

from collections.abc import Iterable, Iterator, Sequence

from chartgen.k8s import times
from chartgen.k8s.times import age
from chartgen.life.events import Event
from chartgen.life.model import (
    FAILED,
    PENDING,
    RESTARTING,
    RUNNING,
    SUCCEEDED,
    WAITING,
    Replica,
    RoleStatus,
    Status,
)
from chartgen.report.problems import safe
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.words import short

_MANY = 12  # replicas of a role that are shown one by one
_SHOWN = 10  # of more, those that are in another state than most
# Colours that can be read on light and on dark ground: no yellow, no white, no grey.
_COLOURS = {
    **dict.fromkeys((RUNNING, SUCCEEDED, "Done"), "32"),
    FAILED: "31",
    **dict.fromkeys((PENDING, RESTARTING, WAITING, "Warning"), "35"),
}
_HEAD = ("REPLICA", "STATE", "RESTARTS", "EXIT", "NODE", "AGE", "WHY")
_WIDEST = {"NODE": 24}
_GAP = "  "
_ENDLESS = 100_000  # columns, for what is not cut


class Look(NamedTuple):
    """How tables are shown: when, on how many columns, and whether in colours."""

    now: float
    width: int
    colour: bool = False


def report(status: Status, form: str, look: Look) -> str:
    """A job, for people or for programs."""
    return text(status, look) if form == "text" else dump(data(status), form)


def text(status: Status, look: Look) -> str:
    """A job: phase, state and reason, then its replicas."""
    now, width, colour = look
    words = [status.phase] if status.phase == status.state else [status.phase, status.state]
    shown = ", ".join(_paint(word, word, colour) for word in words)
    head = f"{safe(status.release)} in {safe(status.namespace)}: {shown}"
    if status.since is not None:
        head += f", {age(now - status.since)} old"
    rows = [_HEAD, *_rows(status, now)]
    lines = [head, *_wrap(safe(status.reason), width), ""]
    lines += _explain(rows, [row[0] for row in rows], width, colour)
    return "".join(f"{line}\n" for line in lines)


def _explain(
    rows: Sequence[tuple[str, ...]], names: Sequence[str], width: int, colour: bool
) -> Iterator[str]:
    """A table whose last column is why; where it does not fit, below the table, under names."""
    if max(map(len, _table(rows, _ENDLESS, colour=False))) <= width:
        yield from _table(rows, width, colour)
        return
    yield from _table([row[:-1] for row in rows], width, colour)
    causes = zip(names[1:], (row[-1] for row in rows[1:]), strict=True)
    yield from _causes(causes, width)


def _causes(causes: Iterable[tuple[str, str]], width: int) -> Iterator[str]:
    """Each cause once, whole, with the names of those concerned."""
    concerned: dict[str, list[str]] = {}
    for name, cause in causes:
        if cause:
            concerned.setdefault(cause, []).append(name)
    if concerned:
        yield ""
    for cause, names in concerned.items():
        first, *more = _wrap(f"{', '.join(names)}: {cause}", width - len(_GAP))
        yield first
        yield from (f"{_GAP}{line}" for line in more)


def _wrap(sentence: str, width: int) -> Iterator[str]:
    line = ""
    for word in sentence.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def _rows(status: Status, now: float) -> Iterator[tuple[str, ...]]:
    for role in status.roles:
        if len(role.replicas) <= _MANY:
            for replica in role.replicas:
                yield _row(replica, now)
        else:
            yield from _fold(role, now)


def _fold(role: RoleStatus, now: float) -> Iterator[tuple[str, ...]]:
    """Most replicas in a line, then those that differ, as far as they can be shown."""
    counts: dict[str, int] = {}
    for replica in role.replicas:
        counts[replica.word] = counts.get(replica.word, 0) + 1
    usual = max(counts, key=lambda word: (counts[word], word))
    others = [replica for replica in role.replicas if replica.word != usual]
    yield role.name, f"{counts[usual]:,} {usual}", "", "", "", "", ""
    for replica in others[:_SHOWN]:
        yield _row(replica, now)
    for word, count in sorted(counts.items()):
        hidden = count - sum(replica.word == word for replica in others[:_SHOWN])
        if word != usual and hidden:
            yield role.name, f"{hidden:,} more {word}", "", "", "", "", ""


def _row(replica: Replica, now: float) -> tuple[str, ...]:
    return (
        safe(replica.name),
        replica.word,
        str(replica.restarts) if replica.restarts else "",
        "" if replica.exit_code is None else str(replica.exit_code),
        safe(replica.node),
        "" if replica.since is None else age(now - replica.since),
        safe(replica.cause.text),
    )


def _table(rows: Sequence[tuple[str, ...]], width: int, colour: bool) -> Iterator[str]:
    """Columns as wide as they need be, without empty ones; the last is cut at the width."""
    used = [0, 1]
    for n in range(2, len(rows[0])):
        if any(row[n] for row in rows[1:]):
            used.append(n)
    widths = {}
    for n in used:
        widest = max(len(row[n]) for row in rows)
        widths[n] = min(widest, _WIDEST.get(rows[0][n], widest))
    for row in rows:
        cells = []
        for n in used:
            cells.append(f"{short(row[n], widths[n]):{widths[n]}}")
        line = short(_GAP.join(cells).rstrip(), width)
        word = row[1].rpartition(" ")[2]
        yield line.replace(word, _paint(word, word, colour), 1) if colour and word else line


def _paint(shown: str, word: str, colour: bool) -> str:
    code = _COLOURS.get(word) if colour else None
    return f"\x1b[{code}m{shown}\x1b[0m" if code else shown


def listing(jobs: Sequence[Status], form: str, look: Look) -> str:
    """Several jobs, one in a line, with reasons that do not fit below them; or as data."""
    if form != "text":
        return dump({"releases": [data(job) for job in jobs]}, form)
    now, width, colour = look
    rows: list[tuple[str, ...]] = [
        ("RELEASE", "STATE", "NAMESPACE", "PHASE", "REPLICAS", "AGE", "WHY")
    ]
    for job in jobs:
        old = "" if job.since is None else age(now - job.since)
        count = f"{sum(1 for _ in job.replicas):,}"
        row = (job.release, job.state, job.namespace, job.phase, count, old, job.reason)
        rows.append(tuple(map(safe, row)))
    several = len({job.namespace for job in jobs}) > 1
    names = [f"{row[2]}/{row[0]}" if several else row[0] for row in rows]
    return "".join(f"{line}\n" for line in _explain(rows, names, width, colour))


def events(said: Sequence[Event], form: str, look: Look) -> str:
    """Events, one in a line, whole: a message that is cut says nothing; or as data."""
    if form != "text":
        return dump({"events": [event._asdict() for event in said]}, form)
    rows: list[tuple[str, ...]] = [("AGE", "TYPE", "REASON", "OBJECT", "MESSAGE")]
    for event in said:
        times = f" (x{event.times})" if event.times > 1 else ""
        old = "" if event.time is None else age(look.now - event.time)
        row = (old, event.kind, event.reason, event.about, f"{event.message}{times}")
        rows.append(tuple(map(safe, row)))
    return "".join(f"{line}\n" for line in _table(rows, _ENDLESS, look.colour))


def data(status: Status) -> dict[str, Any]:
    """The status field of the TfJob document, and more; the same for every framework."""
    return {
        "release": status.release,
        "namespace": status.namespace,
        "chart": status.chart,
        "runtimeId": status.runtime_id,
        "created": _time(status.since),
        "phase": status.phase,
        "state": status.state,
        "reason": status.reason,
        "controlPaused": status.stopped,
        "conditions": [],
        "replicaStatuses": [*map(_role_data, status.roles)],
        "replicas": [*map(_replica_data, status.replicas)],
    }


def _role_data(role: RoleStatus) -> dict[str, Any]:
    return {
        "tf_replica_type": role.name.upper(),
        "role": role.name,
        "state": role.state,
        "ReplicasStates": role.counts,
    }


def _replica_data(replica: Replica) -> dict[str, Any]:
    return {
        "name": replica.name,
        "role": replica.role,
        "index": int(replica.number) if replica.number.isdecimal() else None,
        "state": replica.state,
        "status": replica.word,
        "reason": replica.cause.text,
        "restarts": replica.restarts,
        "exitCode": replica.exit_code,
        "job": replica.job,
        "pod": replica.pod,
        "node": replica.node,
        "created": _time(replica.since),
    }


def _time(moment: float | None) -> str | None:
    return None if moment is None else times.text(moment)


def dump(data: dict[str, Any], form: str) -> str:
    """Data as JSON or YAML."""
    if form == "yaml":
        from chartgen.syntax.yaml.writer import emit

        return emit(data)
    from json import dumps

    return dumps(data, indent=2) + "\n"
