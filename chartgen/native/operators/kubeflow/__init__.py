"""What the jobs of Kubeflow share: sets of replicas by type, and a run policy."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from chartgen.document import Document, Path
from chartgen.native.draft import Adopted, Draft
from chartgen.native.operators.kubeflow.policies import take_restart_policy, take_run_policy
from chartgen.native.operators.leftovers import Mender, cut_name, mend_templates, templates
from chartgen.native.operators.pod_template import take_template
from chartgen.native.operators.replica_sets import describe_job, read_object

_LABEL = "training.kubeflow.org"
_PREFIX = 37  # characters that leave room for -cleanup, the id and a hash in a DNS label
_NAMES = (
    "the operator's objects were named NAME-TYPE-INDEX; here an id stands before the index, which "
    "changes when the pods do, so that an upgrade replaces them"
)


class OperatorKind(NamedTuple):
    """What differs between the kinds."""

    form: str
    framework: str
    container: str
    specs: str  # the key of the sets of replicas
    port_name: str
    port: int  # the framework's default here; another one is stated
    restart: str = "Never"  # the operator's default


def adopt(document: Document, kind: OperatorKind, finish: Callable[[Draft], None]) -> Adopted:
    """The job description that an object means; `finish` adds what only its kind says."""
    specs: Path = ("spec", kind.specs)

    def mend(mender: Mender) -> None:
        cut_name(mender)
        mend_templates(mender, kind.container, "spec", kind.specs)
        _drop_restart_policies(mender, kind)

    sound, whole, problems = read_object(document, kind.form, mend)
    if sound is None:
        return Adopted(None, (), tuple(problems))
    draft = Draft(sound)
    spec = sound.data["spec"]
    describe_job(draft, kind.framework, specs)
    name = sound.data["metadata"]["name"]
    draft.take(("namePrefix",), f"{name[:_PREFIX].rstrip('-')}-", ("metadata", "name"))
    draft.note(("namePrefix",), _NAMES)
    for type_, replica_set in spec[kind.specs].items():
        _describe_set(draft, kind, (*specs, type_), type_.lower(), replica_set)
    take_run_policy(draft, ("spec",), spec)
    take_run_policy(draft, ("spec", "runPolicy"), spec.get("runPolicy", {}))
    _take_labels(draft, name)
    if whole:
        finish(draft)
    return draft.adopted(problems)


def _drop_restart_policies(mender: Mender, kind: OperatorKind) -> None:
    """A set's restartPolicy takes the place of its template's, which may be anything."""
    for path, template in templates(mender, "spec", kind.specs):
        policy = template["spec"].pop("restartPolicy", None)
        of_set = mender.at(*path[:-1]).get("restartPolicy", kind.restart)
        if policy is not None and policy != of_set:
            message = f"the operator replaced this restartPolicy by {of_set}, that of the set"
            if "restartPolicy" not in mender.at(*path[:-1]):
                message = f"the operator replaced this restartPolicy by {of_set}, its default"
            hint = "write restartPolicy beside replicas and template"
            where: Path = (*path, "spec", "restartPolicy")
            mender.warn(where, message, "restart-policy-replaced", hint, key=True)


def _describe_set(
    draft: Draft, kind: OperatorKind, path: Path, role: str, replica_set: Mapping[str, Any]
) -> None:
    """A set of replicas becomes a role."""
    draft.take(("roles", role), {}, path)
    if "replicas" in replica_set:
        draft.take(("roles", role, "replicas"), replica_set["replicas"], (*path, "replicas"))
    template = _without_port(draft, kind, path, role, replica_set["template"])
    policy = replica_set.get("restartPolicy", kind.restart)
    if not take_template(draft, role, path, template, kind.container, restart=False):
        return
    take_restart_policy(draft, role, (*path, "restartPolicy"), policy)
    if "restartPolicy" not in replica_set:
        draft.note(("roles", role, "restartPolicy"), "the operator's default")
    if len(template["spec"]["containers"]) > 1:
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


def _take_labels(draft: Draft, name: str) -> None:
    """The labels of v1 that do not count replicas; earlier versions had others."""
    if draft.source.data.get("apiVersion") != "kubeflow.org/v1":
        text = (
            "pods have the labels chartgen/role and chartgen/index; "
            "those of the operator's versions before v1 are left out"
        )
        draft.note(("roles",), text)
        return
    labels = {f"{_LABEL}/job-name": name, **draft.data.get("labels", {})}
    draft.take(("labels",), labels, ("metadata", "name"))
    for role, fields in draft.data["roles"].items():
        if "template" in fields:
            metadata = fields["template"].get("metadata", {})
            own = {f"{_LABEL}/replica-type": role, **metadata.get("labels", {})}
            fields["template"] = {**fields["template"], "metadata": {**metadata, "labels": own}}
        else:
            fields["labels"] = {f"{_LABEL}/replica-type": role, **fields.get("labels", {})}
    text = f"as the operator's; in the place of {_LABEL}/replica-index there is chartgen/index"
    draft.note(("labels",), text)
