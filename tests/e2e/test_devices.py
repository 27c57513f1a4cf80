"""A pod that requests a device runs where there is one, with what its cloud injects."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import api
from tests.e2e.cluster import Cluster
from tests.e2e.images import tag
from tests.e2e.jobs import reported_parameters
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace
from tests.e2e.waiting import until
from tests.support.charts import render

LABEL = "e2e.chartgen/devices"
JOB = """
name: devices
framework: tensorflow
image: {image}
cloud: ours
clouds:
  ours:
    devices:
      {resource}:
        env: {{DRIVER: /driver}}
        nodeSelector: {{{label}: there}}
        volumes: [{{name: driver, hostPath: {{path: /etc}}}}]
        volumeMounts: [{{name: driver, mountPath: /driver, readOnly: true}}]
command: [python, /app/probe.py, "2222"]
resources: {{requests: {{cpu: 20m, memory: 32Mi}}}}
roles:
  chief: {{resources: {{limits: {{{resource}: 1}}}}}}
  worker: {{}}
"""


@pytest.fixture
def resource(cluster: Cluster) -> Iterator[str]:
    """An extended resource that the node advertises and nobody else requests."""
    name = f"example.com/fake-{os.getpid()}"
    path = f"/status/capacity/{name.replace('/', '~1')}"
    status = ("patch", "node", "node", "--subresource=status", "--type=json", "--patch")
    cluster.kubectl(*status, json.dumps([{"op": "add", "path": path, "value": "1"}]))
    cluster.kubectl("label", "--overwrite", "node", "node", f"{LABEL}=there")
    until(
        lambda: api.get(cluster, "/api/v1/nodes/node")["status"]["allocatable"].get(name) == "1",
        f"the node has {name}",
    )
    yield name
    cluster.kubectl(*status, json.dumps([{"op": "remove", "path": path}]))


def test_what_a_cloud_adds_is_only_in_pods_that_request_the_device(
    helm: str, namespace: Namespace, resource: str, tmp_path: Path
) -> None:
    """The variable and the volume are in the container of that replica, and in no other."""
    chart = render(JOB.format(image=tag("python"), resource=resource, label=LABEL), tmp_path)
    release = namespace.release(helm)
    release.install(chart, {})
    release.running(2)
    (chief,), (worker,) = release.pods("chief"), release.pods("worker")
    assert chief["spec"]["nodeName"] == "node"
    assert chief["spec"]["containers"][0]["resources"]["limits"] == {resource: "1"}
    assert chief["spec"]["nodeSelector"] == {LABEL: "there"}
    (asking,), (other,) = release.jobs("chief"), release.jobs("worker")
    assert reported_parameters(release, asking["metadata"]["name"])["DRIVER"] == "/driver"
    assert "DRIVER" not in reported_parameters(release, other["metadata"]["name"])
    assert "root" in namespace.kubectl(
        "exec", chief["metadata"]["name"], "--", "cat", "/driver/passwd"
    )
    with pytest.raises(Failure):
        namespace.kubectl("exec", worker["metadata"]["name"], "--", "ls", "/driver")
    assert "nodeSelector" not in worker["spec"]
    assert all(
        mount["name"] != "driver"
        for mount in worker["spec"]["containers"][0].get("volumeMounts", ())
    )
    release.test()


def test_a_device_that_no_node_has_is_named_by_helm_test(
    helm3: str, namespace: Namespace, tmp_path: Path
) -> None:
    """The job's other replica is healthy, so without this check nothing would seem to be wrong."""
    text = JOB.format(image=tag("python"), resource="example.com/none", label=LABEL)
    chart = render(text.replace("chief: {resources", "evaluator: {resources"), tmp_path)
    release = namespace.release(helm3)
    release.install(chart, {})
    with pytest.raises(
        Failure,
        match=r"(?s)FAILED +devices: no node for replicas that request example.com/none:"
        " evaluator-",
    ):
        release.test("--logs")


def test_another_cloud_can_be_chosen_at_install(
    helm3: str, namespace: Namespace, resource: str, tmp_path: Path
) -> None:
    """The same chart with --set cloud=none: the replica gets its device and nothing else."""
    chart = render(JOB.format(image=tag("python"), resource=resource, label=LABEL), tmp_path)
    release = namespace.release(helm3)
    release.install(chart, {"cloud": "none"})
    release.running(2)
    (chief,) = release.pods("chief")
    assert chief["spec"]["containers"][0]["resources"]["limits"] == {resource: "1"}
    assert "nodeSelector" not in chief["spec"]
    (asking,) = release.jobs("chief")
    assert "DRIVER" not in reported_parameters(release, asking["metadata"]["name"])
