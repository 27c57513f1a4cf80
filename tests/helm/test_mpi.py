"""MPI's charts: hostfile and ranks follow the values, and keys are made once, or brought."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.argocd import application
from tests.support.charts import env, named, pods, read_objects, refusal, render

JOB = """
name: pi
framework: mpi
image: a:1
runtimeId: 76no
roles:
  launcher: {command: [mpirun, /app/pi]}
  worker:
    replicas: 2
    gpu: 4
    overrides: {1: {gpu: 2, port: 2223}}
"""
BROUGHT = ("--set", "mpi.sshSecret=mine")
Objects = list[dict[str, Any]]


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """The chart of a job with workers that differ."""
    return render(JOB, tmp_path)


def hostfile(objects: Objects) -> list[str]:
    """The lines of the hostfile."""
    (config,) = named(objects, "ConfigMap", "mpi-")
    return str(config["data"]["hostfile"]).splitlines()


def ranks(objects: Objects) -> str:
    """What the launcher is told."""
    return str(env(pods(objects, "launcher")[0])["MPI_NP"])


def keys(objects: Objects) -> set[str]:
    """The kinds of objects that make the keys."""
    labelled = [manifest for manifest in objects if manifest["metadata"].get("labels")]
    return {
        manifest["kind"]
        for manifest in labelled
        if manifest["metadata"]["labels"].get("app.kubernetes.io/component") == "keys"
    }


def secret(objects: Objects, role: str) -> str:
    """The Secret that the replicas of a role mount."""
    (volume,) = [
        volume
        for volume in pods(objects, role)[0]["spec"]["volumes"]
        if volume["name"] == "chartgen-keys"
    ]
    return str(volume["secret"]["secretName"])


@pytest.mark.parametrize(
    ("values", "lines", "total"),
    [
        ({}, ["worker-76no-0 slots=4", "worker-76no-1 slots=2"], 6),
        ({"mpi.slots": 3}, ["worker-76no-0 slots=3", "worker-76no-1 slots=3"], 6),
        ({"roles.worker.gpu": 0}, ["worker-76no-0 slots=1", "worker-76no-1 slots=2"], 3),
        (
            {"roles.worker.replicas": 3},
            ["worker-76no-0 slots=4", "worker-76no-1 slots=2", "worker-76no-2 slots=4"],
            10,
        ),
        (
            {"mpi.runLauncherAsWorker": "true", "runtimeId": "abcd"},
            ["launcher-abcd-0 slots=1", "worker-abcd-0 slots=4", "worker-abcd-1 slots=2"],
            7,
        ),
    ],
    ids=str,
)
def test_hostfile_and_ranks_follow_the_values(
    values: dict[str, Any], lines: list[str], total: int, helm: str, chart: Path
) -> None:
    settings = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
    objects = read_objects(helm, chart, *settings)
    assert (hostfile(objects), ranks(objects)) == (lines, str(total))


def test_a_worker_with_a_port_of_its_own_is_reached_there(helm3: str, chart: Path) -> None:
    objects = read_objects(helm3, chart, "--set", "roles.worker.port=2200")
    (config,) = named(objects, "ConfigMap", "mpi-")
    assert config["data"]["hosts"] == "worker-76no-0 2200\nworker-76no-1 2223"
    ports = [env(pod)["MPI_SSH_PORT"] for pod in pods(objects, "worker")]
    assert ports == ["2200", "2223"]


def test_what_makes_keys_may_change_one_secret_and_its_name_stays(helm: str, chart: Path) -> None:
    """Whatever else changes: the Secret outlives upgrades, and its Job runs once."""
    before = read_objects(helm, chart)
    after = read_objects(helm, chart, "--set", "runtimeId=abcd", "--set", "image=b:2")
    for objects in (before, after):
        (role,) = [
            role for role in named(objects, "Role") if role["metadata"]["name"] == "demo-ssh"
        ]
        (rule,) = role["rules"]
        assert (rule["resources"], rule["resourceNames"]) == (["secrets"], ["demo-ssh"])
        assert rule["verbs"] == ["get", "patch"]
        (made,) = named(objects, "Secret")
        assert not made.keys() & {"data", "stringData"}
        assert {secret(objects, "launcher"), secret(objects, "worker")} == {"demo-ssh"}
    (first,), (second,) = named(before, "Job", "demo-ssh-"), named(after, "Job", "demo-ssh-")
    assert first["metadata"]["name"] == second["metadata"]["name"]
    assert first["spec"] == second["spec"]
    (third,) = named(read_objects(helm, chart, "--set", "helperImage=c:3"), "Job", "demo-ssh-")
    assert third["metadata"]["name"] != first["metadata"]["name"]


def test_with_a_secret_that_is_brought_nothing_makes_keys(helm: str, chart: Path) -> None:
    assert keys(read_objects(helm, chart)) == {
        "Secret",
        "Job",
        "Role",
        "RoleBinding",
        "ServiceAccount",
    }
    objects = read_objects(helm, chart, *BROUGHT)
    assert keys(objects) == set()
    assert {secret(objects, "launcher"), secret(objects, "worker")} == {"mine"}


def test_a_name_that_is_no_secrets_is_refused(helm3: str, chart: Path) -> None:
    assert "sshSecret" in refusal(helm3, chart, "--set", "mpi.sshSecret=No Secret")


def test_without_rights_of_the_chart_the_job_runs_as_the_users_account(
    helm3: str, chart: Path
) -> None:
    objects = read_objects(
        helm3, chart, "--set", "rbac.create=false", "--set", "serviceAccountName=me"
    )
    assert keys(objects) == {"Secret", "Job"}
    (job,) = named(objects, "Job", "demo-ssh-")
    assert job["spec"]["template"]["spec"]["serviceAccountName"] == "me"


def test_argo_cd_sees_no_drift_in_a_secret_that_has_keys(helm3: str, chart: Path) -> None:
    """So it neither empties the Secret nor runs its Job again."""
    desired = read_objects(helm3, chart)
    live = copy.deepcopy(desired)
    for manifest in live:
        if manifest["kind"] == "Secret":
            manifest["data"] = {"ssh-privatekey": "a2V5", "ssh-publickey": "a2V5"}
        elif manifest["metadata"]["name"].startswith("demo-ssh-"):
            manifest["status"] = {"conditions": [{"type": "Complete", "status": "True"}]}
    app = application(desired, live)
    assert (app.synced, app.drift()) == (True, {})


def test_keys_under_the_names_of_an_mpi_job(helm3: str, chart: Path) -> None:
    """Of root they may be read by nobody else, or ssh refuses them."""
    for path, mode in (("/root/.ssh", 0o600), ("/home/mpiuser/.ssh", None)):
        objects = read_objects(helm3, chart, "--set", f"mpi.sshAuthMountPath={path}")
        pod = pods(objects, "worker")[0]["spec"]
        (volume,) = [volume for volume in pod["volumes"] if volume["name"] == "chartgen-ssh"]
        assert volume["secret"].get("defaultMode") == mode
        files = [item["path"] for item in volume["secret"]["items"]]
        assert files == ["id_rsa", "id_rsa.pub", "authorized_keys"]
        assert {"name": "chartgen-ssh", "mountPath": path} in pod["containers"][0]["volumeMounts"]


def test_ten_thousand_workers_are_waited_for_by_a_file(helm3: str, chart: Path) -> None:
    """Their names are too long for a variable."""
    objects = read_objects(helm3, chart, "--set", "roles.worker.replicas=100")
    (wait,) = pods(objects, "launcher")[0]["spec"]["initContainers"]
    assert wait["args"][0].startswith("HOSTS=$(cat /etc/mpi/hosts)\n")
    assert "env" not in wait
    (config,) = named(objects, "ConfigMap", "mpi-")
    assert len(config["data"]["hosts"].splitlines()) == 100


def test_a_proxy_connects_to_the_launcher_without_keys(helm: str, tmp_path: Path) -> None:
    text = JOB.replace("image: a:1", "image: a:1\nmpi: {implementation: mpich, start: proxy}")
    text = text.replace(", port: 2223", "")
    objects = read_objects(helm, render(text, tmp_path), "--set", "roles.launcher.port=9000")
    assert keys(objects) == set()
    assert env(pods(objects, "launcher")[0])["MPIEXEC_PORT_RANGE"] == "9000:9000"
    told = [env(pod) for pod in pods(objects, "worker")]
    assert [variables["MPI_PROXY_ID"] for variables in told] == ["0", "1"]
    assert {variables["MPI_LAUNCHER"] for variables in told} == {"launcher-76no-0:9000"}
    assert hostfile(objects) == ["worker-76no-0:4", "worker-76no-1:2"]
    assert pods(objects, "launcher")[0]["spec"]["hostname"] == "launcher-76no-0"
    assert not [
        service
        for service in named(objects, "Service")
        if re.match("worker", service["metadata"]["name"])
    ]
