"""plan: what else a framework may add, in the real Helm: commands, probes, volumes, RBAC, ..."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import pipeline
from chartgen import pods as described_pods
from chartgen.plan.late import (
    Account,
    Asks,
    Chosen,
    Count,
    Given,
    Image,
    Namespace,
    Option,
    Peers,
    ReleaseName,
    Requested,
    Size,
    Words,
    text,
)
from chartgen.plan.model import (
    AccessRule,
    Config,
    ConfigKey,
    Env,
    Plan,
    PodField,
    RolePlan,
    Service,
    Volume,
    Wait,
)
from tests.support.charts import env, named, pods, read_objects, run, write

JOB = b"""
name: parts
framework: tensorflow
image: a:1
roles:
  chief: {command: [lead], args: [--own]}
  worker:
    replicas: 2
    resources: {requests: {cpu: 500m}, limits: {cpu: 1, memory: 16Gi}}
    container: {tty: true}
  ps: {replicas: 3, image: "b:2", resources: {requests: {memory: 2Gi}}}
"""


def _role(name: str, **more: Any) -> RolePlan:
    base = RolePlan(name, "main", 7103, "web", service=False, labels={}, env=())
    return base._replace(**more)


WORKER = _role(
    "worker",
    command=(text("run"), text(Image())),
    args=(text("--of=", ReleaseName()), Words("twice"), text("--image=", Image("ps"))),
    fields={
        "readinessProbe": {"tcpSocket": {"port": "web"}, "periodSeconds": 5},
        "tty": False,
        "x": [text("i-", Count("ps")), 0],
    },
    env=(
        Env("IP", PodField("status.podIP")),
        Env("CPU", text(Requested("cpu")), Asks("cpu")),
        Env("MEMORY", text(Requested("memory")), Asks("memory")),
        Env("GPU", text(Requested("nvidia.com/gpu")), Asks("nvidia.com/gpu")),
        Env("WHERE", text(Namespace(), "/", Account())),
        Env("FORM", text(Option("tensorflow.cluster")), Given("tensorflow.cluster")),
        Env("BOARD", text(Size("tensorboard.logDir")), Given("tensorboard.logDir")),
    ),
    volumes=(
        Volume(
            "shm",
            {"emptyDir": {"medium": "Memory", "sizeLimit": text(Requested("memory"))}},
            "/dev/shm",
        ),
        Volume("sparse", {"emptyDir": {}}, "/sparse", Chosen("tensorflow.cluster", "sparse")),
    ),
    waits=(Wait("wait", (Env("HOSTS", ConfigKey("peers", text("hosts"))),)),),
    api=True,
    rescalable=True,
    defaults={"restartPolicy": "Never", "backoffLimit": 0},
)
PLAN = Plan(
    title="Parts",
    roles=(
        _role("chief", command=(text("never"),), args=(text("--first"),)),
        WORKER,
        _role("ps", port=None, managed_by_framework=True, accepts=("resources", "image")),
    ),
    configs=(
        Config(
            "peers", {"hosts": text(Peers(("worker",), "lines")), "least": text(Count("worker"))}
        ),
    ),
    completion_role="",
    reserved_env=(),
    access_rules=(
        AccessRule("", ("pods",), ("get", "list")),
        AccessRule("batch", ("jobs",), ("list",), Chosen("tensorflow.cluster", "sparse")),
    ),
    services=(
        Service(
            "web", "worker", text(Option("tensorflow.serviceType"), "NodePort"), "the web page"
        ),
    ),
    unmanaged_pods=text("stray=", ReleaseName()),
    lock_name=text("only-", ReleaseName()),
    notes=("Mind the gap.",),
)
TWICE = (
    '{{- define "parts.twice" -}}{{ list .role (printf "%s-%s" .id (toString .index)) | toJson'
    " }}{{- end -}}"
)


def chart(folder: Path, plan: Plan = PLAN, job: bytes = JOB) -> Path:
    """The chart of a framework that uses everything."""
    (document,) = pipeline.read(job, "job.yaml")
    checked = pipeline.check(document)
    assembled = described_pods.assemble(checked.job, plan)
    files = pipeline.render(checked._replace(plan=plan, pods=assembled))
    write({**files, "templates/_twice.tpl": TWICE}, folder / "parts")
    return folder / "parts"


def main(pod: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = pod["spec"]["containers"][0]
    return container


def test_the_frameworks_command_runs_unless_the_role_has_one(helm: str, tmp_path: Path) -> None:
    objects = read_objects(helm, chart(tmp_path), "--set", "runtimeId=abcd")
    worker, chief = main(pods(objects, "worker")[1]), main(pods(objects, "chief")[0])
    assert worker["command"] == ["run", "a:1"]
    assert worker["args"] == ["--of=demo", "worker", "abcd-1", "--image=b:2"]
    assert (chief["command"], chief["args"]) == (["lead"], ["--first", "--own"])


def test_the_roles_own_container_fields_win(helm3: str, tmp_path: Path) -> None:
    worker = main(pods(read_objects(helm3, chart(tmp_path)), "worker")[0])
    assert worker["readinessProbe"] == {"tcpSocket": {"port": "web"}, "periodSeconds": 5}
    assert (worker["tty"], worker["x"]) == (True, ["i-3", 0])


def test_variables_come_from_the_pod_its_requests_and_options(helm: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    (worker, _) = pods(read_objects(helm, place, "--set", "runtimeId=abcd", "-n", "team"), "worker")
    values = env(worker)
    assert main(worker)["env"][0] == {
        "name": "IP",
        "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}},
    }
    assert (values["CPU"], values["MEMORY"], values["FORM"]) == ("0.5", "17179869184", "full")
    assert values["WHERE"] == "team/access-abcd"
    assert not {"GPU", "BOARD"} & values.keys()


@pytest.mark.parametrize(
    ("said", "bytes_"), [("4Gi", "4294967296"), ("4G", "4000000000"), ("20%", "20%")]
)
def test_a_size_is_given_in_bytes_and_a_percentage_as_it_is(
    said: str, bytes_: str, helm3: str, tmp_path: Path
) -> None:
    job = JOB + f'tensorboard: {{logDir: "{said}"}}\n'.encode()
    (worker, _) = pods(read_objects(helm3, chart(tmp_path, job=job)), "worker")
    assert env(worker)["BOARD"] == bytes_


def test_volumes_follow_their_conditions(helm3: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    for options, expected in (
        ((), {"shm"}),
        (("--set", "tensorflow.cluster=sparse"), {"shm", "sparse"}),
    ):
        worker = pods(read_objects(helm3, place, *options), "worker")[0]
        volumes = {volume["name"]: volume for volume in worker["spec"]["volumes"]}
        assert (
            volumes.keys() == {mount["name"] for mount in main(worker)["volumeMounts"]} == expected
        )
        assert volumes["shm"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "17179869184"}


def test_a_role_that_uses_the_api_gets_an_account_with_its_rules_and_others_no_token(
    helm: str, tmp_path: Path
) -> None:
    objects = read_objects(helm, chart(tmp_path), "--set", "runtimeId=abcd")
    assert pods(objects, "worker")[0]["spec"]["serviceAccountName"] == "access-abcd"
    assert pods(objects, "chief")[0]["spec"]["automountServiceAccountToken"] is False
    (role,) = named(objects, "Role", "access-")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
    (binding,) = named(objects, "RoleBinding", "access-")
    assert [subject["name"] for subject in binding["subjects"]] == ["access-abcd"]
    assert len(named(objects, "ServiceAccount", "access-")) == 1


def test_rules_follow_their_conditions(helm3: str, tmp_path: Path) -> None:
    (role,) = named(
        read_objects(helm3, chart(tmp_path), "--set", "tensorflow.cluster=sparse"),
        "Role",
        "access-",
    )
    assert [rule["resources"] for rule in role["rules"]] == [["pods"], ["jobs"]]


def test_the_jobs_own_account_is_bound_and_not_created(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, chart(tmp_path), "--set", "serviceAccountName=mine")
    (binding,) = named(objects, "RoleBinding", "access-")
    assert [subject["name"] for subject in binding["subjects"]] == ["mine"]
    assert named(objects, "ServiceAccount", "access-") == []


def test_without_rbac_the_namespaces_default_account_is_used_with_its_token(
    helm3: str, tmp_path: Path
) -> None:
    objects = read_objects(helm3, chart(tmp_path), "--set", "rbac.create=false")
    worker = pods(objects, "worker")[0]["spec"]
    assert not {"serviceAccountName", "automountServiceAccountToken"} & worker.keys()
    assert named(objects, "Role", "") == []


def test_a_role_without_jobs_still_counts_in_the_total(helm4: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    objects = read_objects(helm4, place)
    assert named(objects, "Job", "ps-") == []
    assert named(objects, "Service", "ps-") == []
    notes = run(helm4, "install", "demo", place, "--dry-run=client").stdout.partition("NOTES:\n")[2]
    assert "It requests 6 pods, 1 CPU, 38 GiB memory." in notes
    assert "The job does not end by itself" in notes
    assert "Mind the gap." in notes
    assert "Open the web page:" in notes


def test_rescaling_a_rescalable_role_changes_no_other_job(helm: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    before = {
        (manifest["kind"], manifest["metadata"]["name"]): manifest
        for manifest in read_objects(helm, place)
    }
    after = {
        (manifest["kind"], manifest["metadata"]["name"]): manifest
        for manifest in read_objects(helm, place, "--set", "roles.worker.replicas=3")
    }
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    id_ = next(
        name for kind, name in before if kind == "Role" and name.startswith("access-")
    ).removeprefix("access-")
    assert changed == {
        ("ConfigMap", f"peers-{id_}"),
        ("Job", f"worker-{id_}-2"),
        ("Pod", f"test-{id_}"),
    }


def test_default_fields_of_a_role_apply_where_the_job_sets_none(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, chart(tmp_path))
    (worker, _) = named(objects, "Job", "worker-")
    assert (
        worker["spec"]["backoffLimit"],
        worker["spec"]["template"]["spec"]["restartPolicy"],
    ) == (0, "Never")
    objects = read_objects(
        helm3, chart(tmp_path / "other", job=JOB + b"restartPolicy: OnFailure\n")
    )
    assert pods(objects, "worker")[0]["spec"]["restartPolicy"] == "OnFailure"


def test_one_service_covers_all_replicas_of_a_role(helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, chart(tmp_path), "--set", "runtimeId=abcd")
    (service,) = named(objects, "Service", "web-")
    assert service["spec"]["type"] == "NodePort"
    labels = pods(objects, "worker")[1]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert service["spec"]["ports"] == [{"name": "web", "port": 7103}]


def test_priority_classes_are_created_only_if_listed(helm3: str, tmp_path: Path) -> None:
    assert named(read_objects(helm3, chart(tmp_path)), "PriorityClass", "") == []
    objects = read_objects(
        helm3, chart(tmp_path / "other", job=JOB + b"priorityClasses: {high: 1000000}\n")
    )
    assert [
        (priority_class["metadata"]["name"], priority_class["value"])
        for priority_class in named(objects, "PriorityClass", "")
    ] == [("high", 1000000)]


def test_unmanaged_pods_are_removed_before_an_upgrade_that_changes_the_job_and_on_uninstall(
    helm: str, tmp_path: Path
) -> None:
    objects = read_objects(helm, chart(tmp_path), "--set", "runtimeId=abcd")
    hooks = {
        job["metadata"]["annotations"]["helm.sh/hook"]: job
        for job in named(objects, "Job", "strays-")
    }
    assert hooks.keys() == {"pre-upgrade", "pre-delete"}
    said = {event: env(job["spec"]["template"]) for event, job in hooks.items()}
    assert {
        event: (variables["STRAYS"], variables["KEEP"]) for event, variables in said.items()
    } == {"pre-upgrade": ("stray=demo", "abcd"), "pre-delete": ("stray=demo", "")}
    accounts = {job["spec"]["template"]["spec"]["serviceAccountName"] for job in hooks.values()}
    assert accounts == {
        account["metadata"]["name"] for account in named(objects, "ServiceAccount", "strays-")
    }


def test_a_reserved_name_is_an_object_without_a_runtime_id(helm3: str, tmp_path: Path) -> None:
    """It is always the same object, which another release cannot have."""
    (reserved,) = named(read_objects(helm3, chart(tmp_path)), "ConfigMap", "only-")
    assert reserved["metadata"]["name"] == "only-demo"
