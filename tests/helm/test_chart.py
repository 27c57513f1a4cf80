"""The chart in Helm: a value at install changes everything that depends on it, and nothing else."""

import json
import re
from pathlib import Path

import pytest
import yaml

from chartgen import pipeline
from chartgen.errors import InputError
from tests.support.charts import (
    Objects,
    env,
    expanded,
    named,
    pods,
    read_objects,
    refusal,
    render,
    run,
    run_again,
    template,
)
from tests.support.paths import ROOT

PS_JOB = """
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {command: [python, /app/train.py]}
  worker: {replicas: 3, command: [python, /app/train.py]}
  ps: {replicas: 2}
"""


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(PS_JOB, tmp_path_factory.mktemp("charts"))


def runtime_id(objects: Objects) -> str:
    (only,) = {manifest["metadata"]["labels"]["chartgen/runtime-id"] for manifest in objects}
    return str(only)


def tf_config(objects: Objects, role: str, index: int) -> dict[str, object]:
    config = json.loads(expanded(objects, pods(objects, role)[index], "TF_CONFIG"))
    assert isinstance(config, dict)
    return config


def test_a_job_and_a_service_for_every_index(helm: str, chart: Path) -> None:
    """Names are ROLE-ID-INDEX; Services are headless and publish names before pods are ready."""
    objects = read_objects(helm, chart)
    id_ = runtime_id(objects)
    names = {
        f"{role}-{id_}-{index}"
        for role, count in (("chief", 1), ("worker", 3), ("ps", 2))
        for index in range(count)
    }
    jobs = {job["metadata"]["name"] for job in named(objects, "Job")}
    assert jobs - names == {job["metadata"]["name"] for job in named(objects, "Job", "cleanup-")}
    assert names < jobs
    services = named(objects, "Service")
    assert {service["metadata"]["name"] for service in services} == names
    for service in services:
        assert service["spec"]["clusterIP"] == "None"
        assert service["spec"]["publishNotReadyAddresses"] is True


def test_services_select_exactly_their_own_pod(helm3: str, chart: Path) -> None:
    """A Service's selector matches the pod of its own Job and no other."""
    objects = read_objects(helm3, chart)
    labels = {
        job["metadata"]["name"]: job["spec"]["template"]["metadata"]["labels"]
        for job in named(objects, "Job")
    }
    for service in named(objects, "Service"):
        selector = service["spec"]["selector"].items()
        assert [name for name, has in labels.items() if selector <= has.items()] == [
            service["metadata"]["name"]
        ]


def test_counts_and_ports_at_install_change_every_list(helm: str, chart: Path) -> None:
    """After --set of a count and a port, TF_CONFIG, ps arguments, hosts and Services agree."""
    objects = read_objects(helm, chart, "--set", "roles.worker.replicas=5,roles.ps.port=3333")
    id_ = runtime_id(objects)
    cluster = {
        "chief": [f"chief-{id_}-0:2222"],
        "ps": [f"ps-{id_}-{index}:3333" for index in range(2)],
        "worker": [f"worker-{id_}-{index}:2222" for index in range(5)],
    }
    for role, addresses in cluster.items():
        for index in range(len(addresses)):
            assert tf_config(objects, role, index) == {
                "cluster": cluster,
                "task": {"type": role, "index": index},
            }
    spec = ",".join(f"{role}|{';'.join(addresses)}" for role, addresses in cluster.items())
    (script,) = named(objects, "ConfigMap", "cm-ps-")
    assert script["data"]["cluster-spec"] == spec
    for index, pod in enumerate(pods(objects, "ps")):
        assert " ".join(pod["spec"]["containers"][0]["command"]) == (
            "python /ps-server/grpc_tensorflow_server.py --cluster_spec @/ps-server/cluster-spec "
            f"--job_name ps --task_id {index}"
        )
        assert pod["spec"]["containers"][0]["ports"] == [{"name": "tf-port", "containerPort": 3333}]
    ports = {
        service["metadata"]["name"]: service["spec"]["ports"][0]["port"]
        for service in named(objects, "Service")
    }
    listed = [address.split(":") for addresses in cluster.values() for address in addresses]
    assert ports == {name: int(port) for name, port in listed}
    (peers,) = named(objects, "ConfigMap", "peers-")
    assert peers["data"]["hosts"].split("\n") == [f"{name} {port}" for name, port in listed]


def test_roles_without_replicas_leave_the_cluster(helm: str, chart: Path) -> None:
    """A role scaled to 0 has no Job, no Service, no entry in TF_CONFIG, and no start script."""
    objects = read_objects(helm, chart, "--set", "roles.ps.replicas=0")
    assert not [
        manifest
        for manifest in objects
        if manifest["metadata"]["name"].startswith(("ps-", "cm-ps-"))
    ]
    assert list(tf_config(objects, "chief", 0)["cluster"]) == ["chief", "worker"]  # type: ignore[call-overload]


def test_the_same_values_give_the_same_names(helm: str, chart: Path) -> None:
    """Nothing random: two runs print the same bytes."""
    first, second = (run_again(helm, "template", "demo", chart) for _ in range(2))
    assert (first.returncode, first.stdout) == (0, second.stdout)


def test_helm_3_and_4_give_the_same_objects(helm3: str, helm4: str, chart: Path) -> None:
    """Including ids, because a release may be continued with the other Helm."""
    for arguments in (
        (),
        ("--set", "cleanup.enabled=true,podSecurity=restricted,roles.worker.env.STEPS=1000000"),
    ):
        assert read_objects(helm3, chart, *arguments) == read_objects(helm4, chart, *arguments)


@pytest.mark.parametrize(
    ("setting", "renames"),
    [
        ("image=other:2", True),
        ("roles.worker.replicas=4", True),  # the others' TF_CONFIG changes with it
        ("roles.ps.port=3333", True),
        ("env.STEPS=10", True),
        ("tensorflow.cluster=sparse", True),
        ("podSecurity=restricted", True),
        ("roles.worker.overrides.1.image=other:2", True),
        ("backoffLimit=3", False),  # a Job's own field, which may be changed in place
        ("activeDeadlineSeconds=60", False),
        ("tests.image=busybox:2", False),
        ("cleanup.enabled=true", False),
        ("rbac.create=false", False),
    ],
)
def test_what_changes_a_pod_renames_it(
    setting: str, renames: bool, helm3: str, chart: Path
) -> None:
    """The runtime id changes if and only if something changes that a Job cannot change in place."""
    before, after = read_objects(helm3, chart), read_objects(helm3, chart, "--set", setting)
    assert (runtime_id(before) != runtime_id(after)) is renames
    if not renames:
        templates = {
            job["metadata"]["name"]: job["spec"]["template"] for job in named(after, "Job")
        }
        for job in named(before, "Job"):  # the clean-up, which is not part of it, has its own hash
            if not job["metadata"]["name"].startswith("cleanup-"):
                assert templates[job["metadata"]["name"]] == job["spec"]["template"]


def test_a_chart_version_does_not_rename(helm3: str, chart: Path, tmp_path: Path) -> None:
    """A new chart version of the same job leaves running Jobs alone."""
    before = runtime_id(read_objects(helm3, chart))
    again = render(PS_JOB + "version: 0.2.0\ndescription: The same in other words\n", tmp_path)
    assert runtime_id(read_objects(helm3, again)) == before


def test_two_releases_never_collide(helm3: str, chart: Path) -> None:
    """The release's name is in the runtime id."""
    names = [
        {manifest["metadata"]["name"] for manifest in read_objects(helm3, chart, release=release)}
        for release in ("one", "other")
    ]
    assert names[0].isdisjoint(names[1])


def test_a_given_runtime_id_is_used_as_given(helm: str, chart: Path) -> None:
    """Also one that --set reads as a number, even as 0."""
    for given in ("abcd", "1234", "007", "0"):
        setting = "--set-string" if given == "007" else "--set"
        assert runtime_id(read_objects(helm, chart, setting, f"runtimeId={given}")) == given


def test_the_notes_say_that_the_given_id_0_is_set(helm4: str, chart: Path) -> None:
    done = run(helm4, "install", "demo", chart, "--dry-run=client", "--set", "runtimeId=0")
    assert "with runtime id 0:" in done.stdout
    assert "The runtime id 0 is set" in done.stdout


def test_an_id_like_a_number_is_text_to_every_reader(helm: str, chart: Path) -> None:
    """Go prints 59e90732 unquoted, because it overflows; but YAML 1.2 reads it as a number."""
    printed = template(helm, chart, "--set-string", "runtimeId=59e90732")
    assert "runtime-id: " in printed
    assert re.search(r"(?m)[:-] 59e90732$", printed) is None


def test_numbers_from_set_and_from_files_print_as_written(
    helm: str, chart: Path, tmp_path: Path
) -> None:
    """A million in a values file is a float to Helm, and must not become 1e+06."""
    file = tmp_path / "values.yaml"
    file.write_text(
        "env: {STEPS: 1000000, RATE: 0.25, DEBUG: true}\n"
        "roles: {chief: {args: [--steps, 1000000]}}\n"
    )
    pod = pods(read_objects(helm, chart, "-f", str(file)), "chief")[0]
    assert {name: env(pod)[name] for name in ("STEPS", "RATE", "DEBUG")} == {
        "STEPS": "1000000",
        "RATE": "0.25",
        "DEBUG": "true",
    }
    assert pod["spec"]["containers"][0]["args"] == ["--steps", "1000000"]


def test_overrides_change_their_own_replicas_only(helm3: str, chart: Path) -> None:
    """By index and by range; maps merge, lists and scalars replace."""
    settings = (
        "roles.worker.replicas=6,nodeSelector.pool=a",
        "roles.worker.overrides.2-3.nodeSelector.zone=b",
        "roles.worker.overrides.5.image=other:2,roles.worker.overrides.5.command={bash}",
    )
    objects = read_objects(
        helm3, chart, *(word for setting in settings for word in ("--set", setting))
    )
    workers = [pod["spec"] for pod in pods(objects, "worker")]
    assert [pod["nodeSelector"] for pod in workers] == [
        {"pool": "a"} | ({"zone": "b"} if index in (2, 3) else {}) for index in range(6)
    ]
    assert [pod["containers"][0]["image"] for pod in workers] == [
        "registry.example.com/mnist:1.4"
    ] * 5 + ["other:2"]
    assert workers[5]["containers"][0]["command"] == ["bash"]


def test_an_override_may_have_its_own_port(helm3: str, chart: Path) -> None:
    """Its Service, its container and all lists of peers agree."""
    objects = read_objects(helm3, chart, "--set", "roles.worker.overrides.1.port=4444")
    cluster = tf_config(objects, "chief", 0)["cluster"]
    assert [address.partition(":")[2] for address in cluster["worker"]] == ["2222", "4444", "2222"]  # type: ignore[index]
    (service,) = named(objects, "Service", f"worker-{runtime_id(objects)}-1")
    assert service["spec"]["ports"][0]["port"] == 4444
    assert pods(objects, "worker")[1]["spec"]["containers"][0]["ports"][0]["containerPort"] == 4444


# The schema reports everything that it refuses: only values of one name need runs of their own.
@pytest.mark.parametrize(
    "settings",
    [
        [
            *("roles.worked={}", "roles.worker.replica=3", "roles.worker.replicas=three"),
            *("roles.chief.replicas=2", "roles.ps.port=70000", "roles.worker.env.TF_CONFIG=mine"),
            *("restartPolicy=Always", "imagePolicy=Always", "env.TF_CONFIG=mine", "image="),
            *("podSecurity=strict", "tensorflow.cluster=some", "runtimeId=Upper"),
        ],
        ["roles.worker.replicas=-1", "roles.chief.replicas=0"],
    ],
    ids=["misspelt-or-mistyped", "too-few"],
)
def test_a_wrong_value_is_refused(settings: list[str], helm: str, chart: Path) -> None:
    """If it is misspelt or of a wrong type, Helm names it instead of ignoring it."""
    said = refusal(helm, chart, "--set", ",".join(settings))
    lines = [line.replace("/", ".") for line in said.splitlines()]
    for setting in settings:
        place, _, name = setting.partition("=")[0].rpartition(".")
        whole = re.compile(rf"\b{re.escape(f'{place}.{name}'.strip('.'))}\b")
        inside = re.compile(rf"\b{re.escape(place)}\b.*\b{name}\b")
        assert any(whole.search(line) or inside.search(line) for line in lines), (setting, said)


def test_overlapping_overrides_are_refused_at_install(helm3: str, chart: Path) -> None:
    settings = "roles.worker.overrides.0-1.workingDir=/a,roles.worker.overrides.1.workingDir=/b"
    assert "both name index 1" in refusal(helm3, chart, "--set", settings)


def test_names_too_long_are_refused_at_install(helm3: str, chart: Path) -> None:
    said = refusal(helm3, chart, "--set", f"namePrefix={'a' * 40},runtimeId={'b' * 16}")
    assert "63" in said
    assert "namePrefix" in said


def test_names_of_single_objects_too_long_are_refused_at_install(
    helm3: str, tmp_path: Path
) -> None:
    """Even if those of all replicas are short enough."""
    job = "tensorboard: {logDir: /logs}"
    chart = render(
        f"name: j\nframework: tensorflow\nimage: a:1\n{job}\nroles: {{chief: {{}}}}\n", tmp_path
    )
    said = refusal(helm3, chart, "--set", f"namePrefix={'a' * 39},runtimeId={'b' * 13}")
    assert f"tensorboard-{'b' * 13}" in said
    assert "has 64 characters; Kubernetes allows 63" in said


CHIEF = "name: j\nframework: tensorflow\nimage: a:1\nroles: {chief: {}}\n"
SERVER = "name: j\nframework: custom\nimage: a:1\nroles: {a: {command: [serve]}}\n"
LONG_NAMES = {
    "replicas": CHIEF,
    "tensorboard": CHIEF + "tensorboard: {logDir: /logs}\n",
    "short": SERVER,
    "helpers": SERVER + "networkPolicy: {create: true}\n",
    # It removes pods that were created at run time, by Jobs with the longest names.
    "strays": (ROOT / "values/jobs/hello-world.yaml").read_text("utf-8"),
}


@pytest.mark.parametrize("job", LONG_NAMES.values(), ids=LONG_NAMES)
def test_names_are_refused_in_a_description_as_at_install(
    job: str, helm3: str, tmp_path: Path
) -> None:
    """Those of the objects that there are, and of no others."""
    chart = render(job, tmp_path)
    for size in (7, 8, 10, 11, 14, 15, 16):
        prefix, runtime_id = "a" * 41, "b" * size
        (document,) = pipeline.read(
            f"{job}namePrefix: {prefix}\nruntimeId: {runtime_id}\n".encode(), "job.yaml"
        )
        rules = []
        try:
            pipeline.check(document)
        except InputError as error:
            rules = [problem.rule for problem in error.problems]
        settings = f"namePrefix={prefix},runtimeId={runtime_id}"
        done = run(helm3, "template", chart, "--set", settings)
        assert ("Kubernetes allows 63" in done.stderr) is bool(done.returncode)
        assert ("name-too-long" in rules) is bool(done.returncode), size


def test_the_cleanup_needs_no_longer_names_than_the_replicas(helm3: str, chart: Path) -> None:
    """It came to be on by default, and jobs whose names just fitted must go on fitting."""
    long = f"namePrefix={'a' * 39},runtimeId={'b' * 12}"
    (job,) = named(read_objects(helm3, chart, "--set", long), "Job", f"{'a' * 39}cleanup-")
    name = job["metadata"]["name"]
    assert len(name) == 63
    assert re.fullmatch(r"a{39}cleanup-b{7}-[0-9a-f]{8}", name)


def test_a_cluster_too_large_for_one_env_string_is_refused_and_sparse_is_named(
    helm3: str, chart: Path
) -> None:
    """4,716 workers with ids of 8 characters are the first not to fit; sparse fits any number."""
    settings = "roles.worker.replicas=5000"
    assert "sparse" in refusal(helm3, chart, "--set", settings)
    printed = template(helm3, chart, "--set", f"{settings},tensorflow.cluster=sparse")
    jobs = [document for document in printed.split("\n---\n") if "\nkind: Job\n" in document]
    assert len([job for job in jobs if "\n    chartgen/role: worker\n" in job]) == 5000


def test_a_sparse_worker_sees_itself_the_chief_and_the_servers(helm: str, chart: Path) -> None:
    objects = read_objects(helm, chart, "--set", "tensorflow.cluster=sparse")
    id_ = runtime_id(objects)
    servers = {"chief": [f"chief-{id_}-0:2222"], "ps": [f"ps-{id_}-0:2222", f"ps-{id_}-1:2222"]}
    for index in range(3):
        itself = {"worker": {str(index): f"worker-{id_}-{index}:2222"}}
        task = {"type": "worker", "index": index}
        assert tf_config(objects, "worker", index) == {"cluster": servers | itself, "task": task}
    assert tf_config(objects, "chief", 0)["cluster"] == servers
    assert tf_config(objects, "ps", 1)["cluster"] == servers


def test_in_the_sparse_form_all_peers_are_in_a_file(helm: str, chart: Path) -> None:
    """ParameterServerStrategy's chief and the parameter servers need all workers."""
    full, sparse = (
        read_objects(helm, chart),
        read_objects(helm, chart, "--set", "tensorflow.cluster=sparse"),
    )
    (peers,) = named(sparse, "ConfigMap", "peers-")
    cluster = json.loads(peers["data"]["cluster"])
    assert {role: len(addresses) for role, addresses in cluster.items()} == {
        "chief": 1,
        "ps": 2,
        "worker": 3,
    }
    for role in cluster:
        mounts = pods(sparse, role)[0]["spec"]["containers"][0]["volumeMounts"]
        assert {"name": "chartgen-peers", "mountPath": "/etc/chartgen/peers"} in mounts
        assert "chartgen-peers" not in str(pods(full, role))
    assert "worker" in named(sparse, "ConfigMap", "cm-ps-")[0]["data"]["cluster-spec"]


def test_the_tfjob_dialect(helm3: str, tmp_path: Path) -> None:
    """With a master, TF_CONFIG is exactly what the operator made."""
    roles = "{master: {}, worker: {}, ps: {replicas: 2}}"
    text = f"{{name: j, framework: tensorflow, image: i, runtimeId: 76no, roles: {roles}}}"
    objects = read_objects(helm3, render(text, tmp_path))
    assert expanded(objects, pods(objects, "ps")[1], "TF_CONFIG") == (
        '{"cluster":{"master":["master-76no-0:2222"],"ps":["ps-76no-0:2222","ps-76no-1:2222"],'
        '"worker":["worker-76no-0:2222"]},"task":{"type":"ps","index":1},"environment":"cloud"}'
    )


def test_a_ps_with_its_own_command_gets_no_script(helm3: str, chart: Path) -> None:
    """A command of the role, of the job, or an empty one, which means the image's entrypoint."""
    for setting in ("roles.ps.command={serve}", "command={serve}", "roles.ps.args={--serve}"):
        objects = read_objects(helm3, chart, "--set", setting)
        assert not named(objects, "ConfigMap", "cm-ps-")
        assert "volumes" not in pods(objects, "ps")[0]["spec"]
    objects = read_objects(helm3, chart, "--set-json", "roles.ps.command=[]")
    assert "command" not in pods(objects, "ps")[0]["spec"]["containers"][0]


def test_device_settings_of_one_role_stay_its_own(helm3: str, chart: Path) -> None:
    """Values are shared maps: what one role sets must not leak into another's pod."""
    objects = read_objects(
        helm3,
        chart,
        "--set",
        "nodeSelector.pool=a,roles.worker.nodeSelector.gpu=yes,roles.worker.labels.x=y",
    )
    assert pods(objects, "chief")[0]["spec"]["nodeSelector"] == {"pool": "a"}
    assert "x" not in pods(objects, "ps")[0]["metadata"]["labels"]


@pytest.mark.parametrize("arguments", [(), ("--set", "podSecurity=restricted")])
def test_lint_and_package(
    arguments: tuple[str, ...], helm: str, chart: Path, tmp_path: Path
) -> None:
    """helm lint --strict and helm package succeed."""
    linted = run(helm, "lint", "--strict", chart, *arguments)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    packed = run(helm, "package", chart, "-d", tmp_path)
    assert packed.returncode == 0, packed.stderr
    assert read_objects(helm, tmp_path / "mnist-0.1.0.tgz", *arguments) == read_objects(
        helm, chart, *arguments
    )


def test_two_charts_in_one_umbrella_are_independent(helm: str, tmp_path: Path) -> None:
    """Helm's named templates are global; each chart's have its name, so they do not collide."""
    umbrella = tmp_path / "umbrella"
    (umbrella / "charts").mkdir(parents=True)
    (umbrella / "Chart.yaml").write_text("{apiVersion: v2, name: umbrella, version: 0.1.0}\n")
    first = render(PS_JOB, umbrella / "charts")
    second = render(
        "{name: other, framework: tensorflow, image: o, roles: {master: {}, worker: {}}}",
        umbrella / "charts",
    )
    apart = [*read_objects(helm, first), *read_objects(helm, second)]
    together = read_objects(helm, umbrella, "--set", "global.team=vision")
    assert sorted(map(json.dumps, together)) == sorted(map(json.dumps, apart))


def test_notes_say_what_was_installed(helm4: str, chart: Path) -> None:
    """What it requests, and how to follow, test and remove it, in its namespace."""
    settings = (
        "resources.limits.cpu=500m,resources.limits.memory=1Gi,"
        "roles.worker.resources.limits.example\\.com/dev=2"
    )
    done = run(helm4, "install", "demo", chart, "--dry-run=client", "-n", "team", "--set", settings)
    notes = done.stdout.partition("NOTES:\n")[2]
    assert "7 pods, 3.01 CPUs, 6.03 GiB memory, 6 example.com/dev" in notes
    id_ = runtime_id(
        [
            manifest
            for manifest in yaml.safe_load_all(template(helm4, chart, "--set", settings))
            if manifest
        ]
    )
    assert f"kubectl -n team logs -f job/chief-{id_}-0" in notes
    assert "helm -n team test demo" in notes
    assert "helm -n team uninstall demo" in notes
    assert "TensorBoard" not in notes


def test_the_cleanup_has_the_permissions_it_needs_and_no_more(helm3: str, chart: Path) -> None:
    objects = read_objects(helm3, chart, "--set", "cleanup.enabled=true")
    (role,) = named(objects, "Role", "cleanup-")
    assert role["rules"] == [
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["list"]},
        {
            "apiGroups": ["batch"],
            "resources": ["jobs"],
            "verbs": ["patch"],
            "resourceNames": role["rules"][1]["resourceNames"],
        },
    ]
    (account,) = named(objects, "ServiceAccount", "cleanup-")
    (job,) = named(objects, "Job", "cleanup-")
    assert job["spec"]["template"]["spec"]["serviceAccountName"] == account["metadata"]["name"]
    own = read_objects(
        helm3, chart, "--set", "cleanup.enabled=true,rbac.create=false,serviceAccountName=mine"
    )
    assert not [
        manifest
        for manifest in own
        if manifest["kind"] in ("Role", "RoleBinding", "ServiceAccount")
    ]
    assert (
        named(own, "Job", "cleanup-")[0]["spec"]["template"]["spec"]["serviceAccountName"] == "mine"
    )


def test_a_changed_cleanup_renames_its_own_job(helm3: str, chart: Path) -> None:
    """Its Job is immutable too; those of the training stay."""
    before = read_objects(helm3, chart, "--set", "cleanup.enabled=true")
    after = read_objects(helm3, chart, "--set", "cleanup.enabled=true,cleanup.image=other:1")
    assert runtime_id(before) == runtime_id(after)
    assert (
        named(before, "Job", "cleanup-")[0]["metadata"]["name"]
        != named(after, "Job", "cleanup-")[0]["metadata"]["name"]
    )


def test_pods_without_a_service_account_get_no_token(helm3: str, chart: Path) -> None:
    """A training pod does not use the API server unless the job says so."""
    assert (
        pods(read_objects(helm3, chart), "worker")[0]["spec"]["automountServiceAccountToken"]
        is False
    )
    pod = pods(read_objects(helm3, chart, "--set", "serviceAccountName=trainer"), "worker")[0][
        "spec"
    ]
    assert pod["serviceAccountName"] == "trainer"
    assert "automountServiceAccountToken" not in pod


def test_the_charts_own_pods_meet_the_restricted_standard(helm3: str, chart: Path) -> None:
    """Tests and cleanup always; the job's pods if podSecurity is restricted."""
    objects = read_objects(helm3, chart, "--set", "cleanup.enabled=true,podSecurity=restricted")
    ours = [pod["spec"] for pod in named(objects, "Pod")] + [
        job["spec"]["template"]["spec"] for job in named(objects, "Job")
    ]
    assert len(ours) == 8
    for pod in ours:
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_a_sidecar_at_install_behaves_like_one_of_the_description(
    helm: str, chart: Path, tmp_path: Path
) -> None:
    """It is native and ends with the main container, unless the Job must wait for it."""
    sidecars = [
        {"name": "log", "image": "l:1"},
        {"name": "wait", "image": "w:1", "restartPolicy": ""},
    ]
    values = tmp_path / "values.yaml"
    values.write_text(json.dumps({"sidecars": sidecars}))
    described = render(f"{PS_JOB}sidecars: {json.dumps(sidecars)}\n", tmp_path)
    assert read_objects(helm, chart, "-f", str(values)) == read_objects(helm, described)
    (pod,) = pods(read_objects(helm, chart, "-f", str(values)), "chief")
    assert pod["spec"]["initContainers"] == [{**sidecars[0], "restartPolicy": "Always"}]
    assert pod["spec"]["containers"][1:] == [{"name": "wait", "image": "w:1"}]


def test_only_pods_that_exist_count_for_the_runtime_id(helm3: str, tmp_path: Path) -> None:
    """A change to a role without replicas, or to a missing index, renames no Job."""
    chart = render(
        f"{PS_JOB}  evaluator: {{replicas: 0, command: [python, /app/eval.py]}}\n", tmp_path
    )

    def renamed(*settings: str) -> bool:
        return (
            runtime_id(
                read_objects(
                    helm3, chart, *(word for setting in settings for word in ("--set", setting))
                )
            )
            != before
        )

    before = runtime_id(read_objects(helm3, chart))
    assert not renamed("roles.evaluator.env.A=1")
    assert renamed("roles.evaluator.replicas=1")
    assert renamed("roles.worker.overrides.2.env.A=1")
    fewer = "roles.worker.replicas=2"
    before = runtime_id(read_objects(helm3, chart, "--set", fewer))
    assert not renamed(fewer, "roles.worker.overrides.2.env.A=1"), "there is no replica 2 now"
    overridden = "roles.worker.overrides.0-2.command[0]=go"
    before = runtime_id(read_objects(helm3, chart, "--set", overridden))
    assert not renamed(overridden, "roles.worker.command[0]=other"), (
        "no replica is left that has it"
    )
