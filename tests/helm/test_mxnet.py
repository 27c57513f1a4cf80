"""MXNet's charts: the variables of each replica, which have a name, and values at install."""

from pathlib import Path

import pytest
import yaml

from tests.support.charts import env, named, pods, read_objects, refusal, render, run
from tests.unit.frameworks.test_mxnet import DIST, LOCAL


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """The chart of a distributed job."""
    return render(DIST, tmp_path)


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """The chart of one worker that trains alone."""
    return render(LOCAL, tmp_path)


VARIABLES = [
    "DMLC_PS_ROOT_PORT",
    "DMLC_PS_ROOT_URI",
    "DMLC_NUM_SERVER",
    "DMLC_NUM_WORKER",
    "DMLC_ROLE",
    "DMLC_USE_KUBERNETES",
]


def test_variables_come_in_order_after_the_jobs_own(helm: str, dist: Path) -> None:
    objects = read_objects(helm, dist)
    for role in ("scheduler", "server", "worker"):
        for pod in pods(objects, role):
            own = ["PS_VERBOSE"] if role == "scheduler" else []
            assert [*env(pod)] == [*own, *VARIABLES]
            assert env(pod)["DMLC_ROLE"] == role
    assert list(env(pods(objects, "scheduler")[0]).values()) == [
        "2",
        "9091",
        "scheduler-76no-0",
        "2",
        "3",
        "scheduler",
        "1",
    ]


def test_only_the_scheduler_is_reached_by_a_name(helm3: str, dist: Path) -> None:
    """Servers and workers choose their ports and register with the scheduler."""
    objects = read_objects(helm3, dist)
    (service,) = named(objects, "Service")
    assert service["metadata"]["name"] == "scheduler-76no-0"
    assert service["spec"]["ports"] == [{"name": "ps-root-port", "port": 9091}]
    listening = {
        role: pods(objects, role)[0]["spec"]["containers"][0].get("ports")
        for role in ("scheduler", "worker")
    }
    assert listening == {
        "scheduler": [{"name": "ps-root-port", "containerPort": 9091}],
        "worker": None,
    }
    (peers,) = named(objects, "ConfigMap", "peers-")
    assert peers["data"] == {"hosts": "scheduler-76no-0 9091"}


def test_a_scheduler_or_server_without_a_command_imports_mxnet(helm3: str, dist: Path) -> None:
    """That makes it serve; a command of the role or the job, even an empty one, wins."""
    objects = read_objects(helm3, dist)
    started = [
        pods(objects, role)[0]["spec"]["containers"][0].get("command")
        for role in ("scheduler", "server")
    ]
    assert started == [["python", "-c", "import mxnet"]] * 2
    turned = ("--set", "roles.server.command={serve}", "--set-json", "roles.scheduler.command=[]")
    own = read_objects(helm3, dist, *turned)
    assert pods(own, "server")[0]["spec"]["containers"][0]["command"] == ["serve"]
    assert "command" not in pods(own, "scheduler")[0]["spec"]["containers"][0]
    shared = read_objects(helm3, dist, "--set", "command={all}")
    assert pods(shared, "server")[0]["spec"]["containers"][0]["command"] == ["all"]


def test_the_scheduler_can_listen_only_on_the_address_of_its_name(helm: str, dist: Path) -> None:
    objects = read_objects(helm, dist, "--set", "mxnet.bind=name")
    assert {env(pod)["DMLC_USE_KUBERNETES"] for pod in pods(objects, "worker")} == {"0"}


def test_all_replicas_get_the_port_of_the_schedulers_override(helm: str, tmp_path: Path) -> None:
    text = DIST.replace("scheduler: {", "scheduler: {overrides: {0: {port: 9100}}, ")
    objects = read_objects(helm, render(text, tmp_path))
    assert {env(pod)["DMLC_PS_ROOT_PORT"] for pod in pods(objects, "worker")} == {"9100"}
    (service,) = named(objects, "Service")
    assert service["spec"]["ports"][0]["port"] == 9100


def test_a_changed_count_renames_every_job(helm3: str, tmp_path: Path) -> None:
    """Every replica is started with the number of workers."""
    chart = render(DIST.replace("runtimeId: 76no\n", ""), tmp_path)
    before, after = (
        read_objects(helm3, chart, "--set", f"roles.worker.replicas={count}") for count in (3, 4)
    )
    names = [
        {job["metadata"]["name"] for job in named(objects, "Job")} for objects in (before, after)
    ]
    assert names[0].isdisjoint(names[1])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("roles.scheduler.replicas=2", "replicas"),
        ("roles.scheduler.replicas=0", "replicas"),
        ("roles.worker.replicas=0", "replicas"),
        ("roles.worker.port=9091", "port"),
        ("roles.worker.overrides.1.port=9091", "port"),
        ("mxnet.mode=local", "mode"),
        ("mxnet.bind=nowhere", "bind"),
        ("env.DMLC_ROLE=worker", "DMLC_ROLE"),
        ("tensorflow.cluster=full", "tensorflow"),
    ],
)
def test_what_cannot_work_is_refused_at_install(
    settings: str, said: str, helm: str, dist: Path
) -> None:
    assert said in refusal(helm, dist, "--set", settings)


def test_one_worker_alone_is_one_job_and_nothing_else(helm: str, local: Path) -> None:
    """No Service, no variables, no list of peers; but there is a test, which checks the Job."""
    (job,) = [
        manifest
        for manifest in read_objects(helm, local)
        if "helm.sh/hook" not in manifest["metadata"].get("annotations", {})
    ]
    assert job["kind"] == "Job"
    assert "env" not in job["spec"]["template"]["spec"]["containers"][0]
    assert job["metadata"]["labels"]["job_type"] == "WORKER"
    values = yaml.safe_load((local / "values.yaml").read_text("utf-8"))
    assert "mxnet" not in values
    for settings in (
        "roles.worker.replicas=2",
        "roles.worker.replicas=0",
        "mxnet.bind=all",
        "mxnet.mode=dist",
    ):
        refusal(helm, local, "--set", settings)
    assert env(pods(read_objects(helm, local, "--set", "env.A=1"), "worker")[0]) == {"A": "1"}


def notes(helm: str, chart: Path) -> str:
    return run(helm, "install", "demo", chart, "--dry-run=client").stdout.partition("NOTES:\n")[2]


def test_notes_wait_for_all_workers(helm4: str, dist: Path) -> None:
    said = notes(helm4, dist)
    assert "Follow the logs of a replica that decides how the job ends:" in said
    selector = "app.kubernetes.io/instance=demo,chartgen/runtime-id=76no,chartgen/role=worker"
    assert f"wait --for=condition=complete --timeout=1h job -l {selector}\n" in said
    assert "chartgen status demo -n default --wait\n" in said


def test_helm_test_checks_the_scheduler_and_waits_for_all_workers(
    helm: str, dist: Path, local: Path
) -> None:
    """Servers have no name to resolve, although the chart starts them."""
    assert roles(helm, dist) == [
        "role scheduler-76no- 1 9091 job,service,listed,serves",
        "role server-76no- 2 0 job",
        "role worker-76no- 3 0 job,decides",
    ]
    (alone,) = roles(helm, local)
    assert alone.endswith("- 1 0 job,decides")


def roles(helm: str, chart: Path) -> list[str]:
    """What `helm test` knows about the roles."""
    (pod,) = named(read_objects(helm, chart), "Pod")
    return str(env(pod)["ROLES"]).splitlines()


def test_the_cleanup_waits_for_all_workers(helm3: str, dist: Path) -> None:
    objects = read_objects(helm3, dist, "--set", "cleanup.enabled=true,roles.worker.replicas=5")
    (job,) = named(objects, "Job", "cleanup-")
    variables = env(job["spec"]["template"])
    assert variables["COUNT"] == "5"
    wanted = dict(word.split("=") for word in variables["DECIDES"].split(","))
    deciding = [
        job for job in named(objects, "Job") if wanted.items() <= job["metadata"]["labels"].items()
    ]
    assert {job["metadata"]["name"] for job in deciding} == {
        f"worker-76no-{index}" for index in range(5)
    }


def test_both_helms_make_the_same_objects(helm3: str, helm4: str, dist: Path) -> None:
    assert read_objects(helm3, dist) == read_objects(helm4, dist)
