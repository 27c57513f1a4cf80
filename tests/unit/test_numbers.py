"""Numbers of thousands of digits, wherever a person can write one, end no run."""

from pathlib import Path

import pytest

from chartgen.gitops.package import Package, index
from tests.support.command_line import Typist

LONG = "9" * 5_000
HUGE = (LONG, f"-{LONG}", f"+{LONG}", "1e999", f"0x{'f' * 5_000}")
_JOB = "name: j\nframework: tensorflow\nimage: j:1\nroles:\n  worker:\n    command: [w]\n"
_ANGEL = "angel.deploy.mode=KUBERNETES\nangel.job.name=a\nangel.kubernetes.container.image=a:1\n"
_ELASTICDL = (
    "elasticdl train --image_name=e:1 --model_zoo=m --model_def=m.f --job_name=e "
    "--training_data_dir=/d --records_per_task=10 --minibatch_size=4 --num_workers=2 "
)
_MARS = "from mars.deploy.kubernetes import new_cluster\nnew_cluster(client, image='mars:1', "
_PYTORCHJOB = (
    "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: m}\nspec:\n"
    "  nprocPerNode: @\n  pytorchReplicaSpecs: {Worker: {replicas: @, template: {spec: "
    "{containers: [{name: pytorch, image: 'a:1'}]}}}}\n"
)
_TRAINJOB = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: m}\nspec:\n"
    "  runtimeRef: {name: torch-distributed}\n  trainer: {image: 'a:1', numNodes: @,"
    " numProcPerNode: cpu, resourcesPerNode: {limits: {cpu: @}}}\n"
)
# The name of a file, and its text with an @ where the number goes.
TEXTS = [
    ("job.yaml", f"{_JOB}    replicas: @\n"),
    ("job.yaml", f"{_JOB}    port: @\n"),
    ("job.yaml", f"{_JOB}    gpu: @\n"),
    ("job.yaml", f"{_JOB}    activeDeadlineSeconds: @\n"),
    ("job.yaml", f"{_JOB}    activeDeadlineSeconds: @h\n"),
    ("job.yaml", f"{_JOB}    env: {{A: @}}\n"),
    ("job.yaml", f"{_JOB}    overrides: {{'@': {{port: 1}}, '0-@': {{port: 2}}}}\n"),
    ("job.yaml", f"{_JOB}    resources: {{limits: {{memory: '@', cpu: '@'}}}}\n"),
    ("job.yaml", f"{_JOB}    resources: {{limits: {{nvidia.com/gpu: '@'}}}}\n"),
    ("job.yaml", f"version: 0.1.@\n{_JOB}"),
    ("job.yaml", _PYTORCHJOB),
    ("job.yaml", _TRAINJOB),
    ("job.properties", f"{_ANGEL}angel.workergroup.number=@\n"),
    ("job.properties", f"{_ANGEL}angel.ps.number=@\n"),
    ("job.properties", f"{_ANGEL}angel.worker.task.number=@\n"),
    ("job.properties", f"{_ANGEL}angel.worker.memory.mb=@\n"),
    ("job.properties", f"{_ANGEL}angel.worker.memory.gb=@\n"),
    ("job.properties", f"{_ANGEL}angel.worker.cpu.vcores=@\n"),
    ("job.properties", f"{_ANGEL}angel.kubernetes.worker.limit.cores=@\n"),
    ("job.properties", f"{_ANGEL}angel.kubernetes.master.port=@\n"),
    ("job.sh", f"{_ELASTICDL}--num_epochs=@\n"),
    ("job.sh", f"{_ELASTICDL}--minibatches_per_task=@\n"),
    ("job.sh", f"{_ELASTICDL}--worker_resource_limit=cpu=@,memory=@\n"),
    ("job.py", f"{_MARS}worker_num=@)\n"),
    ("job.py", f"{_MARS}worker_num=1, worker_cpu=@)\n"),
    ("job.py", f"{_MARS}worker_num=1, worker_mem='@')\n"),
    ("job.py", f"{_MARS}worker_num=1, worker_mem='@g')\n"),
    ("job.py", f"{_MARS}worker_num=1, web_port=@)\n"),
]

pytestmark = pytest.mark.unmeasured


@pytest.mark.parametrize(("name", "text"), TEXTS, ids=[text[-40:].strip() for _, text in TEXTS])
def test_in_a_job(tmp_path: Path, typed: Typist, name: str, text: str) -> None:
    """It is a value like another, or a problem."""
    file = tmp_path / name
    for number in HUGE:
        file.write_text(text.replace("@", number))
        for command in (("validate",), ("render", "-o", "-"), ("convert",)):
            assert typed(command[0], str(file), *command[1:]).code in (0, 1)


@pytest.mark.parametrize(
    "words",
    [
        ("validate", "job.sh", "--set", f"roles.worker.replicas={LONG}"),
        ("validate", "job.sh", "--set", f"roles.worker.args[{LONG}]=1"),
        ("init", "mnist", "--role", f"worker={LONG}"),
        ("logs", "mnist", "--tail", LONG),
        ("logs", "mnist", "--since", LONG),
        ("status", "mnist", f"--wait={LONG}"),
        ("test", "job.sh", "--timeout", f"{LONG}h"),
        ("explain", LONG),
    ],
    ids=lambda words: " ".join(word[:20] for word in words),
)
def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: Typist, words: tuple[str, ...]
) -> None:
    """It is a mistake that is told in a few lines."""
    monkeypatch.chdir(tmp_path)
    Path("job.sh").write_text(_ELASTICDL)
    code, out, err = typed(*words)
    assert code in (1, 2)
    assert len(out + err) < 4_000


def test_in_the_version_of_a_chart_that_is_there(tmp_path: Path, typed: Typist) -> None:
    """Nothing can come after it, so the first version does."""
    file = tmp_path / "job.yaml"
    file.write_text(f"version: auto\n{_JOB}")
    render = ("render", str(file), "-o", str(tmp_path / "out"), "--force")
    assert typed(*render).code == 0
    chart = tmp_path / "out" / "j" / "Chart.yaml"
    chart.write_text(chart.read_text().replace('version: "0.1.0"', f"version: 0.1.{LONG}", 1))
    assert typed(*render).code == 0
    assert '\nversion: "0.1.0"\n' in chart.read_text()


def test_versions_of_packages_are_in_order_whatever_their_length() -> None:
    """The newest comes first in the index of a repository."""
    versions = ["0.9.0", f"{LONG}.0.0", "0.10.0"]
    packages = [Package({"name": "a", "version": version}, b"") for version in versions]
    text = index(packages, "")
    places = [text.index(f"a-{version}.tgz") for version in (versions[1], "0.10.0", "0.9.0")]
    assert places == sorted(places)
