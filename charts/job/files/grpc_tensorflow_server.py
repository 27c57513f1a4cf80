"""Serve one task of a TensorFlow cluster over gRPC: the parameter server of a job without its own.

It runs in users' images, with TensorFlow 1.3 to 2.x, so it uses the syntax of Python 2.7 and 3.5,
and nothing but the standard library until TensorFlow is imported. Exit codes: 2 bad arguments,
1 TensorFlow is missing or cannot serve, 143 stopped by SIGTERM.
"""

from __future__ import print_function

import argparse
import json
import os
import re
import signal
import sys
import time

GRAMMAR = (
    "'job|host:port;host:port', jobs joined by ',', as in"
    " 'ps|ps-0:2222;ps-1:2222,worker|worker-0:2222'"
)
# TensorFlow aborts the whole process, with no Python error, on any other job name.
JOB = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})\Z")


class BadInput(Exception):
    """The cluster or the task is invalid; the message is for the person who wrote it."""


def main():
    arguments = parser().parse_args()
    stop_on_signals()
    try:
        cluster = read_cluster(arguments.cluster_spec)
        check_task(cluster, arguments.job_name, arguments.task_id)
    except BadInput as error:
        say("error: %s" % error)
        return 2
    return serve(cluster, arguments.job_name, arguments.task_id)


def parser():
    result = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    result.add_argument("--cluster_spec", required=True, help="%s; or @FILE with it" % GRAMMAR)
    result.add_argument("--job_name", required=True, help="which job of the cluster to serve")
    result.add_argument("--task_id", required=True, type=int, help="which task of it, from 0")
    return result


def say(line):
    # Flushed, because a container's stderr is a pipe and some Pythons buffer pipes.
    print("grpc_tensorflow_server: %s" % line, file=sys.stderr)
    sys.stderr.flush()


def show(text):
    """Quote a text for a message: ASCII in every Python, and short for thousands of tasks."""
    text = json.dumps(text)
    return text if len(text) <= 80 else text[:77] + "..."


def read_cluster(text):
    """Return {job: [address, ...]}."""
    if text.startswith("@"):
        text = read_file(text[1:])
    cluster = {}
    for position, part in enumerate(text.split(","), 1):
        where = "--cluster_spec: part %d" % position
        job, bar, addresses = part.partition("|")
        if not bar:
            raise BadInput("%s, %s, has no '|'; expected %s" % (where, show(part), GRAMMAR))
        if job in cluster:
            raise BadInput("%s: job %s is already defined" % (where, show(job)))
        if not JOB.match(job):
            expected = "a letter, then letters, digits, '_'"
            raise BadInput("%s: %s is not a job name: %s" % (where, show(job), expected))
        cluster[job] = addresses.split(";")
        for index, address in enumerate(cluster[job]):
            found = ADDRESS.match(address)
            if not found or not 1 <= int(found.group(2)) <= 65535:
                task = "%s: job %s: task %d" % (where, job, index)
                raise BadInput("%s: %s is not host:port, port 1 to 65535" % (task, show(address)))
    return cluster


def read_file(path):
    try:
        with open(path) as stream:
            return stream.read().strip()
    except EnvironmentError as error:
        raise BadInput("--cluster_spec: cannot read %s: %s" % (show(path), error.strerror))


def check_task(cluster, job, index):
    if job not in cluster:
        raise BadInput("job %s is not in the cluster, which has %s" % (show(job), sizes(cluster)))
    if not 0 <= index < len(cluster[job]):
        found = (show(job), index, sizes(cluster))
        raise BadInput("job %s has no task %d; the cluster has %s" % found)


def sizes(cluster):
    return ", ".join("%s %d" % (job, len(tasks)) for job, tasks in sorted(cluster.items()))


def stop_on_signals():
    """Exit at once on SIGTERM and SIGINT, which process 1 gets only if it handles them.

    The exit code says "killed", not "done": a Job then replaces an evicted server instead of
    counting it as completed.
    """

    def stop(number, _frame):
        say("stopped by signal %d" % number)
        # Not sys.exit: TensorFlow's destructors may wait for peers that are gone.
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def serve(cluster, job, index):
    # In an image made for GPUs a pod that requests none may see all GPUs of the node, and
    # TensorFlow takes them.
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    try:
        import tensorflow
    except ImportError as error:
        say("error: %s cannot import TensorFlow in this image: %s" % (sys.executable, error))
        return 1
    address = cluster[job][index]
    try:
        # TensorFlow 2 has this server under compat.v1 only; before 1.13 there is no compat.v1.
        train = getattr(tensorflow.compat, "v1", tensorflow).train
        server = train.Server(train.ClusterSpec(cluster), job_name=job, task_index=index)
    except Exception as error:
        say("error: cannot serve %s %d at %s: %s" % (job, index, address, error))
        return 1
    served = (tensorflow.__version__, job, index, address, sizes(cluster))
    say("TensorFlow %s serves %s %d at %s in a cluster of %s" % served)
    # Not server.join(): it never returns, and Python runs no signal handler while it waits in C.
    while server is not None:
        time.sleep(1)


if __name__ == "__main__":
    sys.exit(main())
