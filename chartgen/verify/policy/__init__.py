"""Policy: what a cluster would refuse, or its people regret, in objects that every schema accepts."""

from collections.abc import Sequence

from chartgen.errors import Problem
from chartgen.k8s.objects import Object
from chartgen.verify.policy import names as objects
from chartgen.verify.policy import pods, rights
from chartgen.verify.policy import spelling as spellings

__all__ = ["Object", "check"]


def check(found: Sequence[Object]) -> list[Problem]:
    """Every problem of the objects of one release."""
    return [*objects.check(found), *spellings.check(found), *pods.check(found), *rights.check(found)]
