"""The real Angel, from a user's command line: the pods it creates belong to the release.

All of Angel's processes are real: the client, the master that it creates, and the parameter servers
and workers that the master creates. Only the two scripts that start them are ours, because Angel's
image is not available here.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.images import needs
from tests.e2e.jobs import HERE, rendered
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Object, Release, outcome
from tests.e2e.waiting import until

pytestmark = needs("angel")

PATIENCE = 400  # seconds; six JVMs start on this machine
SETTINGS = "-conf-map"  # with the name of the master before it, the ConfigMap that the master reads
REFUSED = (
    *(
        "get secrets",
        "create services",
        "update configmaps",
        "delete jobs",
        "deletecollection pods",
    ),
    *("create pods --subresource=exec", "create pods --namespace=default"),
)
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "try", "labels": {"angel-role": "none"}},
    "spec": {
        "containers": [{"name": "try", "image": "none", "resources": {"requests": {"cpu": 1}}}]
    },
}


@pytest.fixture
def data(namespace: Namespace) -> Path:
    """A folder of this machine with samples for two workers; pods see it as a path of the node."""
    folder = namespace.cluster.parts.folder / f"data-{namespace.name}"
    (folder / "data").mkdir(parents=True)
    dice = random.Random(1)
    for part in range(2):
        (folder / f"data/part-{part}").write_text("".join(sample(dice) for _ in range(200)))
    return folder


def sample(dice: random.Random) -> str:
    """A sample in LIBSVM's format: one of the first two of 123 features decides, others do not."""
    label = dice.choice((1, -1))
    features = [1 if label > 0 else 2, *sorted(dice.sample(range(3, 123), 12))]
    return " ".join([str(label), *(f"{feature}:1" for feature in features)]) + "\n"


@pytest.fixture
def small(namespace: Namespace) -> Iterator[None]:
    """Angel's pods request a CPU each, more than a small machine has: here they get less."""
    name = namespace.name
    path = "/spec/containers/0/resources/requests/cpu"
    cpu = f'[JSONPatch{{op: "replace", path: "{path}", value: "50m"}}]'
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    spec = {
        "matchConstraints": {
            "resourceRules": [rule],
            "objectSelector": {"matchExpressions": [{"key": "angel-role", "operator": "Exists"}]},
        },
        "reinvocationPolicy": "Never",
        "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": cpu}}],
    }
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}
    policy = "MutatingAdmissionPolicy"
    _create(namespace, {"kind": policy, "spec": spec})
    _create(
        namespace,
        {"kind": f"{policy}Binding", "spec": {"policyName": name, "matchResources": here}},
    )
    until(lambda: _requested_cpus(namespace) == "50m", "the policy holds")
    yield
    namespace.cluster.kubectl("delete", f"{policy},{policy}Binding", name)


def _create(namespace: Namespace, manifest: Object) -> None:
    version = {
        "apiVersion": "admissionregistration.k8s.io/v1beta1",
        "metadata": {"name": namespace.name},
    }
    namespace.kubectl("create", "--filename", str(_file(namespace, {**version, **manifest})))


def _requested_cpus(namespace: Namespace) -> str:
    """The CPUs that a pod of Angel would request."""
    output = "--output=jsonpath={.spec.containers[0].resources.requests.cpu}"
    return namespace.kubectl(
        "create", "--dry-run=server", output, "--filename", str(_file(namespace, POD))
    )


def _file(namespace: Namespace, manifest: Object) -> Path:
    path = namespace.folder / "object.json"
    path.write_text(json.dumps(manifest))
    return path


@pytest.mark.usefixtures("small")
def test_a_job_of_angel(helm4: str, namespace: Namespace, data: Path, tmp_path: Path) -> None:
    """It trains a model in pods of the release; a new count replaces all, uninstall leaves none."""
    chart = rendered(HERE / "native/angel.sh", tmp_path, "--define", f"DATA={data}")
    assert chart.name == "angellrtest"
    release = namespace.release(helm4)
    release.install(chart, {})
    seen = watched(release)
    check_pods(release, seen)
    check_rights(release)
    check_model(release, data)
    release.test()
    check_change(release, chart, set(seen))
    release.uninstall()
    until(lambda: not namespace.everything(), f"nothing is left of {namespace.everything()}")


def watched(release: Release) -> dict[str, Object]:
    """All pods that existed until the client completed, in their last state."""
    seen: dict[str, Object] = {}

    def look() -> str:
        seen.update(
            {
                pod["metadata"]["name"]: pod
                for pod in release.namespace.objects("pods", "angel-role")
            }
        )
        return outcome(release.jobs("client")[0])

    assert until(look, "the client ends", PATIENCE) == "Complete"
    return seen


def check_pods(release: Release, seen: dict[str, Object]) -> None:
    """As many pods as the command line says, each with the release's labels, account and size."""
    roles = Counter(pod["metadata"]["labels"]["angel-role"] for pod in seen.values())
    assert roles == {"master": 1, "ps": 2, "worker": 2}
    labels = {"app.kubernetes.io/instance": release.name, "chartgen/runtime-id": release.id()}
    for name, pod in seen.items():
        assert re.match(r"angellrtest-\d+-(master|(ps|worker)-attempt-[01]-0)$", name)
        assert labels.items() <= pod["metadata"]["labels"].items()
        assert pod["spec"]["serviceAccountName"] == f"access-{release.id()}"
        assert pod["spec"]["containers"][0]["resources"]["limits"] == {"memory": "1Gi"}


def check_rights(release: Release) -> None:
    """Angel's account may do what Angel did, in this namespace, and nothing else."""
    account = f"--as=system:serviceaccount:{release.namespace.name}:access-{release.id()}"

    def may(*what: str) -> bool:
        try:
            return release.namespace.kubectl("auth", "can-i", *what, account).strip() == "yes"
        except Failure:
            return False

    assert may("create", "pods")
    for refused in REFUSED:
        assert not may(*refused.split()), refused


def check_model(release: Release, data: Path) -> None:
    """The loss falls with each epoch, and the parameter servers wrote their parts of the model."""
    log = release.logs(release.jobs("client")[0]["metadata"]["name"])
    losses = [float(loss) for loss in re.findall(r'"train.loss":([\d.]+)', log)]
    # The client asks now and then, so on a busy machine it may miss the first of two epochs. A
    # model that knows nothing has a loss of 0.693.
    assert losses == sorted(losses, reverse=True)
    assert 0.68 > losses[-1] > 0.5
    assert {path.name for path in (data / "model/input_weight").glob("[!.]*")} == {"meta", "0", "1"}


def check_change(release: Release, chart: Path, old: set[str]) -> None:
    """Another count makes another job: no pod of the first is left, and Angel has the new count."""
    release.upgrade(chart, {"roles": {"ps": {"replicas": 1}}})
    assert not old & {pod["metadata"]["name"] for pod in release.namespace.objects("pods")}

    def look() -> list[Object]:
        configmaps = {
            item["metadata"]["name"]: item for item in release.namespace.objects("configmaps")
        }
        masters = {
            name.removesuffix(SETTINGS): item
            for name, item in configmaps.items()
            if name.endswith(SETTINGS)
        }
        return [item for master, item in masters.items() if master not in old]

    (settings,) = until(look, "the master of the new job is made", PATIENCE)
    assert "angel.ps.number=1" in settings["data"]["angel-site.properties"].splitlines()
