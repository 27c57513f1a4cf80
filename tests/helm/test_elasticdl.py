"""ElasticDL's charts: what master and workers are told, who makes the workers, and what may be turned at install."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import pipeline
from tests.e2e.programs.elasticdl.python import args as strict
from tests.support.charts import Objects, env, named, objects, pods, refusal, render, run

JOB = """\
name: mnist
framework: elasticdl
image: registry.example.com/mnist:1
volumes: [{name: data, persistentVolumeClaim: {claimName: mnist}}]
volumeMounts: [{name: data, mountPath: /data}]
roles:
  master: {resources: {limits: {cpu: 1, memory: 1Gi}}}
  worker: {replicas: 2, resources: {limits: {cpu: 3, memory: 4Gi}}}
elasticdl:
  params:
    model_def: /model_zoo/mnist
    training_data_dir: /data/train
    records_per_task: 100
    minibatch_size: 64
    loss: my_loss
    log_level: DEBUG
"""
NATIVE = JOB.replace("elasticdl:\n", "elasticdl:\n  expansion: native\n")
MASTER, WORKER = "elasticdl.python.master.main", "/etc/chartgen/start/worker.py"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """The chart of a job whose workers are the chart's."""
    return render(JOB, tmp_path)


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """The chart of a job whose workers are the master's."""
    return render(NATIVE, tmp_path)


def container(pod: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = pod["spec"]["containers"][0]
    return found


def master(found: Objects) -> Any:
    """What the master makes of its command line."""
    (pod,) = pods(found, "master")
    assert container(pod)["command"] == ["python"]
    *start, module = container(pod)["args"][:2]
    assert (start, module) == (["-m"], MASTER)
    return strict.master(container(pod)["args"][2:])


def kinds(found: Objects) -> list[str]:
    """All objects of the job itself, without those of its tests."""
    hooks = ("helm.sh/hook",)
    own = [one for one in found if not any(key in one["metadata"].get("annotations", {}) for key in hooks)]
    return sorted(f"{one['kind']} {one['metadata']['name'].split('-')[0]}" for one in own)


# --- static


def test_static_workers_are_jobs_without_any_rights(static: Path, helm: str) -> None:
    found = objects(helm, static)
    assert kinds(found) == [
        "ConfigMap peers",
        "ConfigMap start",
        "Job master",
        "Job worker",
        "Job worker",
        "Service master",
    ]
    for role in ("master", "worker"):
        for pod in pods(found, role):
            assert pod["spec"]["automountServiceAccountToken"] is False
            assert pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] == "mnist"
            assert container(pod)["volumeMounts"][0]["mountPath"] == "/data"


def test_a_static_master_manages_no_workers(static: Path, helm: str) -> None:
    """It is told of none: --num_workers is what would make it make them, and 0 it refuses."""
    told = master(objects(helm, static))
    assert (told.num_workers, told.worker_image, told.volume) == (0, None, None)
    assert (told.job_name, told.port, told.model_def) == ("demo", 50001, "/model_zoo/mnist")
    assert (told.training_data_dir, told.records_per_task, told.minibatch_size) == ("/data/train", 100, 64)
    assert (told.loss, told.log_level) == ("my_loss", "DEBUG")


def test_a_static_worker_knows_its_number_and_the_master(static: Path, helm: str) -> None:
    found = objects(helm, static, "--set", "runtimeId=76no,roles.master.port=50007,namePrefix=a-")
    for index, pod in enumerate(pods(found, "worker")):
        start, *words = container(pod)["args"]
        told = strict.worker(words)
        assert (start, container(pod)["command"]) == (WORKER, ["python"])
        assert (told.worker_id, told.master_addr) == (index, "a-master-76no-0:50007")
        assert (told.model_def, told.loss, told.log_level) == ("/model_zoo/mnist", "my_loss", "DEBUG")
        (wait,) = pod["spec"]["initContainers"]
        assert wait["env"] == [{"name": "HOSTS", "value": "a-master-76no-0 50007"}]
    (service,) = named(found, "Service")
    assert (service["metadata"]["name"], service["spec"]["ports"][0]["port"]) == ("a-master-76no-0", 50007)
    assert master(found).port == 50007


def test_static_workers_are_added_to_a_job_that_runs(static: Path, helm: str) -> None:
    """The master does not count its workers, so more of them leave the others and the master as they are."""
    few, many = (objects(helm, static, "--set", f"roles.worker.replicas={count}") for count in (2, 5))
    kept = [one for one in few if one in many]
    assert [one["metadata"]["name"] for one in named(few, "Job")] == [
        one["metadata"]["name"] for one in named(kept, "Job")
    ]
    assert len(named(many, "Job", "worker-")) == 5


def test_the_scripts_that_start_them_are_in_the_chart(static: Path, helm: str) -> None:
    (start,) = named(objects(helm, static), "ConfigMap", "start-")
    assert [*start["data"]] == ["worker.py"]
    assert start["data"]["worker.py"].startswith('"""Run an ElasticDL worker')


def test_the_notes_advise_a_deadline(static: Path, helm4: str) -> None:
    notes = run(helm4, "install", "demo", static, "--dry-run=client").stdout.partition("NOTES:\n")[2]
    assert "--set roles.master.activeDeadlineSeconds=86400" in notes


# --- native


def test_a_native_master_makes_its_workers(native: Path, helm: str) -> None:
    found = objects(helm, native, "--namespace", "research")
    assert kinds(found) == [
        "ConfigMap elasticdl",
        "Job master",
        "Role access",
        "RoleBinding access",
        "ServiceAccount access",
    ]
    told = master(found)
    assert (told.num_workers, told.worker_image, told.namespace) == (2, "registry.example.com/mnist:1", "research")
    assert told.worker_resource_request == told.worker_resource_limit == {"cpu": "3", "memory": "4Gi"}
    assert told.volume == {"volume_name": "data", "claim_name": "mnist", "mount_path": "/data"}
    assert (told.worker_pod_priority, told.image_pull_policy, told.restart_policy) == (None, None, None)


def test_it_may_do_what_it_needs_and_no_more(native: Path, helm: str) -> None:
    found = objects(helm, native)
    (role,) = named(found, "Role", "access-")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["create", "get", "list", "watch"]}]
    (pod,) = pods(found, "master")
    assert pod["spec"]["serviceAccountName"] == role["metadata"]["name"]
    own = objects(helm, native, "--set", "rbac.create=false,serviceAccountName=mine")
    assert pods(own, "master")[0]["spec"]["serviceAccountName"] == "mine"
    assert not named(own, "Role", "access-")


def test_it_is_started_once(native: Path, helm: str) -> None:
    (job,) = named(objects(helm, native), "Job", "master-")
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_the_notes_say_how_to_find_the_workers(native: Path, helm4: str) -> None:
    done = run(helm4, "install", "demo", native, "--dry-run=client", "--namespace=research")
    assert "kubectl -n research get pods -l 'elasticdl_job_name=demo,!chartgen/runtime-id'\n" in done.stdout


def test_what_it_left_is_removed_by_its_label(native: Path, helm: str) -> None:
    """On uninstall and before an upgrade; the master's own pod has the label as well, and is told apart."""
    found = objects(helm, native, release="mine")
    sweepers = named(found, "Job", "strays-")
    assert sorted(job["metadata"]["annotations"]["helm.sh/hook"] for job in sweepers) == ["pre-delete", "pre-upgrade"]
    for job in sweepers:
        assert env(job["spec"]["template"])["STRAYS"] == "elasticdl_job_name=mine,!chartgen/runtime-id"
    (pod,) = pods(found, "master")
    assert pod["metadata"]["labels"]["elasticdl_job_name"] == "mine"
    assert "chartgen/runtime-id" in pod["metadata"]["labels"]


@pytest.mark.parametrize("role", ["master", "worker"])
def test_what_a_flag_says_is_not_filled_in_by_kubernetes(static: Path, helm3: str, role: str) -> None:
    """It takes two dollars for one, and $(NAME) for a variable."""
    found = objects(helm3, static, "--set-string", "elasticdl.params.model_def=/models/$(A)$$${B}")
    assert "--model_def=/models/$$(A)$$$$$${B}" in container(pods(found, role)[0])["args"]


def test_what_workers_are_is_turned_at_install(native: Path, helm: str) -> None:
    """Counts, images, quantities and classes become the master's flags, and another master is started with them."""
    before = objects(helm, native)
    turned = (
        "roles.worker.replicas=5,roles.worker.image=other:2,imagePullPolicy=Never,roles.worker.priorityClassName=low,"
        "roles.worker.restartPolicy=OnFailure,roles.worker.resources.requests.cpu=500m,elasticdl.params.num_epochs=3"
    )
    after = objects(helm, native, "--set", turned)
    told = master(after)
    assert (told.num_workers, told.worker_image, told.num_epochs) == (5, "other:2", 3)
    assert (told.image_pull_policy, told.worker_pod_priority, told.restart_policy) == ("Never", "low", "OnFailure")
    assert told.worker_resource_request == {"cpu": "500m", "memory": "4Gi"}
    names = [named(found, "Job", "master-")[0]["metadata"]["name"] for found in (before, after)]
    assert names[0] != names[1]


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        ("{limits: {cpu: 0.5, memory: 1.5Gi}}", {"cpu": "0.5", "memory": "1572864Ki"}),
        ("{limits: {cpu: 1500m, memory: 2000000000}}", {"cpu": "1500m", "memory": "1953125Ki"}),
        ("{limits: {cpu: '2e0', memory: 1G}}", {"cpu": "2", "memory": "1G"}),
        ("{limits: {memory: 500k, ephemeral-storage: 1Ki}}", {"memory": "489Ki", "ephemeral-storage": "1Ki"}),
        ('{limits: {nvidia.com/gpu: "2", amd.com/gpu: 1}}', {"nvidia.com/gpu": "2", "amd.com/gpu": "1"}),
    ],
)
def test_quantities_are_told_in_elasticdls_grammar(
    resources: str, told: dict[str, str], tmp_path: Path, helm3: str
) -> None:
    """The master wants memory as a whole number with a unit, and would end at once if it got anything else."""
    text = NATIVE.replace("{limits: {cpu: 3, memory: 4Gi}}", resources)
    assert master(objects(helm3, render(text, tmp_path))).worker_resource_limit == told


def test_without_resources_and_volumes_the_master_is_told_of_none(tmp_path: Path, helm3: str) -> None:
    text = "\n".join(line for line in NATIVE.splitlines() if not line.startswith("volume"))
    told = master(objects(helm3, render(text.replace(", resources: {limits: {cpu: 3, memory: 4Gi}}", ""), tmp_path)))
    assert (told.worker_resource_request, told.worker_resource_limit) == (strict.resources("cpu=1,memory=4096Mi"), None)
    assert told.volume is None


@pytest.mark.parametrize(
    ("turned", "why"),
    [
        ("volumes=null", "one claim, mounted once"),
        ("volumes[0].name=data,volumes[0].emptyDir.medium=Memory", "one claim, mounted once"),
        ("volumeMounts[0].name=data,volumeMounts[0].mountPath=/a=b", "a path without '=' and ','"),
        ("roles.worker.resources.limits.example\\.com/fpga=1", "cannot ask for example.com/fpga"),
        ("roles.worker.env.A=1", "env"),
        ("roles.worker.replicas=0", "replicas"),
        ("roles.master.replicas=2", "replicas"),
        ("elasticdl.params.num_epochs=0", "num_epochs"),
        ("elasticdl.params.num_epoch=1", "num_epoch"),
        ("elasticdl.expansion=static", "expansion"),
        ("elasticdl.jobName=other", "jobName"),
    ],
)
def test_what_the_master_could_not_take_is_refused_at_install(turned: str, why: str, native: Path, helm: str) -> None:
    assert why in refusal(helm, native, "--set", turned)


# --- both


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_a_name_that_is_given_is_kept_and_may_be_turned(text: str, tmp_path: Path, helm: str) -> None:
    chart = render(text.replace("elasticdl:\n", "elasticdl:\n  jobName: hello-world\n"), tmp_path)
    for words, name in (((), "hello-world"), (("--set", "elasticdl.jobName=other"), "other")):
        found = objects(helm, chart, *words)
        assert master(found).job_name == name
        for pod in [*pods(found, "master"), *pods(found, "worker")]:
            assert pod["metadata"]["labels"].items() >= {"app": "elasticdl", "elasticdl_job_name": name}.items()


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_two_releases_never_meet(text: str, tmp_path: Path, helm3: str) -> None:
    chart = render(text, tmp_path)
    found = [objects(helm3, chart, release=release) for release in ("one", "two")]
    assert [master(one).job_name for one in found] == ["one", "two"]
    labels = [pods(one, "master")[0]["metadata"]["labels"]["elasticdl_job_name"] for one in found]
    assert labels == ["one", "two"]


def test_workers_of_one_name_are_one_release_s(native: Path, helm: str) -> None:
    """Masters that make workers of the same names would be in each other's way, so Helm finds the name taken."""
    given = ("--set", "elasticdl.jobName=fit")
    chart = render(NATIVE.replace("elasticdl:\n", "elasticdl:\n  jobName: hello-world\n"), native.parent / "given")
    names = [named(objects(helm, chart, *words), "ConfigMap")[0]["metadata"]["name"] for words in ((), given)]
    assert names == ["elasticdl-hello-world", "elasticdl-fit"]
    assert named(objects(helm, native, release="fit"), "ConfigMap")[0]["metadata"]["name"] == "elasticdl-fit"


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_the_master_knows_its_address(text: str, tmp_path: Path, helm3: str) -> None:
    (pod,) = pods(objects(helm3, render(text, tmp_path)), "master")
    assert env(pod)["MY_POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_tensorboard_is_the_charts_and_the_master_writes_for_it(text: str, tmp_path: Path, helm: str) -> None:
    """The master puts a time behind the directory's name, so that it has to be a directory for the time to be in."""
    found = objects(helm, render(text + "tensorboard: {logDir: /data/log}\n", tmp_path))
    (pod,) = pods(found, "master")
    start, *words = container(pod)["args"]
    assert start == "/etc/chartgen/start/master.py"
    assert strict.master(words).tensorboard_log_dir == "/data/log/"
    (scripts,) = named(found, "ConfigMap", "start-")
    assert scripts["data"]["master.py"].startswith('"""Run an ElasticDL master')
    (board,) = named(found, "Deployment")
    assert board["spec"]["template"]["spec"]["containers"][0]["command"][2] == "/data/log"
    assert not named(found, "Role", "access-") or all(
        "services" not in rule["resources"] for rule in named(found, "Role", "access-")[0]["rules"]
    )


def test_priority_classes_are_made_where_they_are_listed(tmp_path: Path, helm: str) -> None:
    assert not named(objects(helm, render(JOB, tmp_path / "a")), "PriorityClass")
    text = JOB + "priorityClasses: {high-priority: 1000000, low-priority: 1000}\n"
    made = named(objects(helm, render(text, tmp_path / "b")), "PriorityClass")
    assert {one["metadata"]["name"]: one["value"] for one in made} == {"high-priority": 1000000, "low-priority": 1000}


def test_prediction_is_told_with_three_dashes(tmp_path: Path, helm3: str) -> None:
    text = JOB.replace(
        "training_data_dir: /data/train", "prediction_data_dir: /d\n    checkpoint_filename_for_init: /c"
    )
    told = master(objects(helm3, render(text, tmp_path)))
    assert (told.prediction_data_dir, told.checkpoint_filename_for_init) == ("/d", "/c")


def test_every_param_of_the_schema_is_told(tmp_path: Path, helm3: str) -> None:
    """None is taken and then forgotten."""
    from chartgen import resources

    params = resources.data("schemas/job.schema.json")["definitions"]["elasticdl"]["properties"]["params"]["properties"]
    said = {name: node["examples"][0] for name, node in params.items() if name != "prediction_data_dir"}
    job = {**yaml.safe_load(JOB), "elasticdl": {"params": said}}
    told = vars(master(objects(helm3, render(yaml.safe_dump(job), tmp_path))))
    assert {name: told[name] for name in said} == said


def test_the_sum_counts_workers_that_the_master_makes(native: Path, static: Path) -> None:
    for text in (JOB, NATIVE):
        checked = pipeline.check(pipeline.read(text.encode(), "job.yaml")[0])
        assert "3 pods, 7 CPUs, 9 GiB memory" in pipeline.render(checked)["README.md"]
