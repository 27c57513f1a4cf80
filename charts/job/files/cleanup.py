"""Release what still runs once the Jobs that decide how the job ends have ended.

Jobs of SERVES, the roles that serve until they are stopped, are released at once, and so are all
others if the job failed. If it succeeded, others (a worker that is about to end, an evaluator with
its last checkpoint) have a few minutes. To release a Job is to suspend it, which ends its pods and
keeps its record, or to delete it (POLICY). Nothing is remembered: this may restart at any time. A
job that a person has stopped has not ended.
"""

import os
import time

from api import INTERVAL, JOBS, Refused, ask, find, remove, say

GRACE = 300  # seconds
# A suspended Job must not make the application of a job that has succeeded look suspended.
SUSPENDED = {
    "metadata": {"annotations": {"argocd.argoproj.io/ignore-healthcheck": "true"}},
    "spec": {"suspend": True},
}


def main():
    result = ""
    while not result:
        result = verdict(find(JOBS, os.environ["DECIDES"]), int(os.environ["COUNT"]))
        time.sleep(INTERVAL)  # also at the end: some servers end with the job by themselves
    say("%s: %s" % (os.environ["DECIDES"], result))
    waited = 0 if result == "Complete" else GRACE
    while release(everything=waited >= GRACE) and waited < GRACE:
        waited += INTERVAL
        time.sleep(INTERVAL)


def release(everything):
    """Release the Jobs that serve, or everything that runs; whether anything ran."""
    jobs = [job for job in find(JOBS, os.environ["SELECTOR"]) if runs(job)]
    for job in jobs:
        name, role = job["metadata"]["name"], job["metadata"]["labels"]["chartgen/role"]
        if not everything and role not in os.environ["SERVES"].split():
            continue
        if os.environ["POLICY"] == "delete":
            remove(JOBS, name)
        else:
            ask("PATCH", "%s/%s" % (JOBS, name), SUSPENDED)
            say("%s: suspended" % name)
    return bool(jobs)


def runs(job):
    return not outcome(job) and not job["spec"].get("suspend")


def verdict(deciding, count):
    """How the deciding Jobs ended: Complete if all did, Failed if one did, else nothing yet."""
    ends = [outcome(job) for job in deciding]
    if "Failed" in ends:
        return "Failed"
    return "Complete" if ends.count("Complete") >= count else ""


def outcome(job):
    """How a Job ended, or nothing while it runs."""
    for item in job.get("status", {}).get("conditions") or []:
        if item["status"] == "True" and item["type"] in ("Complete", "Failed"):
            return item["type"]
    return ""


if __name__ == "__main__":
    try:
        main()
    except Refused as error:
        say("nothing will be released when the job has ended: %s" % error)
        say("allow that in a Role, or set cleanup.policy=none; the job itself is not concerned")
