"""Serve one task of a TensorFlow cluster over gRPC until told to stop: the parameter server of a job that brings none.

It runs in the images people have, TensorFlow 1.3 to 2.x, hence in Python 2.7 and 3.5 syntax, and with nothing but the
standard library until TensorFlow itself is imported.

The cluster comes from --cluster_spec, else from TF_CONFIG; what --job_name and --task_id leave open comes from
TF_CONFIG's "task". Exit codes: 2 bad arguments, 1 TensorFlow is missing or cannot serve, 143 stopped by SIGTERM.
"""

from __future__ import print_function

import argparse
import json
import os
import re
import signal
import sys
import time

GRAMMAR = "'job|host:port;host:port', jobs joined by ',', as in 'ps|ps-0:2222;ps-1:2222,worker|worker-0:2222'"
# TensorFlow aborts the whole process, with no Python error, on any other job name.
JOB = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})\Z")
INDEX = re.compile(r"[0-9]{1,9}\Z")
# Python 2 reads JSON's strings as unicode and arguments as str.
TEXT = (str, type(json.loads('""')))


class BadInput(Exception):
    """The cluster or the task makes no sense; the message is for the person who wrote it."""


def main():
    arguments = parser().parse_args()
    stop_on_signals()
    try:
        cluster, job, index = read_task(arguments, os.environ.get("TF_CONFIG", ""))
    except BadInput as error:
        say("error: %s" % error)
        return 2
    return serve(cluster, job, index, arguments)


def parser():
    result = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument(
        "--cluster_spec",
        default="",
        metavar="SPEC",
        help="%s; or the same as TF_CONFIG's JSON; or @FILE with either in it" % GRAMMAR,
    )
    result.add_argument("--job_name", default="", metavar="JOB", help="which job of the cluster to serve")
    result.add_argument("--task_id", default="", metavar="INDEX", help="which task of the job to serve, from 0")
    result.add_argument(
        "--gpu_memory_fraction",
        type=fraction,
        default=0.0,
        metavar="0..1",
        help="share of each visible GPU's memory to take; 0, the default, leaves GPUs alone",
    )
    result.add_argument("--verbose", nargs="?", const="true", default="", help="also list every address")
    return result


def fraction(text):
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError("%s is not between 0 and 1" % text)
    return value


def say(line):
    # Flushed, because a container's stderr is a pipe and some Pythons hold a pipe's lines back.
    print("grpc_tensorflow_server: %s" % line, file=sys.stderr)
    sys.stderr.flush()


def show(value):
    """Quote a value for a message: ASCII in every Python, and short when a cluster has thousands of tasks."""
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."


def read_task(arguments, environment):
    """Return the cluster as {job: {index: address}} and the job and index of the task to serve."""
    told_all = arguments.cluster_spec and arguments.job_name and arguments.task_id
    config = {}
    if environment and not told_all:
        config = read_object(environment, "TF_CONFIG", '{"cluster": ..., "task": ...}')
    task = config.get("task", {})
    if not isinstance(task, dict):
        raise BadInput('TF_CONFIG: task is %s, expected {"type": "ps", "index": 0}' % show(task))
    if arguments.cluster_spec:
        cluster = read_cluster_spec(arguments.cluster_spec)
    elif "cluster" in config:
        cluster = read_cluster(config["cluster"], "TF_CONFIG: cluster")
    else:
        raise BadInput("no cluster: give --cluster_spec (%s) or set TF_CONFIG with a cluster in it" % GRAMMAR)
    job = arguments.job_name or task.get("type", "")
    check_job(cluster, job)
    index = read_index(arguments.task_id or task.get("index", ""), "--task_id, or TF_CONFIG's task index,")
    if index not in cluster[job]:
        raise BadInput("job %s has no task %d; the cluster has %s" % (show(job), index, sizes(cluster)))
    return cluster, job, index


def read_cluster_spec(text):
    source = "--cluster_spec"
    if text.startswith("@"):
        source, text = "--cluster_spec %s" % text, read_file(text[1:])
    if text.startswith("{"):
        return read_cluster(read_object(text, source, '{"ps": ["ps-0:2222"]}'), source)
    cluster = {}
    for position, part in enumerate(text.split(","), 1):
        job, bar, addresses = part.partition("|")
        if not bar:
            raise BadInput("%s: part %d, %s, has no '|'; expected %s" % (source, position, show(part), GRAMMAR))
        if job in cluster:
            raise BadInput("%s: part %d: job %s is there already" % (source, position, show(job)))
        cluster[job] = read_tasks(job, addresses.split(";"), "%s: part %d" % (source, position))
    return cluster


def read_file(path):
    try:
        with open(path) as stream:
            return stream.read().strip()
    except EnvironmentError as error:
        raise BadInput("--cluster_spec: cannot read %s: %s" % (show(path), error.strerror))


def read_object(text, source, example):
    try:
        data = json.loads(text)
    except ValueError as error:
        raise BadInput("%s: not JSON: %s" % (source, error))
    if not isinstance(data, dict):
        raise BadInput("%s: %s is not a JSON object like %s" % (source, show(data), example))
    return data


def read_cluster(data, source):
    if not isinstance(data, dict):
        raise BadInput('%s: %s is not a JSON object like {"ps": ["ps-0:2222"]}' % (source, show(data)))
    tasks = dict((job, read_tasks(job, listed, source)) for job, listed in data.items())
    # A job scaled to nothing may still be listed; it is no part of the cluster.
    return dict((job, listed) for job, listed in tasks.items() if listed)


def read_tasks(job, listed, source):
    """Return {index: address} from a list of addresses or from the sparse form, {"index": address}."""
    if not JOB.match(job):
        raise BadInput("%s: %s is not a job name: a letter, then letters, digits, '_'" % (source, show(job)))
    where = "%s: job %s" % (source, job)
    if isinstance(listed, list):
        tasks = dict(enumerate(listed))
    elif isinstance(listed, dict):
        tasks = dict((read_index(key, "%s: task" % where), address) for key, address in listed.items())
    else:
        raise BadInput('%s: %s is neither ["host:port"] nor {"0": "host:port"}' % (where, show(listed)))
    for index, address in sorted(tasks.items()):
        found = ADDRESS.match(address) if isinstance(address, TEXT) else None
        if not found or not 1 <= int(found.group(2)) <= 65535:
            raise BadInput("%s: task %d: %s is not host:port, port 1 to 65535" % (where, index, show(address)))
    return tasks


def read_index(value, what):
    text = value if isinstance(value, TEXT) else json.dumps(value)
    if not INDEX.match(text):
        raise BadInput("%s %s: expected a whole number from 0" % (what, show(value) if text else "is missing"))
    return int(text)


def check_job(cluster, job):
    if not job:
        raise BadInput("--job_name, or TF_CONFIG's task type, is missing; the cluster has %s" % sizes(cluster))
    if not isinstance(job, TEXT) or job not in cluster:
        raise BadInput("job %s is not in the cluster, which has %s" % (show(job), sizes(cluster)))


def sizes(cluster):
    return ", ".join("%s %d" % (job, len(tasks)) for job, tasks in sorted(cluster.items())) or "no tasks"


def stop_on_signals():
    """Leave at once on SIGTERM and SIGINT, which process 1 of a container only gets if it asks for them.

    The exit code says "killed", not "done": a Job then replaces an evicted server instead of counting it as completed.
    """

    def stop(number, _frame):
        say("stopped by signal %d" % number)
        # Not sys.exit: TensorFlow's destructors may wait for peers that are gone.
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)


def serve(cluster, job, index, arguments):
    if not arguments.gpu_memory_fraction:
        # An image made for GPUs may see all of a node's in a pod that asked for none; TensorFlow takes what it sees.
        os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    try:
        import tensorflow
    except ImportError as error:
        say("error: %s finds no TensorFlow in this image: %s" % (sys.executable, error))
        return 1
    try:
        server = start(tensorflow, cluster, job, index, arguments.gpu_memory_fraction)
    except Exception as error:
        say("error: cannot serve %s %d at %s: %s" % (job, index, cluster[job][index], error))
        return 1
    if arguments.verbose.lower() == "true":
        for name, tasks in sorted(cluster.items()):
            say("%s: %s" % (name, ", ".join("%d=%s" % task for task in sorted(tasks.items()))))
    served = (tensorflow.__version__, job, index, cluster[job][index], sizes(cluster))
    say("TensorFlow %s serves %s %d at %s in a cluster of %s" % served)
    return keep(server)


def start(tensorflow, cluster, job, index, gpu_memory_fraction):
    # TensorFlow 2 has this server under compat.v1 only; before 1.13 there is no compat.v1.
    tf = getattr(tensorflow.compat, "v1", tensorflow)
    options = tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction)
    config = tf.ConfigProto(gpu_options=options)
    return tf.train.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index, config=config)


def keep(server):
    """Hold on to the server until a signal ends the process.

    Not server.join(): it never returns, and Python runs no signal handler while it waits in C.
    """
    while server is not None:
        time.sleep(1)


if __name__ == "__main__":
    sys.exit(main())
