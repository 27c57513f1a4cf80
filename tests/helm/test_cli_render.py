"""`chartgen render`, with the real Helm reading what it wrote."""

import pytest
import yaml

from chartgen.world import files as tree
from tests.support.charts import run as run_helm
from tests.support.command_line import Typist

pytestmark = pytest.mark.usefixtures("resident_helm")


def test_helm_accepts_the_chart(typed: Typist, helm: str) -> None:
    typed.job()
    typed("render", "mnist.yaml", "-o", "out")
    assert run_helm(helm, "lint", "--strict", typed.folder / "out/mnist").returncode == 0


def test_manifests_contain_nothing_of_helm(typed: Typist, helm: str) -> None:
    typed.job()
    code, out, err = typed(
        "render", "mnist.yaml", "-o", "out", "--format", "manifests", "--helm", helm
    )
    assert (code, out) == (0, "")
    written = typed.tree("out/mnist")
    assert err == (
        f"out/mnist: {len(written) - 1} files written, requests 3 pods\n"
        "next: kubectl apply -k out/mnist\n"
    )
    text = "".join(written.values()).lower()
    assert "helm.sh" not in text
    assert "managed-by: helm" not in text
    assert "managed-by: chartgen" in text
    listed = yaml.safe_load(written.pop("kustomization.yaml"))["resources"]
    assert listed == sorted(written.keys() - {tree.MANIFEST})
    kinds = sorted({name.partition("-")[0] for name in listed})
    assert kinds == ["configmap", "job", "service"]


def test_manifests_accept_helms_options(typed: Typist, helm3: str) -> None:
    typed.job()
    (typed.folder / "more.yaml").write_text("roles: {worker: {replicas: 1}}\n")
    words = [
        "--format=manifests",
        "--release",
        "demo",
        "-n",
        "ml",
        "-f",
        "more.yaml",
        "--set",
        "runtimeId=abcd",
    ]
    code, out, err = typed("render", "mnist.yaml", "-o", "-", *words, "--helm", helm3)
    assert (code, err) == (0, "")
    objects = list(yaml.safe_load_all(out))
    names = [manifest["metadata"]["name"] for manifest in objects if manifest["kind"] == "Job"]
    assert names == ["chief-abcd-0", "worker-abcd-0"]
    assert {manifest["metadata"]["namespace"] for manifest in objects} == {"ml"}
    assert {
        manifest["metadata"]["labels"]["app.kubernetes.io/instance"] for manifest in objects
    } == {"demo"}


def test_manifests_do_not_depend_on_the_current_cluster(
    typed: Typist, helm3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed.job()
    words = ("render", "mnist.yaml", "-o", "-", "--format=manifests", "--helm", helm3)
    plain = typed(*words).out
    monkeypatch.setenv("HELM_NAMESPACE", "elsewhere")
    assert typed(*words).out == plain


def test_manifests_can_be_checked(typed: Typist, helm3: str) -> None:
    typed.job()
    words = ("render", "mnist.yaml", "-o", "out", "--format=manifests", "--helm", helm3)
    assert typed(*words, "--check").code == 1
    assert typed(*words).code == 0
    assert typed(*words, "--check") == (0, "", "1 up to date\n")


def test_what_helm_refuses_is_reported_in_helms_words_and_leaves_nothing(
    typed: Typist, helm3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed.job()
    (typed.folder / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(typed.folder / "tmp"))
    words = ("--format=manifests", "--helm", helm3, "--set", "roles.worker.replica=2")
    code, out, err = typed("render", "mnist.yaml", "-o", "out", *words)
    assert (code, out) == (1, "")
    assert (
        "Additional property replica is not allowed" in err
        or "additional properties 'replica' not allowed" in err
    )
    assert not (typed.folder / "out").exists()
    assert list((typed.folder / "tmp").iterdir()) == []


def test_a_missing_temporary_directory_is_reported(
    typed: Typist, helm3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed.job()
    monkeypatch.setattr("tempfile.tempdir", str(typed.folder / "none"))
    code, _, err = typed("render", "mnist.yaml", "-o", "out", "--format=manifests", "--helm", helm3)
    assert (code, err) == (
        3,
        "chartgen: cannot make a temporary directory: No such file or directory; see TMPDIR\n",
    )
