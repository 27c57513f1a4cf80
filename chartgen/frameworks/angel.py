"""Angel: a parameter server for large models, whose master makes its own pods for parameter servers and workers.

The chart has one Job, the client: it runs angel-submit in the cluster, which makes the master's pod; the master makes
the parameter servers and, once the client says so, the workers. What the job says of them becomes properties when
Helm installs the chart, so they follow `--set roles.ps.replicas=4` and `--set image=...`. The job ends as its client
does. What was made at run time is removed by the chart, on uninstall and before an upgrade that changes the job.

Roles
  client  submits the job, leads it, and decides how it ends; exactly one
  master  makes the pods of the others and watches them; exactly one
  ps      parameter server: keeps a part of the model
  worker  trains

Example
  name: lr
  framework: angel
  image: tencentangel/angel:v3.0.0
  env: {_JAVA_OPTIONS: -Xms768m -Xmx768m}
  volumes: [{name: data, persistentVolumeClaim: {claimName: angel-data}}]
  volumeMounts: [{name: data, mountPath: /data}]
  roles:
    client: {}
    master: {resources: {limits: {memory: 1Gi}}}
    ps: {replicas: 2, resources: {limits: {memory: 1Gi}}}
    worker: {replicas: 2, resources: {limits: {memory: 1Gi}}}
  angel:
    properties:
      angel.app.submit.class: com.tencent.angel.ml.core.graphsubmit.GraphRunner
      ml.model.class.name: com.tencent.angel.ml.classification.LogisticRegression
      angel.train.data.path: file:///data/train
      angel.save.model.path: file:///data/model
      angel.tmp.output.path.prefix: /data/tmp

What a role may say
  The client's pod is like any other. The others are made by Angel, which has properties for these words alone:
    replicas               of ps and worker; there is one master
    resources              whole CPUs, and whole GiB of memory, whose limit is the request; limits.cpu may be any. Left
                           out, Angel asks for 1 CPU, and for 2 GiB for the master and 4 GiB for each of the others
    port                   of the master, 9078 unless it says otherwise
    env                    values, and keys of Secrets (secretKeyRef)
    volumes, volumeMounts  of hostPath, emptyDir, persistentVolumeClaim and secret
    labels, annotations
  Job-wide words hold for them as well. Angel has one set of all but sizes for parameter servers and workers, so ps and
  worker say the same. The image is the job's. Node selectors, tolerations, priorities, security contexts and devices
  are out of its reach; in a namespace of the restricted Pod Security Standard Angel cannot run.

Options
  angel.properties: {}            properties of Angel, of Hadoop and of the job itself, each a -Dkey=value
  angel.masterClassPath: PATHS    more class path for the client and the master
  angel.executorClassPath: PATHS  more class path for parameter servers and workers
  angel.hadoop: {}                Hadoop's configuration, for HDFS: texts by file name, such as core-site.xml; from
                                  files at install, with --set-file angel.hadoop.core-site\\.xml=core-site.xml
  angel.hadoopConfigMap: NAME     or a ConfigMap of yours that holds it
  angel.apiServer: URL            https://kubernetes.default.svc:443 unless it says otherwise; never without a port
  angel.home: DIRECTORY           where Angel is in the client's image; /opt/angel
  Hadoop's configuration is put on the class path of the client, which hands it on to all others. Angel's own image has
  no Hadoop client: for HDFS, build one that has.

What to know
  - Angel gives Java a heap as large as the memory of its pod, which leaves nothing for all else that Java needs, so
    that Kubernetes may end the pod. _JAVA_OPTIONS in env wins over that, with -Xms and -Xmx both.
  - Angel waits for its workers for ever if the data give fewer splits than there are workers.
  - Angel 2.4 to 3.1 run on Kubernetes; from 3.2.0 on the class that the master runs is gone.
  - They speak to Kubernetes by a library of 2017, which cannot watch pods of a cluster of today (HTTP 403 where 101 was
    expected) if the URL of the API server has no port. So angel.apiServer has one; with it Angel 3.0.1, as it is on
    Maven Central, trains on Kubernetes 1.34. A newer library in its place does not help: with it, Angel fails to mount
    a hostPath.
  - A prediction that fails ends well: the client catches the error. A client that fails is not started again, for it
    would make a second master. One whose master cannot be made says why in its log, and then waits for it for minutes.

Coming from angel-submit
  `chartgen render submit.sh` takes a command line as it is, or a script with one, or a file of properties, and
  `chartgen convert submit.sh` shows what it means here. `${NAME}` is filled by --define NAME=VALUE.
  angel-submit                               here
  angel.job.name                             name, with what Angel drops from it in the names of pods dropped here too
  angel.kubernetes.container.image           image, imagePullPolicy
  angel.ps.number, angel.workergroup.number  roles.ps.replicas, roles.worker.replicas
  ...memory.gb, cpu.vcores, limit.cores      resources of roles.master, roles.ps and roles.worker
  ...label.*, annotation.*, Env.*            labels, annotations, env: the job's where master and executors agree
  ...volumes.*, secrets.*, secretKeyRef.*    volumes, volumeMounts, env
  ...extraClassPath                          angel.masterClassPath, angel.executorClassPath
  angel.kubernetes.namespace                 the release's: helm install -n NAMESPACE
  angel.kubernetes.serviceaccount            one that the chart makes, with a Role for what Angel does and no more, or
                                             your own: serviceAccountName
  angel.kubernetes.master, authenticate.*    the API server of the cluster, where the client is known by its account
  all other properties                       angel.properties
  spark-submit lines are for Spark on Angel, which is another system, and are refused.
"""

import re
from collections.abc import Iterator
from typing import Any

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.frameworks import managed_pods as made
from chartgen.frameworks.managed_pods import Reach, where
from chartgen.job.model import Job
from chartgen.k8s.quantities import amount
from chartgen.plan.model import Config, Given, Mount, Option, Plan, Release, RolePlan, Rule, Tree, Volume, Words, text

NAME = "angel"
TITLE = "Angel"
ROLES = {
    "client": "submits the job, leads it, and decides how it ends",
    "master": "makes the pods of parameter servers and workers, and watches them",
    "ps": "parameter server",
    "worker": "trains",
}
FIRST = ("client", "master", "ps", "worker")
OPTIONS: dict[str, Any] = {
    "properties": {},
    "masterClassPath": None,
    "executorClassPath": None,
    "hadoop": None,
    "hadoopConfigMap": None,
    "apiServer": "https://kubernetes.default.svc:443",
    "home": "/opt/angel",
}
CONTAINER = "angel"

_PORT = 9078
_MADE = ("master", "ps", "worker")  # by Angel itself
_TAKES = ("resources", "env", "volumes", "volumeMounts", "labels", "annotations")
_SHARED = _TAKES[1:]
_MEMORY = {"master": "2Gi", "ps": "4Gi", "worker": "4Gi"}
_REACH = Reach(
    TITLE,
    volumes=("hostPath", "emptyDir", "persistentVolumeClaim", "secret"),
    mount=("name", "mountPath", "readOnly"),
    sources=("secretKeyRef",),
    labels=("angel-app-selector", "angel-role", "angel-exec-id"),
)
_GONE = (3, 2)  # the version in which Angel lost what it needs on Kubernetes
_HADOOP = "/etc/hadoop/conf"


def check(job: Job, document: Document) -> Iterator[Problem]:
    """All roles are there, and what is said of the pods that Angel makes can be said to Angel."""
    for role in [role for role in ROLES if role not in job.roles]:
        message = f"there is no {role}; expected a client, a master, parameter servers (ps) and workers"
        yield document.problem(("roles",), message, "missing-role", f"add it: {role}: {{}}", key=True)
    yield from _check_counts(job, document)
    yield from _check_image(job, document)
    for role in [role for role in _MADE if role in job.roles]:
        yield from _check_size(job, document, role)
        yield from made.check(job, document, role, _REACH)
    yield from _check_executors(job, document)
    yield from made.job_wide(job, document, _REACH, "client")
    yield from _check_hadoop(job, document)
    yield from _check_heap(job, document)


def _check_counts(job: Job, document: Document) -> Iterator[Problem]:
    for role in [role for role in ("client", "master") if job.replicas(role) > 1]:
        message = f"a job has 1 {role}, not {job.replicas(role)}"
        yield document.problem(("roles", role, "replicas"), message, "one-master")
    for role in [role for role in job.roles if not job.replicas(role)]:
        message = f"roles.{role} has no replicas; expected at least 1"
        yield document.problem(("roles", role, "replicas"), message, "no-replicas")


def _check_image(job: Job, document: Document) -> Iterator[Problem]:
    image = job.shared.get("image", "")
    if not image and "client" in job.roles:
        message = "there is no image for the whole job, which Angel gives to the pods that it makes"
        yield document.problem(("roles",), message, "image", "write image at the top level", key=True)
    version = re.search(r"angel[^/:]*:v?([0-9]+)\.([0-9]+)", image)
    if version and tuple(map(int, version.groups())) >= _GONE:
        message = "from 3.2.0 on Angel lacks the class that its master runs on Kubernetes; expected 2.4 to 3.1"
        yield document.warning(("image",), message, "angel-version")


def _check_size(job: Job, document: Document, role: str) -> Iterator[Problem]:
    """Angel counts in whole CPUs and GiB, and in nothing else."""
    resources = job.spec(role).get("resources", {})
    asked = [(part, *one) for part in ("requests", "limits") for one in resources.get(part, {}).items()]
    for part, name, quantity in asked:
        path = where(job, role, "resources", part, name)
        unit = {"memory": 2**30, "cpu": 1}.get(name)
        size = amount(quantity)
        if unit is None:
            message = f"Angel asks for CPUs and memory only, and cannot ask for {name!r}"
            yield document.problem(path, message, "not-taken", key=True)
        elif size is not None and (part, name) != ("limits", "cpu") and (size % unit or not size):
            noun = "GiB, such as 2Gi" if name == "memory" else "CPUs"
            yield document.problem(path, f"{quantity!r} of {name}: Angel counts in whole {noun}", "whole")
    requested, limit = (resources.get(part, {}).get("memory") for part in ("requests", "limits"))
    if None not in (requested, limit) and amount(requested) != amount(limit):
        message = f"Angel asks for as much memory as its limit allows; expected {requested} and {limit} to be the same"
        yield document.problem(where(job, role, "resources", "requests", "memory"), message, "whole")


def _check_executors(job: Job, document: Document) -> Iterator[Problem]:
    if not all(role in job.roles for role in _MADE[1:]):
        return
    ps, worker = (job.spec(role) for role in _MADE[1:])
    for field in [field for field in _SHARED if ps.get(field) != worker.get(field)]:
        message = (
            f"Angel has one set of {field} for ps and worker; expected the same for both, or one for the whole job"
        )
        role = "worker" if field in job.roles["worker"].spec else "ps"
        yield document.problem(("roles", role, field), message, "one-set", key=True)


def _check_hadoop(job: Job, document: Document) -> Iterator[Problem]:
    if "hadoop" in job.options and "hadoopConfigMap" in job.options:
        message = "Hadoop's configuration is given twice, as files and as a ConfigMap; expected one of them"
        yield document.problem(("angel", "hadoopConfigMap"), message, "hadoop", key=True)


def _check_heap(job: Job, document: Document) -> Iterator[Problem]:
    """The heap is as large as the pod, unless Java is told otherwise by the one variable that wins."""
    options = {role: job.spec(role).get("env", {}).get("_JAVA_OPTIONS", "") for role in _MADE if role in job.roles}
    if tight := [role for role in options if "-Xmx" not in str(options[role])]:
        message = f"Angel gives Java a heap as large as all the memory of {', '.join(tight)}; Kubernetes may end them"
        heap = int(min(_memory(job, role) for role in tight) / 2**20 * 3 / 4)
        hint = f"leave some for the rest of Java, in env: {{_JAVA_OPTIONS: -Xms{heap}m -Xmx{heap}m}}, say"
        yield document.warning(where(job, tight[0], "resources", "limits", "memory"), message, "heap", hint)


def _memory(job: Job, role: str) -> float:
    resources = job.spec(role).get("resources", {})
    asked = {**resources.get("limits", {}), **resources.get("requests", {})}
    return amount(asked.get("memory", _MEMORY[role])) or 2**30


def plan(job: Job) -> Plan:
    """The client's Job; the other roles only say what it submits."""
    return Plan(
        title=TITLE,
        roles=tuple(_role(job, role) for role in ROLES if role in job.roles),
        configs=(Config("hadoop", {}, option="angel.hadoop"),),
        decides="client",
        reserved_env=(),
        rules=(
            Rule("", ("pods",), ("create", "get", "list", "watch", "delete")),
            Rule("", ("configmaps",), ("create", "get")),
        ),
        strays=text("app.kubernetes.io/instance=", Release(), ",angel-role"),
        notes=_NOTES,
    )


_NOTES = (
    "The client makes the master's pod, and the master those of parameter servers and workers: the label angel-role\n"
    "tells which is which, and they are removed with the release.",
    "If the master waits for workers for ever, the data give fewer splits than there are workers.",
)


def _role(job: Job, name: str) -> RolePlan:
    if name == "client":
        return _client()
    port = _PORT if name == "master" else None
    return RolePlan(
        name=name,
        container=CONTAINER,
        port=port,
        port_name="master-rpc-port" if port else "",
        service=False,
        labels={},
        env=(),
        at_most=1 if name == "master" else None,
        at_least=1,
        takes=("port", *_TAKES) if port else _TAKES,
        defaults=_defaults(job, name),
    )


def _client() -> RolePlan:
    """angel-submit, by the way of the image's own entrypoint, which runs whatever is no role of Angel's."""
    volume: dict[str, Tree] = {"configMap": {"name": text(Option("angel.hadoopConfigMap"))}}
    return RolePlan(
        name="client",
        container=CONTAINER,
        port=None,
        port_name="",
        service=False,
        labels={},
        env=(),
        at_most=1,
        at_least=1,
        command=(text("/opt/entrypoint.sh"),),
        args=(Words("angelSubmit"),),
        mounts=(Mount("hadoop", "hadoop", _HADOOP, Given("angel.hadoop")),),
        volumes=(Volume("hadoop-config-map", volume, _HADOOP, Given("angel.hadoopConfigMap")),),
        api=True,
        defaults={"restartPolicy": "Never", "backoffLimit": 0},  # a second client would make a second master
    )


def _defaults(job: Job, role: str) -> dict[str, Any]:
    """What Angel asks for where the job says nothing, so that the sum is right."""
    resources = job.spec(role).get("resources", {})
    said = {*resources.get("requests", {}), *resources.get("limits", {})}
    parts: dict[str, dict[str, Any]] = {"requests": {"cpu": 1}, "limits": {"memory": _MEMORY[role]}}
    missing = {part: asked for part, asked in parts.items() if not said & asked.keys()}
    return {"resources": missing} if missing else {}
