"""`python -m elasticdl.python.worker.main`: do the master's tasks until there are no more."""

import itertools
import time
import traceback
from argparse import Namespace

from .. import args, process, rpc
from ..process import log

WAIT = 5  # seconds until a worker that has to wait asks again


def main(flags: Namespace) -> None:
    """Ask for tasks until there are no more; a master that is not there is an error."""
    model = process.model(flags)
    while True:
        given = rpc.ask(flags.master_addr, worker_id=flags.worker_id)
        if "task" in given:
            log(f"task {given['id']}: {given['task']}")
            result = attempt(model, *given["task"])
            rpc.ask(flags.master_addr, worker_id=flags.worker_id, done=given["id"], result=result)
        elif given["wait"]:
            time.sleep(WAIT)
        else:
            log("no more task, stopping")
            return


def attempt(model: process.Model, file: str, start: int, end: int) -> int | None:
    """The result of a task; None after an error that a retry may solve; others end the worker."""
    try:
        with open(file, encoding="utf-8") as lines:
            return sum(map(model, itertools.islice(lines, start, end)))
    except RuntimeError:
        traceback.print_exc()
        return None


if __name__ == "__main__":
    process.run(args.worker, main)
