"""Boosted trees with XGBoost, of whose data each worker has a part; worker 0 runs the tracker.

All rows of a worker have its rank as their only feature, and four times the rank, plus 1, as their
label: what a worker predicts for the others' ranks it can only have learned from them. Prints the
number of workers, the sum of their ranks + 1, and the predictions for all ranks.
"""

import os
import socket
import sys
import time

import numpy  # type: ignore[import-not-found]
import xgboost  # type: ignore[import-not-found]
from xgboost import collective
from xgboost.tracker import RabitTracker  # type: ignore[import-not-found]

PATIENCE = 60  # seconds


def main() -> None:
    host, port = os.environ["DMLC_TRACKER_URI"], int(os.environ["DMLC_TRACKER_PORT"])
    task, count = os.environ["DMLC_TASK_ID"], int(os.environ["DMLC_NUM_WORKER"])
    tracker = RabitTracker(count, "0.0.0.0", port, sortby="task") if task == "0" else None
    if tracker:
        tracker.start()
    with collective.CommunicatorContext(
        dmlc_tracker_uri=resolved(host),
        dmlc_tracker_port=port,
        dmlc_task_id=task,
        dmlc_retry=PATIENCE,
    ):
        size, rank = collective.get_world_size(), collective.get_rank()
        total = collective.allreduce(numpy.array([rank + 1]), collective.Op.SUM)[0]
        sys.stdout.write(f"workers {size}, sum {total}, predictions {trained(rank, size)}\n")
    if tracker:
        tracker.wait_for()


def resolved(host: str) -> str:
    """The address of a pod, once it has one."""
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.gethostbyname(host)
        except socket.gaierror:
            if time.monotonic() > limit:
                raise
            time.sleep(1)


def trained(rank: int, size: int) -> list[float]:
    """What a tree predicts for every rank, learned from rows of this one."""
    rows = xgboost.DMatrix(numpy.full((32, 1), rank), numpy.full(32, 4 * rank + 1))
    options = {"eta": 1, "lambda": 0, "max_depth": 3, "nthread": 1}
    model = xgboost.train(options, rows, num_boost_round=1)
    predictions = model.predict(xgboost.DMatrix(numpy.arange(size).reshape(size, 1)))
    return [round(float(prediction), 3) for prediction in predictions]


if __name__ == "__main__":
    main()
