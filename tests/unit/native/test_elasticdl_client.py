"""Command lines of ElasticDL's client: what every flag means, and what the client dropped."""

from typing import Any

import pytest

from chartgen import native, pipeline, resources
from chartgen.document import Setting
from chartgen.errors import InputError
from chartgen.native.draft import Adopted
from chartgen.native.elasticdl.command_line import _EXACT, BEYOND
from chartgen.native.elasticdl.dialects import RENAMED_EARLIER, RENAMED_LATER, recognize
from tests.support.command_line import Typist

TRAIN = (
    "elasticdl train --job_name=mnist --model_def=zoo/mnist --records_per_task=100"
    " --minibatch_size=64 --num_workers=2 --training_data_dir=/data/train --num_epochs=1"
    " --grads_to_wait=2 --image_name=registry.example.com/mnist:1 "
)
EVALUATE = (
    "elasticdl evaluate --job_name=mnist --model_def=zoo/mnist --records_per_task=100"
    " --minibatch_size=64 --num_workers=2 --evaluation_data_dir=/data"
    " --checkpoint_filename_for_init=/c --image_name=a:1 "
)
SCHEMA = resources.data("schemas/native/elasticdl.schema.json")["definitions"]


def adopt(line: str) -> Adopted:
    (document,) = pipeline.read(line.encode(), "train.sh", "elasticdl")
    return native.adopt(document)


def described(line: str) -> dict[str, Any]:
    """The description that a line means; it may have warnings but no problems."""
    document, _, problems, _ = adopt(line)
    assert document is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    description: dict[str, Any] = document.data
    return description


def reports(line: str) -> list[str]:
    """All problems and warnings."""
    return [
        f"{problem.mark.line}:{problem.mark.column} {problem.severity} {problem.rule}"
        for problem in adopt(line).problems
    ]


def notes(line: str) -> dict[str, str]:
    return {".".join(map(str, note.path)): note.text for note in adopt(line).notes}


# --- recognized


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
def test_a_command_line_is_recognized_by_its_words(line: str) -> None:
    assert [document.form for document in pipeline.read(line.encode(), "x")] == ["elasticdl"]


@pytest.mark.parametrize(
    "line", ["an elasticdl trains", "elasticdl: train", "elasticdl training", "myelasticdl train"]
)
def test_other_texts_are_not_recognized(line: str) -> None:
    with pytest.raises(InputError):
        pipeline.check(pipeline.read(line.encode(), "x")[0])


def test_a_script_may_hold_several() -> None:
    script = TRAIN + "\n" + EVALUATE
    assert len(pipeline.read(script.encode(), "x")) == 2


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("elasticdl", "1:1"),
        ("elasticdl clean --all", "1:11"),
        ("python train.py --job_name=a", "1:1"),
    ],
)
def test_a_command_that_runs_no_job_is_reported(line: str, at: str) -> None:
    document, _, (problem,), _ = adopt(line)
    assert document is None
    assert f"{problem.mark.line}:{problem.mark.column}" == at
    assert "train" in problem.message
    assert problem.rule in ("elasticdl-command", "file-unknown-format")


# --- meaning


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


def test_equal_requests_and_limits_are_written_once() -> None:
    roles = described(
        TRAIN
        + "--master_resource_request=cpu=1,memory=1Gi --master_resource_limit=memory=1Gi,cpu=1 "
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
def test_resources_are_read_by_the_clients_grammar(text: str, fine: bool) -> None:
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
    description = described(TRAIN + f"--volume='{text}'")
    assert description["volumes"] == [{"name": name, "persistentVolumeClaim": {"claimName": "c"}}]
    assert description["volumeMounts"] == [{"name": name, "mountPath": "/d"}]
    assert description["elasticdl"]["expansion"] == "native"


@pytest.mark.parametrize(
    "flag",
    [
        "--volume='claim_name=a,mount_path=/a;claim_name=b,mount_path=/b'",
        "--volume=host_path=/a,mount_path=/a",
        "--volume=claim_name=a,mount_path=/a,sub_path=b",
        "--envs=A=1",
    ],
)
def test_what_the_master_cannot_pass_on_makes_the_job_static(flag: str) -> None:
    line = TRAIN + flag
    assert described(line)["elasticdl"]["expansion"] == "static"
    assert reports(line) == [f"1:{len(TRAIN) + 1} warning elasticdl-static-workers"]
    assert "so each worker is a Job of the chart" in notes(line)["elasticdl.expansion"]


def test_a_volume_that_is_mounted_twice_is_one_volume() -> None:
    description = described(
        TRAIN + "--volume='claim_name=a,mount_path=/a;claim_name=a,mount_path=/b,sub_path=c'"
    )
    assert [volume["name"] for volume in description["volumes"]] == ["volume-0"]
    assert description["volumeMounts"] == [
        {"name": "volume-0", "mountPath": "/a"},
        {"name": "volume-0", "mountPath": "/b", "subPath": "c"},
    ]


def test_what_the_client_dropped_takes_effect_and_is_reported() -> None:
    line = TRAIN + "--worker_pod_priority=low --log_level=debug --checkpoint_filename_for_init=/c"
    description = described(line)
    assert description["roles"]["worker"]["priorityClassName"] == "low"
    assert description["elasticdl"]["params"]["log_level"] == "DEBUG"
    assert description["elasticdl"]["params"]["checkpoint_filename_for_init"] == "/c"
    for path in ("roles.worker.priorityClassName", "elasticdl.params.log_level"):
        assert "ignored it; here it takes effect" in notes(line)[path]
    assert "ignored it" in notes(line)["elasticdl.params.checkpoint_filename_for_init"]
    assert "ignored it" not in "".join(notes(EVALUATE).values()), "with evaluate it was passed on"


def test_flags_for_the_client_itself_are_reported() -> None:
    line = (
        "A=b "
        + TRAIN
        + "--namespace=research --image_base=b:1 --extra_pypi_index=x --docker_image_prefix=r"
    )
    texts = [note.text for note in adopt(line).notes if note.path == ()]
    assert texts == [
        "--namespace: a chart carries no namespace; choose it with: helm install -n research",
        "A: for the client itself",
    ]
    assert notes(line)["image"].startswith(
        "--docker_image_prefix, --image_base, --extra_pypi_index: for the image"
    )


def test_restart_policy_is_only_for_native_workers() -> None:
    roles = described(TRAIN + "--restart_policy=OnFailure")["roles"]
    assert (roles["worker"]["restartPolicy"], "restartPolicy" in roles["master"]) == (
        "OnFailure",
        False,
    )
    roles = described(TRAIN + "--restart_policy=OnFailure --envs=A=1")["roles"]
    assert (roles["worker"]["restartPolicy"], roles["master"]["restartPolicy"]) == (
        "OnFailure",
        "OnFailure",
    )


def test_tensorboard_gets_the_volume_it_needs() -> None:
    description = described(
        TRAIN + "--volume=claim_name=c,mount_path=/data --tensorboard_log_dir=/data/log"
    )
    assert description["tensorboard"] == {
        "logDir": "/data/log",
        "serviceType": "LoadBalancer",
        "volumes": description["volumes"],
        "volumeMounts": description["volumeMounts"],
    }
    assert reports(TRAIN + "--tensorboard_log_dir=gs://bucket/log") == []


def test_an_empty_value_means_none() -> None:
    empty = "--evaluation_data_dir= --tensorboard_log_dir='' --cluster_spec= --volume="
    line = f"{TRAIN}{empty} --docker_image_prefix="
    assert described(line) == described(TRAIN)


LATER = (
    "elasticdl train --job_name=mnist --model_zoo=zoo --model_def=mnist.mnist.model"
    " --training_data=/data/train --num_workers=2 --image_name=registry.example.com/mnist:1"
    " --use_go_ps=true "
)


@pytest.mark.parametrize(
    ("flags", "dialect"),
    [
        ("--model_def=zoo/mnist --docker_image_prefix=a", "2019-07"),
        ("--model_def=mnist.py", "2019-07"),
        ("--model_zoo=zoo", "2019-07"),
        ("--model_zoo zoo --model_def mnist.mnist.model --image_base=a:1", "0.1"),
        ("--model_def=mnist.mnist.model --dataset_fn=read", "0.2"),
        ("--training_data=/a --evaluation_data=/b --use_async=true", "0.1"),
        ("--training_data=/a --docker_image_prefix=b", "0.1"),
        ("--training_data=/a --docker_image_prefix=b --num_ps_pods=1", "0.2"),
        ("--training_data=/a --image_name=a:1 --image_base=b", "0.2"),
        ("--model_def=mnist.mnist.model", "0.2"),
        ("--num_ps_pods=1", "0.2"),
    ],
)
def test_a_dialect_is_recognized_by_the_flags(flags: str, dialect: str) -> None:
    assert recognize(flags.split()) == dialect


def test_a_dialect_may_be_named() -> None:
    """--set elasticdl.dialect counts when the line is read, not only when it is described."""
    (document,) = pipeline.read(LATER.replace("--use_go_ps=true", "").encode(), "train.sh")
    given = Setting(("elasticdl", "dialect"), "0.1", "--set elasticdl.dialect=0.1")
    adopted = native.adopt(document._replace(settings=(given,))).document
    assert adopted
    assert adopted.data["elasticdl"]["expansion"] == "native"
    assert "ps" not in adopted.data["roles"]


@pytest.mark.parametrize(("early", "meant"), [*RENAMED_LATER.items()])
def test_early_names_are_read_in_later_dialects(early: str, meant: str) -> None:
    plain = LATER.replace("--training_data=/data/train ", "") if "training" in early else LATER
    plain += "" if "training" in early else "--validation_data=/v " * (meant != "validation_data")
    command = plain.replace(" train ", " predict ") if "prediction" in early else plain
    for name in ("--training_data=/data/train ", "--validation_data=/v "):
        command = command.replace(name, "") if "prediction" in early else command
    value = {"minibatches_per_task": "3", "docker_image_repository": "a"}.get(early, "/a")
    assert described(f"{command}--{early}={value}") == described(f"{command}--{meant}={value}")
    assert f"1:{len(command) + 1} warning elasticdl-flag-renamed" in reports(
        f"{command}--{early}={value}"
    )


@pytest.mark.parametrize("name", ["input_fn", "dataset_fn", "feed"])
def test_the_function_that_reads_records_has_the_name_of_the_dialect(name: str) -> None:
    assert described(f"{LATER}--{name}=read")["elasticdl"]["params"]["dataset_fn"] == "read"
    older = LATER.replace("--image_name=registry.example.com/mnist:1", "--docker_image_prefix=a")
    older = older.replace("--use_go_ps=true", "--minibatch_size=8 --num_minibatches_per_task=2")
    if name != "feed":  # which only the last client has
        assert described(f"{older}--{name}=read")["elasticdl"]["params"]["dataset_fn"] == "read"


def test_the_last_client_had_defaults() -> None:
    job = described(LATER.replace("--num_workers=2 ", ""))
    assert job["roles"]["worker"]["replicas"] == 2
    assert job["roles"]["ps"]["replicas"] == 1
    assert job["elasticdl"]["params"]["minibatch_size"] == 64
    assert (job["elasticdl"]["dialect"], job["elasticdl"]["expansion"]) == ("0.2", "native")


@pytest.mark.parametrize(
    ("zoo", "image", "path"),
    [
        ("./zoo", "--image_name=a:1 --use_go_ps=true", "/zoo"),
        ("zoo/", "--image_name=a:1 --use_go_ps=true", "/zoo"),
        ("/a/zoo", "--image_name=a:1 --use_go_ps=true", "/a/zoo"),
        ("some/where/zoo/", "--docker_image_prefix=a", "/model_zoo/zoo"),
    ],
)
def test_a_model_zoo_is_a_path_of_the_image(zoo: str, image: str, path: str) -> None:
    """In an image that exists as it is; in one that the client built where it put the directory."""
    line = (
        f"elasticdl train --job_name=a --model_zoo={zoo} --model_def=b.c.d --training_data=/d"
        f" --num_workers=1 --minibatch_size=8 --num_minibatches_per_task=2 {image}"
    )
    assert described(line)["elasticdl"]["params"]["model_zoo"] == path


def test_tasks_are_counted_as_the_dialect_does() -> None:
    line = TRAIN.replace("--records_per_task=100", "--minibatches_per_task=8")
    assert described(line)["elasticdl"]["params"]["records_per_task"] == 512
    assert reports(line) == [f"1:{line.index('--minibatches') + 1} warning elasticdl-flag-renamed"]
    later = f"{LATER}--minibatch_size=30 --records_per_task=100"
    assert described(later)["elasticdl"]["params"]["num_minibatches_per_task"] == 4


@pytest.mark.parametrize("count", ["0", "x", "-1", "1.5", ""])
def test_a_problem_with_a_count_of_minibatches_names_that_flag(count: str) -> None:
    line = TRAIN.replace("--records_per_task=100", f"--minibatches_per_task={count}")
    (problem,) = adopt(line).problems
    expected = f"--minibatches_per_task: expected a whole number above 0, got {count!r}"
    assert (problem.message, problem.mark.column) == (expected, line.index(f"={count} ") + 2)


def test_the_size_of_a_task_is_given_in_one_way() -> None:
    line = TRAIN + "--minibatches_per_task=8"
    assert reports(line) == [f"1:{len(TRAIN) + 1} error elasticdl-flag-duplicate"]
    (problem,) = adopt(line).problems
    assert "--records_per_task say the same" in problem.message


@pytest.mark.parametrize("name", ["model_file", "model_dir", "model_zoo"])
def test_earlier_names_of_the_model_are_read(name: str) -> None:
    line = TRAIN.replace("--model_def=zoo/mnist", f"--{name}=/x/mnist.py")
    assert described(line)["elasticdl"]["params"]["model_def"] == "/model_zoo/mnist"


def test_flags_of_another_command_are_ignored_as_the_client_did() -> None:
    assert reports(f"{EVALUATE}--num_epochs=2") == [
        f"1:{len(EVALUATE) + 1} warning elasticdl-flag-unknown"
    ]


def test_an_image_must_be_named_and_the_message_says_how() -> None:
    """Without a name, and without the prefix that the client would have pushed it to."""
    line = TRAIN.replace("--image_name=registry.example.com/mnist:1", "")
    (problem,) = adopt(line).problems
    assert (problem.rule, problem.mark.column) == ("image-missing", 11)
    assert problem.hint.endswith("then add --image registry.example.com/elasticdl:mnist")


def test_an_image_that_the_client_would_have_pushed_is_used_with_a_warning() -> None:
    line = TRAIN.replace(
        "--image_name=registry.example.com/mnist:1", "--docker_image_prefix=r.example.com/team"
    )
    adopted = adopt(line)
    (problem,) = adopted.problems
    assert (problem.rule, problem.severity) == ("elasticdl-image-built", "warning")
    assert "docker build -t r.example.com/team/elasticdl:mnist . && docker push" in problem.hint
    assert adopted.document
    assert adopted.document.data["image"] == "r.example.com/team/elasticdl:mnist"


# --- all flags


def test_every_flag_is_defined_once() -> None:
    """No flag of a later version hides one of this client's."""
    own = {*SCHEMA["train"]["properties"], *SCHEMA["evaluate"]["properties"]}
    assert own & {*_EXACT} == {*BEYOND}
    assert {*RENAMED_EARLIER.values()} <= own
    assert {*RENAMED_LATER.values()} <= {
        *SCHEMA["train-later"]["properties"],
        *SCHEMA["predict-later"]["properties"],
    }


@pytest.mark.parametrize("command", ["train", "evaluate", "train-later"])
def test_every_flag_leaves_a_trace(command: str) -> None:
    """In the description or in a note: none is accepted and then dropped."""
    plain = {"train": TRAIN, "evaluate": EVALUATE, "train-later": LATER}[command]
    for name, node in SCHEMA[command]["properties"].items():
        if f"--{name}=" in plain or name == "cluster_spec":
            continue
        place = SCHEMA.get(str(node.get("$ref", "")).rpartition("/")[2], node)
        value = {"resource": "cpu=7", "volume": "claim_name=c,mount_path=/d", "envs": "A=1"}.get(
            str(node.get("$ref", "")).rpartition("/")[2], str(place["examples"][0])
        )
        line = f"{plain} --{name}={value}"
        changed = described(line) != described(plain) or adopt(line).notes != adopt(plain).notes
        changed |= len(adopt(line).problems) > len(adopt(plain).problems)
        assert changed or value in ("input_fn", "loss", "optimizer", "eval_metrics_fn"), name


def test_problems_are_reported_where_the_cause_was_written() -> None:
    """In the middle of a quoted text, and in the value of a variable."""
    line = TRAIN + "--worker_resource_request \\\n  'cpu=1,memory=1' --job_name=\"A\""
    problems = adopt(line).problems
    assert [
        f"{problem.mark.line}:{problem.mark.column} {problem.rule}" for problem in problems
    ] == ["2:20 elasticdl-flag-duplicate", "2:17 value-malformed", "2:32 value-malformed"]


def test_variables_are_filled_only_by_define(
    typed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA", "/environment")
    typed.job(file="train.sh", text=TRAIN.replace("/data/train", "${DATA}/train"))
    done = typed("convert", "train.sh")
    assert done.code == 1
    assert "--define DATA=VALUE" in done.err
    done = typed("convert", "train.sh", "--define", "DATA=/mnt")
    assert (done.code, "training_data_dir: /mnt/train\n" in done.out) == (0, True)


@pytest.mark.parametrize("command", ["train", "evaluate", "predict"])
def test_a_log_file_of_0_2_is_a_flag_of_its_master(command: str) -> None:
    """Its client took the flag with every command, and its master passes it on."""
    data = {"train": "training", "evaluate": "validation", "predict": "prediction"}[command]
    line = (
        f"elasticdl {command} --job_name=mnist --model_zoo=zoo --model_def=a.b.c --{data}_data=/d"
        " --checkpoint_dir_for_init=/c --image_name=a:1 --log_file_path=/data/mnist.log "
    )
    assert described(line)["elasticdl"]["params"]["log_file_path"] == "/data/mnist.log"
    assert "the master does not" in notes(line)["elasticdl.params.log_file_path"]
    assert recognize(["--model_def=zoo/mnist", "--log_file_path=/l"]) == "0.2"
