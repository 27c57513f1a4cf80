"""Python and the chart refuse the same, in the description and by values at install."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from chartgen import pipeline
from chartgen.devices import catalog
from chartgen.devices.injection import inject
from chartgen.errors import InputError
from chartgen.job.model import ends, merge
from chartgen.k8s.limits import ANNOTATION_BYTES, ENV_STRING_BYTES
from tests.support.charts import render, run
from tests.support.examples import examples

# One run of Helm takes about a tenth of a second, and refusals cannot share one.
few_examples = settings(
    max_examples=examples(12),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

Data = dict[str, Any]
Choice = st.SearchStrategy[Any]
Mappings = st.SearchStrategy[Data]
Chart = Callable[[str, Data], str]

# How Helm reports what a schema or a template refuses; a broken template is reported otherwise.
SENTENCES = ("meet the specifications of the schema", "Error: execution error at (base/templates/")

WORKERS = 3
BASE: Data = {
    "name": "base",
    "framework": "tensorflow",
    "image": "i",
    "tensorboard": {"logDir": "/logs"},
    "roles": {"chief": {}, "worker": {"replicas": WORKERS}, "ps": {}},
}


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Chart:
    """What Helm says if the chart of the base refuses a change in a values file; else nothing."""
    folder = tmp_path_factory.mktemp("refusals")
    path = render(json.dumps(BASE), folder)
    values = folder / "values.json"

    def refusal(helm: str, change: Data) -> str:
        values.write_text(json.dumps(change))
        done = run(helm, "template", "demo", path, "--values", values)
        return done.stderr if done.returncode else ""

    return refusal


def refusals(change: Data) -> list[str]:
    """The errors that chartgen reports if the description of the base says the same."""
    (document,) = pipeline.read(json.dumps(merge(BASE, change)).encode(), "job.json")
    try:
        pipeline.check(document)
    except InputError as error:
        errors = [problem for problem in error.problems if problem.severity == "error"]
        return [f"{problem.message} ({problem.rule})" for problem in errors]
    return []


def compare(helm: str, chart: Chart, change: Data) -> None:
    described, installed = refusals(change), chart(helm, change)
    assert bool(described) == bool(installed), (change, described, installed)
    assert not installed or any(sentence in installed for sentence in SENTENCES), installed


def some(**fields: Choice) -> Mappings:
    """A mapping with some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


def all_of(**fields: Choice) -> Mappings:
    """A mapping with all of these fields."""
    return st.fixed_dictionaries(fields)


def few(names: list[str], fields: Choice) -> Mappings:
    """A mapping of up to two of these names to such fields."""
    return st.dictionaries(st.sampled_from(names), fields, max_size=2)


# Devices: what a role asks for, on a cloud that has it or not, beside volumes that may conflict.
# Mounts always come with their volumes: that a volume exists is for Kubernetes to say at install.

counts = st.sampled_from([0, 1, 2, 4, 8, 16])
# What is in a sidecar's limits is Kubernetes' to refuse at install.
amounts = st.sampled_from([-1, 0.5, "2", "2000m", "20e-1", "1.5k", "1ki", "1Ki", "2e0", "-2"])
OWN = {"name": "shared-memory", "emptyDir": {}}
SAME = {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "32Gi"}}
OTHER = {"name": "libraries", "emptyDir": {}}
stores = all_of(
    volumes=st.sampled_from([[OWN, OTHER], [SAME, OTHER]]),
    volumeMounts=st.lists(
        all_of(
            name=st.sampled_from(["shared-memory", "libraries"]),
            mountPath=st.sampled_from(["/dev/shm", "/v", "/dev/shm/"]),
        ),
        max_size=1,
    ),
)


def named(cloud: Mapping[str, Any], field: str, *others: str) -> Choice:
    """A name that a cloud has in a field, or one of some others."""
    return st.sampled_from([*cloud.get(field, ()), *others])


@cache
def shipped(name: str) -> Data:
    """A cloud as it ships, with its name."""
    return {**catalog.data("cloud", name), "name": name}


def good_requests(cloud: Mapping[str, Any]) -> list[Data]:
    """What can be asked for on a cloud: each machine with each fabric that fits."""
    requests: list[Data] = []
    for machine in cloud.get("machines", ()):
        for fabric in ("none", *cloud.get("fabrics", ())):
            limits = {"limits": {"memory": "64Gi"}}
            spec = {"accelerator": {"machine": machine}, "fabric": fabric, "resources": limits}
            if not inject(spec, cloud).problems:
                requests.append(spec)
    return requests


def device_specs(cloud: Mapping[str, Any]) -> Mappings:
    """The fields of a role about devices: sometimes a good request, and often something else."""
    topologies = [*cloud.get("types", {}).get("tpu-v6e", {}).get("topologies", ()), "9x9"]
    accelerator = some(
        type=named(cloud, "types", "nvidia-gpu", "amd-gpu", "mig", "tpu", "h100", "mi300x", "h999"),
        machine=named(cloud, "machines", "huge-1"),
        count=counts,
        topology=st.sampled_from(topologies),
        profile=st.sampled_from(["1g.5gb", "9g.9gb"]),
    )
    devices = [name.replace("*", "1g.5gb") for name in cloud.get("devices", ())]
    resources = [*devices, "nvidia.com/gpu", "amd.com/gpu", "google.com/tpu", "cpu", "memory"]
    limits = st.dictionaries(st.sampled_from([*resources, "hugepages-2Mi"]), counts, max_size=2)
    own_limits = st.dictionaries(st.sampled_from(resources), amounts, max_size=2)
    sidecar = all_of(name=st.just("beside"), image=st.just("i"), resources=some(limits=limits))
    label = cloud.get("selectors", {}).get("machine", "zone")
    requests = some(
        gpu=counts,
        accelerator=accelerator,
        fabric=named(cloud, "fabrics", "none", "tcp"),
        resources=some(limits=st.one_of(limits, own_limits)),
        nodeSelector=some(**{label: named(cloud, "machines", "huge-1")}),
        sidecars=st.lists(sidecar, max_size=1),
    )
    good = st.sampled_from([{}, *good_requests(cloud)])
    parts = st.tuples(good, st.one_of(st.just({}), requests), st.one_of(st.just({}), stores))
    return parts.map(lambda specs: reduce(merge, specs))


@st.composite
def device_changes(draw: st.DrawFn) -> Data:
    """Devices that the job, a role or an override asks for on a shipped cloud."""
    name = draw(st.sampled_from(catalog.names("cloud")))
    specs = device_specs(shipped(name))
    worker = draw(specs)
    if draw(st.booleans()):
        worker["overrides"] = {"1": draw(specs)}
    shared = draw(specs) if draw(st.booleans()) else {}
    return {**shared, "cloud": name, "roles": {"worker": worker}}


TPU: Data = {"fabric": "rdma", "resources": {"limits": {"google.com/tpu": 4}}}


@few_examples
@given(change=device_changes())
@example(change={"cloud": "gke", "roles": {"worker": TPU}})
def test_devices(helm: str, chart: Chart, change: Data) -> None:
    compare(helm, chart, change)


# Clouds: one's own, which may be merged into a shipped one. They are data here: `--set-file` passes
# them as text, which no description can say.

VOLUMES = ["v", "shared-memory", "libraries"]
volume = all_of(name=st.sampled_from(VOLUMES), emptyDir=st.sampled_from([{}, {"medium": "Memory"}]))
mount = all_of(
    name=st.sampled_from(VOLUMES), mountPath=st.sampled_from(["/a", "/b", "/dev/shm", "/a/"])
)
quantities = st.dictionaries(
    st.sampled_from(["cpu", "memory", "rdma/ib", "hugepages-2Mi", "hugepages-2Mi"]),
    st.sampled_from([1, "1Gi"]),
    max_size=2,
)
labels = some(machine=st.just("machine"), topology=st.just("topology"), profile=st.just("profile"))
injected: dict[str, Choice] = {
    "env": st.dictionaries(st.sampled_from("AB"), st.sampled_from(["", 1, "$(A)", "$(B)"])),
    "annotations": few(["a", "b"], st.sampled_from(["x", "x" * (ANNOTATION_BYTES // 2), 1])),
    "volumes": st.lists(volume, max_size=3),
    "volumeMounts": st.lists(mount, max_size=2),
    "resources": some(limits=quantities),
    "sidecars": st.lists(
        all_of(
            name=st.sampled_from(["s", "tensorflow"]),
            image=st.just("i"),
            volumeMounts=st.lists(mount, max_size=1),
        ),
        max_size=1,
    ),
}
own_clouds = some(
    selectors=labels,
    devices=few(
        ["nvidia.com/gpu", "nvidia.com/mig-*", "ours.com/device", "gpu"],
        some(selectors=labels, **injected),
    ),
    types=few(
        ["h100", "ours", "tpu-v6e"],
        some(
            resource=st.sampled_from(["nvidia.com/gpu", "ours.com/device"]),
            selectors=labels,
            topologies=st.just({"2x2": 4}),
            **injected,
        ),
    ),
    machines=few(
        ["big", "small"],
        all_of(
            type=st.sampled_from(["h100", "ours"]),
            holds=few(["nvidia.com/gpu", "rdma/ib"], st.integers(0, 8)),
        ),
    ),
    fabrics=few(
        ["infiniband", "ours"],
        some(
            takes=st.just(["rdma/ib"]),
            together=st.just("zone"),
            types=few(["h100", "ours"], some(**injected)),
            **injected,
        ),
    ),
)


@st.composite
def cloud_changes(draw: st.DrawFn) -> Data:
    """A cloud of one's own, a choice of it or of another, and what is asked for there."""
    name, own = draw(st.sampled_from(["ours", "gke", "azure"])), draw(own_clouds)
    chosen = draw(st.sampled_from([name, name, name, "aws", "azur"]))
    worker = draw(device_specs(merge(shipped(name), own)))
    return {"cloud": chosen, "clouds": {name: own}, "roles": {"worker": worker}}


def own_cloud(cloud: Data, worker: Data) -> Data:
    """A cloud of one's own, and what a role asks for there."""
    return {"cloud": "ours", "clouds": {"ours": cloud}, "roles": {"worker": worker}}


H100: Data = {"accelerator": {"type": "h100"}}
# The machines of a type have none of the resource that it is requested by.
OTHER_MACHINES: Data = {"machines": {"big": {"type": "h100", "holds": {"rdma/ib": 8}}}}
LOOP: Data = {"types": {"h100": {"env": {"A": "$(B)", "B": "$(A)"}}}}
UNKNOWN: Data = {"types": {"h100": {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}}}


@few_examples
@given(change=cloud_changes())
@example(change=own_cloud({"selectors": {"machine": "m"}, **OTHER_MACHINES}, H100))
@example(change=own_cloud(OTHER_MACHINES, H100))
@example(change=own_cloud({"types": {"h100": {}}, "fabrics": {"f": LOOP}}, {}))
@example(change=own_cloud({"types": {"h100": {}}, "fabrics": {"f": UNKNOWN}}, {}))
def test_clouds(helm: str, chart: Chart, change: Data) -> None:
    compare(helm, chart, change)


# A cloud with one device, which the main container or a sidecar requests.
single_devices = some(**{name: injected[name] for name in ("env", "annotations", "resources")})
limits = st.sampled_from([{"ours.com/device": 1}, {"ours.com/device": 1, "memory": "1Gi"}])
requests = st.fixed_dictionaries({"resources": st.fixed_dictionaries({"limits": limits})})
beside = requests.map(lambda request: {"sidecars": [{"name": "beside", "image": "i", **request}]})


@st.composite
def single_device_changes(draw: st.DrawFn) -> Data:
    """A cloud of one's own that injects something for a device, and a role that requests it."""
    own = {"devices": {"ours.com/device": draw(single_devices)}}
    worker = draw(st.one_of(requests, beside, st.just({})))
    return {"cloud": "ours", "clouds": {"ours": own}, "roles": {"worker": worker}}


@few_examples
@given(change=single_device_changes())
def test_what_a_cloud_adds_to_a_device(helm: str, chart: Chart, change: Data) -> None:
    compare(helm, chart, change)


# Overrides: of replicas that exist or not, once or twice.

indices = st.integers(0, 5)
override_keys = st.one_of(
    indices.map(str),
    st.tuples(indices, indices).map(lambda pair: "{}-{}".format(*pair)),
    st.sampled_from(["0-1", "2", "x", "01", "-1", "1-", "1-2-3", "", "*"]),
)
override_specs = some(
    image=st.sampled_from(["j", "k", ""]),
    port=st.sampled_from([1, 5000, 70000]),
    backoffLimit=st.sampled_from([0, 2, -1]),
)


@st.composite
def override_changes(draw: st.DrawFn) -> Data:
    """Overrides of a role, and perhaps another number of replicas with them."""
    role = draw(st.sampled_from(["worker", "worker", "chief", "ps"]))
    scaled = draw(some(replicas=st.integers(0, 5)))
    overrides = draw(st.dictionaries(override_keys, override_specs, max_size=3))
    for key in overrides:
        if re.fullmatch("[0-9](-[0-9])?", key):
            # By design only a description refuses what scaling down would leave over at install.
            assume(not scaled.get("replicas", WORKERS) <= ends(key)[1] < WORKERS)
    return {"roles": {role: {**scaled, "overrides": overrides}}}


@few_examples
@given(change=override_changes())
def test_overrides(helm: str, chart: Chart, change: Data) -> None:
    compare(helm, chart, change)


# Env: names, what refers to what, and how long it gets. Without nulls, which remove a variable at
# install; in a description there is nothing to remove.

IP = {"valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}
HALF = "x" * (ENV_STRING_BYTES // 2)
env_names = st.sampled_from([*"ABCDEFGXYZ", "a.b", "TF_CONFIG", "1A"])
references = ["$(A)", "$(B)", "$(C)", "$(X)", "$(CHARTGEN_CLUSTER)", "$$(A)", "$($(A))"]
env_values = st.one_of(
    st.lists(st.sampled_from([*references, "$", "$$", "$(", "(A)", " ", "\u00e9"]), max_size=3).map(
        "".join
    ),
    st.sampled_from([HALF, HALF + HALF[:-3], HALF + HALF[:-4], "$(A)$(B)", "$(C)$(C)"]),
    st.sampled_from([1, 1.5, True, {"value": "a"}]),
    st.just(IP),
)
envs = st.dictionaries(env_names, env_values, max_size=4)


@st.composite
def env_changes(draw: st.DrawFn) -> Data:
    """Variables of the job, a role, an override and TensorBoard."""
    worker = draw(some(env=envs))
    if draw(st.booleans()):
        worker["overrides"] = {"0": {"env": draw(envs)}}
    return {**draw(some(env=envs, tensorboard=some(env=envs))), "roles": {"worker": worker}}


# What is known only in the cluster may be empty.
LONGEST: Data = {"A": "$(B)" + "x" * (ENV_STRING_BYTES - len("A=") - 1), "B": IP}


@few_examples
@given(change=env_changes())
@example(change={"roles": {"worker": {"env": LONGEST}}})
@example(change={"roles": {"worker": {"env": {**LONGEST, "A": LONGEST["A"] + "x"}}}})
def test_env(helm: str, chart: Chart, change: Data) -> None:
    compare(helm, chart, change)
