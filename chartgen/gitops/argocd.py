"""Applications of Argo CD.

A wave of a sync ends only when all its objects are healthy, and a Job that is running is not yet
healthy. All objects are therefore in one wave, where Argo CD creates ConfigMaps and Services first.
"""

from collections.abc import Sequence

from chartgen.gitops.model import Delivery, Target
from chartgen.k8s.objects import Object
from chartgen.startup.typing import Any

API = "argoproj.io/v1alpha1"
NAMESPACE = "argocd"
_HERE = "https://kubernetes.default.svc"


def objects(targets: Sequence[Target], delivery: Delivery) -> dict[str, Object]:
    """The objects by the paths of their files."""
    if delivery.application_set:
        return {"applicationset.yaml": _application_set(targets, delivery)}
    applications = {}
    for target in targets:
        folder = f"{target.environment}/" if target.environment else ""
        applications[f"{folder}{target.job}.yaml"] = {
            "apiVersion": API,
            "kind": "Application",
            "metadata": {
                "name": target.name,
                "namespace": delivery.namespace or NAMESPACE,
                # Deleting the Application deletes the job.
                "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            },
            "spec": _spec(_source(target, delivery), _destination(target), delivery),
        }
    return applications


def _spec(source: Any, destination: Any, delivery: Delivery) -> dict[str, Any]:
    return {
        "project": delivery.project,
        "source": source,
        "destination": destination,
        "syncPolicy": {
            # Jobs with changed pods have other names, so the old ones must be removed. What was
            # deleted on purpose is not made again: training would start over.
            "automated": {"prune": True, "selfHeal": False},
            "syncOptions": [
                "CreateNamespace=true",
                "ApplyOutOfSyncOnly=true",
                "ServerSideApply=true",
                "RespectIgnoreDifferences=true",
            ],
        },
        # A job that was stopped, or cleaned up when it was done, is suspended.
        "ignoreDifferences": [
            {"group": "batch", "kind": "Job", "jsonPointers": ["/spec/suspend"]},
        ],
    }


def _source(target: Target, delivery: Delivery) -> dict[str, Any]:
    source: dict[str, Any] = {
        "repoURL": delivery.repository,
        "targetRevision": delivery.revision,
        "path": target.path,
    }
    if target.manifests:
        return source
    if delivery.registry:
        source = {
            "repoURL": delivery.registry.removeprefix("oci://").rstrip("/"),
            "chart": target.job,
            "targetRevision": target.version,
        }
    source["helm"] = {"releaseName": target.job, "skipTests": True}  # helm test does not exist here
    if target.values_file:
        source["helm"]["valueFiles"] = [target.values_file]
    return source


def _destination(target: Target) -> dict[str, str]:
    where = {"server": target.cluster or _HERE}
    if target.cluster and "://" not in target.cluster:
        where = {"name": target.cluster}
    return {**where, "namespace": target.namespace}


def _application_set(targets: Sequence[Target], delivery: Delivery) -> Object:
    """One object for all jobs and environments; Argo CD makes the Applications."""
    elements = []
    for target in targets:
        destination = _destination(target)
        elements.append(
            {
                "name": target.name,
                "job": target.job,
                "path": target.path,
                "version": target.version,
                "valueFiles": [target.values_file] if target.values_file else [],
                "cluster": destination.get("name", ""),
                "server": destination.get("server", ""),
                "namespace": target.namespace,
            }
        )
    stands_for = Target("{{ .job }}", "", "{{ .namespace }}", "", "{{ .path }}", "{{ .version }}")
    manifests = bool(targets) and targets[0].manifests
    source = _source(stands_for._replace(manifests=manifests), delivery)
    destination = {
        "name": "{{ .cluster }}",
        "server": "{{ .server }}",
        "namespace": "{{ .namespace }}",
    }
    spec: dict[str, Any] = {
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "generators": [{"list": {"elements": elements}}],
        "template": {
            "metadata": {
                "name": "{{ .name }}",
                "finalizers": ["resources-finalizer.argocd.argoproj.io"],
            },
            "spec": _spec(source, destination, delivery),
        },
    }
    if not manifests:
        spec["templatePatch"] = _VALUE_FILES
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": {"name": "chartgen", "namespace": delivery.namespace or NAMESPACE},
        "spec": spec,
    }


# A list cannot be a hole of the template itself.
_VALUE_FILES = """\
{{- if .valueFiles }}
spec:
  source:
    helm:
      valueFiles: {{ toJson .valueFiles }}
{{- end }}
"""
