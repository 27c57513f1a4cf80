"""What an ElasticDL job must have, and what a master that creates its workers can pass on."""

from collections.abc import Iterator, Mapping

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.frameworks.elasticdl.dialects import (
    ACCEPTS,
    DATA_OF,
    INIT,
    LATER_INIT,
    NAME,
    ONLY_01,
    ONLY_02,
    ONLY_2019,
    ONLY_LATER,
    REQUIRED,
    TWINS,
    is_later_native,
    is_native,
)
from chartgen.job.model import Job
from chartgen.startup.typing import Any
from chartgen.words import listed

# Fields of the master that need not reach the workers.
_MASTERS = ("restartPolicy", "backoffLimit", "activeDeadlineSeconds", "serviceAccountName")


def check(job: Job, document: Document) -> Iterator[Problem]:
    """Check for one master, workers, data, and that a native master can create the workers."""
    for role in ("master", "worker"):
        if role not in job.roles:
            message = f"no {role}; expected a master and workers"
            yield document.missing(("roles",), message, "role-missing", key=True)
    if "master" in job.roles and job.replicas("master") != 1:
        message = f"a job has 1 master, not {job.replicas('master')}"
        yield document.problem(("roles", "master", "replicas"), message, "role-one-replica")
    if "worker" in job.roles and not job.replicas("worker"):
        message = "no workers (0 replicas) to do the tasks; expected at least 1"
        yield document.problem(("roles", "worker", "replicas"), message, "role-no-replicas")
    yield from _check_dialect(job, document)
    yield from _check_params(job, document)
    if is_native(job):
        yield from _check_native(job, document)


def _check_dialect(job: Job, document: Document) -> Iterator[Problem]:
    """Check who creates the workers, for parameter servers, and flags of other versions."""
    dialect = job.options["dialect"]
    if dialect == "0.2" and not is_native(job):
        message = "the master of 0.2.0rc3 always creates its workers; expected expansion: native"
        yield document.problem((NAME, "expansion"), message, "elasticdl-dialect")
    if "ps" in job.roles and dialect != "0.2":
        message = (
            "only ElasticDL 0.2 has parameter servers; before, the master keeps the parameters"
        )
        hint = "remove the role, or set elasticdl.dialect to 0.2"
        yield document.problem(("roles", "ps"), message, "elasticdl-dialect", hint, key=True)
    others: tuple[str, ...] = (*ONLY_LATER, *ONLY_02, "evaluation_data")
    if dialect != "2019-07":
        others = (*ONLY_2019, *(ONLY_02 if dialect == "0.1" else ONLY_01))
    for name in job.options.get("params", {}):
        if name in others:
            message = f"ElasticDL {dialect} has no flag {name!r}"
            twins = next((names for names in TWINS if name in names), ())
            meant = [twin for twin in twins if twin not in others]
            hint = f"did you mean {meant[0]!r}?" if meant else ""
            path: Path = (NAME, "params", name)
            yield document.problem(path, message, "elasticdl-dialect", hint, key=True)


def _check_params(job: Job, document: Document) -> Iterator[Problem]:
    params: Mapping[str, Any] = job.options.get("params", {})
    at: Path = (NAME, "params")
    if not params:
        message = "missing 'elasticdl.params': the master's flags, such as model_def"
        hint = "`chartgen explain elasticdl` shows an example"
        yield document.missing((NAME,), message, "elasticdl-params-missing", hint, key=True)
        return
    names = DATA_OF[job.options["dialect"]]
    training, _, prediction = names
    init = LATER_INIT if job.options["dialect"] == "0.2" else INIT
    for needed, about in REQUIRED[job.options["dialect"]].items():
        if needed not in params:
            message = f"missing '{needed}' in elasticdl.params: {about}"
            yield document.missing(at, message, "elasticdl-params-missing", key=True)
    data = [name for name in names if name in params]
    if not data:
        message = f"no data; expected {listed(names)}"
        yield document.missing(at, message, "elasticdl-data-missing", key=True)
    if prediction in data and len(data) > 1:
        message = f"prediction cannot be combined with {data[0]}; expected one of them"
        yield document.problem((*at, prediction), message, "elasticdl-predict-alone", key=True)
    elif data and training not in data and init not in params:
        message = f"no training, so no model; expected {init}, the checkpoint to use"
        yield document.missing((*at, data[0]), message, "elasticdl-checkpoint-missing", key=True)


def _check_native(job: Job, document: Document) -> Iterator[Problem]:
    accepts = (*ACCEPTS, "env") if is_later_native(job) else ACCEPTS
    shared = [word for word in job.shared if word not in (*accepts, *_MASTERS)]
    if job.settings.get("podSecurity", "none") != "none":
        shared.append("podSecurity")
    for word in shared:
        message = f"{word!r} only applies to the master, which cannot pass it on to its workers"
        hint = "with expansion: static it applies to all"
        yield document.warning((word,), message, "role-field-not-applied", hint, key=True)
    if is_later_native(job):
        yield from _check_pod(job, document)
    else:
        yield from _check_restart(job, document)
    if "worker" in job.roles:
        if job.options["dialect"] != "0.2":
            yield from _check_volumes(job, document)
        yield from _check_resources(job, document)


def _check_pod(job: Job, document: Document) -> Iterator[Problem]:
    """Tell what a Job would have done for a master that is a bare pod."""
    spec = job.spec("master") if "master" in job.roles else {}
    for word in ("backoffLimit", "ttlSecondsAfterFinished", "suspend", "job"):
        if word in spec:
            master = f"the master of ElasticDL {job.options['dialect']}"
            message = f"{master} is a pod and not a Job, so {word!r} has no effect"
            own = word in job.roles["master"].spec
            path: Path = ("roles", "master", word) if own else (word,)
            yield document.warning(path, message, "elasticdl-master-pod", key=True)
    strategy = job.options.get("params", {}).get("distribution_strategy", "")
    if "ps" in job.roles and not job.settings.get("rbac", {}).get("create", True):
        message = (
            "parameter servers ask the Kubernetes API for the master, under the namespace's "
            "default account, and do not end without an answer"
        )
        hint = "let that account get pods; `chartgen explain framework elasticdl` has the commands"
        yield document.warning(("roles", "ps"), message, "elasticdl-ps-account", hint, key=True)
    elif "ps" not in job.roles and strategy == "ParameterServerStrategy":
        message = (
            "there are no parameter servers for the ParameterServerStrategy; expected roles.ps"
        )
        yield document.missing(("roles",), message, "role-missing", key=True)


def _check_restart(job: Job, document: Document) -> Iterator[Problem]:
    """Check that the master is not restarted: it would collide with its earlier workers."""
    for word, only in (("restartPolicy", "Never"), ("backoffLimit", 0)):
        said = job.spec("master").get(word, only) if "master" in job.roles else only
        if said != only:
            message = f"a native master must not be restarted; expected {word}: {only} for it"
            own = word in job.roles["master"].spec
            path: Path = ("roles", "master", word) if own else (word,)
            yield document.problem(path, message, "elasticdl-master-restarts")


def _check_volumes(job: Job, document: Document) -> Iterator[Problem]:
    """Check for at most one claim, mounted once: a master cannot give its workers more."""
    spec = job.spec("worker")
    at: Path = ("roles", "worker") if "volumes" in job.roles["worker"].spec else ()
    volumes, mounts = spec.get("volumes", []), spec.get("volumeMounts", [])
    odd = [volume for volume in volumes if "persistentVolumeClaim" not in volume]
    odd += [mount for mount in mounts if mount.keys() - {"name", "mountPath"}]
    if odd or len(volumes) > 1 or len(mounts) > 1:
        message = "a native master can give its workers one claim, mounted once and as a whole"
        hint = "with expansion: static any volumes are supported"
        yield document.problem((*at, "volumes"), message, "elasticdl-one-claim", hint, key=True)


def _check_resources(job: Job, document: Document) -> Iterator[Problem]:
    """Check that workers only request what the master supports."""
    own = "resources" in job.roles["worker"].spec
    at: Path = ("roles", "worker", "resources") if own else ("resources",)
    for part in ("requests", "limits"):
        for name in job.spec("worker").get("resources", {}).get(part, {}):
            if name not in ("cpu", "memory", "ephemeral-storage") and not name.endswith("/gpu"):
                message = f"a native master cannot request {name!r} for its workers"
                hint = "it supports cpu, memory, ephemeral-storage and GPUs such as nvidia.com/gpu"
                path = (*at, part, name)
                yield document.problem(path, message, "elasticdl-worker-resource", hint, key=True)
