"""The chart's own `helm test`: its objects, as rendered by Helm."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.charts import Objects, named, read_objects, render
from tests.support.script_world import JOB, pod, setting


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("charts"))


def hooks(objects: Objects) -> Objects:
    return [
        manifest
        for manifest in objects
        if "helm.sh/hook" in manifest["metadata"].get("annotations", {})
    ]


def test_the_test_is_created_and_removed_with_all_it_needs(helm: str, chart: Path) -> None:
    """Hooks of one name, removed when they succeed; permissions exist before the pod needs them."""
    manifests = hooks(read_objects(helm, chart))
    assert {manifest["kind"] for manifest in manifests} == {
        "ServiceAccount",
        "Role",
        "RoleBinding",
        "Pod",
    }
    assert {manifest["metadata"]["name"] for manifest in manifests} == {"test-ab12"}
    for manifest in manifests:
        annotations = manifest["metadata"]["annotations"]
        assert annotations["helm.sh/hook"] == "test"
        assert annotations["helm.sh/hook-delete-policy"] == "before-hook-creation,hook-succeeded"
        assert annotations["helm.sh/hook-weight"] == ("0" if manifest["kind"] == "Pod" else "-1")


def test_the_test_may_list_jobs_and_pods_and_nothing_else(helm3: str, chart: Path) -> None:
    """The Role lets it list Jobs, pods and what is said of them; its one token is short-lived."""
    objects = read_objects(helm3, chart)
    (role,) = named(objects, "Role", "test-")
    assert role["rules"] == [
        {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["pods", "events"], "verbs": ["list"]},
    ]
    assert pod(objects)["spec"]["automountServiceAccountToken"] is False
    (api,) = (volume for volume in pod(objects)["spec"]["volumes"] if volume["name"] == "api")
    assert api["projected"]["sources"][0]["serviceAccountToken"]["expirationSeconds"] == 600


def test_without_rbac_the_test_has_no_token(helm: str, chart: Path) -> None:
    """No account is created for it, and the script knows that it has no token."""
    objects = read_objects(helm, chart, "--set", "rbac.create=false")
    assert {manifest["kind"] for manifest in hooks(objects)} == {"Pod"}
    assert "serviceAccountName" not in pod(objects)["spec"]
    assert [volume["name"] for volume in pod(objects)["spec"]["volumes"]] == ["config"]
    assert setting(objects, "API") == ""


def test_the_test_gets_the_counts_and_ports_of_the_values(helm: str, chart: Path) -> None:
    """And which replicas have a Service, are listed as peers, or run the chart's own program."""
    arguments = (
        "roles.worker.replicas=3,roles.ps.port=3333,roles.worker.overrides.1.port=4444,"
        "roles.evaluator.replicas=0"
    )
    assert setting(read_objects(helm, chart, "--set", arguments), "ROLES").splitlines() == [
        "role chief-ab12- 1 2222 job,service,listed",
        "role ps-ab12- 1 3333 job,service,listed,serves",
        "role worker-ab12- 3 2222 job,service,listed",
        "port worker-ab12- 1 1 4444",
    ]
    assert setting(read_objects(helm, chart), "DECIDES") == "chief-ab12-0"


def test_the_test_knows_which_roles_request_devices(helm: str, chart: Path) -> None:
    """In limits, by gpu, or for one replica; a role without replicas requests nothing."""
    asks = "roles.worker.resources.limits.nvidia\\.com/gpu=1,roles.evaluator.overrides.0.gpu=1"
    objects = read_objects(helm, chart, "--set", asks)
    assert setting(objects, "DEVICES") == "nvidia.com/gpu"
    assert [line for line in setting(objects, "ROLES").splitlines() if "device" in line] == [
        "role evaluator-ab12- 1 2222 job,device",
        "role worker-ab12- 2 2222 job,service,listed,device",
    ]
    none = read_objects(
        helm, chart, "--set", f"{asks},roles.worker.replicas=0,roles.evaluator.replicas=0"
    )
    assert "DEVICES" not in {entry["name"] for entry in pod(none)["spec"]["containers"][0]["env"]}


def test_tensorboard_is_checked_only_if_there_is_one(
    helm3: str, chart: Path, tmp_path: Path
) -> None:
    """A chart without TensorBoard has nothing to check."""
    assert setting(read_objects(helm3, chart), "TENSORBOARD") == "tensorboard-ab12 80"
    plain = render(JOB.replace("tensorboard: {logDir: /logs}", ""), tmp_path)
    assert setting(read_objects(helm3, plain), "TENSORBOARD") == ""


def test_a_framework_without_config_or_services_has_a_test_too(
    helm: str, chart: Path, tmp_path: Path
) -> None:
    """What a chart does not have is not checked."""
    bare = tmp_path / "mnist"
    shutil.copytree(chart, bare)
    place = bare / "templates/_tensorflow.tpl"
    roles = re.findall(r'define "mnist\.role\.(\w+)"', place.read_text("utf-8"))
    facts = {
        "framework": "Bare",
        "decides": {"role": "chief", "all": False},
        "roles": {role: {"container": "main", "replicas": 9} for role in roles},
    }
    defines = {"plan": json.dumps(facts), "configs": "[]", "rules": "[]", "services": "[]"}
    defines |= {"unmanaged": "", "lockName": "", "tensorboardLabels": "{}"}
    defines |= {f"role.{role}": "{}" for role in roles}
    texts = [
        f'{{{{ define "mnist.{name}" }}}}{text}{{{{ end }}}}\n' for name, text in defines.items()
    ]
    place.write_text("".join(texts), "utf-8")
    objects = read_objects(helm, bare, "--set", "rbac.create=false")
    assert "volumes" not in pod(objects)["spec"] or not pod(objects)["spec"]["volumes"]
    assert "service" not in setting(objects, "ROLES")
    assert (setting(objects, "CONFIG"), setting(objects, "HOSTS")) == ("", "")
