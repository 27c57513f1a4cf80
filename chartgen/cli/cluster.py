"""The cluster and the release that a command works on: options, times, and the connection."""

import gc
import re
import sys
from argparse import Namespace, _ArgumentGroup
from collections.abc import Iterator
from contextlib import contextmanager

from chartgen.cli import screen
from chartgen.cli.parser import Parser
from chartgen.errors import UsageError
from chartgen.startup.typing import TYPE_CHECKING
from chartgen.words import short

if TYPE_CHECKING:  # a mistyped command does without them
    from chartgen.report.status import Look
    from chartgen.world.cluster.api import Api

_OBJECTS = 10_000  # before Python looks for cycles: a command that follows a job may go on for days
_LONGEST = 10 * 366 * 86400.0  # seconds
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def add_release(parser: Parser, *, optional: bool = False) -> None:
    """RELEASE."""
    about = "the name that the chart was installed under"
    parser.add_argument("release", nargs="?" if optional else None, metavar="RELEASE", help=about)


def add_cluster(parser: Parser) -> _ArgumentGroup:
    """--namespace, --context and --kubeconfig, as kubectl and Helm take them."""
    group = parser.add_argument_group("the cluster")
    about = "by default that of the context"
    group.add_argument("-n", "--namespace", default="", metavar="NAME", help=about)
    about = "by default the current one"
    group.add_argument("--context", "--kube-context", default="", metavar="NAME", help=about)
    about = "by default $KUBECONFIG or ~/.kube/config"
    group.add_argument("--kubeconfig", default="", metavar="FILE", help=about)
    return group


@contextmanager
def connect(args: Namespace) -> "Iterator[Api]":
    """The cluster that the options name, until the end of the `with`."""
    from chartgen.world.cluster import api

    gc.set_threshold(_OBJECTS)
    server = api.connect(args.kubeconfig, args.context, args.namespace)
    try:
        yield server
    finally:
        server.close()


def look(args: Namespace) -> "Look":
    """How tables about the cluster are shown here and now."""
    from chartgen.report.status import Look
    from chartgen.world.cluster.api import now

    return Look(now(), screen.width(), screen.colour(args.color, sys.stdout))


def parse_duration(text: str, option: str) -> float:
    """Seconds, from a duration as Helm reads it: 90s, 5m, 1h30m; a bare number is seconds."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        text += "s"
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text)
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if "".join(map("".join, parts)) != text or not seconds:
        raise UsageError(f"{option} {text}: expected a time such as 90s, 5m or 1h30m")
    if seconds > _LONGEST:
        raise UsageError(f"{option} {short(text)}: expected a time of at most ten years")
    return seconds
