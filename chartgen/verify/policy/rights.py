"""Rights: what roles let the chart's pods do to the cluster."""

from collections.abc import Iterator, Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Object, entries, fields, place

_ALL = "*"
_BROAD = {"Role": "RoleBinding", "ClusterRole": "ClusterRoleBinding"}


def check(found: Sequence[Object]) -> Iterator[Problem]:
    """Every right that reaches further than a job should."""
    for one in found:
        if one["kind"] in _BROAD:
            yield from _rules(one)
        if one["kind"] == "ClusterRoleBinding":
            message = "it gives rights in every namespace of the cluster"
            yield place(one).warning(message, "cluster-rights", "use a RoleBinding")
        if one["kind"] in _BROAD.values() and fields(one, "roleRef").get("name") == "cluster-admin":
            yield place(one).below("roleRef").warning("cluster-admin may do everything", "cluster-admin")


def _rules(one: Object) -> Iterator[Problem]:
    for index, rule in enumerate(entries(one, "rules")):
        for field in ("verbs", "resources"):
            words = rule.get(field)
            if isinstance(words, list) and _ALL in words:
                where = place(one).below("rules", index, field)
                yield where.warning(f"'*' stands for all {field}, also those to come; expected their names", "wildcard")
