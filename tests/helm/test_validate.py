"""Wrong values are refused first, by templates/validate/values.yaml, which names the value."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.charts import pods, read_objects, refusal, render, run, template
from tests.support.fake_cluster import NAMESPACE, StandIn, started

JOB = """\
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
tensorboard: {logDir: /logs}
cleanup: {enabled: true}
roles:
  chief: {}
  worker: {replicas: 3, overrides: {"2": {workingDir: /two}}}
  ps: {replicas: 0}
"""
OVERRIDES = "roles.worker.overrides"
PLACE = "execution error at (mnist/templates/validate/values.yaml:"


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("validate"))


@pytest.fixture(scope="module")
def cluster(helm3: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    with started(tmp_path_factory.mktemp("cluster"), helm3) as stand_in:
        yield stand_in


WRONG_OVERRIDES = [
    (f"{OVERRIDES}.9.image=x", "9: roles.worker has no replica 9; expected indices up to 2"),
    (f"{OVERRIDES}.3-4.image=x", "3-4: roles.worker has no replica 4; expected indices up to 2"),
    (f"{OVERRIDES}.9.image=x,roles.worker.replicas=9", "9: roles.worker has no replica 9"),
    (f"{OVERRIDES}.3.image=x,roles.worker.replicas=1", "3: roles.worker has no replica 3"),
    (f"{OVERRIDES}.1-0.image=x", "1-0: the range ends before it starts; expected the lower index"),
    (f"{OVERRIDES}.1-2.image=x", "overrides: 1-2 and 2 both name index 2"),
    ("roles.ps.overrides.0.image=x", "0: roles.ps has no replica 0; expected no override, because"),
]


@pytest.mark.parametrize(("setting", "sentence"), WRONG_OVERRIDES)
def test_an_override_of_no_replica_is_refused(
    setting: str, sentence: str, helm: str, chart: Path
) -> None:
    """Its index is beyond what the chart had and what the release has, or it is not a range."""
    said = refusal(helm, chart, "--set", setting)
    assert sentence in said
    assert PLACE in said


@pytest.mark.parametrize("key", ["x", "1-", "-1", "01", "1-2-3", "1.5"])
def test_an_index_that_is_not_a_number_is_refused(key: str, helm: str, chart: Path) -> None:
    """By the schema of the values, which names the key and where it is."""
    said = refusal(helm, chart, "--set", f"{OVERRIDES}.{key.replace('.', chr(92) + '.')}.image=x")
    assert f"Additional property {key} is" in said or f"properties '{key}' not allowed" in said
    assert "overrides" in said


@pytest.mark.parametrize(
    ("setting", "count"),
    [
        ("roles.worker.replicas=1", 1),
        ("roles.worker.replicas=0", 0),
        (f"{OVERRIDES}.0-1.image=x,roles.worker.replicas=2", 2),
        (f"{OVERRIDES}.8.image=x,roles.worker.replicas=9", 9),
    ],
)
def test_an_override_that_scaling_down_leaves_over_is_kept(
    setting: str, count: int, helm: str, chart: Path
) -> None:
    """Scaling up again uses it; and one may come with the replicas that it is for."""
    assert len(pods(read_objects(helm, chart, "--set", setting), "worker")) == count


@pytest.mark.parametrize(("setting", "sentence"), [WRONG_OVERRIDES[0], ("cloud=azur", "azur")])
def test_an_install_is_refused_as_a_rendering_is(
    setting: str, sentence: str, helm: str, chart: Path, cluster: StandIn
) -> None:
    place = ("--kube-apiserver", cluster.url, "--namespace", NAMESPACE, "--dry-run=server")
    done = run(helm, "install", "demo", chart, *place, "--set", setting)
    assert done.returncode != 0
    assert sentence in done.stderr
    assert PLACE in done.stderr


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("cloud=azur", "cloud: no cloud is named azur; expected one of ack,"),
        ("roles.worker.gpu=1,roles.worker.accelerator.type=h100", "requests devices by gpu and by"),
        ("env.A=$(B),env.B=$(A)", "roles.chief.env: A refers to itself"),
        (f"namePrefix={'a' * 41},runtimeId={'b' * 14}", f"the name {'a' * 41}worker-"),
        (f"namePrefix={'a' * 40},runtimeId={'b' * 12}", f"the name {'a' * 40}tensorboard-"),
        ("image=null", "chief.image or image must be set"),
        ("image=null,roles.chief.image=a,roles.worker.image=a,roles.ps.image=a", "tensorboard.im"),
        (f"runtimeId={'7' * 16},roles.worker.replicas=4200", "Linux allows 131072"),
    ],
)
def test_a_wrong_value_is_found_before_anything_is_rendered(
    setting: str, sentence: str, helm: str, chart: Path
) -> None:
    """Not by whichever template comes across it first."""
    said = refusal(helm, chart, "--set", setting)
    assert sentence in said
    assert PLACE in said


def test_checking_the_values_prints_nothing(helm: str, chart: Path) -> None:
    only = ("--show-only", "templates/validate/values.yaml")
    done = run(helm, "template", "demo", chart, *only)
    assert "could not find template" in done.stderr, "Helm leaves out what is empty"
    assert "validate" not in template(helm, chart)
