"""Angel's charts: what the client submits follows the values at install; what it may do; and what is to be removed."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import chart, pipeline
from chartgen.errors import InputError
from chartgen.k8s.quantities import in_words
from tests.support.charts import Objects, env, named, objects, pods, refusal, render, run

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
SUBMIT = Path(__file__).parents[1] / "corpus/native/angel-submit/a1-logistic-regression/angel-submit.sh"


@pytest.fixture
def lr(tmp_path: Path) -> Path:
    """The chart of a job."""
    return render(JOB, tmp_path)


def container(found: Objects) -> dict[str, Any]:
    """The client's."""
    (pod,) = pods(found, "client")
    (only,) = pod["spec"]["containers"]
    return dict(only)


def properties(found: Objects) -> dict[str, str]:
    """What angel-submit is given."""
    words = container(found)["args"]
    start = words.index("/opt/angel/bin/angel-submit") + 1
    assert all(word.startswith("-D") for word in words[start:])
    return dict(word.removeprefix("-D").split("=", 1) for word in words[start:])


def test_there_is_one_job_and_it_submits(helm: str, lr: Path) -> None:
    """By the image's own entrypoint, which runs what is no role of Angel's; never a second time."""
    found = objects(helm, lr)
    hooks = {"strays-upgrade-76no", "strays-delete-76no"}
    (job,) = [one for one in named(found, "Job") if one["metadata"]["name"] not in hooks]
    assert job["metadata"]["name"] == "client-76no-0"
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert container(found)["command"] == ["/opt/entrypoint.sh"]
    assert container(found)["args"][0] == "/opt/angel/bin/angel-submit"
    assert not named(found, "Service")


def test_roles_become_properties(helm: str, lr: Path) -> None:
    found = properties(objects(helm, lr, "-n", "angel-group"))
    assert {key: value for key, value in found.items() if "label" not in key} == {
        "angel.deploy.mode": "KUBERNETES",
        "angel.job.name": "lr",
        "angel.kubernetes.master": "https://kubernetes.default.svc:443",
        "angel.kubernetes.namespace": "angel-group",
        "angel.kubernetes.serviceaccount": "access-76no",
        "angel.kubernetes.container.image": "tencentangel/angel:v3.0.0",
        "angel.kubernetes.master.port": "9078",
        "angel.am.cpu.vcores": "1",
        "angel.am.memory.gb": "1",
        "angel.ps.number": "2",
        "angel.ps.cpu.vcores": "1",
        "angel.ps.memory.gb": "2",
        "angel.workergroup.number": "2",
        "angel.worker.cpu.vcores": "1",
        "angel.worker.memory.gb": "2",
        "angel.kubernetes.masterEnv._JAVA_OPTIONS": "-Xms768m -Xmx768m",
        "angel.kubernetes.executorEnv._JAVA_OPTIONS": "-Xms768m -Xmx768m",
        "angel.kubernetes.master.volumes.persistentVolumeClaim.data.mount.path": "/data",
        "angel.kubernetes.master.volumes.persistentVolumeClaim.data.options.claimName": "angel-data",
        "angel.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.path": "/data",
        "angel.kubernetes.executor.volumes.persistentVolumeClaim.data.options.claimName": "angel-data",
        "ml.epoch.num": "5",
        "ml.learn.rate": "0.01",
    }


@pytest.mark.parametrize(
    ("value", "key", "expected"),
    [
        ("roles.ps.replicas=7", "angel.ps.number", "7"),
        ("roles.worker.replicas=9", "angel.workergroup.number", "9"),
        ("roles.ps.resources.limits.memory=8Gi", "angel.ps.memory.gb", "8"),
        ("roles.worker.resources.requests.cpu=3", "angel.worker.cpu.vcores", "3"),
        ("roles.master.resources.limits.cpu=1500m", "angel.kubernetes.master.limit.cores", "1500m"),
        ("roles.master.port=9100", "angel.kubernetes.master.port", "9100"),
        ("image=angel:v3.1.0", "angel.kubernetes.container.image", "angel:v3.1.0"),
        ("imagePullPolicy=Always", "angel.kubernetes.container.image.pullPolicy", "Always"),
        ("env.A=1000000", "angel.kubernetes.executorEnv.A", "1000000"),
        ("roles.master.env.A=b", "angel.kubernetes.masterEnv.A", "b"),
        ("labels.team=ads", "angel.kubernetes.executor.label.team", "ads"),
        ("annotations.team=ads", "angel.kubernetes.master.annotation.team", "ads"),
        ("volumeMounts[0].mountPath=/in,volumeMounts[0].name=data",
         "angel.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.path", "/in"),
        ("volumes[0].name=data,volumes[0].persistentVolumeClaim.claimName=other",
         "angel.kubernetes.master.volumes.persistentVolumeClaim.data.options.claimName", "other"),
        ("serviceAccountName=mine", "angel.kubernetes.serviceaccount", "mine"),
        ("angel.apiServer=https://10.0.0.1:6443", "angel.kubernetes.master", "https://10.0.0.1:6443"),
        (r"angel.properties.ml\.epoch\.num=6", "ml.epoch.num", "6"),
        ("angel.executorClassPath=/opt/x", "angel.kubernetes.executor.extraClassPath", "/opt/x"),
    ],
)  # fmt: skip
def test_what_is_turned_at_install_is_what_angel_is_told(
    helm: str, lr: Path, value: str, key: str, expected: str
) -> None:
    assert properties(objects(helm, lr, "--set", value))[key] == expected


def test_the_runtime_id_follows_what_angel_is_told(helm3: str, tmp_path: Path) -> None:
    """A Job cannot be changed, and a count stands in its words."""
    own = render(JOB.replace("runtimeId: 76no\n", ""), tmp_path)
    names = {
        pods(objects(helm3, own, *turned), "client")[0]["metadata"]["labels"]["chartgen/runtime-id"]
        for turned in ((), ("--set", "roles.ps.replicas=3"), ("--set", "roles.worker.resources.limits.memory=3Gi"))
    }
    assert len(names) == 3


def test_secrets_come_as_variables_and_as_files(helm: str, lr: Path) -> None:
    given = "volumes[0].name=data,volumes[0].secret.secretName=keytab,volumeMounts[0].name=data"
    key = "env.PASSWORD.valueFrom.secretKeyRef"
    found = objects(helm, lr, "--set", f"{given},volumeMounts[0].mountPath=/etc/keytab,{key}.name=db,{key}.key=word")
    told = properties(found)
    for maker in ("master", "executor"):
        assert told[f"angel.kubernetes.{maker}.secrets.keytab"] == "/etc/keytab"
        assert told[f"angel.kubernetes.{maker}.secretKeyRef.PASSWORD"] == "db:word"
    assert env(pods(found, "client")[0])["PASSWORD"] == {"secretKeyRef": {"name": "db", "key": "word"}}


def test_a_claim_that_is_read_only_is_mounted_so(helm3: str, lr: Path) -> None:
    claim = "volumes[0].persistentVolumeClaim"
    told = properties(objects(helm3, lr, "--set", f"volumes[0].name=data,{claim}.claimName=c,{claim}.readOnly=true"))
    assert told["angel.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.readOnly"] == "true"


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("roles.ps.resources.limits.memory=1500Mi", "roles.ps.resources: 1500Mi of memory; Angel counts in whole CPUs"),
        ("roles.worker.resources.requests.cpu=500m", "roles.worker.resources: 500m of cpu; Angel counts in whole CPUs"),
        (r"roles.worker.resources.limits.nvidia\.com/gpu=1", "roles.worker: Angel asks for CPUs and memory only"),
        ("roles.ps.env.A=b", "Angel has one set of env for roles.ps and roles.worker"),
        (
            "env.A.valueFrom.fieldRef.fieldPath=status.podIP",
            "env.A: Angel gives its pods values and keys of Secrets only",
        ),
        ("volumes[0].name=data,volumes[0].configMap.name=c", "Angel mounts no configMap into the pods that it makes"),
        ("angel.hadoop.a=b,angel.hadoopConfigMap=c", "angel.hadoop and angel.hadoopConfigMap both give"),
        ("roles.ps.nodeSelector.a=b", "nodeSelector"),
        ("roles.master.replicas=2", "roles"),
        ("roles.ps.replicas=0", "roles"),
        (r"angel.properties.angel\.ps\.number=3", "angel.ps.number"),
        ("image=", "image"),
        ("angel.apiServer=https://10.0.0.1", "angel"),
    ],
)
def test_what_angel_cannot_be_told_is_refused_at_install(helm: str, lr: Path, value: str, why: str) -> None:
    assert why in refusal(helm, lr, "--set", value)


def test_what_kubernetes_would_fill_in_is_kept(helm3: str, lr: Path) -> None:
    told = properties(objects(helm3, lr, "--set-string", "angel.properties.a=$(B) ${C} $$(D) {{ E }}"))
    assert told["a"] == "$$(B) $${C} $$$$(D) {{ E }}", "two dollars are one to Kubernetes"


def test_angel_may_make_pods_and_a_config_map_and_no_more(helm: str, lr: Path) -> None:
    found = objects(helm, lr)
    (role,) = named(found, "Role", "access-")
    assert {(*rule["resources"], *rule["verbs"]) for rule in role["rules"]} == {
        ("pods", "create", "get", "list", "watch", "delete"),
        ("configmaps", "create", "get"),
    }
    (account,) = named(found, "ServiceAccount", "access-")
    (pod,) = pods(found, "client")
    assert pod["spec"]["serviceAccountName"] == account["metadata"]["name"]
    assert "automountServiceAccountToken" not in pod["spec"]


def test_an_account_of_ones_own_is_given_the_role(helm3: str, lr: Path) -> None:
    found = objects(helm3, lr, "--set", "serviceAccountName=mine")
    assert not named(found, "ServiceAccount", "access-")
    (binding,) = named(found, "RoleBinding", "access-")
    assert [subject["name"] for subject in binding["subjects"]] == ["mine"]
    assert not named(objects(helm3, lr, "--set", "rbac.create=false"), "Role")


def test_pods_that_angel_makes_get_the_passwords_of_registries_by_their_account(helm3: str, lr: Path) -> None:
    found = objects(helm3, lr, "--set", "imagePullSecrets[0].name=registry")
    (account,) = named(found, "ServiceAccount", "access-")
    assert account["imagePullSecrets"] == [{"name": "registry"}]


def test_what_angel_makes_is_found_again_and_removed(helm: str, lr: Path) -> None:
    """The hooks select what the client labels, by a label that Angel sets itself, and nothing else of the release."""
    found = objects(helm, lr, release="mine")
    told = properties(found)
    for hook in named(found, "Job", "strays-"):
        assert env(hook["spec"]["template"])["STRAYS"] == "app.kubernetes.io/instance=mine,angel-role"
    for maker in ("master", "executor"):
        prefix = f"angel.kubernetes.{maker}.label."
        labels = {key.removeprefix(prefix): value for key, value in told.items() if key.startswith(prefix)}
        assert labels.items() >= {"app.kubernetes.io/instance": "mine", "chartgen/runtime-id": "76no"}.items()
        assert not labels.keys() & {"angel-role", "angel-app-selector", "angel-exec-id"}
    assert "angel-role" not in pods(found, "client")[0]["metadata"]["labels"]


def test_no_label_of_ones_own_hides_a_pod(helm3: str, lr: Path) -> None:
    told = properties(objects(helm3, lr, "--set", r"labels.app\.kubernetes\.io/instance=other"))
    assert told["angel.kubernetes.executor.label.app.kubernetes.io/instance"] == "demo"


def test_hadoops_configuration_is_on_the_clients_class_path(helm: str, lr: Path, tmp_path: Path) -> None:
    """As texts, of which the chart makes a ConfigMap; from there the client hands it on to all others."""
    site = tmp_path / "core-site.xml"
    site.write_text("<configuration/>")
    found = objects(
        helm, lr, "--set-file", rf"angel.hadoop.core-site\.xml={site}", "--set", "angel.masterClassPath=/opt/h/*"
    )
    (config,) = named(found, "ConfigMap")
    assert config["data"] == {"core-site.xml": "<configuration/>"}
    only = container(found)
    assert only["args"][:3] == ["env", "HADOOP_CONF_DIR=/etc/hadoop/conf", "CLASSPATH=/etc/hadoop/conf:/opt/h/*"]
    assert {"name": "hadoop", "mountPath": "/etc/hadoop/conf"} in only["volumeMounts"]
    volumes = {volume["name"]: volume for volume in pods(found, "client")[0]["spec"]["volumes"]}
    assert volumes["hadoop"]["configMap"] == {"name": config["metadata"]["name"]}
    assert properties(found)["angel.kubernetes.master.extraClassPath"] == "/opt/h/*"
    (test,) = named(found, "Pod", "test-")
    assert env(test)["CONFIG"] == f"{config['metadata']['name']}/core-site.xml", "helm test looks for it"
    (test,) = named(objects(helm, lr), "Pod", "test-")
    assert env(test)["CONFIG"] == ""
    assert "config" not in [volume["name"] for volume in test["spec"].get("volumes", ())]


def test_hadoops_configuration_may_be_a_config_map_that_is_there(helm3: str, lr: Path) -> None:
    found = objects(helm3, lr, "--set", "angel.hadoopConfigMap=hadoop-conf,roles.client.env.CLASSPATH=/mine")
    assert not named(found, "ConfigMap")
    assert container(found)["args"][2] == "CLASSPATH=/etc/hadoop/conf:$(CLASSPATH)"
    volumes = {volume["name"]: volume for volume in pods(found, "client")[0]["spec"]["volumes"]}
    assert volumes["hadoop-config-map"]["configMap"] == {"name": "hadoop-conf"}


def test_a_configuration_that_no_config_map_holds_is_forecast() -> None:
    text = JOB + f"  hadoop: {{core-site.xml: '{'x' * 1_048_577}'}}\n"
    (document,) = pipeline.read(text.encode(), "job.yaml")
    with pytest.raises(InputError, match="the ConfigMap 'hadoop' would hold 1,048,577 bytes"):
        pipeline.check(document)


def test_angel_may_be_elsewhere_in_the_image(helm3: str, lr: Path) -> None:
    found = objects(helm3, lr, "--set", "angel.home=/srv/angel,roles.client.command={/bin/bash}")
    assert container(found)["command"] == ["/bin/bash"]
    assert container(found)["args"][0] == "/srv/angel/bin/angel-submit"


def test_the_sum_counts_what_angel_makes_and_its_defaults(helm4: str, tmp_path: Path) -> None:
    """9 GB and 5 cores, says the manual of its example; and one pod more, which submits."""
    (document,) = pipeline.read(SUBMIT.read_bytes(), "angel-submit.sh")
    checked = pipeline.check(document)
    asks = "6 pods, 5 CPUs, 9 GiB memory"
    assert in_words(chart.asks(checked.job, checked.plan)) == asks
    assert asks in pipeline.render(checked)["README.md"]
    notes = run(helm4, "install", "demo", render(SUBMIT.read_text(), tmp_path), "--dry-run=client").stdout
    assert f"It asks the cluster for {asks}." in notes
    assert "kubectl -n default get pods -l 'app.kubernetes.io/instance=demo,angel-role'" in notes
    bare = JOB.replace("{resources: {limits: {memory: 1Gi}}}", "{}").replace(", resources: {limits: {memory: 2Gi}}", "")
    (document,) = pipeline.read(bare.encode(), "job.yaml")
    checked = pipeline.check(document)
    assert in_words(chart.asks(checked.job, checked.plan)) == "6 pods, 5 CPUs, 18 GiB memory"


def test_a_first_job_can_be_made(tmp_path: Path) -> None:
    """All roles are there, and only the heap is warned of."""
    text = "name: first\nframework: angel\nimage: a:1\nroles: {client: {}, master: {}, ps: {}, worker: {}}\n"
    (document,) = pipeline.read(text.encode(), "job.yaml")
    assert [problem.rule for problem in pipeline.check(document).warnings] == ["heap"]


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
def test_only_a_tag_of_angels_own_tells_its_version(image: str, warned: bool) -> None:
    (document,) = pipeline.read(JOB.replace("tencentangel/angel:v3.0.0", image).encode(), "job.yaml")
    assert [problem.rule for problem in pipeline.check(document).warnings] == ["angel-version"] * warned


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
        ("angel.kubernetes.namespace", "the namespace that the chart is installed in"),
        ("angel.kubernetes.serviceaccount", "serviceAccountName"),
        ("angel.deploy.mode", "no such property"),
        ("angel.kubernetes.executor.role", "no such property"),
    ],
)
def test_a_property_that_a_field_stands_for_is_refused_with_that_field(key: str, meant: str) -> None:
    text = JOB.replace("ml.epoch.num: 5", f"{key}: '1'")
    (document,) = pipeline.read(text.encode(), "job.yaml")
    with pytest.raises(InputError) as refused:
        pipeline.check(document)
    (problem,) = [problem for problem in refused.value.problems if problem.severity == "error"]
    assert problem.message.startswith(f'angel.properties["{key}"]: expected ')
    assert meant in problem.message


def test_the_notes_say_what_an_account_of_ones_own_must_be_allowed(helm4: str, lr: Path) -> None:
    """Without these rights not even an uninstall would work; a chart that makes its own account says nothing."""
    own = ("--set", "rbac.create=false,serviceAccountName=mine")
    notes = run(helm4, "install", "demo", lr, "--dry-run=client", *own).stdout.partition("NOTES:\n")[2]
    rules = "pods (create, get, list, watch, delete), configmaps (create, get)"
    assert f"  its pods: {rules}\n" in notes
    assert "  mine, which removes what is made at run time: jobs (list, delete), pods (list, delete)\n" in notes
    assert "rbac.create" not in run(helm4, "install", "demo", lr, "--dry-run=client").stdout.partition("NOTES:\n")[2]
