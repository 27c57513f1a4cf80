"""Train y = w * x in TensorFlow's old way: variables on parameter servers, steps on the others.

Every trainer takes its own steps; the chief waits for all of them, prints the weight and the number
of steps, and exports the weight if requested.
"""

import argparse
import json
import os
import sys
import time
from typing import Any

import tensorflow  # type: ignore[import-untyped]

tf = tensorflow.compat.v1
tf.disable_eager_execution()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--export", help="a file for the weights")
    arguments = parser.parse_args()
    steps = arguments.steps
    config = json.loads(os.environ["TF_CONFIG"])
    job, index = config["task"]["type"], config["task"]["index"]
    cluster = tf.train.ClusterSpec(config["cluster"])
    leads = job in ("chief", "master")
    server = tf.train.Server(cluster, job_name=job, task_index=index)
    with tf.device(
        tf.train.replica_device_setter(cluster=cluster, worker_device=f"/job:{job}/task:{index}")
    ):
        weight, taken, finished = (
            tf.get_variable(name, initializer=0.0) for name in ("weight", "taken", "finished")
        )
        x = tf.random.uniform([32])
        loss = tf.reduce_mean(tf.square(weight * x - 3.0 * x))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        done = [tf.assign_add(taken, float(steps)), tf.assign_add(finished, 1.0)]
    # A trainer talks only to the parameter servers; it would otherwise wait for all other trainers.
    filters = ["/job:ps", f"/job:{job}/task:{index}"]
    with tf.Session(server.target, config=tf.ConfigProto(device_filters=filters)) as session:
        start(session, leads)
        for _ in range(steps):
            session.run(train)
        session.run(done)
        trainers = int(os.environ.get("TRAINERS") or 1 + len(config["cluster"].get("worker", ())))
        while leads and session.run(finished) < trainers:
            time.sleep(0.2)
        trained, count = session.run([weight, taken])
    sys.stdout.write(f"weight {trained:.3f}, steps {count:.0f}\n")
    if arguments.export:
        with open(arguments.export, "w", encoding="utf-8") as file:
            json.dump({"weight": float(trained)}, file)


def start(session: Any, leads: bool) -> None:
    """The chief initialises the variables; the others wait for that."""
    if leads:
        session.run(tf.global_variables_initializer())
    while len(session.run(tf.report_uninitialized_variables())):
        time.sleep(0.2)


if __name__ == "__main__":
    main()
