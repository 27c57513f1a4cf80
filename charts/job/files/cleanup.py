"""Wait until the Job that decides is done, then suspend the other Jobs of this release that still run.

A parameter server serves until it is stopped; suspended, its Job keeps its record while its pods end and give back what
they held. It needs Python 3 and nothing else: the cluster's API is reached with what every pod is given.
"""

import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
INTERVAL = 10  # seconds between two looks


def main() -> int:
    jobs = f"/apis/batch/v1/namespaces/{os.environ['NAMESPACE']}/jobs"
    decides = os.environ["DECIDES"]
    result = ""
    while not result:
        result = outcome(ask("GET", f"{jobs}/{decides}"))
        if not result:
            time.sleep(INTERVAL)
    print(f"{decides}: {result}", flush=True)
    selector = urllib.parse.urlencode({"labelSelector": os.environ["SELECTOR"]})
    for job in ask("GET", f"{jobs}?{selector}")["items"]:
        if not outcome(job) and not job["spec"].get("suspend"):
            name = job["metadata"]["name"]
            ask("PATCH", f"{jobs}/{name}", {"spec": {"suspend": True}})
            print(f"{name}: suspended", flush=True)
    return 0


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
            headers["Content-Type"] = "application/merge-patch+json"
        request = urllib.request.Request(f"https://{host}:{port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, context=context, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code != 429:
                sys.exit(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}")
        except OSError as error:
            print(f"{method} {path}: {error}; trying again", flush=True)
        time.sleep(INTERVAL)


if __name__ == "__main__":
    sys.exit(main())
