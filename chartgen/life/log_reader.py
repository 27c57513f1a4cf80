"""Read the logs of a job: all there is, or line by line as they come."""

from collections.abc import Callable, Iterator, Sequence

from chartgen.errors import WorldError
from chartgen.life import logs
from chartgen.life.logs import LogSource
from chartgen.life.model import FAILED
from chartgen.life.release import live, read_status
from chartgen.startup.records import NamedTuple
from chartgen.world.cluster.api import PODS, Api
from chartgen.world.cluster.log_streams import LogStreams, read_all

TAIL = 20  # lines of each replica, if there are many and nothing else is asked for
_LOOK = 2.0  # seconds between two looks for new pods

LogLine = tuple[str, str]  # when it was written, and its text


class LogOptions(NamedTuple):
    """Which logs, and which of their lines."""

    which: str = ""  # a role, or a role and an index; all if empty
    container: str = ""  # the main one if empty
    since: float = 0.0  # seconds; 0 for all
    tail: int | None = None  # lines of each replica
    previous: bool = False  # of the container before its last restart
    follow: bool = False  # go on until the job has ended


class FollowCallbacks(NamedTuple):
    """How the caller gets what comes."""

    line: Callable[[LogSource, str, str], None]
    pause: Callable[[str], None]  # nothing more has come yet; why there is no log, if there is none


def find_sources(api: Api, release: str, options: LogOptions) -> list[LogSource]:
    """The containers to read, those of failed replicas first if the job has failed."""
    objects, status = read_status(api, release)
    sources = logs.sources(status, objects.pods, options.which, options.container)
    if not sources and not options.follow:
        raise WorldError(
            f"no replica of {release} has a pod, so there are no logs: {status.reason}"
        )
    return logs.failed_first(sources) if status.state == FAILED else sources


def read(
    api: Api, sources: Sequence[LogSource], options: LogOptions
) -> Iterator[tuple[LogSource, list[LogLine] | WorldError]]:
    """The log of each container, or why it cannot be read."""
    if len(sources) > 1 and options.tail is None and not options.since:
        options = options._replace(tail=TAIL)
    wanted = _query(options)
    texts = read_all(lambda source: [*_lines(api, source, wanted)], sources)
    yield from zip(sources, texts, strict=True)


def follow(api: Api, release: str, options: LogOptions, callbacks: FollowCallbacks) -> None:
    """Give all lines as they come, until the job has ended and all has been read."""
    streams: LogStreams[LogSource] = LogStreams(api, _query(options))
    try:
        with live(api, release) as kept:
            while True:
                objects, status = kept.current()
                for source in logs.sources(status, objects.pods, options.which, options.container):
                    streams.follow(source)
                streams.keep(logs.still_logging(objects.pods))
                for source, time, text in streams.lines(_LOOK):
                    callbacks.line(source, time, text)
                callbacks.pause("" if status.ended or streams.open else status.reason)
                if status.ended and not streams.open:
                    return
    finally:
        streams.close()


def _query(options: LogOptions) -> dict[str, str]:
    """What to ask for; always with times, by which a stream can be taken up again."""
    wanted = {"timestamps": "true"}
    if options.since:
        wanted["sinceSeconds"] = str(max(1, int(options.since)))
    if options.tail is not None:
        wanted["tailLines"] = str(options.tail)
    if options.previous:
        wanted["previous"] = "true"
    return wanted


def _lines(api: Api, source: LogSource, wanted: dict[str, str]) -> Iterator[LogLine]:
    path = api.path(PODS, name=f"{source.pod}/log")
    for line in api.lines(path, container=source.container, **wanted):
        time, _, text = line.decode(errors="replace").rstrip("\r\n").partition(" ")
        yield time, text
