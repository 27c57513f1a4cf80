"""Remove at once the release's Jobs and the pods that STRAYS selects.

Those are the pods that the job made at run time and Helm does not know. Nothing is removed if there
are Jobs with the runtime id KEEP.
"""

import os
import time

from api import JOBS, find, remove, say

PODS = "/api/v1/namespaces/%s/pods" % os.environ.get("NAMESPACE")


def main():
    selector, keep = os.environ["SELECTOR"], os.environ.get("KEEP")
    found = find(JOBS, selector)
    if keep and any(job["metadata"]["labels"].get("chartgen/runtime-id") == keep for job in found):
        say("the job with runtime id %s continues" % keep)
        return
    for job in found:
        remove(JOBS, job["metadata"]["name"])
    selectors = strays(found)
    selectors.append(selector)
    left = True
    while left:  # a pod that creates others may do so until it is gone
        left = [pod for one in selectors for pod in find(PODS, one)]
        for pod in left:
            if "deletionTimestamp" not in pod["metadata"]:
                remove(PODS, pod["metadata"]["name"])
        time.sleep(2 if left else 0)


def strays(jobs):
    """What selects the pods that were made at run time: now, and when the Jobs were made."""
    terms = [term.partition("=") for term in os.environ["STRAYS"].split(",")]
    found = set()
    for own in [{}] + [job["metadata"]["labels"] for job in jobs]:
        words = [
            name + sign + (own.get(name, value) if sign else "") for name, sign, value in terms
        ]
        found.add(",".join(words))
    return sorted(found)


if __name__ == "__main__":
    main()
