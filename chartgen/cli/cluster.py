"""The cluster and the release that a command works on: options about them, and the connection."""

import gc
import sys
from argparse import Namespace, _ArgumentGroup
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.parser import Parser

if TYPE_CHECKING:  # a mistyped command does without them
    from chartgen.report.status import Look
    from chartgen.world.cluster.api import Api

_OBJECTS = 10_000  # before Python looks for cycles: a command that follows a job may go on for days


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
    there = api.connect(args.kubeconfig, args.context, args.namespace)
    try:
        yield there
    finally:
        there.close()


def look(args: Namespace) -> "Look":
    """How tables about the cluster are shown here and now."""
    from chartgen.report.status import Look
    from chartgen.world.cluster.api import now

    return Look(now(), screen.width(), screen.colour(args.color, sys.stdout))
