"""What operators did when pods or jobs ended, as far as a description can say it.

Both functions are the one place that says so: `take_exit_codes` for restartPolicy ExitCode, and
`take_clean_pods` for cleanPodPolicy.
"""

from collections.abc import Mapping

from chartgen.document import Path
from chartgen.native.draft import Draft
from chartgen.startup.typing import Any

# Fields of runPolicy that the description has under the same name.
_FIELDS = ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit", "suspend")
# The operators of these versions retried every exit code from 128 on. Those before, and KubeDL's,
# had a list of four, and took all other codes for permanent.
_RETRY_FROM_128 = ("kubeflow.org/v1", "kubeflow.org/v2beta1")


def take_restart_policy(draft: Draft, role: str, source: Path, policy: str) -> None:
    """What happens to a pod of a role that ends; a Job has no Always."""
    target: Path = ("roles", role, "restartPolicy")
    if policy == "ExitCode":
        take_exit_codes(draft, role, source)
        return
    draft.take(target, "OnFailure" if policy == "Always" else policy, source)
    if policy == "Always":
        text = (
            "restartPolicy Always: the pods of a Job end, so one that ends with 0 is not restarted"
        )
        draft.note(target, text)


def take_exit_codes(draft: Draft, role: str, source: Path) -> None:
    """A new pod after some exit codes; which ones depends on the operator's version."""
    codes, permanent = "tf-operator", "all exit codes but 130, 137, 138 and 143 fail the Job"
    if draft.source.data.get("apiVersion") in _RETRY_FROM_128:
        codes, permanent = "tfjob", "exit codes of 1 to 127 fail the Job"
    draft.take(("roles", role, "restartPolicy"), "Never", source)
    draft.take(("roles", role, "exitCodes"), codes, source)
    text = (
        f"restartPolicy ExitCode: {permanent}, as with the operator; after any other, which "
        "includes an OOM kill (137), there is a new pod, at most backoffLimit times"
    )
    draft.note(("roles", role, "restartPolicy"), text)


def take_clean_pods(draft: Draft, policy: str, source: Path) -> None:
    """Which pods the operator deleted when the job ended."""
    if policy == "None":
        draft.take(("cleanup",), {"policy": "none"}, source)
        draft.note(("cleanup",), f"cleanPodPolicy {policy}: pods that still run are kept")
        return
    draft.take(("cleanup",), {"policy": "suspend"}, source)
    kept = "those that ended are kept for their logs"
    if policy == "All":
        kept = "those that ended are kept for their logs, which the operator deleted as well"
    draft.note(("cleanup",), f"cleanPodPolicy {policy}: pods that still run are stopped; {kept}")


def take_run_policy(draft: Draft, path: Path, policy: Mapping[str, Any]) -> None:
    """The fields of runPolicy, or of a spec that holds them itself."""
    for field in _FIELDS:
        if field in policy:
            draft.take((field,), policy[field], (*path, field))
    if "backoffLimit" in policy:
        text = "the operator counted the retries of all pods together; a Job counts its own"
        draft.note(("backoffLimit",), text)
    if "activeDeadlineSeconds" in policy:
        draft.note(("activeDeadlineSeconds",), "counted for each replica, from its own start")
    if "cleanPodPolicy" in policy:
        take_clean_pods(draft, policy["cleanPodPolicy"], (*path, "cleanPodPolicy"))
    if "managedBy" in policy:
        draft.note((), "runPolicy.managedBy: no controller runs the chart's Jobs")
    _take_scheduling(draft, (*path, "schedulingPolicy"), policy.get("schedulingPolicy", {}))


def _take_scheduling(draft: Draft, path: Path, policy: Mapping[str, Any]) -> None:
    """Only the priority has a field; pods that start together need a queue such as Kueue."""
    if "priorityClass" in policy:
        source: Path = (*path, "priorityClass")
        draft.take(("priorityClassName",), policy["priorityClass"], source)
    if left := [field for field in policy if field != "priorityClass"]:
        text = (
            f"schedulingPolicy: {', '.join(left)}: the chart makes no group of pods that start "
            "together"
        )
        draft.note((), text)
