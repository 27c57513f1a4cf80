"""Work on all cores where it pays: the same steps for each part of a list, in processes."""

import gc
import os
from collections.abc import Callable, Generator, Sequence

from chartgen.errors import InputError, WorldError
from chartgen.startup.typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Item = TypeVar("Item")
# A number is progress; every other message is the result of a step. What is sent back, before the
# next step, is whether there is to be one.
Work = Callable[[Sequence[Item]], Generator[Any, bool | None, None]]

# Objects between two searches for garbage. What is made lives until the end, and looking through it
# again and again takes a tenth of the time.
_RARELY = 200_000
PAYS = 64  # items of a part; starting a process takes as long as making a few charts


def cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


class Team:
    """Workers that take the same steps together, each with its part of the items."""

    def __init__(
        self,
        work: "Work[Item]",
        items: Sequence[Item],
        progress: Callable[[int], None],
        number: int = 0,
    ) -> None:
        number = number or cores()
        parts = max(1, min(number, len(items) // PAYS)) if hasattr(os, "fork") else 1
        self._progress = progress
        self._thresholds = gc.get_threshold()
        gc.set_threshold(max(_RARELY, self._thresholds[0]), *self._thresholds[1:])
        self._local: Generator[Any, bool | None, None] | None = None
        self._started = False
        self._processes: list[BaseProcess] = []
        self._pipes: list[Connection] = []
        if parts == 1:
            self._local = work(items)
            return
        from multiprocessing import get_context

        context = get_context("fork")  # the children know all that was read and imported
        for part in range(parts):
            ours, theirs = context.Pipe()
            arguments = (work, items[part::parts], theirs, ours)
            process = context.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._pipes.append(ours)

    def step(self) -> list[Any]:
        """Let all take the next step; the result of each."""
        if self._local:
            return [self._step_here(self._local)]
        if self._started:
            for pipe in self._pipes:
                pipe.send(True)
        self._started = True
        return self._collect()

    def _step_here(self, work: Generator[Any, bool | None, None]) -> Any:
        message = work.send(True) if self._started else next(work)
        self._started = True
        while isinstance(message, int):
            self._progress(message)
            message = next(work)
        return message

    def _collect(self) -> list[Any]:
        from multiprocessing.connection import wait

        results: dict[Any, Any] = {}
        while len(results) < len(self._pipes):
            waiting = [pipe for pipe in self._pipes if pipe not in results]
            for pipe in wait(waiting):
                message = _receive(pipe)
                if isinstance(message, int):
                    self._progress(message)
                else:
                    results[pipe] = message
        return [results[pipe] for pipe in self._pipes]

    def close(self) -> None:
        """End all workers; those that are in the middle of something are stopped."""
        gc.set_threshold(*self._thresholds)
        if self._local:
            self._local.close()
        for pipe in self._pipes:
            pipe.close()
        for process in self._processes:
            process.join(0.2)
            if process.is_alive():
                process.terminate()
                process.join()


def _receive(pipe: Any) -> Any:
    try:
        kind, message = pipe.recv()
    except (EOFError, ConnectionResetError):
        raise WorldError("a process of chartgen was killed; run the command again") from None
    if kind == "failed":
        raise message
    if kind == "bug":
        raise RuntimeError(message)
    return message


def _serve(work: "Work[Item]", items: Sequence[Item], pipe: Any, other_end: Any) -> None:
    """The life of a child."""
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets Ctrl-C too, and ends us
    other_end.close()
    steps = work(items)
    try:
        message = next(steps)
        while True:
            pipe.send(("said", message))
            if not isinstance(message, int):
                pipe.recv()
            message = steps.send(True)
    except StopIteration:
        pass
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the parent has ended
        pass
    except InputError as error:
        pipe.send(("failed", error))
    except WorldError as error:
        pipe.send(("failed", WorldError(str(error))))
    except Exception as error:  # noqa: BLE001  (the parent reports it)
        pipe.send(("bug", f"{type(error).__name__}: {error}"))
