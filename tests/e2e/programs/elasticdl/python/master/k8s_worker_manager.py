"""The pods of the workers: created, watched, and replaced under the next number if deleted."""

import itertools
import os
import threading
from argparse import Namespace
from typing import Any

from ..k8s_client import Client, Object
from ..process import log
from .task_queue import TaskQueue


class WorkerManager:
    """The workers of a master that creates them."""

    def __init__(self, flags: Namespace, tasks: TaskQueue) -> None:
        self._flags, self._tasks = flags, tasks
        self._client = Client(flags.namespace or "default", flags.job_name)
        self._numbers = itertools.count()
        self._workers: dict[str, int] = {}
        # An event may come before the call that creates the pod has returned.
        self._lock = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def start_workers(self) -> None:
        self._client.say_status("Pending")
        for _ in range(self._flags.num_workers):
            self._start()
        self._client.say_status("Running")

    def finish(self) -> None:
        self._client.say_status("Finished")

    def _start(self) -> None:
        with self._lock:
            number = next(self._numbers)
            pod = self._pod(number)
            self._client.create(pod)
            self._workers[pod["metadata"]["name"]] = number
        log(f"worker {number}: started")

    def _watch(self) -> None:
        for event in self._client.events():
            self.happened(event["type"], event["object"])

    def happened(self, what: str, pod: Object) -> None:
        """Replace a worker that was deleted before it succeeded, but not one that failed."""
        name, phase = pod["metadata"]["name"], pod["status"]["phase"]
        with self._lock:
            number = self._workers.get(name)
            if number is None or what != "DELETED":
                return
            del self._workers[name]
        log(f"worker {number}: tasks taken back: {self._tasks.recover(number)} (deleted, {phase})")
        if phase != "Succeeded":
            self._start()

    def _pod(self, number: int) -> Object:
        flags, name = self._flags, self._client.name(f"worker-{number}")
        container = {
            "name": name,
            "image": flags.worker_image,
            "command": ["python"],
            "args": [*self._args(), "--worker_id", str(number)],
            "resources": _resources(flags),
            **({"imagePullPolicy": flags.image_pull_policy} if flags.image_pull_policy else {}),
        }
        spec: dict[str, Any] = {
            "containers": [container],
            "restartPolicy": flags.restart_policy or "Never",
        }
        if flags.worker_pod_priority:
            spec["priorityClassName"] = flags.worker_pod_priority
        if volume := flags.volume:
            claim = {"claimName": volume["claim_name"], "readOnly": False}
            spec["volumes"] = [{"name": volume["volume_name"], "persistentVolumeClaim": claim}]
            container["volumeMounts"] = [
                {"name": volume["volume_name"], "mountPath": volume["mount_path"]}
            ]
        metadata = {
            "name": name,
            "labels": self._client.labels(),
            "ownerReferences": self._owners(),
        }
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    def _args(self) -> list[str]:
        flags = self._flags
        address = f"{os.environ.get('MY_POD_IP', 'localhost')}:{flags.port}"
        model = [
            "--model_def",
            flags.model_def,
            "--master_addr",
            address,
            "--log_level",
            flags.log_level,
        ]
        return ["-m", "elasticdl.python.worker.main", *model]

    def _owners(self) -> list[Object]:
        """The master's pod, if it is found; workers without an owner outlive the master."""
        if not (master := self._client.master()):
            return []
        known = {"name": master["metadata"]["name"], "uid": master["metadata"]["uid"]}
        return [{"apiVersion": "v1", "kind": "Pod", "blockOwnerDeletion": True, **known}]


def _resources(flags: Namespace) -> dict[str, dict[str, str]]:
    """Requests and limits; missing limits equal the requests."""
    limits = flags.worker_resource_limit or flags.worker_resource_request
    return {"requests": _quantities(flags.worker_resource_request), "limits": _quantities(limits)}


def _quantities(quantities: dict[str, str]) -> dict[str, str]:
    return {
        "nvidia.com/gpu" if name == "gpu" else name: value for name, value in quantities.items()
    }
