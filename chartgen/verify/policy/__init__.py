"""Policy: what a cluster would refuse, or its people regret, in objects that all schemas accept."""

from collections.abc import Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Object
from chartgen.verify.policy import jobs, names, pods, rights, spelling

__all__ = ["Object", "check"]


def check(objects: Sequence[Object]) -> list[Problem]:
    """Every problem of the objects of one release."""
    problems: list[Problem] = []
    for module in (names, spelling, pods, jobs, rights):
        problems += module.check(objects)
    return problems
