"""The real Mars, in pods: it computes for a driver and for outside sessions, and workers join."""

from pathlib import Path

import pytest

from tests.e2e.frameworks.mars import FRAMEWORK, WAIT
from tests.e2e.images import needs, tag
from tests.e2e.jobs import HERE, rendered
from tests.e2e.parts import NODE
from tests.e2e.releases import Namespace, Release, Values, identity, merged, outcome
from tests.e2e.test_end import suspended
from tests.e2e.waiting import until
from tests.support.charts import render

pytestmark = needs("mars")

PATIENCE = 400  # seconds; a framework's own start is slow, and all replicas share this machine
SESSION = ["python", "/app/compute_mars.py", "2", "3"]
FIRST, SECOND = "workers 2, sum 1000000", "workers 3, sum 1000000"
# As few processes as possible, because Mars counts the shared memory once for each of them.
WORKER = {
    "replicas": 2,
    "args": ["--cpu-procs", "1", "--net-procs", "1"],
    "resources": {
        "requests": {"cpu": "100m", "memory": "1536Mi"},
        "limits": {"cpu": 1, "memory": "1536Mi"},
    },
}
SMALL: Values = {**WAIT, "roles": {"worker": WORKER}}
MORE: Values = {"roles": {"worker": {"replicas": 3}}}


@pytest.mark.parametrize("discovery", ["endpoints", "api"])
def test_a_driver_computes_and_its_end_is_the_end(
    discovery: str, helm3: str, namespace: Namespace, tmp_path: Path
) -> None:
    """With either discovery; the driver waits for two workers, then a third; its end is the end."""
    release = namespace.release(helm3)
    driver = {"command": SESSION, "args": []}
    scheduler = {"resources": {"requests": {"cpu": "100m", "memory": "200Mi"}}}
    options = {"discovery": discovery, "minWorkers": 2}
    here = {
        "image": tag("mars"),
        "mars": options,
        "roles": {"driver": driver, "scheduler": scheduler},
    }
    chart, values = rendered(FRAMEWORK.job, tmp_path), merged(SMALL, here)
    release.install(chart, values)
    release.running(sum(FRAMEWORK.roles.values()))
    (job,) = release.jobs("driver")
    until(lambda: FIRST in release.logs(job["metadata"]["name"]), "two workers compute", PATIENCE)
    check_rescaling(release, chart, values)
    until(lambda: outcome(release.jobs("driver")[0]), "the driver ends", PATIENCE)
    assert outcome(release.jobs("driver")[0]) == "Complete"
    assert SECOND in release.logs(job["metadata"]["name"]).splitlines()
    others = ("scheduler", "worker", "web")
    until(lambda: all(suspended(release.jobs(role)) for role in others), "all others are suspended")
    release.test()


SUPERVISED = f"""\
name: supervised
framework: mars
image: {tag("mars10")}
roles:
  supervisor: {{resources: {{requests: {{cpu: 100m, memory: 400Mi}}}}}}
  worker: {{replicas: 2}}
  driver: {{command: [{", ".join(SESSION)}]}}
mars: {{dialect: "0.7", cacheMemory: 10%, minWorkers: 2}}
"""


@needs("mars10")
def test_a_supervisor_and_its_workers_compute_for_a_driver(
    helm4: str, namespace: Namespace, tmp_path: Path
) -> None:
    """Mars 0.10, with Plasma; the supervisor tells the driver's pod how many workers are ready."""
    release = namespace.release(helm4)
    chart = render(SUPERVISED, tmp_path / "charts")
    values = {**WAIT, "roles": {"worker": {"resources": WORKER["resources"]}}}
    release.install(chart, values)
    release.running(4)
    (job,) = release.jobs("driver")
    until(lambda: FIRST in release.logs(job["metadata"]["name"]), "two workers compute", PATIENCE)
    check_rescaling(release, chart, values)
    until(lambda: outcome(release.jobs("driver")[0]), "the driver ends", PATIENCE)
    assert outcome(release.jobs("driver")[0]) == "Complete"
    assert SECOND in release.logs(job["metadata"]["name"]).splitlines()
    release.test()


def test_a_call_of_new_cluster_serves_a_session(
    helm4: str, namespace: Namespace, tmp_path: Path
) -> None:
    """With the Kubernetes API, as new_cluster does; the session uses the node port of NOTES.txt."""
    release = namespace.release(helm4)
    chart = rendered(HERE / "native/mars.py", tmp_path)
    release.install(chart, SMALL)
    (service,) = namespace.objects("services", "app.kubernetes.io/component=web,!chartgen/role")
    endpoint = f"http://{NODE}:{service['spec']['ports'][0]['nodePort']}"
    release.running(4)
    pod = (
        "session",
        f"--image={tag('mars')}",
        f"--env=MARS_ENDPOINT={endpoint}",
        "--restart=Never",
    )
    namespace.kubectl("run", *pod, "--", *SESSION)
    namespace.kubectl("wait", "pod/session", "--for=condition=Ready", "--timeout=3m")
    until(lambda: FIRST in session(namespace), "two workers compute", PATIENCE)
    check_rescaling(release, chart, SMALL)
    until(lambda: SECOND in session(namespace), "three workers compute", PATIENCE)
    release.test()


def check_rescaling(release: Release, chart: Path, values: Values) -> None:
    """With a third worker, every existing Job and pod stays as it is."""
    jobs, pods = identity(release.jobs()), identity(release.pods())
    release.upgrade(chart, merged(values, MORE))
    assert jobs.items() < identity(release.jobs()).items()
    assert pods.items() <= identity(release.pods()).items()


def session(namespace: Namespace) -> str:
    return namespace.logs("session")
