"""The logs of many containers at once, each followed through restarts without losing a line."""

import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Thread

from chartgen.errors import WorldError
from chartgen.startup.typing import Generic, Protocol, TypeVar
from chartgen.world.cluster.api import PODS, Api, ApiError

_AT_ONCE = 16  # logs that are read at the same time
_PAUSE = 1.0  # seconds before a stream that has ended is opened again


class Container(Protocol):
    """What is followed."""

    @property
    def pod(self) -> str:
        """The name of its pod."""

    @property
    def container(self) -> str:
        """Its name."""


Followed = TypeVar("Followed", bound=Container)
Read = TypeVar("Read")


def read_all(
    read: Callable[[Followed], Read], containers: Sequence[Followed]
) -> Iterator[Read | WorldError]:
    """What is read of each container, or why not, in their order; several are read at once."""
    from concurrent.futures import ThreadPoolExecutor

    def attempt(container: Followed) -> Read | WorldError:
        try:
            return read(container)
        except WorldError as error:
            return error

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(attempt, containers)


class Cursor:
    """How far a log has been read: a stream that is opened again repeats nothing, drops nothing."""

    def __init__(self) -> None:
        self._last = ""  # the time of the last line, as the server writes it
        self._same = 0  # lines of that very time
        self._skip = 0  # of them, those that will come again

    def reopen(self) -> str:
        """The time to read from when the stream is opened again; the server takes whole seconds."""
        self._skip = self._same
        return f"{self._last[:19]}Z" if self._last else ""

    def take(self, line: str) -> tuple[str, str] | None:
        """The time and the text of a line; None if it was read before."""
        when, _, text = line.rstrip("\r\n").partition(" ")
        if when < self._last:
            return None
        if when == self._last:
            if self._skip:
                self._skip -= 1
                return None
            self._same += 1
        else:
            self._last, self._same, self._skip = when, 1, 0
        return when, text


class LogStreams(Generic[Followed]):
    """The containers that are followed, and the lines that have come."""

    def __init__(self, api: Api, query: dict[str, str]) -> None:
        self._api, self._query = api, query
        self._lines: SimpleQueue[tuple[Followed, str, str]] = SimpleQueue()
        self._threads: dict[tuple[str, str], Thread] = {}
        self._pods: set[str] = set()
        self._over = Event()

    def follow(self, source: Followed) -> None:
        """Follow a container, unless that is done already."""
        key = source.pod, source.container
        if key not in self._threads:
            self._pods.add(source.pod)
            self._threads[key] = Thread(target=self._read, args=(source,), daemon=True)
            self._threads[key].start()

    def keep(self, pods: set[str]) -> None:
        """Stop following the pods that are not among these, once they have been read."""
        self._pods &= pods

    @property
    def open(self) -> bool:
        """Whether lines may still come."""
        return not self._lines.empty() or any(
            thread.is_alive() for thread in self._threads.values()
        )

    def lines(self, timeout: float) -> Iterator[tuple[Followed, str, str]]:
        """The lines that come within a time: the container, when it was written, and its text."""
        end = time.monotonic() + timeout
        while True:
            try:
                yield self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except Empty:
                return
            if time.monotonic() > end and self._lines.empty():
                return

    def close(self) -> None:
        """Stop."""
        self._over.set()
        self._api.end_streams()
        for thread in self._threads.values():
            thread.join(_PAUSE)

    def _read(self, source: Followed) -> None:
        cursor, query = Cursor(), dict(self._query)
        path = self._api.path(PODS, name=f"{source.pod}/log")
        while not self._over.is_set():
            alive = source.pod in self._pods
            try:
                for line in self._api.lines(
                    path, container=source.container, follow="true", **query
                ):
                    taken = cursor.take(line.decode(errors="replace"))
                    if taken:
                        self._lines.put((source, *taken))
            except ApiError as error:
                if error.code == 404:
                    return
            except WorldError:
                pass  # the server may come back; what watches the pods gives up if it does not
            if not alive:
                return
            if since := cursor.reopen():
                query = {"timestamps": "true", "sinceTime": since}
            self._over.wait(_PAUSE)
