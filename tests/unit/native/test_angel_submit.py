"""angel-submit's arguments and Angel's properties: what they mean, in whatever form."""

from typing import Any

import pytest

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.native.angel.job import chart_name
from chartgen.native.schemas import native_schema
from tests.support.command_line import Typist

NEEDED = "-Dangel.deploy.mode=KUBERNETES -Dangel.kubernetes.container.image=a:1 -Dangel.job.name=lr"
QUIET = f"{NEEDED} -Daction.type=serving"  # without a path, which would cause a warning


def read(text: str, **defines: str) -> Document:
    (document,) = pipeline.read(text.encode(), "run.sh", "", defines)
    return document


def described(arguments: str) -> Any:
    """The description that a command line means."""
    adopted = native.adopt(read(f"angel-submit {arguments}"))
    assert adopted.document is not None
    return adopted.document.data


def problems(arguments: str) -> list[str]:
    adopted = native.adopt(read(f"angel-submit {arguments}"))
    return [
        f"{problem.mark.line}:{problem.mark.column} {problem.severity} {problem.rule}"
        for problem in adopted.problems
    ]


def notes(arguments: str) -> list[str]:
    return [note.text for note in native.adopt(read(f"angel-submit {arguments}")).notes]


def properties(arguments: str) -> Any:
    """The properties that have no field."""
    return described(arguments)["angel"]["properties"]


@pytest.mark.parametrize(
    "argument",
    [
        "-Dml.epoch.num=5",
        "--ml.epoch.num 5",
        "ml.epoch.num:5",
        "'-Dml.epoch.num=5'",
        "--conf ml.epoch.num=5",
        '--ml.epoch.num "5"',
    ],
)
def test_all_forms_of_an_argument_mean_the_same(argument: str) -> None:
    assert properties(f"{QUIET} {argument}")["ml.epoch.num"] == "5"


def test_a_jar_is_a_property() -> None:
    assert properties(f"jar /opt/a.jar {QUIET}")["angel.job.jar"] == "/opt/a.jar"


def test_only_the_first_separator_splits() -> None:
    assert properties(f"{QUIET} -Da=b=c:d e:f:g=h")["a"] == "b=c:d"
    assert properties(f"{QUIET} -Da=b=c:d e:f:g=h")["e"] == "f:g=h"
    assert properties(f"{QUIET} --path hdfs://n/p")["path"] == "hdfs://n/p"


def test_the_last_value_of_a_property_counts_with_a_warning() -> None:
    twice = f"{QUIET} -Dx=1 \\\n--x 2"
    assert properties(twice)["x"] == "2"
    assert problems(twice) == ["2:1 warning key-duplicate"]


def test_conf_is_read_as_meant_with_a_warning() -> None:
    """Angel's own manual uses it, and angel-submit takes it for a property named conf."""
    arguments = f"{QUIET} \\\n--conf angel.ps.number=3"
    assert described(arguments)["roles"]["ps"] == {"replicas": 3}
    assert problems(arguments) == ["2:1 warning angel-conf-argument"]


@pytest.mark.parametrize(
    "argument", ["path=hdfs://x", "-D=v", "-Dk", "--k", "jar", "k=v", "train", ":v", "--conf x"]
)
def test_what_angel_submit_would_misread_is_refused(argument: str) -> None:
    assert problems(f"{QUIET} \\\n{argument}")[0] == "2:1 error angel-argument"


@pytest.mark.parametrize(
    ("argument", "rule"),
    [
        ("--angel.ps.number=3", "angel-argument-equals"),
        ("-- angel.ps.number 3", "angel-argument-blank"),
        ("-Dangel.ps.number 3", "angel-argument-define"),
        ("-D angel.ps.number=3", "angel-argument-define"),
    ],
)
def test_what_people_type_is_read_as_meant(argument: str, rule: str) -> None:
    """With a warning at the argument, and the place of the value where it is written."""
    text = f"{QUIET} \\\n{argument}"
    assert described(text)["roles"]["ps"] == {"replicas": 3}
    assert problems(text) == [f"2:1 warning {rule}"]
    wrong = problems(text.replace("3", "x"))
    assert f"2:{len(argument)} error value-malformed" in wrong


def test_a_problem_points_at_the_value_in_whatever_form() -> None:
    """After '=' or ':', at the word after a key, and inside quotes."""
    forms = [
        "-Dangel.ps.number=x",
        "--angel.ps.number x",
        "angel.ps.number:x",
        "'-Dangel.ps.number=x'",
    ]
    places = [problems(f"{QUIET} \\\n{form}")[0].split()[0] for form in forms]
    assert places == ["2:19", "2:19", "2:17", "2:20"]


def test_variables_are_defined_only_on_the_command_line_of_chartgen(
    typed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PS", "7")
    typed.job(text=f"angel-submit {QUIET} -Dangel.ps.number=${{PS}}\n", file="run.sh")
    done = typed("validate", "run.sh")
    assert (
        done.code,
        "PS has no value; it is not read from the environment (shell-undefined)" in done.out,
    ) == (1, True)
    assert "hint: to define the variables, add --define PS=VALUE\n" in done.out
    for command in ("validate", "convert", "render -o charts"):
        assert (
            typed(*command.split(), "run.sh", "--define", "PS=3", "--define", "OTHER=4").code == 0
        )
    assert "replicas: 3" in typed("convert", "run.sh", "--define", "PS=3").out


def test_a_script_around_the_command_is_ignored() -> None:
    line = f"nohup $A/bin/angel-submit {QUIET} -Dangel.job.name=$JOB > log &"
    adopted = native.adopt(read(f"#!/bin/sh\nset -e\nJOB=lr2\necho $UNKNOWN\ncd /x && {line}\n"))
    assert adopted.document is not None
    assert adopted.document.data["name"] == "lr2"


def test_every_command_of_a_script_is_a_job() -> None:
    script = "".join(f"angel-submit {QUIET} -Dangel.job.name=job{number}\n" for number in (1, 2))
    documents = pipeline.read(script.encode(), "run.sh")
    assert [pipeline.check(document).job.name for document in documents] == ["job1", "job2"]


def test_variables_set_for_the_command_become_those_of_the_client() -> None:
    """Except those that name places on the machine it ran on."""
    adopted = native.adopt(read(f"HADOOP_USER_NAME=me JAVA_HOME=/x angel-submit {QUIET}"))
    assert adopted.document is not None
    assert adopted.document.data["roles"]["client"] == {"env": {"HADOOP_USER_NAME": "me"}}
    assert "JAVA_HOME: for the machine that the job was submitted from" in [
        note.text for note in adopted.notes
    ]
    assert (
        str(adopted.document.mark(("roles", "client", "env", "HADOOP_USER_NAME"))) == "run.sh:1:18"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("angel_lr_test", "angellrtest"),
        ("My.Job_1", "my-job1"),
        (" Search  CTR ", "search-ctr"),
        ("a--b", "a-b"),
        ("Ähm-x", "hm-x"),
    ],
)
def test_a_name_loses_the_parts_that_angel_drops(name: str, expected: str) -> None:
    assert chart_name(name) == expected


def test_a_job_without_a_name_gets_angels_default() -> None:
    bare = QUIET.replace(" -Dangel.job.name=lr", "")
    assert described(bare)["name"] == "angel-app"
    assert "angel.job.name" not in properties(bare)


def test_properties_of_the_cluster_and_the_machine_are_dropped() -> None:
    texts = notes(
        f"{QUIET} -Dangel.kubernetes.namespace=angel-group -Dangel.kubernetes.serviceaccount=angel"
        " -Dangel.kubernetes.master=https://a"
        " -Dangel.kubernetes.authenticate.submission.oauthToken=secret"
    )
    assert [note.partition(":")[0].removeprefix("angel.kubernetes.") for note in texts] == [
        "namespace",
        "master",
        "serviceaccount",
        "authenticate.submission.oauthToken",
    ]
    assert "helm install -n angel-group" in texts[0]
    assert "serviceAccountName: angel" in texts[2]
    assert "secret" not in texts[3]
    assert notes(f"{QUIET} -Dangel.kubernetes.serviceaccount=default") == []


def test_sizes_become_resources() -> None:
    roles = described(
        f"{QUIET} -Dangel.am.memory.gb=1"
        " -Dangel.ps.cpu.vcores=2 -Dangel.ps.memory.mb=1025"
        " -Dangel.worker.memory.mb=9 -Dangel.worker.memory.gb=3"
        " -Dangel.kubernetes.worker.limit.cores=2 -Dangel.kubernetes.ps.limit.cores=500m"
    )["roles"]
    assert roles == {
        "client": {},
        "master": {"resources": {"limits": {"memory": "1Gi"}}},
        "ps": {"resources": {"requests": {"cpu": 2}, "limits": {"memory": "2Gi", "cpu": "500m"}}},
        "worker": {"resources": {"limits": {"memory": "3Gi", "cpu": 2}}},
    }


def test_what_master_and_executors_share_becomes_a_field_of_the_job() -> None:
    """It then applies to the client too; what only one of them has goes to its roles."""
    data = described(
        f"{QUIET} -Dangel.kubernetes.masterEnv.A=1 -Dangel.kubernetes.executorEnv.A=1"
        " -Dangel.kubernetes.masterEnv.B=1 -Dangel.kubernetes.executorEnv.B=2"
        " -Dangel.kubernetes.executor.label.team=ads"
    )
    assert data["env"] == {"A": "1"}
    assert data["roles"]["master"]["env"] == {"B": "1"}
    for role in ("ps", "worker"):
        assert data["roles"][role] == {"env": {"B": "2"}, "labels": {"team": "ads"}}


VOLUME = "-Dangel.kubernetes.{0}.volumes.hostPath.data."
MASTER, EXECUTOR = (
    f"{VOLUME}mount.path=/d {VOLUME}options.path=/s".format(maker)
    for maker in ("master", "executor")
)
DATA = {
    "volumes": [{"name": "data", "hostPath": {"path": "/s"}}],
    "volumeMounts": [{"name": "data", "mountPath": "/d"}],
}


@pytest.mark.parametrize(
    ("arguments", "jobs", "executors"),
    [
        (f"{MASTER} {EXECUTOR}", DATA, {}),
        (MASTER, DATA, {"volumes": [], "volumeMounts": []}),
        (EXECUTOR, {}, DATA),
    ],
)
def test_volumes_of_the_master_become_those_of_the_job(
    arguments: str, jobs: Any, executors: Any
) -> None:
    """The client reads and writes what the master does; servers and workers keep their own."""
    data = described(f"{QUIET} {arguments}")
    assert {key: value for key, value in data.items() if key in DATA} == jobs
    assert data["roles"]["ps"] == data["roles"]["worker"] == executors


@pytest.mark.parametrize(
    ("ports", "warned"),
    [
        ("1025,65535", []),
        ("1024,65535", ["angel-port-range"]),
        ("1025,65536", ["angel-port-range"]),
    ],
)
def test_ports_that_angel_does_not_accept_get_a_warning(ports: str, warned: list[str]) -> None:
    texts = problems(f"{QUIET} -Dangel.listen.port.range={ports}")
    assert [text.split()[2] for text in texts] == warned


def test_placeholders_from_the_manual_are_refused() -> None:
    """Except for the API server, which is no longer needed."""
    assert problems(f"{QUIET} -Dangel.kubernetes.master=<api_server_url>") == []
    assert problems(f"{QUIET} -Dangel.log.path=<path>")[0].endswith("error angel-placeholder")
    (only,) = problems(f"{QUIET} -Dangel.ps.number=<N>")  # and not twice
    assert only.endswith("error value-malformed")


def test_variables_in_properties_that_are_not_angels_are_left_alone() -> None:
    assert problems(f"{QUIET} '-Dml.note=${{X}}'") == []


@pytest.mark.parametrize(
    "key", ["angel.train.data.path", "angel.kubernetes.masterEnv.DIR", "my.angel.note"]
)
def test_a_variable_that_reached_angel_is_filled_in_by_its_client(key: str) -> None:
    single = f"{QUIET} \\\n'-D{key}=s3://${{X}}'"
    assert problems(single) == [f"2:{len(key) + 5} warning angel-client-variable"]
    assert problems(f"{single} -DX=1") == []


@pytest.mark.parametrize("text", ["spark-submit --class a b.jar", "x/bin/spark-submit a"])
def test_spark_submit_is_named_and_refused(text: str) -> None:
    (problem,) = native.adopt(read(text)).problems
    assert (problem.rule, str(problem.mark)) == ("angel-spark", "run.sh:1:1")


def forms(text: str) -> list[str]:
    return [document.form for document in pipeline.read(text.encode(), "x")]


def test_both_formats_are_recognized_by_their_content() -> None:
    properties = (
        "# for angel-submit\nangel.deploy.mode=KUBERNETES\nangel.kubernetes.container.image = a:1\n"
    )
    assert forms(f"bin/angel-submit {QUIET}") == ["angel-submit"]
    assert forms(f"A=b 'bin/angel-submit' {QUIET}") == ["angel-submit"]
    assert forms(properties) == ["angel-properties"]
    for stranger in ("my-angel-submit x", "angel-submitter x", "angels.x=y"):
        with pytest.raises(InputError, match="not a job that chartgen reads"):
            forms(stranger)


def test_a_properties_file_means_the_same_as_a_command_line() -> None:
    words = [*QUIET.split(), "-Dangel.ps.number=3"]
    lines = "".join(f"{word.removeprefix('-D')}\n" for word in words)
    (document,) = pipeline.read(lines.encode(), "job.properties")
    adopted = native.adopt(document)
    assert adopted.document is not None
    assert adopted.document.data == described(" ".join(words))
    assert str(adopted.document.mark(("roles", "ps", "replicas"))) == "job.properties:5:17"


def test_every_property_for_kubernetes_is_known() -> None:
    """All constants of AngelConf; a name that only begins like one of them is a problem."""
    for key in (
        "master",
        "namespace",
        "container.image",
        "executor.extraClassPath",
        "allocation.batch.delay",
    ):
        assert f"angel.kubernetes.{key}" in native_schema("angel-submit")["properties"]
    assert problems(f"{QUIET} \\\n-Dangel.kubernetes.nodeSelector=x") == ["2:1 error key-unknown"]
    assert (
        properties(f"{QUIET} -Dangel.kubernetes.report.interval=2000")[
            "angel.kubernetes.report.interval"
        ]
        == "2000"
    )


def test_properties_of_other_systems_are_kept() -> None:
    assert (
        properties(f"{QUIET} -Ddfs.nameservices=ns1 -Dangel.some.thing=1")["dfs.nameservices"]
        == "ns1"
    )
