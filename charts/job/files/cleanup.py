"""Wait until the Jobs that decide are done, then suspend the other Jobs of this release that still run.

With STRAYS in the environment, remove the release's Jobs and the pods that STRAYS selects instead, at once: those that
the job made at run time, which Helm does not know. Nothing is removed if there are Jobs of the runtime id KEEP.

A parameter server serves until it is stopped; suspended, its Job keeps its record while its pods end and give back what
they held. It needs Python 3 and nothing else: the cluster's API is reached with what every pod is given.
"""

import json
import os
import signal
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
INTERVAL = 10  # seconds between two looks


def main() -> int:
    return sweep() if os.environ.get("STRAYS") else suspend()


def suspend() -> int:
    jobs = f"/apis/batch/v1/namespaces/{os.environ['NAMESPACE']}/jobs"
    count = int(os.environ["COUNT"])
    result = ""
    while not result:
        result = verdict(find(jobs, os.environ["DECIDES"]), count)
        if not result:
            time.sleep(INTERVAL)
    print(f"{os.environ['DECIDES']}: {result}", flush=True)
    for job in find(jobs, os.environ["SELECTOR"]):
        if not outcome(job) and not job["spec"].get("suspend"):
            name = job["metadata"]["name"]
            ask("PATCH", f"{jobs}/{name}", {"spec": {"suspend": True}})
            print(f"{name}: suspended", flush=True)
    return 0


def sweep():
    namespace = os.environ["NAMESPACE"]
    jobs, pods = f"/apis/batch/v1/namespaces/{namespace}/jobs", f"/api/v1/namespaces/{namespace}/pods"
    selector, keep = os.environ["SELECTOR"], os.environ.get("KEEP")
    found = find(jobs, selector)
    if keep and any(job["metadata"]["labels"].get("chartgen/runtime-id") == keep for job in found):
        print(f"the job of the runtime id {keep} goes on", flush=True)
        return 0
    remove(jobs, found)
    selectors = [selector, *strays(found)]
    # A pod that makes others may make some until it is gone itself.
    while left := [pod for one in selectors for pod in find(pods, one)]:
        remove(pods, [pod for pod in left if "deletionTimestamp" not in pod["metadata"]])
        time.sleep(2)
    return 0


def strays(jobs):
    """What selects the pods that were made at run time: as it is now, and as it was when the Jobs were made."""
    terms = [term.partition("=") for term in os.environ["STRAYS"].split(",")]
    labels = [{}, *(job["metadata"]["labels"] for job in jobs)]
    return sorted(
        {",".join(f"{name}={own.get(name, value)}" if sign else name for name, sign, value in terms) for own in labels}
    )


def remove(objects, found):
    """Delete objects, and with them what belongs to them."""
    for one in found:
        name = one["metadata"]["name"]
        ask("DELETE", f"{objects}/{name}", {"propagationPolicy": "Background"})
        print(f"{name}: removed", flush=True)


def find(jobs, selector):
    """The objects that a label selector names."""
    query = urllib.parse.urlencode({"labelSelector": selector})
    return ask("GET", f"{jobs}?{query}")["items"]


def verdict(deciding, count):
    """How it ended for all that decide: well if for each of them, badly if for one; nothing while some may yet come."""
    ends = [outcome(job) for job in deciding]
    if "Failed" in ends:
        return "Failed"
    return "Complete" if ends.count("Complete") >= count else ""


def outcome(job):
    """How a Job ended, or nothing while it runs."""
    conditions = job.get("status", {}).get("conditions") or []
    ended = (item["type"] for item in conditions if item["status"] == "True")
    return next((kind for kind in ended if kind in ("Complete", "Failed")), "")


def ask(method, path, body=None):
    """One request to the API server, tried again while it cannot be reached or is busy."""
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    host = f"[{host}]" if ":" in host else host
    context = ssl.create_default_context(cafile=f"{MOUNT}/ca.crt")
    while True:
        with open(f"{MOUNT}/token", encoding="utf-8") as file:  # it is renewed while we wait
            headers = {"Authorization": f"Bearer {file.read()}", "Accept": "application/json"}
        data = json.dumps(body).encode() if body else None
        if data:
            headers["Content-Type"] = "application/json" if method == "DELETE" else "application/merge-patch+json"
        request = urllib.request.Request(f"https://{host}:{port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if method == "DELETE" and error.code == 404:
                return None
            if error.code < 500 and error.code != 429:
                sys.exit(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}")
        except OSError as error:
            print(f"{method} {path}: {error}; trying again", flush=True)
        time.sleep(INTERVAL)


if __name__ == "__main__":
    # As process 1 of its container it would else wait, deaf to an uninstall, until it is killed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
