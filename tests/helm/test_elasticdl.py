"""ElasticDL's charts: flags of master and workers, who creates workers, values at install."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import resources
from chartgen.frameworks.elasticdl.dialects import ONLY_01, ONLY_02, ONLY_2019, ONLY_LATER
from tests.e2e.programs.elasticdl.python import args as strict
from tests.support.charts import Objects, env, named, pods, read_objects, refusal, render, run
from tests.unit.frameworks.test_elasticdl import JOB, NATIVE


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """The chart of a job whose workers are created by the chart."""
    return render(JOB, tmp_path)


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """The chart of a job whose workers are created by the master."""
    return render(NATIVE, tmp_path)


MASTER, WORKER = "elasticdl.python.master.main", "/etc/chartgen/start/worker.py"


def container(pod: dict[str, Any]) -> dict[str, Any]:
    main: dict[str, Any] = pod["spec"]["containers"][0]
    return main


def master(objects: Objects) -> Any:
    """The master's command line, parsed."""
    (pod,) = pods(objects, "master")
    assert container(pod)["command"] == ["python"]
    *start, module = container(pod)["args"][:2]
    assert (start, module) == (["-m"], MASTER)
    return strict.master(container(pod)["args"][2:])


def kinds(objects: Objects) -> list[str]:
    """All objects of the job itself, without those of its tests."""
    hooks = ("helm.sh/hook",)
    own = [
        manifest
        for manifest in objects
        if not any(key in manifest["metadata"].get("annotations", {}) for key in hooks)
    ]
    return sorted(
        f"{manifest['kind']} {manifest['metadata']['name'].split('-')[0]}" for manifest in own
    )


# --- static


def test_static_workers_are_jobs_without_permissions(static: Path, helm: str) -> None:
    objects = read_objects(helm, static, "--set", "cleanup.policy=none")
    assert kinds(objects) == [
        "ConfigMap peers",
        "ConfigMap start",
        "Job master",
        "Job worker",
        "Job worker",
        "Service master",
    ]
    for role in ("master", "worker"):
        for pod in pods(objects, role):
            assert pod["spec"]["automountServiceAccountToken"] is False
            assert pod["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"] == "mnist"
            assert container(pod)["volumeMounts"][0]["mountPath"] == "/data"


def test_a_static_master_manages_no_workers(static: Path, helm: str) -> None:
    """It gets no --num_workers, which would make it create them, and it refuses 0."""
    flags = master(read_objects(helm, static))
    assert (flags.num_workers, flags.worker_image, flags.volume) == (0, None, None)
    assert (flags.job_name, flags.port, flags.model_def) == ("demo", 50001, "/model_zoo/mnist")
    assert (flags.training_data_dir, flags.records_per_task, flags.minibatch_size) == (
        "/data/train",
        100,
        64,
    )
    assert (flags.loss, flags.log_level) == ("my_loss", "DEBUG")


def test_a_static_worker_knows_its_number_and_the_master(static: Path, helm: str) -> None:
    objects = read_objects(
        helm, static, "--set", "runtimeId=76no,roles.master.port=50007,namePrefix=a-"
    )
    for index, pod in enumerate(pods(objects, "worker")):
        start, *words = container(pod)["args"]
        flags = strict.worker(words)
        assert (start, container(pod)["command"]) == (WORKER, ["python"])
        assert (flags.worker_id, flags.master_addr) == (index, "a-master-76no-0:50007")
        assert (flags.model_def, flags.loss, flags.log_level) == (
            "/model_zoo/mnist",
            "my_loss",
            "DEBUG",
        )
        (wait,) = pod["spec"]["initContainers"]
        assert wait["env"] == [{"name": "HOSTS", "value": "a-master-76no-0 50007"}]
    (service,) = named(objects, "Service")
    assert (service["metadata"]["name"], service["spec"]["ports"][0]["port"]) == (
        "a-master-76no-0",
        50007,
    )
    assert master(objects).port == 50007


def test_static_workers_are_added_to_a_running_job(static: Path, helm: str) -> None:
    """The master does not count its workers, so adding some does not change other pods."""
    few, many = (
        read_objects(helm, static, "--set", f"roles.worker.replicas={count}") for count in (2, 5)
    )
    kept = [manifest for manifest in few if manifest in many]
    assert [job["metadata"]["name"] for job in named(few, "Job")] == [
        job["metadata"]["name"] for job in named(kept, "Job")
    ]
    assert len(named(many, "Job", "worker-")) == 5


def test_the_scripts_that_start_them_are_in_the_chart(static: Path, helm: str) -> None:
    (start,) = named(read_objects(helm, static), "ConfigMap", "start-")
    assert [*start["data"]] == ["worker.py"]
    assert start["data"]["worker.py"].startswith('"""Run an ElasticDL worker')


def test_the_notes_advise_a_deadline(static: Path, helm4: str) -> None:
    notes = run(helm4, "install", "demo", static, "--dry-run=client").stdout.partition("NOTES:\n")[
        2
    ]
    assert "--set roles.master.activeDeadlineSeconds=86400" in notes


# --- native


def test_a_native_master_creates_its_workers(native: Path, helm: str) -> None:
    objects = read_objects(helm, native, "--namespace", "research")
    assert kinds(objects) == [
        "ConfigMap elasticdl",
        "Job master",
        "Role access",
        "RoleBinding access",
        "ServiceAccount access",
    ]
    flags = master(objects)
    assert (flags.num_workers, flags.worker_image, flags.namespace) == (
        2,
        "registry.example.com/mnist:1",
        "research",
    )
    assert (
        flags.worker_resource_request
        == flags.worker_resource_limit
        == {"cpu": "3", "memory": "4Gi"}
    )
    assert flags.volume == {"volume_name": "data", "claim_name": "mnist", "mount_path": "/data"}
    assert (flags.worker_pod_priority, flags.image_pull_policy, flags.restart_policy) == (
        None,
        None,
        None,
    )


def test_a_native_master_may_do_what_it_needs_and_no_more(native: Path, helm: str) -> None:
    objects = read_objects(helm, native)
    (role,) = named(objects, "Role", "access-")
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["create", "get", "list", "watch"]}
    ]
    (pod,) = pods(objects, "master")
    assert pod["spec"]["serviceAccountName"] == role["metadata"]["name"]
    own = read_objects(helm, native, "--set", "rbac.create=false,serviceAccountName=mine")
    assert pods(own, "master")[0]["spec"]["serviceAccountName"] == "mine"
    assert not named(own, "Role", "access-")


def test_a_native_master_is_started_once(native: Path, helm: str) -> None:
    (job,) = named(read_objects(helm, native), "Job", "master-")
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"


def test_the_notes_say_how_to_find_the_workers(native: Path, helm4: str) -> None:
    done = run(helm4, "install", "demo", native, "--dry-run=client", "--namespace=research")
    assert (
        "kubectl -n research get pods -l 'elasticdl_job_name=demo,!chartgen/runtime-id'\n"
        in done.stdout
    )
    assert "chartgen status demo -n research" in done.stdout
    assert "chartgen stop" not in done.stdout  # which refuses


def test_pods_that_a_master_created_are_removed_by_their_label(native: Path, helm: str) -> None:
    """On uninstall and before an upgrade; the selector excludes the master's own pod."""
    objects = read_objects(helm, native, release="mine")
    sweepers = named(objects, "Job", "strays-")
    assert sorted(job["metadata"]["annotations"]["helm.sh/hook"] for job in sweepers) == [
        "pre-delete",
        "pre-upgrade",
    ]
    for job in sweepers:
        assert (
            env(job["spec"]["template"])["STRAYS"] == "elasticdl_job_name=mine,!chartgen/runtime-id"
        )
    (pod,) = pods(objects, "master")
    assert pod["metadata"]["labels"]["elasticdl_job_name"] == "mine"
    assert "chartgen/runtime-id" in pod["metadata"]["labels"]


@pytest.mark.parametrize("role", ["master", "worker"])
def test_kubernetes_does_not_expand_a_flag(static: Path, helm3: str, role: str) -> None:
    """It would turn two dollars into one, and $(NAME) into the value of a variable."""
    objects = read_objects(
        helm3, static, "--set-string", "elasticdl.params.model_def=/models/$(A)$$${B}"
    )
    assert "--model_def=/models/$$(A)$$$$$${B}" in container(pods(objects, role)[0])["args"]


def test_the_workers_of_a_master_follow_the_values_at_install(native: Path, helm: str) -> None:
    """Counts, images, quantities and classes become flags of a new master."""
    before = read_objects(helm, native)
    settings = (
        "imagePullPolicy=Never",
        "roles.worker.replicas=5",
        "roles.worker.image=other:2",
        "roles.worker.priorityClassName=low",
        "roles.worker.restartPolicy=OnFailure",
        "roles.worker.resources.requests.cpu=500m",
        "elasticdl.params.num_epochs=3",
    )
    after = read_objects(helm, native, "--set", ",".join(settings))
    flags = master(after)
    assert (flags.num_workers, flags.worker_image, flags.num_epochs) == (5, "other:2", 3)
    assert (flags.image_pull_policy, flags.worker_pod_priority, flags.restart_policy) == (
        "Never",
        "low",
        "OnFailure",
    )
    assert flags.worker_resource_request == {"cpu": "500m", "memory": "4Gi"}
    names = [named(objects, "Job", "master-")[0]["metadata"]["name"] for objects in (before, after)]
    assert names[0] != names[1]


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        ("{limits: {cpu: 0.5, memory: 1.5Gi}}", {"cpu": "0.5", "memory": "1572864Ki"}),
        ("{limits: {cpu: 1500m, memory: 2000000000}}", {"cpu": "1500m", "memory": "1953125Ki"}),
        ("{limits: {cpu: '2e0', memory: 1G}}", {"cpu": "2", "memory": "1G"}),
        (
            "{limits: {memory: 500k, ephemeral-storage: 1Ki}}",
            {"memory": "489Ki", "ephemeral-storage": "1Ki"},
        ),
        (
            '{limits: {nvidia.com/gpu: "2", amd.com/gpu: 1}}',
            {"nvidia.com/gpu": "2", "amd.com/gpu": "1"},
        ),
    ],
)
def test_quantities_are_passed_in_elasticdls_grammar(
    resources: str, told: dict[str, str], tmp_path: Path, helm3: str
) -> None:
    """The master requires memory as a whole number with a unit, and would end at once otherwise."""
    text = NATIVE.replace("{limits: {cpu: 3, memory: 4Gi}}", resources)
    assert master(read_objects(helm3, render(text, tmp_path))).worker_resource_limit == told


def test_without_resources_and_volumes_the_master_gets_no_such_flags(
    tmp_path: Path, helm3: str
) -> None:
    text = "\n".join(line for line in NATIVE.splitlines() if not line.startswith("volume"))
    flags = master(
        read_objects(
            helm3,
            render(text.replace(", resources: {limits: {cpu: 3, memory: 4Gi}}", ""), tmp_path),
        )
    )
    assert (flags.worker_resource_request, flags.worker_resource_limit) == (
        strict.resources("cpu=1,memory=4096Mi"),
        None,
    )
    assert flags.volume is None


@pytest.mark.parametrize(
    ("turned", "why"),
    [
        ("volumes=null", "one claim, mounted once"),
        ("volumes[0].name=data,volumes[0].emptyDir.medium=Memory", "one claim, mounted once"),
        ("volumeMounts[0].name=data,volumeMounts[0].mountPath=/a=b", "a path without '=' or ','"),
        ("roles.worker.resources.limits.example\\.com/fpga=1", "cannot request example.com/fpga"),
        ("roles.worker.env.A=1", "env"),
        ("roles.worker.replicas=0", "replicas"),
        ("roles.master.replicas=2", "replicas"),
        ("elasticdl.params.num_epochs=0", "num_epochs"),
        ("elasticdl.params.num_epoch=1", "num_epoch"),
        ("elasticdl.expansion=static", "expansion"),
        ("elasticdl.jobName=other", "jobName"),
    ],
)
def test_what_the_master_would_refuse_is_refused_at_install(
    turned: str, why: str, native: Path, helm: str
) -> None:
    assert why in refusal(helm, native, "--set", turned)


# --- both


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_a_given_name_is_kept_and_can_be_changed_at_install(
    text: str, tmp_path: Path, helm: str
) -> None:
    chart = render(text.replace("elasticdl:\n", "elasticdl:\n  jobName: hello-world\n"), tmp_path)
    for words, name in (((), "hello-world"), (("--set", "elasticdl.jobName=other"), "other")):
        objects = read_objects(helm, chart, *words)
        assert master(objects).job_name == name
        for pod in [*pods(objects, "master"), *pods(objects, "worker")]:
            assert (
                pod["metadata"]["labels"].items()
                >= {"app": "elasticdl", "elasticdl_job_name": name}.items()
            )


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_two_releases_never_collide(text: str, tmp_path: Path, helm3: str) -> None:
    chart = render(text, tmp_path)
    releases = [read_objects(helm3, chart, release=release) for release in ("one", "two")]
    assert [master(objects).job_name for objects in releases] == ["one", "two"]
    labels = [
        pods(objects, "master")[0]["metadata"]["labels"]["elasticdl_job_name"]
        for objects in releases
    ]
    assert labels == ["one", "two"]


def test_only_one_release_can_have_workers_of_a_name(native: Path, helm: str) -> None:
    """Two masters would create workers of the same names, so Helm finds that the name is taken."""
    given = ("--set", "elasticdl.jobName=fit")
    chart = render(
        NATIVE.replace("elasticdl:\n", "elasticdl:\n  jobName: hello-world\n"),
        native.parent / "given",
    )
    names = [
        named(read_objects(helm, chart, *words), "ConfigMap")[0]["metadata"]["name"]
        for words in ((), given)
    ]
    assert names == ["elasticdl-hello-world", "elasticdl-fit"]
    assert (
        named(read_objects(helm, native, release="fit"), "ConfigMap")[0]["metadata"]["name"]
        == "elasticdl-fit"
    )


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_the_master_knows_its_address(text: str, tmp_path: Path, helm3: str) -> None:
    (pod,) = pods(read_objects(helm3, render(text, tmp_path)), "master")
    assert env(pod)["MY_POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}


@pytest.mark.parametrize("text", [JOB, NATIVE], ids=["static", "native"])
def test_the_chart_serves_tensorboard_and_the_master_writes_for_it(
    text: str, tmp_path: Path, helm: str
) -> None:
    """The master appends a time to the directory's name, so the flag must end with '/'."""
    objects = read_objects(helm, render(text + "tensorboard: {logDir: /data/log}\n", tmp_path))
    (pod,) = pods(objects, "master")
    start, *words = container(pod)["args"]
    assert start == "/etc/chartgen/start/master.py"
    assert strict.master(words).tensorboard_log_dir == "/data/log/"
    (scripts,) = named(objects, "ConfigMap", "start-")
    assert scripts["data"]["master.py"].startswith('"""Run an ElasticDL master')
    (board,) = named(objects, "Deployment")
    assert board["spec"]["template"]["spec"]["containers"][0]["command"][2] == "/data/log"
    assert not named(objects, "Role", "access-") or all(
        "services" not in rule["resources"]
        for rule in named(objects, "Role", "access-")[0]["rules"]
    )


def test_priority_classes_are_created_if_they_are_listed(tmp_path: Path, helm: str) -> None:
    assert not named(read_objects(helm, render(JOB, tmp_path / "a")), "PriorityClass")
    text = JOB + "priorityClasses: {high-priority: 1000000, low-priority: 1000}\n"
    made = named(read_objects(helm, render(text, tmp_path / "b")), "PriorityClass")
    assert {
        priority_class["metadata"]["name"]: priority_class["value"] for priority_class in made
    } == {"high-priority": 1000000, "low-priority": 1000}


def test_the_flag_for_prediction_has_three_dashes(tmp_path: Path, helm3: str) -> None:
    text = JOB.replace(
        "training_data_dir: /data/train",
        "prediction_data_dir: /d\n    checkpoint_filename_for_init: /c",
    )
    flags = master(read_objects(helm3, render(text, tmp_path)))
    assert (flags.prediction_data_dir, flags.checkpoint_filename_for_init) == ("/d", "/c")


# The flags of the published masters, without those about pods. What a master does not know, it
# leaves out with a line in its log.
_OF_BOTH = (
    "checkpoint_dir", "checkpoint_steps", "data_reader_params", "dataset_fn", "eval_metrics_fn",
    "evaluation_start_delay_secs", "evaluation_steps", "evaluation_throttle_secs",
    "get_model_steps", "grads_to_wait", "job_name", "keep_checkpoint_max", "log_level", "loss",
    "lr_staleness_modulation", "minibatch_size", "model_def", "model_params", "model_zoo",
    "num_epochs", "num_minibatches_per_task", "optimizer", "output", "port", "prediction_data",
    "tensorboard_log_dir", "training_data", "use_async",
)  # fmt: skip
PUBLISHED = {
    "0.1": {*_OF_BOTH, "checkpoint_filename_for_init", "evaluation_data"},
    "0.2": {
        *_OF_BOTH, "aux_params", "callbacks", "checkpoint_dir_for_init", "custom_data_reader",
        "distribution_strategy", "log_file_path", "log_loss_steps", "sync_version_tolerance",
        "use_go_ps", "validation_data",
    },
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["2019-07", "0.1", "0.2"])
def test_every_parameter_of_the_schema_becomes_a_flag(
    tmp_path: Path, helm3: str, dialect: str
) -> None:
    """None that the dialect has is accepted and then dropped."""
    others = {
        "2019-07": (*ONLY_LATER, *ONLY_02, "evaluation_data"),
        "0.1": (*ONLY_2019, *ONLY_02),
        "0.2": (*ONLY_2019, *ONLY_01),
    }[dialect]
    options = resources.data("schemas/job.schema.json")["definitions"]["elasticdl"]["properties"]
    said = {}
    for name, node in options["params"]["properties"].items():
        if name not in (*others, "prediction_data_dir", "prediction_data"):
            said[name] = node["examples"][0]
    expansion = "native" if dialect == "0.2" else "static"
    chosen = {"dialect": dialect, "expansion": expansion, "params": said}
    job = {**yaml.safe_load(JOB), "elasticdl": chosen}
    if dialect == "0.2":
        job["roles"] = {"master": {}, "worker": {"replicas": 2}, "ps": {"replicas": 1}}
    objects = read_objects(helm3, render(yaml.safe_dump(job), tmp_path))
    if dialect == "2019-07":
        flags = vars(master(objects))
        assert {name: flags[name] for name in said} == said
        return
    (pod,) = bare_pods(objects) if dialect == "0.2" else pods(objects, "master")
    words = container(pod)["args"]
    # Only the client's predict has this one; masters do not know it.
    assert said.keys() - {"prediction_outputs_processor"} <= PUBLISHED[dialect]
    for name, value in said.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        assert f"--{name}={text}" in words


# --- 0.2, whose master is a pod

LATER = """
name: mnist
framework: elasticdl
image: registry.example.com/mnist:1
roles: {master: {activeDeadlineSeconds: 60}, worker: {replicas: 2}, ps: {replicas: 1}}
elasticdl:
  dialect: "0.2"
  expansion: native
  params: {model_zoo: /zoo, model_def: a.b.c, training_data: /d, minibatch_size: 8, use_go_ps: true}
"""

OLDER = (
    LATER.replace('"0.2"', '"0.1"')
    .replace(", ps: {replicas: 1}", "")
    .replace("use_go_ps: true", "num_minibatches_per_task: 2")
)


def bare_pods(objects: Objects) -> list[dict[str, Any]]:
    return [pod for pod in named(objects, "Pod") if "helm.sh/hook" not in str(pod["metadata"])]


def flag(pod: dict[str, Any], name: str) -> str:
    (value,) = [word for word in container(pod)["args"] if word.startswith(f"--{name}=")]
    return str(value).partition("=")[2]


def test_a_master_of_0_2_has_the_name_that_elasticdl_asks_for(tmp_path: Path, helm: str) -> None:
    """The name carries the id, so that a changed pod has another one."""
    chart = render(LATER, tmp_path)
    names = set()
    for count in (2, 3):
        (pod,) = bare_pods(read_objects(helm, chart, "--set", f"roles.worker.replicas={count}"))
        job = flag(pod, "job_name")
        assert pod["metadata"]["name"] == f"elasticdl-{job}-master"
        assert pod["metadata"]["labels"]["elasticdl-job-name"] == job
        assert job == f"demo-{pod['metadata']['labels']['chartgen/runtime-id']}"
        assert flag(pod, "num_workers") == str(count)
        names.add(pod["metadata"]["name"])
    assert len(names) == 2


def test_parameter_servers_may_read_the_master_and_nothing_else(tmp_path: Path, helm: str) -> None:
    """They run under the default account, and only end when they see that the master has."""
    chart = render(LATER, tmp_path)
    objects = read_objects(helm, chart)
    (pod,) = bare_pods(objects)
    (role,) = [
        role for role in named(objects, "Role") if role["metadata"]["name"].startswith("watch")
    ]
    (rule,) = role["rules"]
    assert (rule["verbs"], rule["resourceNames"]) == (["get"], [pod["metadata"]["name"]])
    (binding,) = [
        binding
        for binding in named(objects, "RoleBinding")
        if binding["roleRef"]["name"] == role["metadata"]["name"]
    ]
    assert [subject["name"] for subject in binding["subjects"]] == ["default"]
    for values in ("roles.ps.replicas=0", "rbac.create=false"):
        assert "watch-" not in str(read_objects(helm, chart, "--set", values))


def test_a_native_master_of_0_1_is_a_pod_too(tmp_path: Path, helm: str) -> None:
    """It gets no flag about parameter servers, makes no Services, and mounts at most one claim."""
    chart = render(OLDER, tmp_path)
    objects = read_objects(helm, chart)
    (pod,) = bare_pods(objects)
    assert pod["metadata"]["name"] == f"elasticdl-{flag(pod, 'job_name')}-master"
    assert flag(pod, "num_workers") == "2"
    assert "num_ps_pods" not in str(container(pod)["args"])
    (rules,) = [
        role["rules"]
        for role in named(objects, "Role")
        if role["metadata"]["name"].startswith("access")
    ]
    assert [rule["resources"] for rule in rules] == [["pods"]]
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in "ab"]
    said = refusal(helm, chart, "--set-json", f"volumes={json.dumps(volumes)}")
    assert "a native master can give its workers one claim" in said


@pytest.mark.parametrize("text", [OLDER, LATER], ids=["0.1", "0.2"])
def test_a_pod_that_writes_events_serves_no_tensorboard(
    text: str, tmp_path: Path, helm3: str
) -> None:
    """It would serve it itself, and never end."""
    objects = read_objects(helm3, render(f"{text}tensorboard: {{logDir: /log}}\n", tmp_path))
    (pod,) = bare_pods(objects)
    assert container(pod)["args"][0] == "/etc/chartgen/start/master.py"
    assert flag(pod, "tensorboard_log_dir") == "/log/"


def test_a_master_of_0_2_is_no_job_and_has_its_deadline(tmp_path: Path, helm: str) -> None:
    objects = read_objects(helm, render(LATER, tmp_path))
    assert pods(objects, "master") == []
    (pod,) = bare_pods(objects)
    assert pod["spec"]["activeDeadlineSeconds"] == 60
    assert pod["spec"]["restartPolicy"] == "Never"


def test_nothing_of_0_2_is_swept_because_all_belongs_to_the_master(
    tmp_path: Path, helm: str
) -> None:
    """And a second release needs no lock: the id makes its names its own."""
    objects = read_objects(helm, render(LATER, tmp_path), "--set", "cleanup.enabled=true")
    assert not [manifest for manifest in objects if "strays" in manifest["metadata"]["name"]]
    assert not [manifest for manifest in objects if "cleanup" in manifest["metadata"]["name"]]
    (rules,) = [
        role["rules"]
        for role in named(objects, "Role")
        if role["metadata"]["name"].startswith("access")
    ]
    assert [rule["resources"] for rule in rules] == [["pods"], ["services"]]
