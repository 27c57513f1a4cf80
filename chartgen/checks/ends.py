"""Checks of how a job ends: exit codes, and records that GitOps would bring back."""

from collections.abc import Iterator

from chartgen.document import Document
from chartgen.errors import Problem
from chartgen.job.model import merge
from chartgen.plan.restarts import is_permanent
from chartgen.pods import Pods


def check_exit_codes(pods: Pods, document: Document) -> Iterator[Problem]:
    """Exit codes have a meaning only where a failed pod is replaced by a new one."""
    for pod in pods.charted:
        if pod.plan is None:
            continue
        spec = merge(pod.plan.defaults, pod.spec)
        codes, lost = spec.get("exitCodes", "none"), pod.plan.lost_peer
        if codes == "none":
            continue
        if spec.get("job", {}).get("podReplacementPolicy", "Failed") != "Failed":
            message = "with exitCodes, podReplacementPolicy can only be Failed"
            path = pod.where("job", "podReplacementPolicy")
            yield document.problem(path, message, "job-failure-policy", key=True)
        if spec.get("restartPolicy") == "Never":
            if lost and is_permanent(codes, lost):
                message = f"a replica that has lost another one exits with {lost}, which exitCodes"
                message += " treats as permanent: if one is killed, the job fails"
                hint = f"leave exitCodes out, or let it retry {lost}"
                where = pod.where("exitCodes")
                yield document.warning(where, message, "exit-codes-lost-peer", hint, key=True)
            continue
        message = "exitCodes has no effect with restartPolicy OnFailure, because the kubelet then"
        message += " restarts a program whatever its exit code; expected restartPolicy: Never"
        yield document.problem(pod.where("exitCodes"), message, "exit-codes-on-failure", key=True)


def check_kept_records(pods: Pods, document: Document) -> Iterator[Problem]:
    """What deletes Jobs fights with what keeps a cluster as Git has it."""
    for layer in pods.layers:
        if "ttlSecondsAfterFinished" in layer.spec:
            message = "a Job that is deleted when it has finished is created again by Argo CD, Flux"
            message += " and the next helm upgrade, and trains again"
            hint = "leave it out, unless the release is installed once with Helm and then removed"
            path = (*layer.path, "ttlSecondsAfterFinished")
            yield document.warning(path, message, "job-removes-itself", hint, key=True)
    if pods.job.settings.get("cleanup", {}).get("policy") == "delete":
        message = "Argo CD, Flux and the next helm upgrade re-create the Jobs that the clean-up"
        message += " deletes, and their replicas serve again"
        hint = "use suspend, which keeps the Jobs and is not drift"
        yield document.warning(("cleanup", "policy"), message, "cleanup-delete", hint)
