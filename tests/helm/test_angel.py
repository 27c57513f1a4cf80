"""Angel's charts: what the client submits, what it may do, and what is removed."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import pipeline
from chartgen.k8s.quantities import in_words
from tests.support.charts import (
    Objects,
    env,
    named,
    pods,
    read_objects,
    refusal,
    render,
    run,
    template,
)
from tests.support.paths import CORPUS
from tests.unit.frameworks.test_angel import JOB

SUBMIT = CORPUS / "native/angel-submit/a1-logistic-regression/angel-submit.sh"


@pytest.fixture
def lr(tmp_path: Path) -> Path:
    """The chart of a job."""
    return render(JOB, tmp_path)


def container(objects: Objects) -> dict[str, Any]:
    """The client's container."""
    (pod,) = pods(objects, "client")
    (only,) = pod["spec"]["containers"]
    return dict(only)


def properties(objects: Objects) -> dict[str, str]:
    """The properties that angel-submit gets."""
    words = container(objects)["args"]
    start = words.index("/opt/angel/bin/angel-submit") + 1
    assert all(word.startswith("-D") for word in words[start:])
    return dict(word.removeprefix("-D").split("=", 1) for word in words[start:])


def test_there_is_one_job_and_it_submits(helm: str, lr: Path) -> None:
    """With the image's own entrypoint, which runs any command but role names; never twice."""
    objects = read_objects(helm, lr)
    hooks = {"strays-upgrade-76no", "strays-delete-76no"}
    (job,) = [job for job in named(objects, "Job") if job["metadata"]["name"] not in hooks]
    assert job["metadata"]["name"] == "client-76no-0"
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert container(objects)["command"] == ["/opt/entrypoint.sh"]
    assert container(objects)["args"][0] == "/opt/angel/bin/angel-submit"
    assert not named(objects, "Service")


def test_too_long_a_name_of_what_removes_pods_is_found_first(helm: str, lr: Path) -> None:
    """In the template that checks the values, as all other names."""
    fits, long = f"namePrefix={'p' * 40},runtimeId={'a' * 8}", f"runtimeId={'a' * 9}"
    assert f"{'p' * 40}strays-upgrade-{'a' * 8}" in template(helm, lr, "--set", fits)
    said = refusal(helm, lr, "--set", f"{fits},{long}")
    assert "strays-upgrade-aaaaaaaaa has 64 characters" in said
    assert "templates/validate/values.yaml" in said


def test_roles_become_properties(helm: str, lr: Path) -> None:
    claim = "volumes.persistentVolumeClaim.data"
    passed = properties(read_objects(helm, lr, "-n", "angel-group"))
    assert {key: value for key, value in passed.items() if "label" not in key} == {
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
        f"angel.kubernetes.master.{claim}.mount.path": "/data",
        f"angel.kubernetes.master.{claim}.options.claimName": "angel-data",
        f"angel.kubernetes.executor.{claim}.mount.path": "/data",
        f"angel.kubernetes.executor.{claim}.options.claimName": "angel-data",
        "ml.epoch.num": "5",
        "ml.learn.rate": "0.01",
    }


# Values that become properties of their own: one run of Helm shows all of them.
AT_INSTALL = [
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
    ("angel.apiServer=https://10.0.0.1:6443",
     "angel.kubernetes.master", "https://10.0.0.1:6443"),
    (r"angel.properties.ml\.epoch\.num=6", "ml.epoch.num", "6"),
    ("angel.executorClassPath=/opt/x", "angel.kubernetes.executor.extraClassPath", "/opt/x"),
]  # fmt: skip


def test_values_at_install_become_properties(helm: str, lr: Path) -> None:
    settings = [word for value, _, _ in AT_INSTALL for word in ("--set", value)]
    passed = properties(read_objects(helm, lr, *settings))
    expected = {key: text for _, key, text in AT_INSTALL}
    assert {key: passed.get(key) for key in expected} == expected
    before = properties(read_objects(helm, lr))
    assert {key for key in expected if before.get(key) == expected[key]} == set()


def test_the_runtime_id_follows_the_properties(helm3: str, tmp_path: Path) -> None:
    """A Job cannot be changed, and its arguments contain the counts."""
    own = render(JOB.replace("runtimeId: 76no\n", ""), tmp_path)
    names = {
        pods(read_objects(helm3, own, *turned), "client")[0]["metadata"]["labels"][
            "chartgen/runtime-id"
        ]
        for turned in (
            (),
            ("--set", "roles.ps.replicas=3"),
            ("--set", "roles.worker.resources.limits.memory=3Gi"),
        )
    }
    assert len(names) == 3


def test_secrets_become_variables_and_files(helm: str, lr: Path) -> None:
    given = "volumes[0].name=data,volumes[0].secret.secretName=keytab,volumeMounts[0].name=data"
    key = "env.PASSWORD.valueFrom.secretKeyRef"
    objects = read_objects(
        helm,
        lr,
        "--set",
        f"{given},volumeMounts[0].mountPath=/etc/keytab,{key}.name=db,{key}.key=word",
    )
    passed = properties(objects)
    for maker in ("master", "executor"):
        assert passed[f"angel.kubernetes.{maker}.secrets.keytab"] == "/etc/keytab"
        assert passed[f"angel.kubernetes.{maker}.secretKeyRef.PASSWORD"] == "db:word"
    assert env(pods(objects, "client")[0])["PASSWORD"] == {
        "secretKeyRef": {"name": "db", "key": "word"}
    }


def test_a_read_only_claim_is_mounted_read_only(helm3: str, lr: Path) -> None:
    claim = "volumes[0].persistentVolumeClaim"
    passed = properties(
        read_objects(
            helm3, lr, "--set", f"volumes[0].name=data,{claim}.claimName=c,{claim}.readOnly=true"
        )
    )
    assert (
        passed["angel.kubernetes.executor.volumes.persistentVolumeClaim.data.mount.readOnly"]
        == "true"
    )


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (
            "roles.ps.resources.limits.memory=1500Mi",
            "roles.ps.resources: 1500Mi of memory; Angel only supports whole CPUs",
        ),
        (
            "roles.worker.resources.requests.cpu=500m",
            "roles.worker.resources: 500m of cpu; Angel only supports whole CPUs",
        ),
        (
            r"roles.worker.resources.limits.nvidia\.com/gpu=1",
            "roles.worker: Angel can only request CPUs and memory",
        ),
        ("roles.ps.env.A=b", "Angel sets env for roles.ps and roles.worker together"),
        (
            "env.A.valueFrom.fieldRef.fieldPath=status.podIP",
            "env.A: Angel can only set values and keys of Secrets",
        ),
        (
            "volumes[0].name=data,volumes[0].configMap.name=c",
            "Angel cannot mount a configMap in its pods",
        ),
        (
            "angel.hadoop.a=b,angel.hadoopConfigMap=c",
            "angel.hadoop and angel.hadoopConfigMap are both set",
        ),
        ("roles.ps.nodeSelector.a=b", "nodeSelector"),
        ("roles.master.replicas=2", "roles"),
        ("roles.ps.replicas=0", "roles"),
        (r"angel.properties.angel\.ps\.number=3", "angel.ps.number"),
        ("image=", "image"),
        ("angel.apiServer=https://10.0.0.1", "angel"),
    ],
)
def test_what_angel_has_no_property_for_is_refused_at_install(
    helm: str, lr: Path, value: str, why: str
) -> None:
    assert why in refusal(helm, lr, "--set", value)


def test_what_kubernetes_would_expand_is_escaped(helm3: str, lr: Path) -> None:
    passed = properties(
        read_objects(helm3, lr, "--set-string", "angel.properties.a=$(B) ${C} $$(D) {{ E }}")
    )
    assert passed["a"] == "$$(B) $${C} $$$$(D) {{ E }}", "two dollars are one to Kubernetes"


def test_angel_may_create_pods_and_a_config_map_and_no_more(helm: str, lr: Path) -> None:
    objects = read_objects(helm, lr)
    (role,) = named(objects, "Role", "access-")
    assert {(*rule["resources"], *rule["verbs"]) for rule in role["rules"]} == {
        ("pods", "create", "get", "list", "watch", "delete"),
        ("configmaps", "create", "get"),
    }
    (account,) = named(objects, "ServiceAccount", "access-")
    (pod,) = pods(objects, "client")
    assert pod["spec"]["serviceAccountName"] == account["metadata"]["name"]
    assert "automountServiceAccountToken" not in pod["spec"]


def test_the_jobs_own_service_account_gets_the_role(helm3: str, lr: Path) -> None:
    objects = read_objects(helm3, lr, "--set", "serviceAccountName=mine")
    assert not named(objects, "ServiceAccount", "access-")
    (binding,) = named(objects, "RoleBinding", "access-")
    assert [subject["name"] for subject in binding["subjects"]] == ["mine"]
    assert not named(read_objects(helm3, lr, "--set", "rbac.create=false"), "Role")


def test_pods_created_by_angel_get_pull_secrets_from_their_account(helm3: str, lr: Path) -> None:
    objects = read_objects(helm3, lr, "--set", "imagePullSecrets[0].name=registry")
    (account,) = named(objects, "ServiceAccount", "access-")
    assert account["imagePullSecrets"] == [{"name": "registry"}]


def test_pods_created_by_angel_are_selected_and_removed(helm: str, lr: Path) -> None:
    """By the release's label, which the client passes on, and by one that Angel sets itself."""
    objects = read_objects(helm, lr, release="mine")
    passed = properties(objects)
    for hook in named(objects, "Job", "strays-"):
        assert (
            env(hook["spec"]["template"])["STRAYS"] == "app.kubernetes.io/instance=mine,angel-role"
        )
    for maker in ("master", "executor"):
        prefix = f"angel.kubernetes.{maker}.label."
        labels = {
            key.removeprefix(prefix): value
            for key, value in passed.items()
            if key.startswith(prefix)
        }
        assert (
            labels.items()
            >= {"app.kubernetes.io/instance": "mine", "chartgen/runtime-id": "76no"}.items()
        )
        assert not labels.keys() & {"angel-role", "angel-app-selector", "angel-exec-id"}
    assert "angel-role" not in pods(objects, "client")[0]["metadata"]["labels"]


def test_labels_of_the_job_do_not_hide_a_pod(helm3: str, lr: Path) -> None:
    passed = properties(
        read_objects(helm3, lr, "--set", r"labels.app\.kubernetes\.io/instance=other")
    )
    assert passed["angel.kubernetes.executor.label.app.kubernetes.io/instance"] == "demo"


def test_hadoops_configuration_is_on_the_clients_class_path(
    helm: str, lr: Path, tmp_path: Path
) -> None:
    """As texts in a ConfigMap of the chart; the client passes them on to all others."""
    site = tmp_path / "core-site.xml"
    site.write_text("<configuration/>")
    objects = read_objects(
        helm,
        lr,
        "--set-file",
        rf"angel.hadoop.core-site\.xml={site}",
        "--set",
        "angel.masterClassPath=/opt/h/*",
    )
    (config,) = named(objects, "ConfigMap")
    assert config["data"] == {"core-site.xml": "<configuration/>"}
    only = container(objects)
    assert only["args"][:3] == [
        "env",
        "HADOOP_CONF_DIR=/etc/hadoop/conf",
        "CLASSPATH=/etc/hadoop/conf:/opt/h/*",
    ]
    assert {"name": "hadoop", "mountPath": "/etc/hadoop/conf"} in only["volumeMounts"]
    volumes = {volume["name"]: volume for volume in pods(objects, "client")[0]["spec"]["volumes"]}
    assert volumes["hadoop"]["configMap"] == {"name": config["metadata"]["name"]}
    assert properties(objects)["angel.kubernetes.master.extraClassPath"] == "/opt/h/*"
    (test,) = named(objects, "Pod", "test-")
    assert env(test)["CONFIG"] == f"{config['metadata']['name']}/core-site.xml", (
        "helm test looks for it"
    )
    (test,) = named(read_objects(helm, lr), "Pod", "test-")
    assert env(test)["CONFIG"] == ""
    assert "config" not in [volume["name"] for volume in test["spec"].get("volumes", ())]


def test_hadoops_configuration_may_be_an_existing_config_map(helm3: str, lr: Path) -> None:
    objects = read_objects(
        helm3, lr, "--set", "angel.hadoopConfigMap=hadoop-conf,roles.client.env.CLASSPATH=/mine"
    )
    assert not named(objects, "ConfigMap")
    assert container(objects)["args"][2] == "CLASSPATH=/etc/hadoop/conf:$(CLASSPATH)"
    volumes = {volume["name"]: volume for volume in pods(objects, "client")[0]["spec"]["volumes"]}
    assert volumes["hadoop-config-map"]["configMap"] == {"name": "hadoop-conf"}


def test_angel_may_be_elsewhere_in_the_image(helm3: str, lr: Path) -> None:
    objects = read_objects(
        helm3, lr, "--set", "angel.home=/srv/angel,roles.client.command={/bin/bash}"
    )
    assert container(objects)["command"] == ["/bin/bash"]
    assert container(objects)["args"][0] == "/srv/angel/bin/angel-submit"


def test_the_total_counts_the_pods_that_angel_creates_with_its_defaults(
    helm4: str, tmp_path: Path
) -> None:
    """9 GB and 5 cores, as the manual says about its example, and one more pod, the client."""
    (document,) = pipeline.read(SUBMIT.read_bytes(), "angel-submit.sh")
    checked = pipeline.check(document)
    asks = "6 pods, 5 CPUs, 9 GiB memory"
    assert in_words(pipeline.totals(checked)) == asks
    assert asks in pipeline.render(checked)["README.md"]
    notes = run(
        helm4, "install", "demo", render(SUBMIT.read_text(), tmp_path), "--dry-run=client"
    ).stdout
    assert f"It requests {asks}." in notes
    assert "kubectl -n default get pods -l 'app.kubernetes.io/instance=demo,angel-role'" in notes
    bare = JOB.replace("{resources: {limits: {memory: 1Gi}}}", "{}").replace(
        ", resources: {limits: {memory: 2Gi}}", ""
    )
    (document,) = pipeline.read(bare.encode(), "job.yaml")
    checked = pipeline.check(document)
    assert in_words(pipeline.totals(checked)) == "6 pods, 5 CPUs, 18 GiB memory"


def test_the_notes_list_the_permissions_that_the_jobs_own_account_needs(
    helm4: str, lr: Path
) -> None:
    """Without them not even an uninstall would work; a chart that creates an account lists none."""
    own = ("--set", "rbac.create=false,serviceAccountName=mine")
    notes = run(helm4, "install", "demo", lr, "--dry-run=client", *own).stdout.partition(
        "NOTES:\n"
    )[2]
    rules = "pods (create, get, list, watch, delete), configmaps (create, get)"
    assert f"  its pods: {rules}\n" in notes
    assert (
        "  mine, which removes what is made at run time: jobs (list, delete), pods (list, delete)\n"
        in notes
    )
    assert (
        "rbac.create"
        not in run(helm4, "install", "demo", lr, "--dry-run=client").stdout.partition("NOTES:\n")[2]
    )
