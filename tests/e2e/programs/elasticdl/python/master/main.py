"""`python -m elasticdl.python.master.main`: hand out the records of a directory, and end when all are done."""

import os
import time
from argparse import Namespace
from pathlib import Path

from .. import args, process, rpc
from ..process import log
from .k8s_worker_manager import WorkerManager
from .task_queue import TaskQueue

LOOK = 0.5  # seconds between two looks for the end; the real one takes 30
GRACE = 1  # seconds in which whoever did the last task may ask for another, as those 30 mostly leave it


def main(told: Namespace) -> None:
    """Hand out tasks until all are done."""
    files = records(told.training_data_dir or told.evaluation_data_dir or told.prediction_data_dir)
    tasks = TaskQueue(files, told.records_per_task, told.num_epochs)
    process.model(told)  # which the real one loads as well
    rpc.serve(told.port, lambda message: answer(tasks, message))
    log(f"serving on port {told.port}")
    workers = WorkerManager(told, tasks) if told.num_workers else None
    if workers:
        workers.start_workers()
    while not tasks.finished():
        time.sleep(LOOK)
    time.sleep(GRACE)
    if workers:
        workers.finish()
    log(f"records {tasks.records}, sum {tasks.sum}")
    os._exit(0)  # whatever its threads do


def records(folder: str) -> dict[str, int]:
    """How many records each file of a directory has."""
    return {str(file): len(file.read_text().splitlines()) for file in sorted(Path(folder).iterdir())}


def answer(tasks: TaskQueue, message: rpc.Message) -> rpc.Message:
    """What a worker is told: a task, to wait, or nothing if there is no more to do."""
    worker = message["worker_id"]
    if "done" in message:
        tasks.report(message["done"], message["result"])
        return {}
    given = tasks.get(worker)
    said = f"task {given['id']}" if "task" in given else "wait" if given["wait"] else "no more task"
    log(f"worker {worker}: {said}")
    return given


if __name__ == "__main__":
    process.run(args.master, main)
