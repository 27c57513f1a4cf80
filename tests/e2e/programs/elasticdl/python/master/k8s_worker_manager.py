"""The pods of the workers: made, watched, and replaced under the next number if they are deleted."""

import itertools
import os
import threading
from argparse import Namespace
from typing import Any

from ..k8s_client import Client, Object
from ..process import log
from .task_queue import TaskQueue


class WorkerManager:
    """The workers of a master that was told how many there are to be."""

    def __init__(self, told: Namespace, tasks: TaskQueue) -> None:
        self._told, self._tasks = told, tasks
        self._client = Client(told.namespace or "default", told.job_name)
        self._numbers = itertools.count()
        self._workers: dict[str, int] = {}
        self._lock = threading.Lock()  # an event may come before the call that made the pod is back
        threading.Thread(target=self._watch, daemon=True).start()

    def start_workers(self) -> None:
        self._client.say_status("Pending")
        for _ in range(self._told.num_workers):
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
        """Replace a worker that was deleted before it succeeded; one that failed is left as it is."""
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
        told, name = self._told, self._client.name(f"worker-{number}")
        container = {
            "name": name,
            "image": told.worker_image,
            "command": ["python"],
            "args": [*self._args(), "--worker_id", str(number)],
            "resources": _resources(told),
            **({"imagePullPolicy": told.image_pull_policy} if told.image_pull_policy else {}),
        }
        spec: dict[str, Any] = {"containers": [container], "restartPolicy": told.restart_policy or "Never"}
        if told.worker_pod_priority:
            spec["priorityClassName"] = told.worker_pod_priority
        if volume := told.volume:
            claim = {"claimName": volume["claim_name"], "readOnly": False}
            spec["volumes"] = [{"name": volume["volume_name"], "persistentVolumeClaim": claim}]
            container["volumeMounts"] = [{"name": volume["volume_name"], "mountPath": volume["mount_path"]}]
        metadata = {"name": name, "labels": self._client.labels(), "ownerReferences": self._owners()}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}

    def _args(self) -> list[str]:
        told = self._told
        address = f"{os.environ.get('MY_POD_IP', 'localhost')}:{told.port}"
        model = ["--model_def", told.model_def, "--master_addr", address, "--log_level", told.log_level]
        return ["-m", "elasticdl.python.worker.main", *model]

    def _owners(self) -> list[Object]:
        """The master's pod, if it is to be found; without an owner, workers stay when the master goes."""
        if not (master := self._client.master()):
            return []
        known = {"name": master["metadata"]["name"], "uid": master["metadata"]["uid"]}
        return [{"apiVersion": "v1", "kind": "Pod", "blockOwnerDeletion": True, **known}]


def _resources(told: Namespace) -> dict[str, dict[str, str]]:
    """Requests and limits, which are the requests if there are none."""
    limits = told.worker_resource_limit or told.worker_resource_request
    return {"requests": _quantities(told.worker_resource_request), "limits": _quantities(limits)}


def _quantities(said: dict[str, str]) -> dict[str, str]:
    return {"nvidia.com/gpu" if name == "gpu" else name: value for name, value in said.items()}
