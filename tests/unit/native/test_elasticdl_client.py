"""Command lines of ElasticDL's client: every flag means what it meant, and what the client dropped is told."""

from pathlib import Path
from typing import Any

import pytest

from chartgen import native, pipeline, resources
from chartgen.errors import InputError
from chartgen.native.draft import Adopted
from chartgen.native.elasticdl.command_line import _EXACT, BEYOND, LATER, RENAMED
from tests.e2e.programs.elasticdl.python import args as strict
from tests.support.charts import objects, pods, render
from tests.support.command_line import Typist

TRAIN = (
    "elasticdl train --job_name=mnist --model_def=zoo/mnist --records_per_task=100 --minibatch_size=64 --num_workers=2 "
    "--training_data_dir=/data/train --num_epochs=1 --grads_to_wait=2 --image_name=registry.example.com/mnist:1 "
)
EVALUATE = (
    "elasticdl evaluate --job_name=mnist --model_def=zoo/mnist --records_per_task=100 --minibatch_size=64 "
    "--num_workers=2 --evaluation_data_dir=/data --checkpoint_filename_for_init=/c --image_name=a:1 "
)
SCHEMA = resources.data("schemas/native/elasticdl.schema.json")["definitions"]


def adopt(line: str) -> Adopted:
    (document,) = pipeline.read(line.encode(), "train.sh", "elasticdl")
    return native.adopt(document)


def described(line: str) -> dict[str, Any]:
    """The description of a line that has no problems, but maybe warnings."""
    document, _, problems, _ = adopt(line)
    assert document is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    found: dict[str, Any] = document.data
    return found


def told(line: str) -> list[str]:
    """All problems and warnings."""
    return [f"{one.mark.line}:{one.mark.column} {one.severity} {one.rule}" for one in adopt(line).problems]


def notes(line: str) -> dict[str, str]:
    return {".".join(map(str, note.path)): note.text for note in adopt(line).notes}


# --- recognised


@pytest.mark.parametrize(
    "line",
    [
        "elasticdl train --a=b",
        "\ufeffelasticdl train --a=b",
        "  $ elasticdl evaluate --a=b",
        "% /opt/venv/bin/elasticdl train",
        "python -m elasticdl.python.elasticdl.client train --a=b",
        "# a comment\nexport A=b\npython3.6 -u -m elasticdl.python.elasticdl.client train",
        "A=b C='d' /usr/bin/python -m elasticdl.python.elasticdl.client \\\n  evaluate --a=b",
        "cd /src\nelasticdl train \\\n  --a=b\n",
        "elasticdl predict --a=b",
        "cd /src && elasticdl train --a=b",
        "export A=b; A=b elasticdl train --a=b",
        "(time sudo elasticdl train --a=b)",
        "python \\\n  -m elasticdl.python.elasticdl.client \\\n  train --a=b",
    ],
)
def test_a_command_line_is_known_by_its_words(line: str) -> None:
    assert [document.form for document in pipeline.read(line.encode(), "x")] == ["elasticdl"]


@pytest.mark.parametrize("line", ["an elasticdl trains", "elasticdl: train", "elasticdl training", "myelasticdl train"])
def test_other_texts_are_not(line: str) -> None:
    with pytest.raises(InputError):
        pipeline.check(pipeline.read(line.encode(), "x")[0])


def test_a_script_may_hold_several() -> None:
    script = TRAIN + "\n" + EVALUATE
    assert len(pipeline.read(script.encode(), "x")) == 2


@pytest.mark.parametrize(
    ("line", "at"),
    [("elasticdl", "1:1"), ("elasticdl clean --all", "1:11"), ("python train.py --job_name=a", "1:1")],
)
def test_what_makes_no_job_is_told(line: str, at: str) -> None:
    document, _, (problem,), _ = adopt(line)
    assert document is None
    assert f"{problem.mark.line}:{problem.mark.column}" == at
    assert "train" in problem.message


# --- what it means


def test_a_line_means_a_native_job_as_the_client_made_it() -> None:
    assert described(TRAIN) == {
        "name": "mnist",
        "framework": "elasticdl",
        "image": "registry.example.com/mnist:1",
        "imagePullPolicy": "Always",
        "roles": {
            "master": {"resources": {"limits": {"cpu": "0.1", "memory": "1024Mi"}}},
            "worker": {"replicas": 2, "resources": {"limits": {"cpu": 1, "memory": "4096Mi"}}},
        },
        "elasticdl": {
            "expansion": "native",
            "jobName": "mnist",
            "params": {
                "model_def": "/model_zoo/mnist",
                "training_data_dir": "/data/train",
                "records_per_task": 100,
                "minibatch_size": 64,
                "num_epochs": 1,
                "grads_to_wait": 2,
            },
        },
    }


def test_evaluation_is_a_job_without_training_data() -> None:
    params = described(EVALUATE)["elasticdl"]["params"]
    assert params == {
        "model_def": "/model_zoo/mnist",
        "evaluation_data_dir": "/data",
        "records_per_task": 100,
        "minibatch_size": 64,
        "checkpoint_filename_for_init": "/c",
    }


def test_equal_requests_and_limits_are_said_once() -> None:
    roles = described(
        TRAIN + "--master_resource_request=cpu=1,memory=1Gi --master_resource_limit=memory=1Gi,cpu=1 "
        "--worker_resource_request=cpu=400m,gpu=1 --worker_resource_limit=cpu=1,gpu=1"
    )["roles"]
    assert roles["master"]["resources"] == {"limits": {"cpu": 1, "memory": "1Gi"}}
    assert roles["worker"]["resources"] == {
        "requests": {"cpu": "400m", "nvidia.com/gpu": 1},
        "limits": {"cpu": 1, "nvidia.com/gpu": 1},
    }


@pytest.mark.parametrize(
    ("text", "fine"),
    [
        ("cpu=1", True),
        ("cpu=0.1", True),
        ("cpu=.5", True),
        ("cpu=400m", True),
        ("cpu=0", False),
        ("cpu=0.0", False),
        ("cpu=0m", False),
        ("cpu=1.5m", False),
        ("cpu=-1", False),
        ("cpu=1e3", False),
        ("cpu=nan", False),
        ("memory=4096Mi", True),
        ("memory=1G", True),
        ("memory=1Ki", True),
        ("memory=1024", False),
        ("memory=1.5Gi", False),
        ("memory=0Mi", False),
        ("memory=1g", False),
        ("memory=1K", False),
        ("ephemeral-storage=1Gi", True),
        ("gpu=2", True),
        ("gpu=two", False),
        ("amd.com/gpu=1", True),
        ("blah-gpu=1", False),
        ("tpu=1", False),
    ],
)
def test_resources_have_the_clients_grammar(text: str, fine: bool) -> None:
    problems = adopt(TRAIN + f"--worker_resource_request={text}").problems
    assert [problem.severity for problem in problems] == ([] if fine else ["error"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("volume_name=v,claim_name=c,mount_path=/d", "v"),
        ("mount_path=/d,claim_name=c", "volume-0"),
        ("claim_name=c,mount_path=/d;", "volume-0"),
    ],
)
def test_one_claim_of_any_dialect_stays_native(text: str, name: str) -> None:
    found = described(TRAIN + f"--volume='{text}'")
    assert found["volumes"] == [{"name": name, "persistentVolumeClaim": {"claimName": "c"}}]
    assert found["volumeMounts"] == [{"name": name, "mountPath": "/d"}]
    assert found["elasticdl"]["expansion"] == "native"


@pytest.mark.parametrize(
    "flag",
    [
        "--volume='claim_name=a,mount_path=/a;claim_name=b,mount_path=/b'",
        "--volume=host_path=/a,mount_path=/a",
        "--volume=claim_name=a,mount_path=/a,sub_path=b",
        "--envs=A=1",
    ],
)
def test_what_no_master_could_pass_on_makes_the_job_static(flag: str) -> None:
    line = TRAIN + flag
    assert described(line)["elasticdl"]["expansion"] == "static"
    assert told(line) == [f"1:{len(TRAIN) + 1} warning expansion"]
    assert "so each worker is a Job of the chart" in notes(line)["elasticdl.expansion"]


def test_a_volume_that_is_mounted_twice_is_one_volume() -> None:
    found = described(TRAIN + "--volume='claim_name=a,mount_path=/a;claim_name=a,mount_path=/b,sub_path=c'")
    assert [volume["name"] for volume in found["volumes"]] == ["volume-0"]
    assert found["volumeMounts"] == [
        {"name": "volume-0", "mountPath": "/a"},
        {"name": "volume-0", "mountPath": "/b", "subPath": "c"},
    ]


def test_what_the_client_dropped_holds_and_is_told() -> None:
    line = TRAIN + "--worker_pod_priority=low --log_level=debug --checkpoint_filename_for_init=/c"
    found = described(line)
    assert found["roles"]["worker"]["priorityClassName"] == "low"
    assert found["elasticdl"]["params"]["log_level"] == "DEBUG"
    assert found["elasticdl"]["params"]["checkpoint_filename_for_init"] == "/c"
    for path in ("roles.worker.priorityClassName", "elasticdl.params.log_level"):
        assert "left it out without a word; here it holds" in notes(line)[path]
    assert "left it out" in notes(line)["elasticdl.params.checkpoint_filename_for_init"]
    assert "left it out" not in "".join(notes(EVALUATE).values()), "with evaluate it was passed on"


def test_what_was_for_the_client_is_told() -> None:
    line = "A=b " + TRAIN + "--namespace=research --image_base=b:1 --extra_pypi_index=x --docker_image_prefix=r"
    said = [note.text for note in adopt(line).notes if note.path == ()]
    assert said == [
        "--namespace: a chart has none of its own; install it with: helm install -n research",
        "A: for the client itself",
    ]
    assert notes(line)["image"].startswith("--docker_image_prefix, --image_base, --extra_pypi_index: for the image")


def test_restart_policy_is_for_native_workers_alone() -> None:
    roles = described(TRAIN + "--restart_policy=OnFailure")["roles"]
    assert (roles["worker"]["restartPolicy"], "restartPolicy" in roles["master"]) == ("OnFailure", False)
    roles = described(TRAIN + "--restart_policy=OnFailure --envs=A=1")["roles"]
    assert (roles["worker"]["restartPolicy"], roles["master"]["restartPolicy"]) == ("OnFailure", "OnFailure")


def test_tensorboard_gets_the_volume_it_needs() -> None:
    found = described(TRAIN + "--volume=claim_name=c,mount_path=/data --tensorboard_log_dir=/data/log")
    assert found["tensorboard"] == {
        "logDir": "/data/log",
        "serviceType": "LoadBalancer",
        "volumes": found["volumes"],
        "volumeMounts": found["volumeMounts"],
    }
    assert told(TRAIN + "--tensorboard_log_dir=gs://bucket/log") == []


def test_empty_text_is_as_good_as_none() -> None:
    line = TRAIN + "--evaluation_data_dir= --tensorboard_log_dir='' --cluster_spec= --volume= --docker_image_prefix="
    assert described(line) == described(TRAIN)


@pytest.mark.parametrize(
    ("later", "meant"),
    [(f"--{later}=name", f"--{meant}=name") for later, meant in RENAMED.items()],
)
def test_later_names_are_read_as_what_they_mean(later: str, meant: str) -> None:
    assert described(TRAIN + later) == described(TRAIN + meant)
    at = len(TRAIN) + 1
    warned = [f"1:{at} warning later-flag"]
    assert told(TRAIN + later)[-1:] == warned


def test_tasks_may_be_counted_in_minibatches() -> None:
    line = TRAIN.replace("--records_per_task=100", "--num_minibatches_per_task=8")
    assert described(line)["elasticdl"]["params"]["records_per_task"] == 512
    assert told(line) == [f"1:{line.index('--num_mini') + 1} warning later-flag"]
    assert [problem.message.rpartition("; ")[2] for problem in adopt(line).problems] == [
        "read as --records_per_task=512, in records"
    ]


@pytest.mark.parametrize("count", ["0", "x", "-1", "1.5", ""])
def test_a_count_of_minibatches_is_told_by_its_own_name(count: str) -> None:
    line = TRAIN.replace("--records_per_task=100", f"--num_minibatches_per_task={count}")
    (problem,) = adopt(line).problems
    expected = f"--num_minibatches_per_task: expected a whole number above 0, got {count!r}"
    assert (problem.message, problem.mark.column) == (expected, line.index(f"={count} ") + 2)


def test_a_task_is_not_counted_in_two_ways() -> None:
    line = TRAIN + "--num_minibatches_per_task=8"
    assert told(line) == [f"1:{len(TRAIN) + 1} error duplicate-flag"]
    (problem,) = adopt(line).problems
    assert "what --records_per_task says" in problem.message


def test_a_model_in_its_own_directory_may_be_named_as_later() -> None:
    line = TRAIN.replace("--model_def=zoo/mnist", "--model_zoo=/zoo --model_def=mnist.mnist.Model")
    params = described(line)["elasticdl"]["params"]
    assert (params["model_def"], params["model_class"]) == ("/zoo/mnist", "Model")
    assert told(line) == [f"1:{line.index('--model_def') + 1} warning later-flag"]


@pytest.mark.parametrize("flag", LATER)
def test_what_has_no_counterpart_is_refused(flag: str) -> None:
    assert told(TRAIN + f"--{flag}=1") == [f"1:{len(TRAIN) + 1} error later-flag"]


def test_an_image_must_be_named_and_the_message_says_how() -> None:
    line = TRAIN.replace("--image_name=registry.example.com/mnist:1", "--docker_image_prefix=r.example.com/team")
    (problem,) = adopt(line).problems
    assert (problem.rule, problem.mark.column) == ("image", 11)
    assert "docker build -t r.example.com/team/elasticdl:mnist . && docker push" in problem.hint
    assert problem.hint.endswith("add --image_name=r.example.com/team/elasticdl:mnist")


# --- whole


def test_every_flag_is_known_in_one_way() -> None:
    """No later flag hides one of the client's own."""
    own = {*SCHEMA["train"]["properties"], *SCHEMA["evaluate"]["properties"]}
    assert own & {*_EXACT} == {*BEYOND}
    assert {*RENAMED.values()} <= own


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_every_flag_leaves_a_trace(command: str) -> None:
    """In the description, or in a note: none is taken and then forgotten."""
    plain = TRAIN if command == "train" else EVALUATE
    for name, node in SCHEMA[command]["properties"].items():
        if f"--{name}=" in plain or name == "cluster_spec":
            continue
        place = SCHEMA.get(str(node.get("$ref", "")).rpartition("/")[2], node)
        value = {"resource": "cpu=7", "volume": "claim_name=c,mount_path=/d", "envs": "A=1"}.get(
            str(node.get("$ref", "")).rpartition("/")[2], str(place["examples"][0])
        )
        line = f"{plain} --{name}={value}"
        changed = described(line) != described(plain) or adopt(line).notes != adopt(plain).notes
        assert changed or value in ("input_fn", "loss", "optimizer", "eval_metrics_fn"), name


def test_problems_stand_where_they_were_written() -> None:
    """In the middle of a quoted text, and in what was filled in."""
    line = TRAIN + "--worker_resource_request \\\n  'cpu=1,memory=1' --job_name=\"A\""
    problems = adopt(line).problems
    assert [f"{one.mark.line}:{one.mark.column} {one.rule}" for one in problems] == [
        "2:20 duplicate-flag",
        "2:17 pattern",
        "2:32 pattern",
    ]


def test_the_whole_way_to_a_strict_master(tmp_path: Path, helm3: str) -> None:
    case = Path(__file__).parents[2] / "corpus/native/elasticdl/b2-low-priority/elasticdl.sh"
    (pod,) = pods(objects(helm3, render(case.read_text("utf-8"), tmp_path, case.name)), "master")
    found = strict.master(pod["spec"]["containers"][0]["args"][2:])
    assert pod["spec"]["priorityClassName"] == "high-priority"
    assert (found.worker_pod_priority, found.num_workers) == ("low-priority", 2)
    assert found.worker_resource_request == {"cpu": "3", "memory": "4096Mi"}


def test_names_are_filled_by_define_alone(typed: Typist, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA", "/environment")
    typed.job(file="train.sh", text=TRAIN.replace("/data/train", "${DATA}/train"))
    done = typed("convert", "train.sh")
    assert done.code == 1
    assert "--define DATA=VALUE" in done.err
    done = typed("convert", "train.sh", "--define", "DATA=/mnt")
    assert (done.code, "training_data_dir: /mnt/train\n" in done.out) == (0, True)
