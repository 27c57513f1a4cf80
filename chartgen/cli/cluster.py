"""The cluster and the release that a command works on: options about them, and what they hold."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chartgen.cli.parser import Parser
from chartgen.errors import MissingError

if TYPE_CHECKING:  # a mistyped command does without them
    from chartgen.life.find import Objects
    from chartgen.life.model import Status
    from chartgen.world.cluster.api import Api, Mirrors

_WARNINGS = {"fieldSelector": "type=Warning"}


def add_release(parser: Parser, *, optional: bool = False) -> None:
    """RELEASE."""
    about = "the name that the chart was installed under"
    parser.add_argument("release", nargs="?" if optional else None, metavar="RELEASE", help=about)


def add_cluster(parser: Parser) -> None:
    """--namespace, --context and --kubeconfig, as kubectl and Helm take them."""
    group = parser.add_argument_group("the cluster")
    about = "by default that of the context"
    group.add_argument("-n", "--namespace", default="", metavar="NAME", help=about)
    about = "by default the current one"
    group.add_argument("--context", "--kube-context", default="", metavar="NAME", help=about)
    about = "by default $KUBECONFIG or ~/.kube/config"
    group.add_argument("--kubeconfig", default="", metavar="FILE", help=about)


@contextmanager
def connect(args: Namespace) -> "Iterator[Api]":
    """The cluster that the options name, until the end of the `with`."""
    from chartgen.world.cluster import api

    there = api.connect(args.kubeconfig, args.context, args.namespace)
    try:
        yield there
    finally:
        there.close()


def queries(release: str) -> "Iterator[tuple[str, Mapping[str, str]]]":
    """What to ask for about a release."""
    from chartgen.life import find
    from chartgen.world.cluster.api import EVENTS, JOBS, PODS

    selected = {"labelSelector": find.of_release(release)}
    yield JOBS, selected
    yield PODS, selected
    yield EVENTS, _WARNINGS


def collect(api: "Api", release: str, *, all_events: bool = False) -> "Objects":
    """All there is about a release; MissingError if it is not one of ours."""
    from chartgen.life import find
    from chartgen.world.cluster.api import EVENTS

    found = {}
    for collection, query in queries(release):
        wanted = {} if all_events and collection == EVENTS else query
        found[collection] = api.list(collection, **wanted)[0]
    return complete(api, release, find.Objects(*found.values()))


def complete(api: "Api", release: str, objects: "Objects") -> "Objects":
    """The same with the pods that ElasticDL's master makes, which have only its own labels."""
    from chartgen.life import find
    from chartgen.world.cluster.api import JOBS, PODS

    jobs = find.replica_jobs(objects.jobs)
    if not jobs:
        others = api.list(JOBS, labelSelector=find.OURS)[0]
        raise MissingError(find.why_missing(release, api.namespace, others))
    known = {pod["metadata"].get("uid") for pod in objects.pods}
    for name in sorted({find.label(job, find.ELASTICDL) for job in jobs} - {""}):
        more = api.list(PODS, labelSelector=f"{find.ELASTICDL}={name}")[0]
        new = [pod for pod in more if pod["metadata"].get("uid") not in known]
        objects = objects._replace(pods=objects.pods + new)
    return objects


def mirrors(api: "Api", release: str) -> "Mirrors":
    """The same, kept up to date."""
    from chartgen.world.cluster.api import Mirrors

    return Mirrors(api, dict(queries(release)))


def current(api: "Api", release: str, kept: "Mirrors") -> "tuple[Objects, Status]":
    """What there is now, and the status that it means."""
    from chartgen.life import find
    from chartgen.life.status import status

    objects = complete(api, release, find.Objects(*kept.objects().values()))
    found = status(objects)
    if found is None:
        raise MissingError(f"{release} is gone")
    return objects, found


def switch(args: Namespace, *, suspend: bool) -> str:
    """Suspend or resume the Jobs of a release; what was done, in words."""
    from chartgen.life.switch import start, stop
    from chartgen.words import count
    from chartgen.world.cluster.api import JOBS

    with connect(args) as api:
        objects = collect(api, args.release)
        decided = (stop if suspend else start)(objects, args.release)
        if decided.refused:
            raise MissingError(decided.why_not)
        for name in decided.jobs:
            api.patch(api.path(JOBS, name=name), {"spec": {"suspend": suspend}})
    done = "stopped" if suspend else "started"
    return decided.why_not or f"{done} {args.release}: {count(len(decided.jobs), 'Job')}"
