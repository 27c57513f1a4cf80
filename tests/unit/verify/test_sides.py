"""What `chartgen diff` compares: what each kind of word means, with a script in Helm's place."""

from pathlib import Path

import pytest

from chartgen.errors import RefusedError, UsageError
from chartgen.verify.comparison import sides
from chartgen.verify.comparison.sides import Side, SideOptions
from chartgen.world.helm import Helm, HelmValues

MANIFEST = """\
---
# Source: mnist/templates/jobs.yaml
apiVersion: batch/v1
kind: Job
metadata: {name: chief-aaaa-0}
"""
SCRIPT = """\
#!/bin/sh
echo "$@" >> "$0.log"
case "$1 $2" in
  "get manifest") cat "$0.manifest";;
  "get values") echo "image: mnist:1";;
  "template "*) cat "$0.manifest";;
esac
"""


@pytest.fixture
def helm(tmp_path: Path) -> Path:
    """A Helm that knows one release, and notes what it is asked."""
    path = tmp_path / "helm"
    path.write_text(SCRIPT)
    path.chmod(0o755)
    (tmp_path / "helm.manifest").write_text(MANIFEST)
    return path


def options(helm: Path, *, namespace: str = "", environment: str = "") -> SideOptions:
    values = HelmValues(namespace=namespace)
    return SideOptions(Helm(str(helm), (4, 0, 0)), values, environment=environment)


def calls(helm: Path) -> list[str]:
    return Path(f"{helm}.log").read_text().splitlines()


def names(side: Side) -> list[str]:
    return [manifest["metadata"]["name"] for manifest in side.objects]


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    folder = tmp_path / "charts/mnist"
    folder.mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: mnist\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("image: mnist:1\nroles: {worker: {replicas: 2}}\n")
    (folder / "values-staging.yaml").write_text("image: mnist:2\n")
    return folder


def test_a_release_on_a_cluster(helm: Path, tmp_path: Path) -> None:
    by_job = sides.sides("release:mnist", str(tmp_path), options(helm, namespace="ml"))
    assert names(by_job["mnist"]) == ["chief-aaaa-0"]
    assert by_job["mnist"].values == {"image": "mnist:1"}
    assert calls(helm) == [
        "get manifest mnist --namespace=ml",
        "get values mnist --all --output=yaml --namespace=ml",
    ]


def test_a_chart_with_the_values_of_an_environment(helm: Path, chart: Path, tmp_path: Path) -> None:
    """As a release has them: those of the chart, under those of the environment."""
    by_job = sides.sides(str(chart), str(tmp_path / "x"), options(helm, environment="staging"))
    assert by_job["mnist"].values == {"image": "mnist:2", "roles": {"worker": {"replicas": 2}}}
    assert "values-staging.yaml" in calls(helm)[0]
    plain = sides.sides(str(chart), str(tmp_path / "y"), options(helm))
    assert plain["mnist"].values == {"image": "mnist:1", "roles": {"worker": {"replicas": 2}}}


def test_a_directory_of_charts_and_manifests(helm: Path, chart: Path, tmp_path: Path) -> None:
    plain = chart.parent / "plain"
    plain.mkdir()
    (plain / "kustomization.yaml").write_text("resources: [jobs.yaml]\n")
    (plain / "jobs.yaml").write_text(MANIFEST)
    by_job = sides.sides(str(chart.parent), str(tmp_path / "x"), options(helm))
    assert {name: names(side) for name, side in by_job.items()} == {
        "mnist": ["chief-aaaa-0"],
        "plain": ["chief-aaaa-0"],
    }
    alone = sides.sides(str(plain), str(tmp_path / "y"), options(helm))
    assert {name: names(side) for name, side in alone.items()} == {"plain": ["chief-aaaa-0"]}


def test_what_there_is_not(helm: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no charts/gone; expected a chart, a package"):
        sides.sides("charts/gone", str(tmp_path), options(helm))


def test_what_helm_refuses_is_a_problem_of_the_chart(helm: Path, chart: Path) -> None:
    helm.write_text("#!/bin/sh\necho 'Error: values do not fit' >&2\nexit 1\n")
    with pytest.raises(RefusedError, match="values do not fit"):
        sides.render(str(chart), "mnist", options(helm))


def test_one_job_is_compared_whatever_its_name_is(helm: Path) -> None:
    side = Side([{"kind": "Job", "metadata": {"name": "chief"}, "spec": {}}], {"image": "mnist:1"})
    (changes,) = sides.compare({"release": side}, {"mnist": side._replace(values={"image": "m:2"})})
    assert (changes.name, changes.any) == ("mnist", False)
    assert [field.path for field in changes.values] == [("image",)]


def test_several_jobs_are_compared_by_their_names() -> None:
    side = Side([{"kind": "Job", "metadata": {"name": "chief"}, "spec": {}}])
    all_changes = sides.compare({"a": side, "b": side}, {"b": side, "c": side})
    assert [
        (changes.name, len(changes.gone), len(changes.added), changes.unchanged)
        for changes in all_changes
    ] == [("a", 1, 0, 0), ("b", 0, 0, 1), ("c", 0, 1, 0)]
