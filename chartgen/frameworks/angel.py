"""Angel: a parameter server for large models, whose master creates the pods of servers and workers.

The chart has one Job, the client: it runs angel-submit in the cluster, which creates the master's
pod; the master creates the parameter servers and, when the client tells it to, the workers. What
the job says about them becomes Angel properties when Helm installs the chart, so they follow
`--set roles.ps.replicas=4` and `--set image=...`. The job ends when its client does. Pods created
at run time are removed by the chart, on uninstall and before an upgrade that changes the job.

Roles
  client  submits the job, leads it, and decides how it ends; exactly one
  master  creates the pods of the other roles and watches them; exactly one
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

Fields of a role
  The client's pod supports all fields. The pods of master, ps and worker are created by Angel,
  which only has properties for these:
    replicas               of ps and worker; there is one master
    resources              whole CPUs, and whole GiB of memory, with the request equal to the limit;
                           limits.cpu may be any amount. By default Angel requests 1 CPU, and 2 GiB
                           for the master and 4 GiB for each of the others.
    port                   of the master, by default 9078
    env                    values, and keys of Secrets (secretKeyRef)
    volumes, volumeMounts  of hostPath, emptyDir, persistentVolumeClaim and secret
    labels, annotations
  The same fields at the top level of the job apply to these pods too. Except for replicas and
  resources, Angel has one setting for both ps and worker, so the two must agree. The image is the
  job's. Angel cannot set node selectors, tolerations, priorities, security contexts or devices; it
  cannot run in a namespace that enforces the restricted Pod Security Standard.

Options
  angel.properties: {}            properties of Angel, of Hadoop and of the job, each a -Dkey=value
  angel.masterClassPath: PATHS    added to the class path of the client and the master
  angel.executorClassPath: PATHS  added to the class path of parameter servers and workers
  angel.hadoop: {}                Hadoop's configuration, for HDFS: texts by file name, such as
                                  core-site.xml; to read a file at install:
                                  --set-file angel.hadoop.core-site\\.xml=core-site.xml
  angel.hadoopConfigMap: NAME     or an existing ConfigMap that holds it
  angel.apiServer: URL            by default https://kubernetes.default.svc:443; must have a port
  angel.home: DIRECTORY           where Angel is in the client's image; by default /opt/angel
  Hadoop's configuration is added to the class path of the client, which passes it to all others.
  Angel's own image has no Hadoop client: to use HDFS, build an image with one.

What to know
  - Angel gives Java a heap as large as the memory limit of its pod, which leaves nothing for the
    rest of Java, so Kubernetes may kill the pod. _JAVA_OPTIONS in env overrides that; set both -Xms
    and -Xmx.
  - Angel waits forever for its workers if the data has fewer splits than there are workers.
  - Angel 2.4 to 3.1 runs on Kubernetes; 3.2.0 removed the class that the master runs.
  - These versions talk to Kubernetes with a library of 2017, which cannot watch pods of a current
    cluster (HTTP 403 instead of 101) if the URL of the API server has no port. This is why
    angel.apiServer has one; with it, Angel 3.0.1 from Maven Central trains on Kubernetes 1.34. A
    newer version of the library does not help: with it, Angel fails to mount a hostPath.
  - The job succeeds even if a prediction fails, because the client catches the error. If the master
    cannot be created, the client logs why, and then waits for minutes.

Restarts
  A client that fails is not started again (restartPolicy: Never, backoffLimit: 0), because it would
  create a second master. The master replaces servers and workers that fail.
"""

import re
from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.frameworks import managed_pods
from chartgen.frameworks.managed_pods import Reach, where
from chartgen.job.model import Job
from chartgen.k8s.images import reference
from chartgen.k8s.quantities import amount
from chartgen.plan import restarts
from chartgen.plan.late import Given, Option, ReleaseName, Tree, Words, text
from chartgen.plan.model import AccessRule, Config, Mount, Plan, RolePlan, Volume
from chartgen.startup.typing import Any

NAME = "angel"
TITLE = "Angel"
ROLES = {
    "client": "submits the job, leads it, and decides how it ends",
    "master": "creates the pods of parameter servers and workers, and watches them",
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
_MANAGED = ("master", "ps", "worker")  # whose pods Angel creates
_ACCEPTS = ("resources", "env", "volumes", "volumeMounts", "labels", "annotations")
_SHARED = _ACCEPTS[1:]
_MEMORY = {"master": "2Gi", "ps": "4Gi", "worker": "4Gi"}
_REACH = Reach(
    TITLE,
    volumes=("hostPath", "emptyDir", "persistentVolumeClaim", "secret"),
    mount=("name", "mountPath", "readOnly"),
    sources=("secretKeyRef",),
    labels=("angel-app-selector", "angel-role", "angel-exec-id"),
)
_UNSUPPORTED = (3, 2)  # the first version that cannot run on Kubernetes
_HADOOP = "/etc/hadoop/conf"


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check that all roles exist, and that Angel can create the pods as described."""
    for role in ROLES:
        if role not in job.roles:
            message = f"no {role}; expected a client, a master, parameter servers (ps) and workers"
            hint = f"add it: {role}: {{}}"
            yield document.missing(("roles",), message, "role-missing", hint, key=True)
    yield from _check_counts(job, document)
    yield from _check_image(job, document)
    for role in _MANAGED:
        if role in job.roles:
            yield from _check_size(job, document, role)
            yield from managed_pods.check(job, document, role, _REACH)
    yield from _check_executors(job, document)
    yield from managed_pods.check_shared(job, document, _REACH, "client")
    yield from _check_hadoop(job, document)
    yield from _check_heap(job, document)


def _check_counts(job: Job, document: Document) -> Iterator[Problem]:
    for role in ("client", "master"):
        if job.replicas(role) > 1:
            message = f"a job has 1 {role}, not {job.replicas(role)}"
            yield document.problem(("roles", role, "replicas"), message, "role-one-replica")
    for role in job.roles:
        if not job.replicas(role):
            message = f"roles.{role} has no replicas; expected at least 1"
            yield document.problem(("roles", role, "replicas"), message, "role-no-replicas")


def _check_image(job: Job, document: Document) -> Iterator[Problem]:
    image = reference(job.shared.get("image", ""))
    if not image and "client" in job.roles:
        message = "no image for the whole job, which Angel uses for the pods it creates"
        hint = "set image at the top level"
        yield document.missing(("roles",), message, "image-missing", hint, key=True)
    version = re.search(r"angel[^/:]*:v?([0-9]+)\.([0-9]+)", image)
    if version and tuple(map(int, version.groups())) >= _UNSUPPORTED:
        message = "Angel 3.2.0 removed the class its master runs on Kubernetes; expected 2.4 to 3.1"
        yield document.warning(("image",), message, "angel-image-version")


def _check_size(job: Job, document: Document, role: str) -> Iterator[Problem]:
    """Check that resources are whole CPUs and GiB, which is all that Angel can request."""
    resources = job.spec(role).get("resources", {})
    for part in ("requests", "limits"):
        for name, quantity in resources.get(part, {}).items():
            path = where(job, role, "resources", part, name)
            unit = {"memory": 2**30, "cpu": 1}.get(name)
            size = amount(quantity)
            if unit is None:
                message = f"Angel can only request CPUs and memory, not {name!r}"
                yield document.problem(path, message, "role-field-unsupported", key=True)
            elif size is None or (part, name) == ("limits", "cpu"):
                continue
            elif size % unit or not size:
                noun = "GiB, such as 2Gi" if name == "memory" else "CPUs"
                message = f"{quantity!r} of {name}: Angel only supports whole {noun}"
                yield document.problem(path, message, "angel-resources-whole")
    requested = resources.get("requests", {}).get("memory")
    limit = resources.get("limits", {}).get("memory")
    if None not in (requested, limit) and amount(requested) != amount(limit):
        message = f"memory request {requested} and limit {limit} differ; expected equal amounts"
        path = where(job, role, "resources", "requests", "memory")
        yield document.problem(path, message, "angel-memory-two-amounts")


def _check_executors(job: Job, document: Document) -> Iterator[Problem]:
    if not all(role in job.roles for role in _MANAGED[1:]):
        return
    ps, worker = (job.spec(role) for role in _MANAGED[1:])
    for field in _SHARED:
        if ps.get(field) != worker.get(field):
            message = f"Angel sets {field} for ps and worker together; expected the same for both"
            hint = f"to set {field} for the whole job, write it at the top level"
            role = "worker" if field in job.roles["worker"].spec else "ps"
            yield document.problem(
                ("roles", role, field), message, "angel-executors-differ", hint, key=True
            )


def _check_hadoop(job: Job, document: Document) -> Iterator[Problem]:
    if "hadoop" in job.options and "hadoopConfigMap" in job.options:
        message = "Hadoop's configuration is set twice, as files and as a ConfigMap; expected one"
        yield document.problem(
            ("angel", "hadoopConfigMap"), message, "angel-hadoop-twice", key=True
        )


def _check_heap(job: Job, document: Document) -> Iterator[Problem]:
    """Warn about heaps as large as the pod: only _JAVA_OPTIONS makes them smaller."""
    tight = []
    for role in _MANAGED:
        if role in job.roles:
            options = job.spec(role).get("env", {}).get("_JAVA_OPTIONS", "")
            if "-Xmx" not in str(options):
                tight.append(role)
    if tight:
        roles = ", ".join(tight)
        message = (
            f"Angel sets Java's heap to all the memory of {roles}; Kubernetes may kill the pods"
        )
        sizes = []
        for role in tight:
            heap = int(_memory(job, role) / 2**20 * 3 / 4)
            sizes.append(f"'roles.{role}.env._JAVA_OPTIONS=-Xms{heap}m -Xmx{heap}m'")
        hint = f"leave some for the rest of Java, as with --set {' --set '.join(sizes)}"
        path = where(job, tight[0], "resources", "limits", "memory")
        yield document.warning(path, message, "angel-heap-fills-pod", hint)


def _memory(job: Job, role: str) -> float:
    resources = job.spec(role).get("resources", {})
    asked = {**resources.get("limits", {}), **resources.get("requests", {})}
    return amount(asked.get("memory", _MEMORY[role])) or 2**30


def plan(job: Job) -> Plan:
    """Plan the client's Job; the other roles only shape what it submits."""
    return Plan(
        title=TITLE,
        roles=tuple(_role(job, role) for role in ROLES if role in job.roles),
        configs=(Config("hadoop", {}, option="angel.hadoop"),),
        completion_role="client",
        reserved_env=(),
        access_rules=(
            AccessRule("", ("pods",), ("create", "get", "list", "watch", "delete")),
            AccessRule("", ("configmaps",), ("create", "get")),
        ),
        unmanaged_pods=text("app.kubernetes.io/instance=", ReleaseName(), ",angel-role"),
        notes=_NOTES,
    )


_NOTES = (
    "The client creates the master's pod, and the master those of parameter servers and workers.\n"
    "The label angel-role tells them apart. They are removed with the release.",
    "If the master waits for workers forever, the data has fewer splits than there are workers.",
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
        managed_by_framework=True,
        accepts=("port", *_ACCEPTS) if port else _ACCEPTS,
        defaults=_defaults(job, name),
    )


def _client() -> RolePlan:
    """angel-submit, run by the image's own entrypoint, which runs all commands but role names."""
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
        # A second client would create a second master.
        defaults=restarts.ONCE,
    )


def _defaults(job: Job, role: str) -> dict[str, Any]:
    """What Angel requests if the job does not say, so that the total is right."""
    resources = job.spec(role).get("resources", {})
    said = {*resources.get("requests", {}), *resources.get("limits", {})}
    parts: dict[str, dict[str, Any]] = {"requests": {"cpu": 1}, "limits": {"memory": _MEMORY[role]}}
    missing = {part: asked for part, asked in parts.items() if not said & asked.keys()}
    return {"resources": missing} if missing else {}
