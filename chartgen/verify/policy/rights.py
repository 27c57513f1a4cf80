"""Rights: what RBAC objects let the chart's pods do to the cluster."""

from collections.abc import Iterator, Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Object, entries, fields, place

_ROLES = ("Role", "ClusterRole")
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def check(objects: Sequence[Object]) -> Iterator[Problem]:
    """Every right that goes further than a job needs."""
    for obj in objects:
        kind = obj["kind"]
        if kind in _ROLES:
            yield from _wildcards(obj)
        if kind == "ClusterRoleBinding":
            message = "grants rights in every namespace of the cluster"
            yield place(obj).warning(message, "rbac-cluster-wide", "use a RoleBinding")
        if kind in _BINDINGS and fields(obj, "roleRef").get("name") == "cluster-admin":
            field = place(obj).below("roleRef")
            yield field.warning("cluster-admin may do everything", "rbac-cluster-admin")


def _wildcards(obj: Object) -> Iterator[Problem]:
    for index, rule in enumerate(entries(obj, "rules")):
        for field in ("verbs", "resources"):
            words = rule.get(field)
            if isinstance(words, list) and "*" in words:
                message = f"'*' grants all {field}, including future ones; expected a list of names"
                yield place(obj).below("rules", index, field).warning(message, "rbac-wildcard")
