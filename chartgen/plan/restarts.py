"""Restart profiles: what becomes of a replica that fails, as defaults of its role's fields.

A framework chooses one for each role; what the job says wins. All of them are Kubernetes' own
means: one Job for each replica, which knows nothing of the others.
"""

from collections.abc import Mapping

from chartgen.startup.typing import Any

# It is started again in its pod and joins the others, who wait for it or do not need it.
ALONE: Mapping[str, Any] = {}
# The same in a new pod, where the old one's address or files would harm, and where a new pod first
# waits for others again. Pods that are preempted, evicted or drained are not counted.
ANEW: Mapping[str, Any] = {"restartPolicy": "Never"}
# It cannot join again: the others fail as well, one after another, and each is started again by its
# own Job, several times, before all meet again. Kubernetes' own limit, 6, is too low for that.
TOGETHER: Mapping[str, Any] = {"backoffLimit": 10}
# A second start would collide with what the first one made.
ONCE: Mapping[str, Any] = {"restartPolicy": "Never", "backoffLimit": 0}


def is_permanent(codes: Any, code: int) -> bool:
    """Whether a job's `exitCodes` say that a program which ended with a code is not retried."""
    if codes == "tfjob":
        return code < 128
    if codes == "tf-operator":
        codes = {"retryable": [130, 137, 138, 143]}
    if not isinstance(codes, dict):
        return False
    if permanent := codes.get("permanent"):
        return code in permanent
    return code not in codes.get("retryable", ())
