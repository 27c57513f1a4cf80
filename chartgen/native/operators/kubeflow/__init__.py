"""What the jobs of Kubeflow share: sets of replicas by type, and a run policy."""

from collections.abc import Callable, Mapping

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow.policies import take_restart_policy, take_run_policy
from chartgen.native.operators.leftovers import Mender, mend_name, mend_templates, templates
from chartgen.native.operators.pod_template import take_template
from chartgen.native.operators.replica_sets import describe_job, read_object
from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any

_LABEL = "training.kubeflow.org"
_PREFIX = 37  # characters that leave room for -cleanup, the id and a hash in a DNS label


class OperatorKind(NamedTuple):
    """What differs between the kinds."""

    form: str
    framework: str
    container: str
    specs: str  # the key of the sets of replicas
    port_name: str
    port: int  # the framework's default here; another one is stated
    restart: str = "Never"  # the operator's default
    launcher_restart: str = "Never"  # the same for a launcher
    role_label: str = "replica-type"  # the label with the role's name
    all_containers: bool = True  # whether the operator set its variables in all of them


def adopt(
    document: Document,
    kind: OperatorKind,
    finish: Callable[[Draft], None],
    prepare: Callable[[Mender], None] | None = None,
) -> Adopted:
    """The job description that an object means; `finish` adds what only its kind says.

    `prepare` changes what its operator read in another way than others.
    """
    specs: Path = ("spec", kind.specs)

    def mend(mender: Mender) -> None:
        mend_name(mender)
        if prepare:
            prepare(mender)
        mend_templates(mender, kind.container, "spec", kind.specs)
        _drop_restart_policies(mender, kind)

    sound, whole, problems = read_object(document, kind.form, mend)
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    spec = sound.data["spec"]
    describe_job(draft, kind.framework, specs)
    name = sound.data["metadata"]["name"]
    take_name_prefix(draft, name, "NAME-TYPE-INDEX")
    for type_, replica_set in spec[kind.specs].items():
        _describe_set(draft, kind, (*specs, type_), type_.lower(), replica_set)
    take_run_policy(draft, ("spec",), spec)
    take_run_policy(draft, ("spec", "runPolicy"), spec.get("runPolicy", {}))
    _take_labels(draft, name, f"{_LABEL}/{kind.role_label}")
    if whole:
        finish(draft)
    return draft.adopted(problems)


def take_name_prefix(draft: Draft, name: str, made: str) -> None:
    """The job's name before those of its objects, which the operator made in another form."""
    draft.take(("namePrefix",), f"{name[:_PREFIX].rstrip('-')}-", ("metadata", "name"))
    text = (
        f"the operator's objects were named {made}; here the names have an id before the index. It "
        "changes when the pods do, so that an upgrade replaces them"
    )
    draft.note(("namePrefix",), text)


def _drop_restart_policies(mender: Mender, kind: OperatorKind) -> None:
    """A set's restartPolicy takes the place of its template's, which may be anything."""
    for path, template in templates(mender, "spec", kind.specs):
        policy = template["spec"].pop("restartPolicy", None)
        default = _default_restart(kind, str(path[-2]))
        of_set = mender.at(*path[:-1]).get("restartPolicy", default)
        if policy is not None and policy != of_set:
            message = f"the operator replaced this restartPolicy by {of_set}, that of the set"
            if "restartPolicy" not in mender.at(*path[:-1]):
                message = f"the operator replaced this restartPolicy by {of_set}, its default"
            hint = "write restartPolicy beside replicas and template"
            where: Path = (*path, "spec", "restartPolicy")
            mender.warn(where, message, "restart-policy-replaced", hint, key=True)


def _default_restart(kind: OperatorKind, type_: str) -> str:
    return kind.launcher_restart if type_ == "Launcher" else kind.restart


def _describe_set(
    draft: Draft, kind: OperatorKind, path: Path, role: str, replica_set: Mapping[str, Any]
) -> None:
    """A set of replicas becomes a role."""
    draft.take(("roles", role), {}, path)
    if "replicas" in replica_set:
        draft.take(("roles", role, "replicas"), replica_set["replicas"], (*path, "replicas"))
    template = _without_port(draft, kind, path, role, replica_set["template"])
    policy = replica_set.get("restartPolicy", _default_restart(kind, str(path[-1])))
    if not take_template(draft, role, path, template, kind.container, restart=False):
        return
    take_restart_policy(draft, role, (*path, "restartPolicy"), policy)
    if "restartPolicy" not in replica_set:
        draft.note(("roles", role, "restartPolicy"), "the operator's default")
    if kind.all_containers and len(template["spec"]["containers"]) > 1:
        text = (
            f"the operator set its variables in all containers; here only {kind.container!r} has "
            "them"
        )
        draft.note(("roles", role), text)


def _without_port(
    draft: Draft, kind: OperatorKind, path: Path, role: str, template: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The template without the port that the operator looked for, which is the role's own."""
    containers = []
    for index, container in enumerate(template["spec"]["containers"]):
        ports = []
        for number, port in enumerate(container.get("ports", ())):
            if container["name"] != kind.container or port.get("name") != kind.port_name:
                ports.append(port)
                continue
            source = (*path, "template", "spec", "containers", index, "ports", number)
            if port["containerPort"] != kind.port:
                origin: Path = (*source, "containerPort")
                draft.take(("roles", role, "port"), port["containerPort"], origin)
        containers.append({**container, "ports": ports} if "ports" in container else container)
    return {**template, "spec": {**template["spec"], "containers": containers}}


def _take_labels(draft: Draft, name: str, of_role: str) -> None:
    """The labels of v1 that do not count replicas; earlier versions had others."""
    version = str(draft.source.data.get("apiVersion"))
    if version not in ("kubeflow.org/v1", "kubeflow.org/v2beta1"):
        whose = "KubeDL" if "kubedl" in version else "the operator's versions before v1"
        text = "pods have the labels chartgen/role and chartgen/index; those of "
        draft.note(("roles",), f"{text}{whose} are left out")
        return
    labels = {f"{_LABEL}/job-name": name, **draft.data.get("labels", {})}
    decides = {f"{_LABEL}/job-role": "master"}  # by which people find the logs that matter
    draft.take(("labels",), labels, ("metadata", "name"))
    for role, fields in draft.data["roles"].items():
        added = {of_role: role, **(decides if role in ("chief", "master") else {})}
        if "template" in fields:
            metadata = fields["template"].get("metadata", {})
            own = {**added, **metadata.get("labels", {})}
            fields["template"] = {**fields["template"], "metadata": {**metadata, "labels": own}}
        else:
            fields["labels"] = {**added, **fields.get("labels", {})}
    text = f"as with the operator; chartgen/index replaces {_LABEL}/replica-index"
    draft.note(("labels",), text)
