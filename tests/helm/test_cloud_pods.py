"""What clouds add to pods that request devices, with the real Helm: golden pods and properties."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen import pipeline
from chartgen.devices import catalog
from chartgen.errors import InputError
from chartgen.syntax.yaml.writer import emit
from tests.support.charts import Objects, pods, read_objects, refusal, render, run, template
from tests.support.examples import examples
from tests.support.kubernetes_schemas import VERSIONS, validate
from tests.unit.devices.test_cloud_pods import CASES, GOLDEN

OURS = ("TF_CONFIG", "CHARTGEN_CLUSTER")
SAME = ("restartPolicy", "enableServiceLinks", "automountServiceAccountToken")
ALPHA = "alpha.kubernetes.io/nvidia-gpu"
Role = dict[str, Any]


def job(cloud: str, *roles: Role, **more: Any) -> str:
    """A job that has the Nth role as its replica N."""
    overrides = {str(index): role for index, role in enumerate(roles)}
    worker = {"replicas": len(roles), "command": ["train"], "overrides": overrides}
    described = {
        "name": "j",
        "framework": "tensorflow",
        "image": "i",
        "cloud": cloud,
        "runtimeId": "x",
    }
    return emit({**described, "roles": {"worker": worker}, **more})


def bare(pod: dict[str, Any]) -> dict[str, Any]:
    """A pod without what every pod of such a job has, with or without a cloud."""
    spec = {key: value for key, value in pod["spec"].items() if key not in SAME}
    main = {
        key: value
        for key, value in spec["containers"][0].items()
        if key not in ("command", "image", "name", "ports")
    }
    main["env"] = [entry for entry in main["env"] if entry["name"] not in OURS]
    spec["containers"] = [
        {key: value for key, value in main.items() if value},
        *spec["containers"][1:],
    ]
    labels = {
        key: value for key, value in pod["metadata"]["labels"].items() if key == "chartgen/fabric"
    }
    annotations = pod["metadata"].get("annotations", {})
    return {
        key: value
        for key, value in {"labels": labels, "annotations": annotations, **spec}.items()
        if value
    }


def workers(objects: Objects) -> list[dict[str, Any]]:
    return [bare(pod) for pod in pods(objects, "worker")]


def cases(cloud: str) -> list[Role]:
    return [
        case["role"] for case in yaml.safe_load_all((GOLDEN / f"{cloud}.yaml").read_text("utf-8"))
    ]


@pytest.mark.parametrize("cloud", CASES)
def test_golden_pods(cloud: str, helm3: str, bless: bool, tmp_path: Path) -> None:
    """What a role requests, and its pod; compared with the sources that the cloud's file cites."""
    place = GOLDEN / f"{cloud}.yaml"
    roles = cases(cloud)
    made = workers(read_objects(helm3, render(job(cloud, *roles), tmp_path)))
    text = "---\n".join(
        emit({"role": role, "pod": pod}) for role, pod in zip(roles, made, strict=True)
    )
    if bless:
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("cloud", CASES)
def test_kubernetes_accepts_the_pods(cloud: str, version: str, helm3: str, tmp_path: Path) -> None:
    """No unknown field, and no field of a wrong type."""
    for manifest in read_objects(helm3, render(job(cloud, *cases(cloud)), tmp_path)):
        validate(manifest, version)


@pytest.mark.parametrize("cloud", ["gke", "aws", "azure-2017"])
def test_helm_3_and_4_add_the_same(cloud: str, helm3: str, helm4: str, tmp_path: Path) -> None:
    chart = render(job(cloud, *cases(cloud)), tmp_path)
    assert read_objects(helm3, chart) == read_objects(helm4, chart)


# Exactly what the operators' charts injected in 2017: volume, path on the host, path in the
# container.
TABLES = {
    "gke-2017": [
        ("nvidia-libraries", "/home/kubernetes/bin/nvidia/lib", "/usr/local/nvidia/lib64"),
        ("nvidia-debug-tools", "/home/kubernetes/bin/nvidia/bin", "/usr/local/bin/nvidia"),
    ],
    "azure-2017": [
        ("lib", "/usr/lib/nvidia-384", "/usr/lib/nvidia"),
        ("bin", "/usr/lib/nvidia-384/bin", "/usr/local/nvidia/bin"),
        (
            "libcuda",
            "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
            "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
        ),
    ],
    "mxnet-2017": [
        (
            "nvidia-libraries",
            "/var/lib/nvidia-docker/volumes/nvidia_driver/current",
            "/usr/local/nvidia",
        )
    ],
}
VARIABLES = {
    "azure-2017": [
        {"name": "LD_LIBRARY_PATH", "value": "/usr/lib/nvidia:/usr/lib/x86_64-linux-gnu"}
    ]
}


@pytest.mark.parametrize("cloud", TABLES)
def test_the_operators_of_2017_injected_exactly_this(cloud: str, helm: str, tmp_path: Path) -> None:
    role = {"resources": {"limits": {ALPHA: 1}}}
    (pod,) = workers(read_objects(helm, render(job(cloud, role), tmp_path)))
    assert pod == {
        "containers": [
            {
                **({"env": VARIABLES[cloud]} if cloud in VARIABLES else {}),
                "resources": {"limits": {ALPHA: 1}},
                "volumeMounts": [
                    {"name": name, "mountPath": mount} for name, _, mount in TABLES[cloud]
                ],
            }
        ],
        "volumes": [{"name": name, "hostPath": {"path": host}} for name, host, _ in TABLES[cloud]],
    }


ASKING: list[Role] = [
    {"resources": {"limits": {"nvidia.com/gpu": "1"}}},
    {"resources": {"limits": {"nvidia.com/gpu": 2, ALPHA: 1, "amd.com/gpu": 1}}},
    {"sidecars": [{"name": "s", "image": "s", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
    {"initContainers": [{"name": "n", "image": "n", "resources": {"limits": {ALPHA: 1}}}]},
    {
        "resources": {"limits": {ALPHA: 1}},
        "env": {"LD_LIBRARY_PATH": "/own"},
        "tolerations": [{"operator": "Exists"}],
    },
    {},
]
NVIDIA = [cloud for cloud in CASES if cloud not in ("amd-operator", "intel-operator")]


@pytest.fixture(scope="module")
def for_gke(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(job("gke", *ASKING), tmp_path_factory.mktemp("charts"))


@pytest.mark.parametrize("cloud", CASES)
def test_a_cloud_can_be_chosen_at_install_as_well_as_before(
    cloud: str, helm: str, for_gke: Path, tmp_path: Path
) -> None:
    """--set cloud=azure on a chart made for gke gives exactly what a chart made for azure gives."""
    made = render(job(cloud, *ASKING), tmp_path)
    assert template(helm, for_gke, "--set", f"cloud={cloud}") == template(helm, made)


@pytest.mark.parametrize("cloud", NVIDIA)
def test_a_shorthand_follows_the_cloud(cloud: str, helm: str, tmp_path: Path) -> None:
    """`gpu` has different resource names; a cloud without GPUs refuses it before and at install."""
    made, other = (
        render(job(cloud, {"gpu": 2}), tmp_path / "one"),
        render(job("gke", {"gpu": 2}), tmp_path / "other"),
    )
    assert template(helm, other, "--set", f"cloud={cloud}") == template(helm, made)
    assert "cloud amd-operator has no nvidia-gpu" in refusal(
        helm, other, "--set", "cloud=amd-operator"
    )
    with pytest.raises(InputError, match="cloud 'amd-operator' has no 'nvidia-gpu'"):
        render(job("amd-operator", {"gpu": 2}), tmp_path)


@pytest.mark.parametrize("cloud", CASES)
def test_pods_without_devices_are_not_changed(cloud: str, helm3: str, for_gke: Path) -> None:
    objects = read_objects(helm3, for_gke, "--set", f"cloud={cloud}")
    plain = read_objects(helm3, for_gke, "--set", "cloud=none")
    assert pods(objects, "worker")[-1] == pods(plain, "worker")[-1]
    others = [manifest for manifest in objects if manifest["kind"] != "Job"]
    assert others == [manifest for manifest in plain if manifest["kind"] != "Job"]


def test_only_containers_that_request_devices_are_changed(helm: str, for_gke: Path) -> None:
    """A request of another container adds nothing to the main one, only to it and to the pod."""
    specs = workers(read_objects(helm, for_gke, "--set", "cloud=gke"))
    library = {"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64"}
    assert specs[2]["containers"] == [{}]
    assert specs[2]["initContainers"][0]["env"] == [library]
    assert {
        "key": "nvidia.com/gpu",
        "operator": "Equal",
        "value": "present",
        "effect": "NoSchedule",
    } in specs[2]["tolerations"]
    old = workers(read_objects(helm, for_gke, "--set", "cloud=azure-2017"))[3]
    assert old["containers"] == [{}]
    assert [mount["name"] for mount in old["initContainers"][0]["volumeMounts"]] == [
        "lib",
        "bin",
        "libcuda",
    ]
    assert [volume["name"] for volume in old["volumes"]] == ["lib", "bin", "libcuda"]


def test_tensorboard_may_request_devices_too(helm3: str, tmp_path: Path) -> None:
    board = {"logDir": "/l", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    (deployment,) = [
        manifest
        for manifest in read_objects(helm3, render(job("gke", {}, tensorboard=board), tmp_path))
        if manifest["kind"] == "Deployment"
    ]
    spec = deployment["spec"]["template"]["spec"]
    assert spec["containers"][0]["env"] == [
        {"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64"}
    ]
    assert len(spec["tolerations"]) == 2


@pytest.mark.parametrize("cloud", ["gke", "aws", "azure", "oke", "azure-2017", "intel-operator"])
def test_injecting_twice_equals_injecting_once(cloud: str, helm3: str, tmp_path: Path) -> None:
    """Pods with what a cloud added, described as roles for the same cloud, stay as they are."""
    given_ = [role for role in cases(cloud) if "topology" not in role.get("accelerator", {})]
    before = pods(read_objects(helm3, render(job(cloud, *given_), tmp_path / "one")), "worker")
    roles = [_in_own_words(pod) for pod in before]
    again = pods(read_objects(helm3, render(job(cloud, *roles), tmp_path / "two")), "worker")
    for pod in (*before, *again):
        variables = pod["spec"]["containers"][0]["env"]
        variables.sort(key=lambda entry: entry["name"])  # a role's env is a map
        pod["metadata"]["labels"].pop("chartgen/index")
    assert again == before


def _in_own_words(pod: dict[str, Any]) -> Role:
    """A pod as the fields of a role."""
    spec = {**pod["spec"]}
    main = spec.pop("containers")[0]
    role = {
        key: value
        for key, value in main.items()
        if key not in ("name", "command", "image", "ports")
    }
    role["env"] = [entry for entry in role["env"] if entry["name"] not in OURS]
    raw = {key: spec.pop(key) for key in ("hostIPC", "hostNetwork", "dnsPolicy") if key in spec}
    kept = {key: value for key, value in spec.items() if key not in SAME}
    labels = {
        key: value for key, value in pod["metadata"]["labels"].items() if key == "chartgen/fabric"
    }
    return {
        **role,
        **kept,
        "pod": raw,
        "labels": labels,
        "annotations": pod["metadata"].get("annotations", {}),
    }


NAMES = st.sampled_from(["A", "B", "C"])
PATHS = st.sampled_from(["/a", "/b", "/c"])
KEYS = st.sampled_from(["k/a", "k/b", "k/c"])
TEXTS = st.sampled_from(["1", "2"])
TAINTS = st.fixed_dictionaries(
    {
        "key": KEYS,
        "operator": st.sampled_from(["Exists"]),
        "effect": st.sampled_from(["NoSchedule", "NoExecute"]),
    }
)


@st.composite
def words(draw: st.DrawFn, owner: str) -> Role:
    """What a cloud or a role may say, with few names, so that they collide; volumes do not."""
    mounts = draw(st.lists(PATHS, unique=True, max_size=3))
    return {
        "env": draw(st.dictionaries(NAMES, TEXTS, max_size=3)),
        "nodeSelector": draw(st.dictionaries(KEYS, TEXTS, max_size=3)),
        "annotations": draw(st.dictionaries(KEYS, TEXTS, max_size=3)),
        "tolerations": draw(st.lists(TAINTS, unique_by=str, max_size=3)),
        "volumes": [{"name": f"{owner}{path[1:]}", "emptyDir": {}} for path in mounts],
        "volumeMounts": [{"name": f"{owner}{path[1:]}", "mountPath": path} for path in mounts],
    }


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(job("none", {}), tmp_path_factory.mktemp("charts"))


@settings(
    max_examples=examples(10),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(cloud=words("cloud"), role=words("job"))
def test_what_the_job_says_wins(
    helm: str, empty: Path, tmp_path_factory: Any, cloud: Role, role: Role
) -> None:
    """By variable, mount path, selector and annotation key; tolerations are compared as a whole."""
    asks = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
    given_ = {
        "cloud": "ours",
        "clouds": {"ours": {"devices": {"nvidia.com/gpu": cloud}}},
        "roles": {"worker": {"overrides": {"0": {**role, **asks}}}},
    }
    file = tmp_path_factory.mktemp("values") / "values.yaml"
    file.write_text(emit(given_), "utf-8")
    (pod,) = workers(read_objects(helm, empty, "-f", str(file)))
    main = pod["containers"][0]
    variables = {**cloud["env"], **role["env"]}
    assert {entry["name"]: entry["value"] for entry in main.get("env", [])} == variables
    assert [entry["name"] for entry in main.get("env", [])] == [
        *sorted(role["env"]), *sorted(cloud["env"].keys() - role["env"].keys()),
    ]  # fmt: skip
    assert pod.get("nodeSelector", {}) == {**cloud["nodeSelector"], **role["nodeSelector"]}
    assert pod.get("annotations", {}) == {**cloud["annotations"], **role["annotations"]}
    tolerations = list(role["tolerations"])
    tolerations += (
        toleration for toleration in cloud["tolerations"] if toleration not in tolerations
    )
    assert pod.get("tolerations", []) == tolerations
    taken = [mount["mountPath"] for mount in role["volumeMounts"]]
    added = [mount for mount in cloud["volumeMounts"] if mount["mountPath"] not in taken]
    assert main.get("volumeMounts", []) == role["volumeMounts"] + added
    mounted = {mount["name"] for mount in added}
    brought = [volume for volume in cloud["volumes"] if volume["name"] in mounted]
    assert pod.get("volumes", []) == role["volumes"] + brought


def test_a_custom_cloud_comes_in_values_or_as_a_file(
    helm: str, empty: Path, tmp_path: Path
) -> None:
    """Under clouds in values, or as text with --set-file; new, or merged into a built-in one."""
    own = {"devices": {"nvidia.com/gpu": {"env": {"OURS": 1}}}}
    (tmp_path / "values.yaml").write_text(emit({"clouds": {"ours": own, "gke": own}}), "utf-8")
    (tmp_path / "ours.yaml").write_text(emit(own), "utf-8")
    asks = ("--set", "roles.worker.overrides.0.gpu=1")
    ways = (
        ("-f", str(tmp_path / "values.yaml")),
        ("--set-file", f"clouds.ours={tmp_path / 'ours.yaml'}"),
    )
    for way in ways:
        (pod,) = workers(read_objects(helm, empty, *asks, "--set", "cloud=ours", *way))
        assert pod["containers"][0]["env"] == [{"name": "OURS", "value": "1"}]
        assert "tolerations" not in pod
    (pod,) = workers(read_objects(helm, empty, *asks, "--set", "cloud=gke", *ways[0]))
    assert [entry["name"] for entry in pod["containers"][0]["env"]] == ["LD_LIBRARY_PATH", "OURS"]
    (tmp_path / "broken.yaml").write_text("devices: [\n", "utf-8")
    said = refusal(
        helm, empty, "--set", "cloud=ours", "--set-file", f"clouds.ours={tmp_path / 'broken.yaml'}"
    )
    assert "clouds.ours" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "device: {}",
            "clouds.ours: unknown key device;"
            " expected one of description, devices, fabrics, machines, ",
        ),
        ("devices: [a]", "clouds.ours.devices: expected a mapping"),
        (
            "devices: {nvidia.com/gpu: {volume: []}}",
            "clouds.ours.devices.nvidia.com/gpu: unknown key volume",
        ),
        (
            "devices: {nvidia.com/gpu: {volumes: {}}}",
            "clouds.ours.devices.nvidia.com/gpu.volumes: expected a list",
        ),
        (
            "types: {t: {volumeMounts: [{name: v, mountPath: /v}]}}",
            "clouds.ours.types.t.volumeMounts: no volume here",
        ),
        (
            "types: {t: {volumes: [{}]}}",
            "clouds.ours.types.t.volumes: expected volumes, each with a name",
        ),
        (
            "fabrics: {f: {types: {h100: {x: 1}}}}",
            "clouds.ours.fabrics.f.types.h100: unknown key x",
        ),
        ("machines: {m: {hold: {}}}", "clouds.ours.machines.m: unknown key hold"),
        ("just text", "clouds.ours"),
    ],
)
def test_a_cloud_given_as_a_file_is_checked_too(
    text: str, said: str, helm3: str, empty: Path, tmp_path: Path
) -> None:
    """As far as templates rely on it: the values schema cannot check a text."""
    (tmp_path / "ours.yaml").write_text(text, "utf-8")
    assert said in refusal(
        helm3, empty, "--set", "cloud=ours", "--set-file", f"clouds.ours={tmp_path / 'ours.yaml'}"
    )


@pytest.mark.parametrize("name", [name for name in catalog.names("cloud") if name != "none"])
def test_every_built_in_cloud_is_accepted_as_a_custom_one(
    name: str, helm3: str, empty: Path, tmp_path: Path
) -> None:
    (tmp_path / "ours.yaml").write_text(catalog.text("cloud", name), "utf-8")
    read_objects(
        helm3, empty, "--set", "cloud=ours", "--set-file", f"clouds.ours={tmp_path / 'ours.yaml'}"
    )


def test_without_a_cloud_nothing_is_added(helm: str, empty: Path) -> None:
    assert read_objects(helm, empty, "--set", "cloud=null") == read_objects(helm, empty)


def test_custom_clouds_are_checked_by_the_same_schema(helm: str, empty: Path) -> None:
    assert "device" in refusal(helm, empty, "--set", "clouds.ours.device.x=1")
    assert "cloud" in refusal(helm, empty, "--set", "cloud=./ours.yaml")


@pytest.mark.parametrize(
    ("settings_", "said"),
    [
        ("cloud=gkee", "no cloud is named gkee; expected one of ack, amd-operator, aws, azure,"),
        ("gpu=1,accelerator.type=l4", "roles.worker requests devices by gpu and by accelerator"),
        ("accelerator.type=h1000",
         "of type h1000; expected a model such as h100, or one of amd-gpu,"),
        ("cloud=azure,accelerator.type=tpu", "cloud azure has no tpu"),
        ("cloud=azure,accelerator.type=l4", "cloud azure has no l4"),
        ("accelerator.type=mig", "an accelerator of type mig needs a profile"),
        ("cloud=aws,accelerator.machine=p5.48xlarge,accelerator.count=9",
         "9 nvidia.com/gpu; its machine has 8"),
        ("cloud=aws,accelerator.type=h100,accelerator.count=9",
         "no machine of cloud aws has that many"),
        ("cloud=gke,gpu=100",
         "100 nvidia.com/gpu of type nvidia-gpu; no machine of cloud gke has that many"),
        ("cloud=gke,accelerator.machine=a3-highgpu-8g,accelerator.type=a100",
         "of cloud gke has h100, not a100"),
        ("cloud=aws,accelerator.machine=p99", "cloud aws has no machine p99 in its data"),
        ("cloud=azure,accelerator.type=h100,accelerator.topology=2x2",
         "cloud azure has no node label for the topology; leave it out"),
        ("gpu=2,resources.limits.nvidia\\.com/gpu=1",
         "2 nvidia.com/gpu, but 1 in resources.limits"),
        ("cloud=gke,accelerator.type=tpu-v6e,accelerator.topology=4x4",
         "as an Indexed Job or a JobSet"),
        ("cloud=gke,accelerator.type=tpu-v6e,accelerator.topology=2x2,accelerator.count=1",
         "is requested as a whole, with 4"),
        ("resources.limits.google\\.com/tpu=4", "run larger slices as an Indexed Job or a JobSet"),
        ("cloud=gke,gpu=1,fabric=efa",
         "cloud gke has no fabric efa; expected one of rdma, tcpx, tcpxo, none"),
        ("cloud=gke,accelerator.type=l4,fabric=tcpx",
         "fabric tcpx of cloud gke is for h100, not for l4"),
        ("cloud=aws,accelerator.type=h200,accelerator.count=8,fabric=efa",
         "set accelerator.machine"),
        ("cloud=aws,accelerator.machine=p5.48xlarge,fabric=efa", "huge pages"),
    ],
)  # fmt: skip
def test_what_a_cloud_cannot_give_is_refused_at_install(
    settings_: str, said: str, helm: str, empty: Path
) -> None:
    """With a clear message and the alternatives."""
    assert said in refusal(helm, empty, "--set", settings_)


def test_a_volume_of_the_same_name_but_another_source_is_refused(helm: str, empty: Path) -> None:
    other = ("--set-json", 'volumes=[{"name":"lib","emptyDir":{}}]')
    said = refusal(helm, empty, "--set", "cloud=azure-2017,gpu=1", *other)
    assert "cloud azure-2017 adds another volume named lib; rename the job's" in said
    same = ("--set-json", 'volumes=[{"name":"lib","hostPath":{"path":"/usr/lib/nvidia-384"}}]')
    (pod,) = workers(read_objects(helm, empty, "--set", "cloud=azure-2017,gpu=1", *same))
    assert [volume["name"] for volume in pod["volumes"]] == ["lib", "bin", "libcuda"]


def test_a_machine_that_the_cloud_does_not_list_can_be_used(helm3: str, empty: Path) -> None:
    """New machines appear faster than lists of them; with a type, an unknown one is accepted."""
    settings_ = (
        "cloud=aws,accelerator.type=h100,accelerator.machine=p7.48xlarge,accelerator.count=8"
    )
    (pod,) = workers(read_objects(helm3, empty, "--set", settings_))
    assert pod["nodeSelector"] == {"node.kubernetes.io/instance-type": "p7.48xlarge"}


def test_machines_are_not_selected_where_nodes_have_no_label_for_them(
    helm: str, tmp_path: Path
) -> None:
    """One machine fits a request of eight, and two fit a request of four; a label has a name."""
    machines = {
        name: {"type": "h100", "holds": {"nvidia.com/gpu": count}}
        for name, count in {"big": 8, "small": 4}.items()
    }
    roles: list[Role] = [{"accelerator": {"type": "h100", "count": count}} for count in (8, 4)]
    text = job("ours", *roles, clouds={"ours": {"machines": machines}})
    for pod in workers(read_objects(helm, render(text, tmp_path))):
        assert pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] in (8, 4)
        assert not {"nodeSelector", "affinity"} & pod.keys()
    (document,) = pipeline.read(text.encode(), "job.yaml")
    rules = [problem.rule for problem in pipeline.check(document).warnings]
    assert rules.count("accelerator-not-told-apart") == 2


def test_a_role_can_opt_out_of_devices_of_the_job(helm3: str, tmp_path: Path) -> None:
    roles: list[Role] = [{}, {"gpu": 0}]
    specs = workers(read_objects(helm3, render(job("gke", *roles, gpu=1), tmp_path / "gpu")))
    assert ["resources" in pod["containers"][0] for pod in specs] == [True, False]
    roles = [{}, {"accelerator": {"count": 0}}]
    specs = workers(
        read_objects(
            helm3, render(job("gke", *roles, accelerator={"type": "l4"}), tmp_path / "type")
        )
    )
    assert ["nodeSelector" in pod for pod in specs] == [True, False]


def test_a_job_wide_fabric_is_for_the_roles_with_devices(helm3: str, tmp_path: Path) -> None:
    role = {"accelerator": {"machine": "BM.GPU.H100.8"}}
    specs = workers(read_objects(helm3, render(job("oke", role, {}, fabric="roce"), tmp_path)))
    assert ["hostNetwork" in pod for pod in specs] == [True, False]


def test_selectors_for_a_model_are_combined_with_the_roles_affinity(
    helm: str, tmp_path: Path
) -> None:
    """A model with several machines narrows every term of the role's affinity, only once."""
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    required = {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [zone]}, {}]
        }
    }
    role = {
        "accelerator": {"type": "trainium1", "count": 16},
        "affinity": {"nodeAffinity": required},
    }
    (pod,) = workers(read_objects(helm, render(job("aws", role), tmp_path)))
    machines = {
        "key": "node.kubernetes.io/instance-type",
        "operator": "In",
        "values": ["trn1.32xlarge", "trn1n.32xlarge"],
    }
    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert terms == [{"matchExpressions": [zone, machines]}, {"matchExpressions": [machines]}]


@pytest.mark.parametrize("cloud", CASES)
def test_the_readme_and_the_notes_agree_on_the_total(
    cloud: str, helm4: str, tmp_path: Path
) -> None:
    """Python's total and Helm's, including what the cloud adds."""
    chart = render(job(cloud, *cases(cloud), *ASKING[1:4]), tmp_path)
    notes = run(helm4, "install", "demo", chart, "--dry-run=client").stdout.partition("NOTES:\n")[2]
    asked = notes.partition("It requests ")[2].partition(".\n")[0]
    assert f"it requests {asked}.\n" in (chart / "README.md").read_text("utf-8")


def test_a_device_is_part_of_the_runtime_id(helm3: str, tmp_path: Path) -> None:
    """Another cloud gives other pods and new Jobs; without devices, the Jobs stay."""
    chart = render("{name: j, framework: tensorflow, image: i, roles: {worker: {}}}", tmp_path)
    gke, aws = (
        read_objects(helm3, chart, "--set", f"gpu=1,cloud={cloud}") for cloud in ("gke", "aws")
    )
    names = {manifest["metadata"]["name"] for manifest in gke}
    assert names.isdisjoint(manifest["metadata"]["name"] for manifest in aws)
    assert template(helm3, chart, "--set", "cloud=gke") == template(
        helm3, chart, "--set", "cloud=aws"
    )
