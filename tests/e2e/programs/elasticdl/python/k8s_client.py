"""The cluster's API as the real master uses it, with the pod's service account."""

import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any

from .process import log

Object = dict[str, Any]
MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


class Client:
    """The pods of a job, in a namespace."""

    def __init__(self, namespace: str, job_name: str) -> None:
        self.job_name = job_name
        self.pods = f"/api/v1/namespaces/{namespace}/pods"
        self.context = ssl.create_default_context(cafile=f"{MOUNT}/ca.crt")

    def name(self, role: str) -> str:
        """The name of a pod of the job: `master` or `worker-3`."""
        return f"elasticdl-{self.job_name}-{role}"

    def labels(self) -> dict[str, str]:
        return {"app": "elasticdl", "elasticdl_job_name": self.job_name}

    def create(self, pod: Object) -> None:
        self._send("POST", self.pods, pod).close()

    def master(self) -> Object | None:
        """The master's pod, if it has the name that the client used to give it."""
        try:
            with self._send("GET", f"{self.pods}/{self.name('master')}") as answer:
                pod: Object = json.load(answer)
                return pod
        except urllib.error.HTTPError as error:
            log(f"WARNING: {self.name('master')}: {error}")
            return None

    def say_status(self, status: str) -> None:
        """Label the master's pod, if possible."""
        try:
            patch = {"metadata": {"labels": {"status": status}}}
            self._send("PATCH", f"{self.pods}/{self.name('master')}", patch).close()
        except urllib.error.HTTPError as error:
            log(f"WARNING: {self.name('master')}: status {status}: {error}")

    def events(self) -> Iterator[Object]:
        """The events of the job's pods, forever."""
        version = ""
        query = {"labelSelector": f"elasticdl_job_name={self.job_name}", "watch": "true"}
        while True:
            words = urllib.parse.urlencode({**query, "resourceVersion": version})
            with self._send("GET", f"{self.pods}?{words}") as stream:
                for line in stream:
                    event = json.loads(line)
                    version = event["object"]["metadata"].get("resourceVersion", "")
                    if event["type"] == "ERROR":  # the last seen version is too old
                        break
                    yield event

    def _send(self, method: str, path: str, body: Object | None = None) -> HTTPResponse:
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        with open(f"{MOUNT}/token", encoding="utf-8") as file:
            headers = {"Authorization": f"Bearer {file.read()}"}
        headers["Content-Type"] = (
            "application/merge-patch+json" if method == "PATCH" else "application/json"
        )
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(
            f"https://{host}:{port}{path}", data, headers, method=method
        )
        answer: HTTPResponse = urllib.request.urlopen(request, context=self.context)
        return answer
