"""Mars' charts: addresses with either discovery, what a driver waits for, values at install."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.charts import env, named, pods, read_objects, refusal, render, run
from tests.unit.frameworks.test_mars import JOB

BARE = JOB.replace("  driver: {command: [python, run.py]}\n", "")
API = ("--set", "mars.discovery=api")
STATIC = ["-p", "7103", "-a", "$(MARS_CONTAINER_IP)", "-s", "$(CHARTGEN_SCHEDULERS)"]


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """The chart of a cluster with a driver."""
    return render(JOB, tmp_path)


def main(objects: list[dict[str, Any]], role: str, index: int = 0) -> dict[str, Any]:
    """The main container of a replica."""
    container: dict[str, Any] = pods(objects, role)[index]["spec"]["containers"][0]
    return container


def waits(objects: list[dict[str, Any]], role: str) -> dict[str, dict[str, Any]]:
    """What a replica waits for, by the name of the init container: its variables."""
    inits = pods(objects, role)[0]["spec"].get("initContainers", [])
    return {
        container["name"]: {
            var["name"]: var.get("value", var.get("valueFrom")) for var in container["env"]
        }
        for container in inits
    }


def test_with_endpoints_every_process_gets_the_schedulers(helm: str, chart: Path) -> None:
    """Schedulers use their names, so that all have one list; others their unique addresses."""
    objects = read_objects(helm, chart)
    for index in (0, 1):
        scheduler = main(objects, "scheduler", index)
        assert scheduler["command"] == ["python", "-m"]
        args = [
            "mars.scheduler",
            "-p",
            "7103",
            "-a",
            f"scheduler-76no-{index}",
            "-s",
            "$(CHARTGEN_SCHEDULERS)",
        ]
        assert scheduler["args"] == args
        assert [entry["name"] for entry in scheduler["env"]] == ["CHARTGEN_SCHEDULERS"], (
            "its IP would join the ring"
        )
    assert main(objects, "worker")["args"] == ["mars.worker", *STATIC, "--net-procs", "2"]
    assert main(objects, "web")["args"] == ["mars.web", *STATIC]
    (peers,) = named(objects, "ConfigMap", "peers-")
    assert peers["data"]["schedulers"] == "scheduler-76no-0:7103,scheduler-76no-1:7103"
    assert main(objects, "web")["readinessProbe"]["tcpSocket"] == {"port": 7103}
    assert "startupProbe" not in main(objects, "worker")


def test_with_endpoints_no_pod_uses_the_kubernetes_api(helm3: str, tmp_path: Path) -> None:
    """Neither an account nor a Role is created, and no pod has a token."""
    objects = read_objects(helm3, render(BARE, tmp_path))
    assert {role["metadata"]["name"] for role in named(objects, "Role")} == {"test-76no"}, (
        "that of helm test"
    )
    for role in ("scheduler", "worker", "web"):
        assert pods(objects, role)[0]["spec"]["automountServiceAccountToken"] is False


def test_with_the_api_pods_look_for_those_of_their_release(helm: str, chart: Path) -> None:
    """Except the web service, which fails with the API and gets the schedulers' names instead."""
    objects = read_objects(helm, chart, *API)
    for role in ("scheduler", "worker"):
        container, pod = main(objects, role), pods(objects, role)[0]
        assert container["args"][:3] == [f"mars.deploy.kubernetes.{role}", "-p", "7103"]
        assert "-s" not in container["args"]
        assert container["ports"][0]["containerPort"] == 7103, (
            "Mars looks at the first port of the first container"
        )
        values = env(pod)
        assert values["MARS_K8S_SERVICE_PORT"] == "7103"
        for label in values["MARS_K8S_GROUP_LABELS"].split(","):
            assert label in pod["metadata"]["labels"]
        assert pod["metadata"]["labels"]["mars/service-type"] == f"mars{role}"
        fields = ("POD_NAME", "POD_NAMESPACE", "POD_IP")
        assert all("fieldRef" in values[f"MARS_K8S_{field}"] for field in fields)
        assert "fieldRef" in values["MARS_CONTAINER_IP"]
        assert pod["spec"]["serviceAccountName"] == "access-76no"
        # Mars' own probe takes seconds of a CPU, so it is only used until it succeeds.
        assert container["startupProbe"]["exec"]["command"][-1] == "mars.deploy.kubernetes.probe"
        assert container["readinessProbe"]["tcpSocket"] == {"port": 7103}
    (role_,) = named(objects, "Role", "access-")
    assert role_["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}
    ]
    web = main(objects, "web")
    assert web["args"] == ["mars.web", *STATIC]
    assert web["readinessProbe"]["tcpSocket"] == {"port": 7103}
    assert [entry["name"] for entry in web["env"]] == ["MARS_CONTAINER_IP", "CHARTGEN_SCHEDULERS"]
    for role in ("web", "driver"):
        assert pods(objects, role)[0]["spec"]["automountServiceAccountToken"] is False


@pytest.mark.parametrize("options", [(), API], ids=["endpoints", "api"])
def test_workers_and_web_wait_for_every_scheduler(
    options: tuple[str, ...], helm3: str, chart: Path
) -> None:
    objects = read_objects(helm3, chart, *options)
    expected = {
        "wait-schedulers": {"HOSTS": {"configMapKeyRef": {"name": "peers-76no", "key": "hosts"}}}
    }
    assert waits(objects, "worker") == waits(objects, "web") == expected
    assert waits(objects, "scheduler") == {}
    (peers,) = named(objects, "ConfigMap", "peers-")
    assert peers["data"]["hosts"].split("\n") == ["scheduler-76no-0 7103", "scheduler-76no-1 7103"]


def test_the_driver_waits_for_all_workers_but_no_pod_contains_their_number(
    helm: str, chart: Path
) -> None:
    (wait,) = waits(read_objects(helm, chart), "driver").values()
    assert wait == {
        "WEB": "web-76no-0 7103",
        "ASK": "/api/worker?action=count",
        "LEAST": {"configMapKeyRef": {"name": "peers-76no", "key": "workers"}},
    }
    (wait,) = waits(
        read_objects(helm, chart, "--set", "mars.minWorkers=2,mars.timeout=60,roles.web.port=80"),
        "driver",
    ).values()
    assert (wait["WEB"], wait["TIMEOUT"]) == ("web-76no-0 80", "60")


@pytest.mark.parametrize(
    ("values", "least"),
    [
        ("", "3"),
        ("mars.minWorkers=2", "2"),
        ("mars.minWorkers=2,roles.worker.replicas=1", "1"),
        ("mars.minWorkers=9", "3"),
    ],
)
def test_the_driver_waits_for_no_more_workers_than_there_are(
    values: str, least: str, helm: str, chart: Path
) -> None:
    (peers,) = named(read_objects(helm, chart, "--set", values), "ConfigMap", "peers-")
    assert peers["data"]["workers"] == least


def test_the_driver_gets_the_web_address_and_its_end_ends_the_job(
    helm3: str, chart: Path, tmp_path: Path
) -> None:
    objects = read_objects(helm3, chart, "--set", "roles.web.port=80")
    assert env(pods(objects, "driver")[0]) == {"MARS_ENDPOINT": "http://web-76no-0:80"}
    (job,) = named(objects, "Job", "driver-")
    assert (job["spec"]["backoffLimit"], job["spec"]["template"]["spec"]["restartPolicy"]) == (
        0,
        "Never",
    )
    (cleanup,) = named(objects, "Job", "cleanup-")
    assert "chartgen/role=driver" in env(cleanup["spec"]["template"])["DECIDES"]
    assert (
        named(read_objects(helm3, chart, "--set", "cleanup.enabled=false"), "Job", "cleanup-") == []
    )
    assert named(read_objects(helm3, render(BARE, tmp_path / "bare")), "Job", "cleanup-") == []


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("{}", {}),
        ("{limits: {cpu: 4, memory: 16Gi}}", {"cpu": "4", "threads": "4", "memory": "17179869184"}),
        ("{requests: {cpu: 2500m}, limits: {cpu: 4}}", {"cpu": "3", "threads": "3"}),
        (
            "{requests: {cpu: 500m, memory: 1G}}",
            {"cpu": "2", "threads": "1", "memory": "1000000000"},
        ),
    ],
)
def test_a_worker_knows_what_it_may_use(
    resources: str, expected: dict[str, str], helm3: str, tmp_path: Path
) -> None:
    """In whole CPUs, at least two, as Mars expects; from the requests or else the limits."""
    job = JOB.replace("{limits: {cpu: 4, memory: 16Gi}}", resources)
    values = env(pods(read_objects(helm3, render(job, tmp_path)), "worker")[0])
    told = {"cpu": "MARS_CPU_TOTAL", "threads": "MKL_NUM_THREADS", "memory": "MARS_MEMORY_TOTAL"}
    assert {key: values[name] for key, name in told.items() if name in values} == expected
    assert ("MARS_CPU_USE_PROCESS_STAT" in values) == ("cpu" in expected)
    assert ("MARS_MEM_USE_PROCESS_STAT" in values) == ("memory" in expected)
    assert "MARS_USE_CGROUP_STAT" not in values, "Mars 0.6.0 fails with it"


def test_cpus_that_the_job_sets_win(helm3: str, tmp_path: Path) -> None:
    job = JOB.replace(
        "worker: {", "worker: {env: {MKL_NUM_THREADS: 1, MARS_CPU_TOTAL: $(MKL_NUM_THREADS)}, "
    )
    worker = main(read_objects(helm3, render(job, tmp_path)), "worker")
    said = [
        entry for entry in worker["env"] if entry["name"] in ("MKL_NUM_THREADS", "MARS_CPU_TOTAL")
    ]
    assert [entry["value"] for entry in said] == ["1", "$(MKL_NUM_THREADS)"]


@pytest.mark.parametrize(
    ("cache", "told", "volume"),
    [
        ("", None, None),
        ("mars.cacheMemory=25%", "25%", str(5 * 2**30)),
        ("mars.cacheMemory=4Gi", str(4 * 2**30), str(5 * 2**30)),
        ("mars.cacheMemory=1000", "1000", "1250"),
        (
            "mars.cacheMemory=12.5%,roles.worker.resources.limits.memory=8Gi",
            "12.5%",
            str(5 * 2**28),
        ),
        ("mars.cacheMemory=25%,roles.worker.resources.limits.memory=null", "25%", None),
    ],
)
def test_shared_memory_is_a_volume_that_holds_the_cache(
    cache: str, told: str | None, volume: str | None, helm: str, chart: Path
) -> None:
    """A quarter larger, as Mars uses four fifths of it; without a size if the cache has none."""
    objects = read_objects(helm, chart, *(("--set", cache) if cache else ()))
    worker = pods(objects, "worker")[0]
    assert env(worker).get("MARS_CACHE_MEM_SIZE") == told
    assert {"name": "mars-shared", "mountPath": "/dev/shm"} in worker["spec"]["containers"][0][
        "volumeMounts"
    ]
    (shared,) = worker["spec"]["volumes"]
    expected = {"medium": "Memory"} | ({"sizeLimit": volume} if volume else {})
    assert shared == {"name": "mars-shared", "emptyDir": expected}
    assert "volumes" not in pods(objects, "scheduler")[0]["spec"]


def test_spill_directories_and_the_least_cache(helm3: str, chart: Path) -> None:
    objects = read_objects(helm3, chart, "--set", "mars.spillDirs={/a,/b},mars.minCacheMemory=1Gi")
    values = env(pods(objects, "worker")[0])
    assert (values["MARS_SPILL_DIRS"], values["MARS_MIN_CACHE_MEM_SIZE"]) == ("/a:/b", "1073741824")
    assert "MARS_SPILL_DIRS" not in env(pods(objects, "web")[0])


def test_a_worker_that_fails_comes_back_with_another_address(helm3: str, chart: Path) -> None:
    objects = read_objects(helm3, chart)
    policies = {
        role: pods(objects, role)[0]["spec"]["restartPolicy"]
        for role in ("scheduler", "worker", "web")
    }
    assert policies == {"scheduler": "OnFailure", "worker": "Never", "web": "OnFailure"}


@pytest.mark.parametrize("kind", ["NodePort", "ClusterIP", "LoadBalancer"])
def test_the_web_service_has_the_chosen_type_and_is_in_the_notes(
    kind: str, helm4: str, tmp_path: Path
) -> None:
    chart = render(BARE, tmp_path)
    options = ("--set", f"mars.serviceType={kind}")
    (service,) = [
        service
        for service in named(read_objects(helm4, chart, *options), "Service")
        if "type" in service["spec"]
    ]
    assert (service["metadata"]["name"], service["spec"]["type"]) == ("web-76no", kind)
    assert service["spec"]["selector"]["chartgen/role"] == "web"
    notes = run(helm4, "install", "demo", chart, "--dry-run=client", *options).stdout.partition(
        "NOTES:\n"
    )[2]
    assert "Open the web UI, and the endpoint for sessions:" in notes
    assert ("nodePort" in notes) == (kind == "NodePort")
    assert "The job does not end by itself" in notes
    assert "new_session('http://HOST:PORT')" in notes
    assert "--set roles.worker.replicas=N" in notes


def test_an_override_changes_the_port_of_its_replica_only(helm3: str, tmp_path: Path) -> None:
    job = JOB.replace(
        "scheduler: {replicas: 2}", 'scheduler: {replicas: 2, overrides: {"1": {port: 9000}}}'
    )
    objects = read_objects(helm3, render(job, tmp_path))
    ports = [main(objects, "scheduler", index)["args"][2] for index in (0, 1)]
    probed = [
        main(objects, "scheduler", index)["readinessProbe"]["tcpSocket"]["port"] for index in (0, 1)
    ]
    assert (ports, probed) == (["7103", "9000"], [7103, 9000])
    (peers,) = named(objects, "ConfigMap", "peers-")
    assert peers["data"]["schedulers"].endswith("scheduler-76no-1:9000")


@pytest.mark.parametrize(
    "wrong",
    [
        "roles.driver.replicas=2",
        "roles.driver.replicas=0",
        "roles.web.replicas=0",
        "roles.scheduler.replicas=0",
        "mars.discovery=dns",
        "mars.cacheMemory=lots",
        "mars.minWorkers=0",
        "roles.worker.env.MARS_SPILL_DIRS=/a",
    ],
)
def test_what_cannot_work_is_refused_at_install_too(wrong: str, helm: str, chart: Path) -> None:
    assert "values don't meet the specifications of the schema" in refusal(
        helm, chart, "--set", wrong
    )


def test_a_call_of_new_cluster_and_its_description_give_the_same_chart(
    helm3: str, tmp_path: Path
) -> None:
    """The call, and the description written by hand."""
    call = (
        "new_cluster(scheduler_num=2, worker_num=3, worker_cpu=4, worker_mem='16g',"
        " image='marsproject/mars:v0.6.0')"
    )
    by_hand = BARE.replace("name: analysis", "name: mars").replace(", args: [--net-procs, 2]", "")
    by_hand = by_hand.replace("runtimeId: 76no\n", "mars: {discovery: api}\n")
    called, written = render(call, tmp_path / "a", "mars.py"), render(by_hand, tmp_path / "b")
    assert read_objects(helm3, called) == read_objects(helm3, written)
    assert yaml.safe_load((called / "values.yaml").read_text()) == yaml.safe_load(
        (written / "values.yaml").read_text()
    )


def test_the_number_of_workers_at_install_changes_everything_that_depends_on_it(
    helm3: str, tmp_path: Path
) -> None:
    chart = render("new_cluster(worker_cpu=4, worker_mem='16g')", tmp_path, "mars.py")
    values = "roles.worker.resources.limits.cpu=2,roles.worker.resources.limits.memory=8Gi"
    (pod,) = pods(read_objects(helm3, chart, "--set", values), "worker")
    assert pod["spec"]["containers"][0]["resources"] == {"limits": {"cpu": 2, "memory": "8Gi"}}
    assert (env(pod)["MARS_CPU_TOTAL"], env(pod)["MARS_MEMORY_TOTAL"]) == ("2", str(8 * 2**30))


LATER = """\
name: analysis
framework: mars
image: marsproject/mars:v0.10.0
runtimeId: 76no
roles:
  supervisor: {}
  worker: {replicas: 3, args: [--n-io-process, "2"]}
  driver: {command: [python, run.py]}
mars: {dialect: "0.7"}
"""


def test_workers_get_the_name_of_the_supervisor(helm: str, tmp_path: Path) -> None:
    """It listens on its own name, and the port of its role is that of sessions."""
    objects = read_objects(helm, render(LATER, tmp_path), "--set", "roles.supervisor.port=8080")
    name = "supervisor-76no-0"
    supervisor = ["mars.deploy.oscar.supervisor", "-e", f"{name}:7103", "-w", "8080"]
    assert main(objects, "supervisor")["args"] == supervisor
    worker = ["-e", "$(MARS_CONTAINER_IP):7103", "-s", f"{name}:7103", "--n-io-process", "2"]
    assert main(objects, "worker", 2)["args"] == ["mars.deploy.oscar.worker", *worker]
    assert waits(objects, "supervisor") == {"wait-name": {"NAME": name}}
    assert waits(objects, "driver")["wait-workers"]["WEB"] == f"{name} 8080"
    assert env(pods(objects, "driver")[0])["MARS_ENDPOINT"] == f"http://{name}:8080"
    (service,) = named(objects, "Service", "web-")
    assert service["spec"]["ports"][0]["port"] == 8080
    assert named(objects, "Role", "access-") == []


def test_a_cache_of_later_workers_is_a_plasma_store(helm: str, tmp_path: Path) -> None:
    """Its configuration comes and goes with the value."""
    chart = render(LATER, tmp_path)
    assert named(read_objects(helm, chart), "ConfigMap", "storage-") == []
    objects = read_objects(helm, chart, "--set", "mars.cacheMemory=2Gi")
    (storage,) = named(objects, "ConfigMap", "storage-")
    config = yaml.safe_load(storage["data"]["config.yml"])
    assert config["storage"] == {"backends": ["plasma"]}
    assert main(objects, "worker")["args"][-4:-2] == ["-f", "/etc/chartgen/storage/config.yml"]


def test_the_roles_of_a_dialect_are_not_changed_at_install(helm: str, tmp_path: Path) -> None:
    chart = render(LATER, tmp_path)
    assert "replicas" in refusal(helm, chart, "--set", "roles.supervisor.replicas=2")
    assert "dialect" in refusal(helm, chart, "--set", "mars.dialect=xorbits")
