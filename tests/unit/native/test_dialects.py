"""All dialects: what their own documents show is taken, and a conversion gives the same chart."""

import json
import shlex
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import native, pipeline
from chartgen.native import describe

COUNTS = st.integers(1, 5)
WORDS = st.lists(st.sampled_from(["--lr=0.1", "a b", "1e3", "{{", "$(X)", "é", "-"]), max_size=3)


def chart(text: str, file: str, defines: dict[str, str] | None = None) -> dict[str, str]:
    """The chart of a text that has no problems, warnings aside."""
    (document,) = pipeline.read(text.encode(), file, defines=defines)
    return pipeline.render(pipeline.check(document))


def chart_of_conversion(text: str, file: str) -> dict[str, str]:
    (document,) = pipeline.read(text.encode(), file)
    described, notes = describe.adopt(document)
    return chart(describe.description(described, notes, document, []), "job.yaml")


# --- what the documents of the five systems show, in our own words


def tf_job(specs: str, board: str = "") -> str:
    head = "apiVersion: tensorflow.org/v1alpha1\nkind: TfJob\nmetadata: {name: sample}\nspec:\n"
    return f"{head}  {specs}\n{board}"


POD = "{spec: {restartPolicy: OnFailure, containers: [{name: tensorflow, image: 'a:1'%s}]}}"
GPU = ", resources: {limits: {alpha.kubernetes.io/nvidia-gpu: 1}}"
MASTER = f"{{replicas: 1, tfPort: 2222, tfReplicaType: MASTER, template: {POD % GPU}}}"
VOLUME = "[{name: f, azureFile: {secretName: s, shareName: d, readOnly: false}}]"
LINE = """python -m elasticdl.python.elasticdl.client train \\
  --job_name={} --model_def=elasticdl/python/examples/mnist_subclass \\
  --training_data_dir=${{DATA}}/train --evaluation_data_dir=${{DATA}}/test --num_epochs=1 \\
  --minibatch_size=10 --records_per_task=100 --num_workers=2 --checkpoint_steps=2 \\
  --grads_to_wait=2 --volume="volume_name=v,mount_path=/data,claim_name=files" {} \\
  --log_level=INFO --docker_image_prefix=gcr.io/${{PROJECT}}
"""
PRIORITIES = (
    "--master_pod_priority=high-priority --worker_pod_priority={} "
    '--master_resource_request="cpu=1,memory=1024Mi" --worker_resource_limit="cpu=3,memory=4096Mi"'
)
SAMPLES = {
    "tfjob-example": tf_job(
        f"replicaSpecs: [{{replicas: 1, tfReplicaType: MASTER, template: {POD % ''}}}, "
        f"{{replicas: 1, tfReplicaType: WORKER, template: {POD % ''}}}, "
        "{replicas: 2, tfReplicaType: PS}]"
    ),
    "tfjob-gpu": tf_job(f"replica_specs: [{MASTER}]"),
    "tfjob-azure": tf_job(
        f"replica_specs: [{MASTER}]",
        f"  tensorboard: {{logDir: /logs, volumes: {VOLUME}, "
        "volumeMounts: [{name: f, mountPath: /logs}]}\n",
    ),
    "tfjob-gke": tf_job(f"replica_specs: [{MASTER}]", "  tensorboard: {logDir: 'gs://b/logs'}\n"),
    "tfjob-written-back": tf_job(
        f"RuntimeId: 76no\n  replicaSpecs: [{{IsDefaultPS: false, replicas: 1, tfPort: 2222, "
        f"tfReplicaType: MASTER, template: {POD % ', resources: {}'}}}]",
        "  tensorboard: null\n  tfImage: tensorflow/tensorflow:1.3.0\nstatus: {phase: Done}\n",
    ),
    "mxjob-gpu": (
        'apiVersion: "mlkube.io/v1beta1"\nkind: "MxJob"\nmetadata: {name: "gpu"}\nspec:\n'
        "  replica_specs:\n    - {replicas: 1, PsRootPort: 9091, mxReplicaType: MASTER, "
        f"template: {POD % GPU}}}\n"
    ),
    "elasticdl-hello": LINE.format("hello", ""),
    "elasticdl-fault": LINE.format("fault", ""),
    "elasticdl-low": LINE.format("low", PRIORITIES.format("low-priority")),
    "elasticdl-high": LINE.format("high", PRIORITIES.format("high-priority")),
    "angel": (
        "export ANGEL_HOME=/path/to/angel\n$ANGEL_HOME/bin/angel-submit \\\n"
        " -Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.master=<api_server_url> \\\n"
        " -Dangel.kubernetes.container.image=tencentangel/angel:v3.0.0 \\\n"
        " -Dangel.ps.number=2 -Dangel.workergroup.number=2\\\n"
        " -Dangel.worker.memory.gb=2 -Dangel.job.name=lr_test -Daction.type=train\n"
    ),
    "mars-first": (
        "from kubernetes import config\nfrom mars.deploy.kubernetes import new_cluster\n"
        "cluster = new_cluster(config.new_client_from_config())\ncluster.stop()\n"
    ),
    "mars-large": (
        "from mars.deploy.kubernetes import new_cluster\napi = make()\n"
        "cluster = new_cluster(api, scheduler_num=1, web_num=1, worker_num=100,\n"
        "                      worker_cpu=4, worker_mem='16g', min_worker_num=95)\n"
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_documents_own_samples_are_taken_as_they_stand(name: str) -> None:
    """With their variables defined, and with nothing else."""
    defines = {"DATA": "/data/mnist", "PROJECT": "research"}
    assert chart(SAMPLES[name], name, defines)["values.yaml"]


# --- a native text and its conversion give the same chart


def _same(text: str, file: str, form: str) -> None:
    (document,) = pipeline.read(text.encode(), file)
    assert document.form == form
    assert chart(text, file) == chart_of_conversion(text, file)


@given(st.data())
def test_kubeflow_jobs(data: Any) -> None:
    """TFJob and MXJob: any version, types in any case, policies in spec or in runPolicy."""
    name, container, types = data.draw(
        st.sampled_from(
            [
                ("TFJob", "tensorflow", ["Chief", "PS", "Evaluator", "Worker"]),
                ("TFJob", "tensorflow", ["Master", "Worker"]),
                ("TFJob", "tensorflow", ["Worker"]),
                ("MXJob", "mxnet", ["Scheduler", "Server", "Worker"]),
                ("MXJob", "mxnet", ["Worker"]),
            ]
        )
    )
    sets = {}
    alone = {"Chief", "Master", "Evaluator", "Scheduler"} | (
        {"Worker"} if len(types) == 1 else set()
    )
    for type_ in types:
        main = {"name": container, "image": "a:1", "args": data.draw(WORDS)}
        others = data.draw(st.sampled_from([[], [{"name": "log", "image": "b:1"}]]))
        replica_set: dict[str, Any] = {"template": {"spec": {"containers": [main, *others]}}}
        if policy := data.draw(st.sampled_from(["", "Always", "OnFailure", "Never", "ExitCode"])):
            replica_set["restartPolicy"] = policy
        replica_set["replicas"] = 1 if type_ in alone else data.draw(COUNTS)
        sets[data.draw(st.sampled_from([type_, type_.lower(), type_.upper()]))] = replica_set
    policy = {"cleanPodPolicy": "Running", "backoffLimit": 2, "activeDeadlineSeconds": 60}
    spec = {"tfReplicaSpecs" if name == "TFJob" else "mxReplicaSpecs": sets}
    spec |= {"runPolicy": policy} if data.draw(st.booleans()) else policy
    versions = [f"kubeflow.org/{version}" for version in ("v1alpha2", "v1beta1", "v1beta2", "v1")]
    versions += ["training.kubedl.io/v1alpha1"] if name == "TFJob" else []
    job = {
        "apiVersion": data.draw(st.sampled_from(versions)),
        "kind": name,
        "metadata": {"name": data.draw(st.sampled_from(["job", "j" * 50]))},
        "spec": spec,
    }
    text = json.dumps(job, ensure_ascii=False)
    _same(text, "job.json", f"{name.lower()}-v1")


@pytest.mark.parametrize(
    ("version", "codes"),
    [
        ("kubeflow.org/v1", "tfjob"),
        ("kubeflow.org/v1beta2", "tf-operator"),
        ("kubeflow.org/v1alpha2", "tf-operator"),
        ("training.kubedl.io/v1alpha1", "tf-operator"),
    ],
)
def test_exit_codes_are_those_of_the_operator_of_the_version(version: str, codes: str) -> None:
    """From v1 on every code from 128 was retried; before, four codes were."""
    pod = {"spec": {"containers": [{"name": "tensorflow", "image": "a:1"}]}}
    worker = {"restartPolicy": "ExitCode", "template": pod}
    head = {"apiVersion": version, "kind": "TFJob", "metadata": {"name": "job"}}
    text = json.dumps({**head, "spec": {"tfReplicaSpecs": {"Worker": worker}}})
    (document,) = pipeline.read(text.encode(), "job.json")
    described, notes = describe.adopt(document)
    role = described.data["roles"]["worker"]
    assert (role["restartPolicy"], role["exitCodes"]) == ("Never", codes)
    (said,) = [note.text for note in notes if note.text.startswith("restartPolicy ExitCode")]
    assert ("1 to 127" in said, "130, 137, 138 and 143" in said) == (
        codes == "tfjob",
        codes == "tf-operator",
    )


@given(
    dialect=st.sampled_from(["2019-07", "0.1", "0.2"]),
    workers=COUNTS,
    servers=st.integers(0, 3),
    command=st.sampled_from(["train", "evaluate", "predict"]),
    value=st.sampled_from(["a", "a,b", "é"]),
)
def test_elasticdl_lines(
    dialect: str, workers: int, servers: int, command: str, value: str
) -> None:
    data = {"train": "training", "evaluate": "validation", "predict": "prediction"}[command]
    flags = {"job_name": "job", "num_workers": str(workers), "minibatch_size": "8"}
    if dialect == "2019-07":
        data = data.replace("validation", "evaluation")
        flags |= {"model_def": "zoo/mnist", f"{data}_data_dir": "/d", "records_per_task": "16"}
        flags |= {"image_name": "a:1"}
        if command == "train":
            flags |= {"num_epochs": "1", "grads_to_wait": "1"}
        else:
            flags |= {"checkpoint_filename_for_init": "/c"}
    else:
        data = data.replace("validation", "evaluation") if dialect == "0.1" else data
        flags |= {"model_zoo": "./zoo", "model_def": "a.b.c", f"{data}_data": "/d"}
        flags |= {"num_minibatches_per_task": "2"}
        newer = {"image_name": "a:1", "num_ps_pods": str(servers), "envs": f"A={value} , B=1"}
        flags |= newer if dialect == "0.2" else {"docker_image_repository": "r", "dataset_fn": "d"}
        if command != "train":
            name = "dir" if dialect == "0.2" else "filename"
            flags[f"checkpoint_{name}_for_init"] = "/c"
    line = " ".join(shlex.quote(f"--{name}={text}") for name, text in flags.items())
    text = f"elasticdl {command} {line}\n"
    _same(text, "train.sh", "elasticdl")
    (document,) = pipeline.read(text.encode(), "train.sh")
    described = native.adopt(document).document
    assert described
    assert described.data["elasticdl"].get("dialect", "2019-07") == dialect


@given(
    st.lists(st.sampled_from(["-D{}={}", "--{} {}", "--{}={}", "-- {} {}", "-D{} {}"]), min_size=3),
    COUNTS,
)
def test_angel_arguments(forms: list[str], number: int) -> None:
    """However a property is set, it is the same property."""
    properties = {
        "angel.kubernetes.container.image": "tencentangel/angel:v3.0.0",
        "angel.job.name": "lr",
        "angel.ps.number": str(number),
    }
    words = [form.format(*pair) for form, pair in zip(forms, properties.items(), strict=False)]
    text = f"angel-submit {' '.join(words)}\n"
    _same(text, "submit.sh", "angel-submit")
    plain = "angel-submit " + " ".join(f"-D{key}={value}" for key, value in properties.items())
    assert chart(text, "submit.sh") == chart(plain, "submit.sh")


@given(
    cpus=st.sampled_from([1, 1.5, 0.25, 4]),
    workers=COUNTS,
    inside=st.booleans(),
    dialect=st.sampled_from(
        [
            ("mars", ""),
            ("mars", "image='marsproject/mars:v0.6.0', web_num=1, "),
            ("mars", "image='marsproject/mars:v0.9.0', "),
            ("mars", "supervisor_num=1, supervisor_cpu=2, supervisor_mem='2g', "),
            ("xorbits", ""),
        ]
    ),
)
def test_mars_calls(cpus: float, workers: int, inside: bool, dialect: tuple[str, str]) -> None:
    """Mars 0.3 to 0.6 and 0.7 to 0.10, and Xorbits."""
    package, arguments = dialect
    lines = ["paths = ['/a']", "paths.append(f'/b{number}')", f"number = {workers}"]
    lines = [lines[2], *lines[:2]]
    call = f"new_cluster(api, {arguments}worker_num=number, worker_cpu={cpus}, worker_mem='4g', "
    lines.append(f"{call}worker_spill_paths=paths)")
    text = "\n".join(lines)
    if inside:
        text = "def start(api):\n" + "\n".join(f"    {line}" for line in lines)
    text = f"from {package}.deploy.kubernetes import new_cluster\n{text}"
    _same(text, "cluster.py", "mars")


@given(st.data())
def test_jobs_of_the_first_operators(data: Any) -> None:
    """TfJob and MxJob: every name of the API, old keys, and a default parameter server."""
    kind, versions = data.draw(
        st.sampled_from(
            [
                ("TfJob", ["tensorflow.org/v1alpha1", "mlkube.io/v1beta1"]),
                ("TFJob", ["kubeflow.org/v1alpha1"]),
                ("MxJob", ["mxnet.mlkube.io/v1beta1", "mlkube.io/v1beta1"]),
                ("MXJob", ["kubeflow.org/v1alpha1"]),
            ]
        )
    )
    tensorflow = kind.lower() == "tfjob"
    types = ["MASTER", "WORKER", "PS"] if tensorflow else ["SCHEDULER", "SERVER", "WORKER"]
    key = data.draw(st.sampled_from(["tfReplicaType", "tf_replica_type"]))
    sets = []
    for type_ in types:
        main = {"name": "tensorflow" if tensorflow else "mxnet", "image": "a:1"}
        main |= {"args": data.draw(WORDS)}
        policy = data.draw(st.sampled_from(["OnFailure", "Never"]))
        replica_spec: dict[str, Any] = {key if tensorflow else "mxReplicaType": type_}
        if type_ in ("WORKER", "PS", "SERVER"):
            replica_spec["replicas"] = data.draw(COUNTS)
        if type_ != "PS" or data.draw(st.booleans()):
            replica_spec["template"] = {"spec": {"containers": [main], "restartPolicy": policy}}
        sets.append(replica_spec)
    spec: dict[str, Any] = {data.draw(st.sampled_from(["replicaSpecs", "replica_specs"])): sets}
    spec |= {} if tensorflow else {"jobMode": "dist"}
    head = {"apiVersion": data.draw(st.sampled_from(versions)), "kind": kind}
    name = data.draw(st.sampled_from(["job", "j" * 50]))
    job = {**head, "metadata": {"name": name}, "spec": spec}
    _same(json.dumps(job, ensure_ascii=False), "job.json", kind.lower())


@given(
    number=COUNTS,
    memory=st.sampled_from(["1", "4"]),
    value=st.sampled_from(["a b", "é", "x=y", "a<&b", "#1"]),
)
def test_angel_properties_mean_the_same_in_every_syntax(
    number: int, memory: str, value: str
) -> None:
    """A command line, a file of properties, and Hadoop's XML."""
    properties = {
        "angel.job.name": "job",
        "angel.app.submit.class": "com.example.Fm",
        "angel.kubernetes.container.image": "a:1",
        "angel.ps.number": str(number),
        "angel.worker.memory.gb": memory,
        "example.text": value,
    }
    words = [shlex.quote(f"-D{name}={text}") for name, text in properties.items()]
    lines = [f"{name}={text}" for name, text in properties.items()]
    items = ""
    for name, text in properties.items():
        items += f"<property><name>{name}</name><value>{escape(text)}</value></property>"
    texts = {
        "angel-submit": (f"angel-submit {' '.join(words)}", "submit.sh"),
        "angel-properties": ("\n".join(lines), "angel.properties"),
        "angel-site": (f"<configuration>{items}</configuration>", "angel-site.xml"),
    }
    charts = []
    for form, (text, file) in texts.items():
        _same(text, file, form)
        charts.append(chart(text, file))
    assert charts[0] == charts[1] == charts[2]
