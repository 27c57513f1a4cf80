"""`python -m elasticdl.python.master.main`: hand out all records of a directory, then end."""

import os
import time
from argparse import Namespace
from pathlib import Path

from .. import args, process, rpc
from ..process import log
from .k8s_worker_manager import WorkerManager
from .task_queue import TaskQueue

LOOK = 0.5  # seconds between two checks for the end; the real one waits 30
GRACE = 1  # second for the worker of the last task to ask for another, as the 30 usually allow


def main(flags: Namespace) -> None:
    """Hand out tasks until all are done."""
    files = records(
        flags.training_data_dir or flags.evaluation_data_dir or flags.prediction_data_dir
    )
    tasks = TaskQueue(files, flags.records_per_task, flags.num_epochs)
    process.model(flags)  # the real one loads it too
    rpc.serve(flags.port, lambda message: answer(tasks, message))
    log(f"serving on port {flags.port}")
    workers = WorkerManager(flags, tasks) if flags.num_workers else None
    if workers:
        workers.start_workers()
    while not tasks.finished():
        time.sleep(LOOK)
    time.sleep(GRACE)
    if workers:
        workers.finish()
    log(f"records {tasks.records}, sum {tasks.sum}")
    os._exit(0)  # without waiting for its threads


def records(folder: str) -> dict[str, int]:
    """How many records each file of a directory has."""
    return {
        str(file): len(file.read_text().splitlines()) for file in sorted(Path(folder).iterdir())
    }


def answer(tasks: TaskQueue, message: rpc.Message) -> rpc.Message:
    """The answer to a worker: a task, to wait, or nothing if there is no more to do."""
    worker = message["worker_id"]
    if "done" in message:
        tasks.report(message["done"], message["result"])
        return {}
    given = tasks.get(worker)
    answered = (
        f"task {given['id']}" if "task" in given else "wait" if given["wait"] else "no more task"
    )
    log(f"worker {worker}: {answered}")
    return given


if __name__ == "__main__":
    process.run(args.master, main)
