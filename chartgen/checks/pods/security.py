"""Checks against the restricted Pod Security Standard, for jobs that ask for it."""

from collections.abc import Iterator

from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.k8s.rules import pods as pod_rules
from chartgen.pods import DescribedPod, Pods


def check_pod_security(pods: Pods, document: Document) -> Iterator[Problem]:
    """A warning for everything in the job, or injected by its cloud, that the standard forbids."""
    if pods.job.settings.get("podSecurity") != "restricted":
        return
    for pod in pods.charted:
        for path, what in _forbidden(pod):
            message = f"{what} is forbidden by the restricted standard"
            message += "; expected it to be left out, or podSecurity: none"
            yield document.warning(path, message, "pod-security-restricted")
        for what in _injected(pod):
            message = f"cloud {pods.cloud['name']!r} adds {what}"
            message += ", which the restricted standard forbids"
            yield document.warning(("podSecurity",), message, "pod-security-restricted")


def _forbidden(pod: DescribedPod) -> Iterator[tuple[Path, str]]:
    spec = pod.spec
    for (field, *_), what in pod_rules.forbidden_in_pod(spec.get("pod", {})):
        yield pod.where("pod", str(field)), what
    for path, what in pod_rules.forbidden_volumes(spec.get("volumes", ())):
        yield (*pod.where("volumes"), *path), what
    for field in ("podSecurityContext", "securityContext"):
        for path, what in pod_rules.forbidden_in_context(spec.get(field, {})):
            yield pod.where(field, *map(str, path)), what
    for path, what in pod_rules.forbidden_ports(spec.get("ports", ())):
        yield (*pod.where("ports"), *path), what
    for container in pod.beside:
        context = container.spec.get("securityContext", {})
        for path, what in pod_rules.forbidden_in_context(context):
            yield (*container.path, "securityContext", *path), what
        for path, what in pod_rules.forbidden_ports(container.spec.get("ports", ())):
            yield (*container.path, "ports", *path), what


def _injected(pod: DescribedPod) -> Iterator[str]:
    for layer in pod.injected:
        for _, what in pod_rules.forbidden_volumes(layer.get("volumes", ())):
            yield what
        for _, what in pod_rules.forbidden_in_pod(layer.get("pod", {})):
            yield what
        for _, what in pod_rules.forbidden_in_context(layer.get("securityContext", {})):
            yield what
