"""The tasks of a job: ranges of records, each given to a worker, and again if that is lost."""

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple


class Task(NamedTuple):
    """Some records of a file."""

    file: str
    start: int
    end: int


class TaskQueue:
    """The tasks to do, those being done and by whom, and the result so far."""

    def __init__(self, files: Mapping[str, int], records_per_task: int, epochs: int) -> None:
        self._lock = threading.Lock()
        self._todo = [
            Task(file, start, min(start + records_per_task, count))
            for file, count in files.items()
            for start in range(0, count, records_per_task)
        ] * epochs
        self._doing: dict[int, tuple[int, Task]] = {}
        self._given = 0
        self.records = self.sum = 0

    def get(self, worker: int) -> dict[str, Any]:
        """The next task for a worker; else whether to wait, as another's task may come back."""
        with self._lock:
            if not self._todo:
                return {"wait": bool(self._doing)}
            self._given += 1
            task = self._todo.pop(0)
            self._doing[self._given] = (worker, task)
            return {"id": self._given, "task": task}

    def report(self, number: int, result: int | None) -> None:
        """A task is done, or has to be repeated; a task that was given to another is ignored."""
        with self._lock:
            _, task = self._doing.pop(number, (0, None))
            if task and result is None:
                self._todo.append(task)
            elif task and result is not None:
                self.records += task.end - task.start
                self.sum += result

    def recover(self, worker: int) -> list[int]:
        """Take back the tasks of a worker."""
        lost = [number for number, (whose, _) in self._doing.items() if whose == worker]
        for number in lost:
            self.report(number, None)
        return lost

    def finished(self) -> bool:
        with self._lock:
            return not self._todo and not self._doing
