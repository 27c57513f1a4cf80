"""Angel: what is forecast, warned about and refused before a chart is made."""

from pathlib import Path

import pytest

from chartgen import pipeline
from chartgen.errors import InputError

JOB = """\
name: lr
framework: angel
image: tencentangel/angel:v3.0.0
runtimeId: 76no
env: {_JAVA_OPTIONS: -Xms768m -Xmx768m}
volumes: [{name: data, persistentVolumeClaim: {claimName: angel-data}}]
volumeMounts: [{name: data, mountPath: /data}]
roles:
  client: {}
  master: {resources: {limits: {memory: 1Gi}}}
  ps: {replicas: 2, resources: {limits: {memory: 2Gi}}}
  worker: {replicas: 2, resources: {limits: {memory: 2Gi}}}
angel:
  properties: {ml.epoch.num: 5, ml.learn.rate: 0.01}
"""


def test_a_configuration_too_large_for_a_config_map_is_reported() -> None:
    text = JOB + f"  hadoop: {{core-site.xml: '{'x' * 1_048_577}'}}\n"
    (document,) = pipeline.read(text.encode(), "job.yaml")
    with pytest.raises(InputError, match="the ConfigMap 'hadoop' would have 1,048,577 bytes"):
        pipeline.check(document)


def test_a_minimal_job_has_only_a_warning(tmp_path: Path) -> None:
    """All roles are there, and the only warning is about the heap."""
    text = (
        "name: first\nframework: angel\nimage: a:1\n"
        "roles: {client: {}, master: {}, ps: {}, worker: {}}\n"
    )
    (document,) = pipeline.read(text.encode(), "job.yaml")
    assert [problem.rule for problem in pipeline.check(document).warnings] == [
        "angel-heap-fills-pod"
    ]


def test_the_jobs_that_remove_pods_have_names_too() -> None:
    """They are the longest of the chart: 'strays-upgrade-' and the id."""
    text = f"{JOB}namePrefix: {'p' * 40}\n"
    (document,) = pipeline.read(text.replace("76no", "a" * 8).encode(), "job.yaml")
    pipeline.check(document)
    (document,) = pipeline.read(text.replace("76no", "a" * 9).encode(), "job.yaml")
    with pytest.raises(InputError, match="pstrays-upgrade-aaaaaaaaa' has 64 characters"):
        pipeline.check(document)


@pytest.mark.parametrize(
    ("image", "warned"),
    [
        ("tencentangel/angel:v3.0.0", False),
        ("tencentangel/angel:v3.1.0", False),
        ("tencentangel/angel:v3.2.0", True),
        ("tencentangel/angel:3.3", True),
        ("registry.example.com/angel-hadoop:4.0.1-2", True),
        ("registry.example.com:5000/angel/ctr:4.0", False),
        ("registry.example.com/ctr:4.0", False),
        ("tencentangel/angel", False),
    ],
)
def test_only_a_tag_of_angels_own_image_tells_its_version(image: str, warned: bool) -> None:
    (document,) = pipeline.read(
        JOB.replace("tencentangel/angel:v3.0.0", image).encode(), "job.yaml"
    )
    rules = [problem.rule for problem in pipeline.check(document).warnings]
    assert ("angel-image-version" in rules) == warned


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("angel.ps.number", "roles.ps.replicas"),
        ("angel.workergroup.number", "roles.worker.replicas"),
        ("angel.am.memory.gb", "resources of roles.master"),
        ("angel.kubernetes.worker.limit.cores", "resources of roles.master"),
        ("angel.kubernetes.container.image.pullPolicy", "imagePullPolicy"),
        ("angel.kubernetes.executor.volumes.hostPath.a.mount.path", "volumeMounts"),
        ("angel.kubernetes.masterEnv.A", "env"),
        ("angel.kubernetes.executor.extraClassPath", "angel.executorClassPath"),
        ("angel.kubernetes.master.port", "roles.master.port"),
        ("angel.kubernetes.master", "angel.apiServer"),
        ("angel.kubernetes.namespace", "the namespace of the release instead"),
        ("angel.kubernetes.serviceaccount", "serviceAccountName"),
        ("angel.deploy.mode", "no such property"),
        ("angel.kubernetes.executor.role", "no such property"),
    ],
)
def test_a_property_that_has_a_field_is_refused_and_the_field_is_named(
    key: str, meant: str
) -> None:
    text = JOB.replace("ml.epoch.num: 5", f"{key}: '1'")
    (document,) = pipeline.read(text.encode(), "job.yaml")
    with pytest.raises(InputError) as refused:
        pipeline.check(document)
    (problem,) = [problem for problem in refused.value.problems if problem.severity == "error"]
    assert problem.message.startswith(f'angel.properties["{key}"]: expected ')
    assert meant in problem.message
