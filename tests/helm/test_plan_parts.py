"""plan: what a framework may add besides late texts, as real Helm makes it: commands, probes, volumes, rights, ..."""

import re
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from chartgen import pipeline
from chartgen.plan.model import (
    Account,
    Asked,
    Asks,
    Chosen,
    Config,
    ConfigKey,
    Count,
    Env,
    Field,
    Given,
    Image,
    Namespace,
    Option,
    Peers,
    Plan,
    Release,
    RolePlan,
    Rule,
    Service,
    Size,
    Volume,
    Wait,
    Words,
    text,
)
from tests.support.charts import env, named, objects, pods, run

JOB = b"""
name: parts
framework: tensorflow
image: a:1
roles:
  chief: {command: [lead], args: [--own]}
  worker: {replicas: 2, resources: {requests: {cpu: 500m}, limits: {cpu: 1, memory: 16Gi}}, container: {tty: true}}
  ps: {replicas: 3, image: "b:2", resources: {requests: {memory: 2Gi}}}
"""
WAIT = Path(__file__).parents[2] / "charts" / "job" / "files" / "wait.sh"


def _role(name: str, **more: Any) -> RolePlan:
    base = RolePlan(name, "main", 7103, "web", service=False, labels={}, env=())
    return base._replace(**more)


WORKER = _role(
    "worker",
    command=(text("run"), text(Image())),
    args=(text("--of=", Release()), Words("twice"), text("--image=", Image("ps"))),
    fields={
        "readinessProbe": {"tcpSocket": {"port": "web"}, "periodSeconds": 5},
        "tty": False,
        "x": [text("i-", Count("ps")), 0],
    },
    env=(
        Env("IP", Field("status.podIP")),
        Env("CPU", text(Asked("cpu")), Asks("cpu")),
        Env("MEMORY", text(Asked("memory")), Asks("memory")),
        Env("GPU", text(Asked("nvidia.com/gpu")), Asks("nvidia.com/gpu")),
        Env("WHERE", text(Namespace(), "/", Account())),
        Env("FORM", text(Option("tensorflow.cluster")), Given("tensorflow.cluster")),
        Env("BOARD", text(Size("tensorboard.logDir")), Given("tensorboard.logDir")),
    ),
    volumes=(
        Volume("shm", {"emptyDir": {"medium": "Memory", "sizeLimit": text(Asked("memory"))}}, "/dev/shm"),
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
        _role("ps", port=None, takes=("resources", "image")),
    ),
    configs=(Config("peers", {"hosts": text(Peers(("worker",), "lines")), "least": text(Count("worker"))}),),
    decides="",
    reserved_env=(),
    rules=(
        Rule("", ("pods",), ("get", "list")),
        Rule("batch", ("jobs",), ("list",), Chosen("tensorflow.cluster", "sparse")),
    ),
    services=(Service("web", "worker", text(Option("tensorflow.serviceType"), "NodePort"), "the web page"),),
    strays=text("stray=", Release()),
    reserved=text("only-", Release()),
    notes=("Mind the gap.",),
)
TWICE = '{{- define "parts.twice" -}}{{ list .role (printf "%s-%s" .id (toString .index)) | toJson }}{{- end -}}'


def chart(folder: Path, plan: Plan = PLAN, job: bytes = JOB) -> Path:
    """The chart of a framework that uses all there is."""
    (document,) = pipeline.read(job, "job.yaml")
    files = pipeline.render(pipeline.check(document)._replace(plan=plan))
    for name, content in {**files, "templates/_twice.tpl": TWICE}.items():
        place = folder / "parts" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, "utf-8")
    return folder / "parts"


def main(pod: dict[str, Any]) -> dict[str, Any]:
    container: dict[str, Any] = pod["spec"]["containers"][0]
    return container


def test_what_runs_is_the_framework_s_unless_the_role_names_a_command(helm: str, tmp_path: Path) -> None:
    found = objects(helm, chart(tmp_path), "--set", "runtimeId=abcd")
    worker, chief = main(pods(found, "worker")[1]), main(pods(found, "chief")[0])
    assert worker["command"] == ["run", "a:1"]
    assert worker["args"] == ["--of=demo", "worker", "abcd-1", "--image=b:2"]
    assert (chief["command"], chief["args"]) == (["lead"], ["--first", "--own"])


def test_fields_of_the_container_give_way_to_the_role_s_own(helm3: str, tmp_path: Path) -> None:
    worker = main(pods(objects(helm3, chart(tmp_path)), "worker")[0])
    assert worker["readinessProbe"] == {"tcpSocket": {"port": "web"}, "periodSeconds": 5}
    assert (worker["tty"], worker["x"]) == (True, ["i-3", 0])


def test_variables_come_from_the_pod_from_what_it_asks_for_and_from_options(helm: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    (worker, _) = pods(objects(helm, place, "--set", "runtimeId=abcd", "-n", "team"), "worker")
    values = env(worker)
    assert main(worker)["env"][0] == {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
    assert (values["CPU"], values["MEMORY"], values["FORM"]) == ("0.5", "17179869184", "full")
    assert values["WHERE"] == "team/access-abcd"
    assert not {"GPU", "BOARD"} & values.keys()


@pytest.mark.parametrize(("said", "bytes_"), [("4Gi", "4294967296"), ("4G", "4000000000"), ("20%", "20%")])
def test_a_size_is_told_in_bytes_and_a_share_as_it_is(said: str, bytes_: str, helm3: str, tmp_path: Path) -> None:
    job = JOB + f'tensorboard: {{logDir: "{said}"}}\n'.encode()
    (worker, _) = pods(objects(helm3, chart(tmp_path, job=job)), "worker")
    assert env(worker)["BOARD"] == bytes_


def test_volumes_follow_their_conditions(helm3: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    for options, expected in (((), {"shm"}), (("--set", "tensorflow.cluster=sparse"), {"shm", "sparse"})):
        worker = pods(objects(helm3, place, *options), "worker")[0]
        volumes = {volume["name"]: volume for volume in worker["spec"]["volumes"]}
        assert volumes.keys() == {mount["name"] for mount in main(worker)["volumeMounts"]} == expected
        assert volumes["shm"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "17179869184"}


def test_a_role_that_asks_the_api_gets_an_account_with_its_rules_and_others_no_token(helm: str, tmp_path: Path) -> None:
    found = objects(helm, chart(tmp_path), "--set", "runtimeId=abcd")
    assert pods(found, "worker")[0]["spec"]["serviceAccountName"] == "access-abcd"
    assert pods(found, "chief")[0]["spec"]["automountServiceAccountToken"] is False
    (role,) = named(found, "Role", "access-")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
    (binding,) = named(found, "RoleBinding", "access-")
    assert [subject["name"] for subject in binding["subjects"]] == ["access-abcd"]
    assert len(named(found, "ServiceAccount", "access-")) == 1


def test_rules_follow_their_conditions(helm3: str, tmp_path: Path) -> None:
    (role,) = named(objects(helm3, chart(tmp_path), "--set", "tensorflow.cluster=sparse"), "Role", "access-")
    assert [rule["resources"] for rule in role["rules"]] == [["pods"], ["jobs"]]


def test_an_account_of_one_s_own_is_bound_and_not_made(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, chart(tmp_path), "--set", "serviceAccountName=mine")
    (binding,) = named(found, "RoleBinding", "access-")
    assert [subject["name"] for subject in binding["subjects"]] == ["mine"]
    assert named(found, "ServiceAccount", "access-") == []


def test_without_rbac_the_namespace_s_account_is_used_with_its_token(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, chart(tmp_path), "--set", "rbac.create=false")
    worker = pods(found, "worker")[0]["spec"]
    assert not {"serviceAccountName", "automountServiceAccountToken"} & worker.keys()
    assert named(found, "Role", "") == []


def test_a_role_without_jobs_has_none_and_counts_in_the_sum(helm4: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    found = objects(helm4, place)
    assert named(found, "Job", "ps-") == []
    assert named(found, "Service", "ps-") == []
    notes = run(helm4, "install", "demo", place, "--dry-run=client").stdout.partition("NOTES:\n")[2]
    assert "It asks the cluster for 6 pods, 1 CPU, 38 GiB memory." in notes
    assert "It has no end of its own" in notes
    assert "Mind the gap." in notes
    assert "Reach the web page:" in notes


def test_a_role_that_may_be_rescaled_leaves_all_but_its_own_jobs_as_they_are(helm: str, tmp_path: Path) -> None:
    place = chart(tmp_path)
    before = {(one["kind"], one["metadata"]["name"]): one for one in objects(helm, place)}
    after = {
        (one["kind"], one["metadata"]["name"]): one for one in objects(helm, place, "--set", "roles.worker.replicas=3")
    }
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    id_ = next(name for kind, name in before if kind == "Role" and name.startswith("access-")).removeprefix("access-")
    assert changed == {("ConfigMap", f"peers-{id_}"), ("Job", f"worker-{id_}-2"), ("Pod", f"test-{id_}")}


def test_words_of_a_role_where_the_job_has_none(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, chart(tmp_path))
    (worker, _) = named(found, "Job", "worker-")
    assert (worker["spec"]["backoffLimit"], worker["spec"]["template"]["spec"]["restartPolicy"]) == (0, "Never")
    found = objects(helm3, chart(tmp_path / "other", job=JOB + b"restartPolicy: OnFailure\n"))
    assert pods(found, "worker")[0]["spec"]["restartPolicy"] == "OnFailure"


def test_a_service_stands_for_all_replicas_of_a_role(helm3: str, tmp_path: Path) -> None:
    found = objects(helm3, chart(tmp_path), "--set", "runtimeId=abcd")
    (service,) = named(found, "Service", "web-")
    assert service["spec"]["type"] == "NodePort"
    labels = pods(found, "worker")[1]["metadata"]["labels"]
    assert service["spec"]["selector"].items() <= labels.items()
    assert service["spec"]["ports"] == [{"name": "web", "port": 7103}]


def test_priority_classes_are_made_only_where_listed(helm3: str, tmp_path: Path) -> None:
    assert named(objects(helm3, chart(tmp_path)), "PriorityClass", "") == []
    found = objects(helm3, chart(tmp_path / "other", job=JOB + b"priorityClasses: {high: 1000000}\n"))
    assert [(one["metadata"]["name"], one["value"]) for one in named(found, "PriorityClass", "")] == [("high", 1000000)]


def test_strays_are_removed_before_an_upgrade_that_changes_the_job_and_before_the_end(
    helm: str, tmp_path: Path
) -> None:
    found = objects(helm, chart(tmp_path), "--set", "runtimeId=abcd")
    hooks = {one["metadata"]["annotations"]["helm.sh/hook"]: one for one in named(found, "Job", "strays-")}
    assert hooks.keys() == {"pre-upgrade", "pre-delete"}
    said = {event: env(job["spec"]["template"]) for event, job in hooks.items()}
    assert {event: (one["STRAYS"], one["KEEP"]) for event, one in said.items()} == {
        "pre-upgrade": ("stray=demo", "abcd"),
        "pre-delete": ("stray=demo", ""),
    }
    accounts = {job["spec"]["template"]["spec"]["serviceAccountName"] for job in hooks.values()}
    assert accounts == {one["metadata"]["name"] for one in named(found, "ServiceAccount", "strays-")}


def test_a_reserved_name_is_an_object_without_a_runtime_id(helm3: str, tmp_path: Path) -> None:
    """Whatever changes, it is the same object, which another release cannot have."""
    (reserved,) = named(objects(helm3, chart(tmp_path)), "ConfigMap", "only-")
    assert reserved["metadata"]["name"] == "only-demo"


@contextmanager
def listening(answer: bytes = b"") -> Iterator[int]:
    """A server on loopback that says the same to whoever connects; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    if answer:
                        client.recv(1000)
                        client.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def wait(**variables: str) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", WAIT], env={"PATH": "/usr/bin:/bin", **variables}, capture_output=True, encoding="utf-8", timeout=30
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_waiting_ends_when_all_hosts_accept_connections() -> None:
    with listening() as one, listening() as other:
        code, said = wait(HOSTS=f"127.0.0.1 {one}\n127.0.0.1 {other}\n")
    assert code == 0
    assert re.fullmatch(r"ready after \d+ seconds\n", said)


def test_waiting_ends_when_it_is_asked_to() -> None:
    """The shell is the first process of its pod, to which a signal without a handler does nothing."""
    with listening() as free:
        pass
    env = {"PATH": "/usr/bin:/bin", "HOSTS": f"127.0.0.1 {free}"}
    with subprocess.Popen(["sh", WAIT], env=env, stdout=subprocess.PIPE) as child:
        assert child.stdout
        assert b"waiting" in child.stdout.readline()
        child.terminate()
        assert child.wait(30) == 143


def test_waiting_says_for_whom_and_gives_up_in_time() -> None:
    with listening() as free:
        pass
    code, said = wait(HOSTS=f"127.0.0.1 {free}", TIMEOUT="3")
    missing = f"127.0.0.1:{free} does not accept connections yet"
    assert (code, said) == (1, f"waiting: {missing}\ngave up after 3 seconds: {missing}\n")


def test_waiting_for_a_number() -> None:
    with listening(b"2") as port:
        asked = {"WEB": f"127.0.0.1 {port}", "ASK": "/api/worker?action=count", "TIMEOUT": "1"}
        assert wait(LEAST="2", **asked)[0] == 0
        code, said = wait(LEAST="3", **asked)
        assert code == 1
        assert "says 2, and 3 are expected" in said
