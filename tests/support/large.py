"""Texts of any size in every format, plain ones and those that a careless reader is slow on."""

# Each shape is one line, as a table has it.
# ruff: noqa: E501

import json
from collections.abc import Callable
from typing import NamedTuple

_MARS = (
    "from mars.deploy.kubernetes import new_cluster\n"
    "new_cluster(client, image='mars:1', worker_num=2"
)
_ELASTICDL = (
    "elasticdl train --image_name=e:1 --model_zoo=m --model_def=m.f --job_name=e "
    "--training_data=/d --num_epochs=1 --master_resource_request=cpu=1 --num_workers=2"
)
_ANGEL = (
    "angel-submit -Dangel.deploy.mode=KUBERNETES -Dangel.job.name=a "
    "-Dangel.kubernetes.container.image=a:1"
)
_JOB = "name: j\nframework: tensorflow\nimage: j:1\nroles:\n  worker:\n    command: [w]\n"

_CUSTOM = "name: j\nframework: custom\nimage: j:1\ncustom: {decides: work}\nroles:\n  work:\n    command: [w]\n    port: 80\n"
_MPIJOB = (
    "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: m}\nspec:\n"
    "  slotsPerWorker: 1\n  mpiReplicaSpecs:\n    Launcher:\n      template:\n        spec:\n"
    "          containers:\n          - name: l\n            image: m:1\n            command: [mpirun"
)
_TRAINJOB = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t}\nspec:\n"
    "  runtimeRef: {name: torch-distributed}\n  trainer:\n    image: t:1\n    command: [w]\n    env:\n"
)


class Shape(NamedTuple):
    """A name for people, the file's suffix, and the text of about a number of bytes."""

    name: str
    suffix: str
    text: Callable[[int], str]


def repeat(piece: str, size: int) -> str:
    """A piece with running numbers (for each @), as often as fits."""
    width = len(piece) + 5 * piece.count("@")
    return "".join(piece.replace("@", str(number)) for number in range(max(1, size // width)))


def tfjobs(count: int, indent: int | None = None) -> str:
    """A List as `kubectl get tfjobs -o json` prints it; each of the jobs has three warnings."""
    items = []
    for number in range(count):
        replicas = []
        for role in ("MASTER", "WORKER", "PS"):
            secret = {"name": "DB_PASSWORD", "value": "x"}  # which gives a warning
            container = {"name": "tensorflow", "image": "tf:1", "env": [secret]}
            pod = {"containers": [container], "restartPolicy": "OnFailure"}
            replicas.append(
                {"tfReplicaType": role, "replicas": 1, "tfPort": 2222, "template": {"spec": pod}}
            )
        items.append(
            {
                "apiVersion": "tensorflow.org/v1alpha1",
                "kind": "TfJob",
                "metadata": {"name": f"job-{number}", "namespace": "ml", "uid": f"u-{number}"},
                "spec": {"RuntimeId": "76no", "replicaSpecs": replicas},
                "status": {"phase": "Running", "conditions": None},
            }
        )
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=indent)


def _mxjob(size: int) -> str:
    head = (
        "apiVersion: mxnet.mlkube.io/v1beta1\nkind: MxJob\nmetadata: {name: m}\nspec:\n"
        "  jobMode: local\n  replicaSpecs:\n  - mxReplicaType: WORKER\n    replicas: 1\n"
        "    template:\n      spec:\n        containers:\n        - name: mxnet\n"
        "          image: m:1\n          command: [w]\n          env:\n"
    )
    return head + repeat("          - {name: V@, value: x}\n", size)


PLAIN = (
    Shape("job description, YAML", ".yaml", lambda n: _JOB + "    env:\n" + repeat("      V@: a value\n", n)),
    Shape("job description, one line of JSON", ".json", lambda n: _json_job(n)),
    Shape("TfJobs", ".json", lambda n: tfjobs(max(1, n // 2400), 4)),
    Shape("TfJobs in one line", ".json", lambda n: tfjobs(max(1, n // 900))),
    Shape("MxJob", ".yaml", _mxjob),
    Shape("angel-submit", ".sh", lambda n: _ANGEL + repeat(" \\\n  -Dmy.key@=value", n)),
    Shape("angel-properties", ".properties", lambda n: _properties(n)),
    Shape("elasticdl", ".sh", lambda n: _ELASTICDL + " --envs=" + repeat("V@=value,", n).rstrip(",")),
    Shape("mars", ".py", lambda n: _MARS + ", extra_env={" + repeat("'V@': 'x',\n", n) + "})"),
)  # fmt: skip


def _json_job(size: int) -> str:
    env = {f"V{number}": "a value" for number in range(max(1, size // 24))}
    roles = {"worker": {"command": ["w"], "env": env}}
    return json.dumps({"name": "j", "framework": "tensorflow", "image": "j:1", "roles": roles})


def _properties(size: int) -> str:
    words = _ANGEL.split(" -D")[1:]
    return "\n".join(words) + "\n" + repeat("my.key@ = value\n", size)


HOSTILE = (
    Shape("unknown keys", ".yaml", lambda n: _JOB + repeat("k@: 1\n", n)),
    Shape("unknown keys of a role", ".yaml", lambda n: _JOB + repeat("    k@: 1\n", n)),
    Shape("values of a wrong type", ".yaml", lambda n: _JOB + "    labels:\n" + repeat("      k@: []\n", n)),
    Shape("one long key", ".yaml", lambda n: _JOB + f"{'k' * 900}: 1\n" * (n // 900)),
    Shape("one long text", ".yaml", lambda n: _JOB + f"    image: '{'x ' * (n // 2)}'\n"),
    Shape("duplicate keys", ".yaml", lambda n: _JOB + "name: j\n" * (n // 8)),
    Shape("overrides", ".yaml", lambda n: _JOB + "    replicas: 9\n    overrides:\n" + repeat("      @: {image: 'a:@'}\n", n)),
    Shape("overrides over many variables", ".yaml", lambda n: _JOB + "    env:\n" + repeat("      V@: x\n", n // 2) + "    replicas: 90000\n    overrides:\n" + repeat("      @: {port: 1@}\n", n // 2)),
    Shape("chains of references", ".yaml", lambda n: _JOB + "    env:\n" + "".join(f"      V{i}: $(V{i + 1})\n" for i in range(n // 22))),
    Shape("references in one text", ".yaml", lambda n: _JOB + f"    env:\n      A: x\n      B: {'$(A)' * (n // 4)}\n"),
    Shape("ambiguous texts", ".yaml", lambda n: _JOB + "    env:\n" + repeat("      V@: 0o17\n", n)),
    Shape("volumes", ".yaml", lambda n: _JOB + "    volumes:\n" + repeat("    - {name: v@, emptyDir: {}}\n", n)),
    Shape("mounts without volumes", ".yaml", lambda n: _JOB + "    volumeMounts:\n" + repeat("    - {name: v@, mountPath: /@}\n", n)),
    Shape("init containers", ".yaml", lambda n: _JOB + "    initContainers:\n" + repeat("    - {name: c@, image: 'c:1'}\n", n)),
    Shape("jobs in one file", ".yaml", lambda n: "---\n".join([_JOB] * (n // len(_JOB)))),
    Shape("nesting", ".yaml", lambda n: "a: " + "[" * n),
    Shape("aliases", ".yaml", lambda n: "a: &a " + "x" * (n // 2) + "\nb:\n" + "- *a\n" * (n // 10)),
    Shape("merges", ".yaml", lambda n: "a: &a {" + repeat("k@: 1, ", n // 2) + "}\nb:\n" + "- <<: *a\n" * (n // 20)),
    Shape("surrogates", ".json", lambda n: '{"name": "' + "\\ud83d\\ude00" * (n // 12) + '"}'),
    Shape("semicolons", ".sh", lambda n: ";" * n),
    Shape("semicolons before a command", ".sh", lambda n: ";" * n + _ELASTICDL),
    Shape("slashes before a command", ".sh", lambda n: ";/" * (n // 2) + _ELASTICDL),
    Shape("assignments before a command", ".sh", lambda n: ";A=" * (n // 3) + " " + _ELASTICDL),
    Shape("ampersands", ".sh", lambda n: "& elasticdl " * (n // 12)),
    Shape("python -m", ".sh", lambda n: ";python -m " * (n // 11)),
    Shape("blanks", ".sh", lambda n: _ANGEL + " " * n),
    Shape("backslashes", ".sh", lambda n: _ANGEL + " " + "\\" * n),
    Shape("continued lines", ".sh", lambda n: _ANGEL + " \\\n" * (n // 3)),
    Shape("variables in one word", ".sh", lambda n: f"A=x\n{_ANGEL} -Dk=" + "$A" * (n // 2)),
    Shape("unknown variables in one word", ".sh", lambda n: f"{_ANGEL} -Dk=" + "$B" * (n // 2)),
    Shape("variables that grow", ".sh", lambda n: "A=x\n" + "A=$A$A$A$A$A$A$A$A$A$A\n" * (n // 22) + f"{_ANGEL} -Dk=$A"),
    Shape("quotes", ".sh", lambda n: f"{_ANGEL} " + "'a'\"b\"" * (n // 6)),
    Shape("commands in a command", ".sh", lambda n: f"{_ANGEL} " + "$(" * (n // 2)),
    Shape("many commands", ".sh", lambda n: f"{_ANGEL}\n" * (n // 100)),
    Shape("one property many times", ".sh", lambda n: _ANGEL + " -Dk=v" * (n // 6)),
    Shape("volumes of Angel", ".sh", lambda n: _ANGEL + repeat(" -Dangel.kubernetes.master.volumes.hostPath.v@.mount.path=/x", n)),
    Shape("misspelt properties", ".sh", lambda n: _ANGEL + repeat(" -Dangel.kubernetes.mster@=1", n)),
    Shape("escapes in properties", ".properties", lambda n: "angel.a=1\nk=" + "\\\\" * (n // 2) + "\\u12"),
    Shape("empty properties", ".properties", lambda n: "angel.a=1\n" + "=\n" * (n // 2)),
    Shape("continued properties", ".properties", lambda n: "angel.a=1\nk=" + "\\\n" * (n // 2)),
    Shape("flags", ".sh", lambda n: _ELASTICDL + repeat(" --flag@=1", n)),
    Shape("volumes of ElasticDL", ".sh", lambda n: _ELASTICDL + " --volume='" + repeat("host_path=/a@,mount_path=/b@;", n) + "'"),
    Shape("a list in one line", ".py", lambda n: _MARS + ", worker_spill_paths=[" + repeat("'/p@',", n) + "])"),
    Shape("a list in one line, not ASCII", ".py", lambda n: _MARS + ", worker_spill_paths=[" + "'\u00e9'," * (n // 5) + "])"),
    Shape("keywords", ".py", lambda n: _MARS + repeat(", k@=1", n) + ")"),
    Shape("names", ".py", lambda n: repeat("a@ = 1\n", n) + _MARS + ")"),
    Shape("a name used often", ".py", lambda n: "a = [" + "1," * (n // 4) + "]\n" + _MARS + ", x=[" + "a," * (n // 4) + "])"),
    Shape("arithmetic with a name", ".py", lambda n: "a = " + "(1+1)*" * 20 + "1\n" + _MARS + ", x=[" + "a+1," * (n // 4) + "])"),
    Shape("digits", ".py", lambda n: _MARS + ", x=0x" + "f" * n + ")"),
    Shape("calls", ".py", lambda n: "new_cluster(x=1)\n" * (n // 17)),
    Shape("late values", ".yaml", lambda n: _CUSTOM + "    env:\n" + repeat("      V@: '%{index}%{host work @}'\n", n)),
    Shape("late values in one text", ".yaml", lambda n: _CUSTOM + "    env:\n      A: '" + "%{index}" * (n // 8) + "'\n"),
    Shape("late values that are not closed", ".yaml", lambda n: _CUSTOM + "    env:\n      A: '" + '%{\\"' * (n // 4) + "'\n"),
    Shape("wrong late values in one text", ".yaml", lambda n: _CUSTOM + "    env:\n      A: '" + "%{indx}" * (n // 7) + "'\n"),
    Shape("words of a late value", ".yaml", lambda n: _CUSTOM + "    env:\n      A: '%{count " + "work " * (n // 5) + "}'\n"),
    Shape("factors of a late value", ".yaml", lambda n: _CUSTOM + "    env:\n      A: '%{count" + " * 9" * (n // 4) + "}'\n"),
    Shape("lists of peers", ".yaml", lambda n: _CUSTOM + "    env:\n" + repeat("      V@: '%{peers work \"@\"}'\n", n)),
    Shape("files", ".yaml", lambda n: _CUSTOM.replace("work}", "work, files: {a: \"" + "%{peers work}" * (n // 13) + "\"}}")),
    Shape("roles", ".yaml", lambda n: _CUSTOM + repeat("  r@: {command: [w], port: 80, env: {A: '%{count}'}}\n", n)),
    Shape("words of mpirun", ".yaml", lambda n: _MPIJOB + repeat(", -x, A@", n) + "]\n"),
    Shape("variables of a TrainJob", ".yaml", lambda n: _TRAINJOB + repeat("    - {name: V@, value: x}\n", n)),
    Shape("nested properties in XML", ".xml", lambda n: "<configuration>" + "<property>" * (n // 10)),
    Shape("properties in XML", ".xml", lambda n: "<configuration>" + repeat("<property><name>angel.k@</name><value>${angel.k@}</value></property>", n) + "</configuration>"),
    Shape("entities in XML", ".xml", lambda n: "<configuration><property><name>angel.a</name><value>" + "&amp;" * (n // 5) + "</value></property></configuration>"),
    Shape("strange characters", ".yaml", lambda n: "\x01" * n),
    Shape("conflicts", ".yaml", lambda n: "<<<<<<< a\n" * (n // 10)),
)  # fmt: skip
