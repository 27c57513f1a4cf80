"""The default parameter server, run as the chart runs it, with stand-ins for the TensorFlow of people's images."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "charts/job/files/grpc_tensorflow_server.py"
SPEC = "chief|chief-76no-0:2222,ps|ps-76no-0:2222;ps-76no-1:3333,worker|worker-76no-0:2222"
PS = ("--job_name", "ps", "--task_id")
TASKS = {
    "chief": {"0": "chief-76no-0:2222"},
    "ps": {"0": "ps-76no-0:2222", "1": "ps-76no-1:3333"},
    "worker": {"0": "worker-76no-0:2222"},
}
TASK = {"type": "ps", "index": 1}
CLUSTER = {job: list(tasks.values()) for job, tasks in TASKS.items()}

# What the script uses of both generations; each shape says where an image of that version keeps it.
API = """
import json, os

def GPUOptions(per_process_gpu_memory_fraction):
    return per_process_gpu_memory_fraction

def ConfigProto(gpu_options):
    return gpu_options

class train:
    ClusterSpec = dict

    class Server:
        def __init__(self, cluster, job_name, task_index, config):
            if "REFUSE" in os.environ:
                raise RuntimeError("address already in use")
            assert all(type(index) is int for tasks in cluster.values() for index in tasks)
            with open(os.environ["RECORD"], "w") as record:
                got = {"task": [cluster, job_name, task_index], "gpu_memory_fraction": config}
                json.dump({**got, "visible_gpus": os.environ.get("CUDA_VISIBLE_DEVICES")}, record)
"""
COMPAT = {"compat/__init__.py": "from . import v1\n", "compat/v1.py": API}
SHAPES = {
    "1.3.0": {"__init__.py": API + "\n__version__ = '1.3.0'\nclass compat: as_bytes = bytes\n"},
    "1.15.5": {"__init__.py": API + "\n__version__ = '1.15.5'\nfrom . import compat\n", **COMPAT},
    "2.21.0": {"__init__.py": "__version__ = '2.21.0'\nfrom . import compat\n", **COMPAT},
    "slow": {"__init__.py": "import sys, time\nprint('importing', file=sys.stderr, flush=True)\ntime.sleep(60)\n"},
}


def environment(variables: dict[str, str]) -> dict[str, str]:
    ours = ("TF_CONFIG", "CUDA_VISIBLE_DEVICES", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in ours} | variables


def start(image: Path, shape: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    for name, text in SHAPES[shape].items():
        (image / "tensorflow" / name).parent.mkdir(parents=True, exist_ok=True)
        (image / "tensorflow" / name).write_text(text, encoding="utf-8")
    env = environment({"PYTHONPATH": str(image), "RECORD": str(image / "record.json"), **variables})
    return subprocess.Popen([sys.executable, str(SCRIPT), *arguments], env=env, stderr=subprocess.PIPE, text=True)


def read_until(process: subprocess.Popen[str], word: str) -> str:
    """Everything said up to the line with the word in it, or all of it if the process ends first."""
    assert process.stderr is not None
    said = ""
    while word not in said and (line := process.stderr.readline()):
        said += line
    return said


def serve(image: Path, *arguments: str, shape: str = "2.21.0", **variables: str) -> dict[str, Any]:
    """Run the script until it serves, stop it as Kubernetes does, and tell what Server got and the process said."""
    with start(image, shape, *arguments, **variables) as process:
        said = read_until(process, " serves ")
        process.terminate()
    assert " serves " in said, said
    return {**json.loads((image / "record.json").read_text(encoding="utf-8")), "said": said}


def refuse(*arguments: str, **variables: str) -> tuple[int, str]:
    """Run the script where there is no TensorFlow at all: what it refuses, it must refuse before looking for one."""
    command = [sys.executable, "-S", str(SCRIPT), *arguments]
    done = subprocess.run(command, env=environment(variables), stderr=subprocess.PIPE, text=True, timeout=30)
    return done.returncode, done.stderr


@pytest.mark.parametrize("shape", ["1.3.0", "1.15.5", "2.21.0"])
def test_serves_the_task_it_is_told_on_every_generation_of_tensorflow(tmp_path: Path, shape: str) -> None:
    """The server gets the cluster, job and index of the arguments, and one line says so."""
    served = serve(tmp_path, "--cluster_spec", SPEC, *PS, "1", shape=shape)
    assert served["task"] == [TASKS, "ps", 1]
    line = f"TensorFlow {shape} serves ps 1 at ps-76no-1:3333 in a cluster of chief 1, ps 2, worker 1\n"
    assert served["said"] == f"grpc_tensorflow_server: {line}"


@pytest.mark.parametrize(
    ("config", "tasks"),
    [
        ({"cluster": CLUSTER, "task": TASK}, TASKS),
        (
            {"cluster": {"master": ["m:1"], "ps": ["a:1", "b:1"]}, "task": TASK, "environment": "cloud"},
            {"master": {"0": "m:1"}, "ps": {"0": "a:1", "1": "b:1"}},
        ),
        (
            {"cluster": {"ps": {"1": "b:1"}, "worker": {"7": "w:1"}}, "task": TASK},
            {"ps": {"1": "b:1"}, "worker": {"7": "w:1"}},
        ),
        ({"cluster": {"ps": ["a:1", "b:1"], "worker": []}, "task": TASK}, {"ps": {"0": "a:1", "1": "b:1"}}),
        ({"cluster": CLUSTER, "task": {"type": "ps", "index": "1"}}, TASKS),
    ],
    ids=["today", "tfjob", "sparse", "scaled-to-nothing", "index-as-text"],
)
def test_takes_cluster_and_task_from_tf_config(tmp_path: Path, config: object, tasks: object) -> None:
    """Without arguments TF_CONFIG decides, in both dialects and in the sparse form; an empty role is left out."""
    served = serve(tmp_path, TF_CONFIG=json.dumps(config))
    assert served["task"] == [tasks, "ps", 1]


def test_arguments_win_over_tf_config(tmp_path: Path) -> None:
    """An empty --cluster_spec counts as missing, and each other argument replaces its part of TF_CONFIG alone."""
    config = json.dumps({"cluster": CLUSTER, "task": {"type": "chief", "index": 0}})
    served = serve(tmp_path, "--cluster_spec=", *PS, "1", TF_CONFIG=config)
    assert served["task"] == [TASKS, "ps", 1]
    served = serve(tmp_path, "--cluster_spec", "chief|other:1", TF_CONFIG=config)
    assert served["task"] == [{"chief": {"0": "other:1"}}, "chief", 0]


def test_a_task_told_in_full_does_not_look_at_tf_config(tmp_path: Path) -> None:
    """A TF_CONFIG that is not even JSON cannot stop a server that has all it needs."""
    assert serve(tmp_path, "--cluster_spec", SPEC, *PS, "0", TF_CONFIG="{broken")["task"] == [TASKS, "ps", 0]


@pytest.mark.parametrize("form", ["spec", "json"])
def test_reads_a_cluster_too_large_for_one_argument_from_a_file(tmp_path: Path, form: str) -> None:
    """@FILE holds the cluster in either form, also past the 131,072 bytes that one argument may have."""
    workers = [f"worker-1a2b3c4d-{index}:2222" for index in range(6000)]
    spec, data = f"ps|ps-0:2222,worker|{';'.join(workers)}\n", {"ps": ["ps-0:2222"], "worker": workers}
    (tmp_path / "cluster").write_text(spec if form == "spec" else json.dumps(data), encoding="utf-8")
    assert (tmp_path / "cluster").stat().st_size > 131_072
    served = serve(tmp_path, "--cluster_spec", f"@{tmp_path}/cluster", *PS, "0")
    assert served["task"][0]["worker"]["5999"] == "worker-1a2b3c4d-5999:2222"
    assert "in a cluster of ps 1, worker 6000" in served["said"]


def test_an_address_may_be_ipv6(tmp_path: Path) -> None:
    served = serve(tmp_path, "--cluster_spec", "ps|[fd00::1]:2222", *PS, "0")
    assert served["task"] == [{"ps": {"0": "[fd00::1]:2222"}}, "ps", 0]


def test_leaves_gpus_alone_unless_told_a_share_of_them(tmp_path: Path) -> None:
    """By default TensorFlow sees no GPU; with a fraction it sees what the pod sees and takes that much."""
    assert serve(tmp_path, "--cluster_spec", SPEC, *PS, "0", CUDA_VISIBLE_DEVICES="0,1")["visible_gpus"] == "-1"
    more = ("--gpu_memory_fraction", "0.25")
    served = serve(tmp_path, "--cluster_spec", SPEC, *PS, "0", *more, CUDA_VISIBLE_DEVICES="0,1")
    assert (served["gpu_memory_fraction"], served["visible_gpus"]) == (0.25, "0,1")


@pytest.mark.parametrize(("flag", "listed"), [("--verbose", True), ("--verbose=True", True), ("--verbose=no", False)])
def test_verbose_lists_every_address(tmp_path: Path, flag: str, listed: bool) -> None:
    served = serve(tmp_path, "--cluster_spec", SPEC, *PS, "0", flag)
    assert ("ps: 0=ps-76no-0:2222, 1=ps-76no-1:3333" in served["said"]) is listed


@pytest.mark.parametrize(
    ("shape", "moment", "number", "code"),
    [
        ("2.21.0", " serves ", signal.SIGTERM, 143),
        ("2.21.0", " serves ", signal.SIGINT, 130),
        ("slow", "importing", signal.SIGTERM, 143),
    ],
)
def test_a_signal_ends_the_process_at_once(
    tmp_path: Path, shape: str, moment: str, number: signal.Signals, code: int
) -> None:
    """Serving or still importing; by a handler of its own (else the code were negative), as process 1 gets no signal
    without one; and never with 0, as a Job would count an evicted server as completed."""
    with start(tmp_path, shape, "--cluster_spec", SPEC, *PS, "0") as process:
        read_until(process, moment)
        process.send_signal(number)
        assert process.wait(timeout=20) == code


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ps", """--cluster_spec: part 1, "ps", has no '|'; expected 'job|host:port;host:port', jobs joined by ','"""),
        (SPEC + ",", """--cluster_spec: part 4, "", has no '|'; expected 'job|host"""),
        ("ps|a:1,ps|b:1", '--cluster_spec: part 2: job "ps" is there already'),
        ("|a:1", '--cluster_spec: part 1: "" is not a job name'),
        ("ps|a:1,my-job|b:1", """part 2: "my-job" is not a job name: a letter, then letters, digits, '_'"""),
        ("ps|a:1,worker|", 'part 2: job worker: task 0: "" is not host:port, port 1 to 65535'),
        ("ps|a:1;;b:1", 'part 1: job ps: task 1: "" is not host:port'),
        ("ps|a", 'task 0: "a" is not host:port'),
        ("ps|a:0", 'task 0: "a:0" is not host:port, port 1 to 65535'),
        ("ps|a:65536", 'task 0: "a:65536" is not host:port, port 1 to 65535'),
        ("ps|a:1\n", 'task 0: "a:1\\n" is not host:port'),
        ("ps|\u00e4:1", 'task 0: "\\u00e4:1" is not host:port'),
        ("ps|fd00::1:2222", 'task 0: "fd00::1:2222" is not host:port'),
        ("{broken", "--cluster_spec: not JSON: "),
        ('{"ps": "a:1"}', '--cluster_spec: job ps: "a:1" is neither ["host:port"] nor {"0": "host:port"}'),
        ("@/no/such/file", '--cluster_spec: cannot read "/no/such/file": No such file or directory'),
        ("worker|a:1", 'job "ps" is not in the cluster, which has worker 1'),
        ("{}", 'job "ps" is not in the cluster, which has no tasks'),
    ],
)
def test_a_bad_cluster_spec_says_which_part_and_what_was_expected(spec: str, message: str) -> None:
    code, said = refuse("--cluster_spec", spec, *PS, "0")
    assert (code, len(said.splitlines())) == (2, 1)
    assert said.startswith("grpc_tensorflow_server: error: ")
    assert message in said


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("", "no cluster: give --cluster_spec ('job|host:port;host:port', "),
        ("{", "TF_CONFIG: not JSON: "),
        ("[1]", 'TF_CONFIG: [1] is not a JSON object like {"cluster": ..., "task": ...}'),
        ("{}", "or set TF_CONFIG with a cluster in it"),
        ('{"cluster": ["a:1"]}', 'TF_CONFIG: cluster: ["a:1"] is not a JSON object like {"ps": ["ps-0:2222"]}'),
        ('{"cluster": {"ps": [7]}}', "TF_CONFIG: cluster: job ps: task 0: 7 is not host:port, port 1 to 65535"),
        ('{"cluster": {"ps": {"x": "a:1"}}}', 'cluster: job ps: task "x": expected a whole number from 0'),
        ('{"cluster": {"ps": ["a:1"]}}', "--job_name, or TF_CONFIG's task type, is missing; the cluster has ps 1"),
        ('{"cluster": {"ps": ["a:1"]}, "task": 0}', 'TF_CONFIG: task is 0, expected {"type": "ps", "index": 0}'),
        ('{"cluster": {"ps": ["a:1"]}, "task": {"type": ["ps"]}}', 'job ["ps"] is not in the cluster, which has ps 1'),
        ('{"cluster": {"ps": ["a:1"]}, "task": {"type": "ps"}}', "index, is missing: expected a whole number from 0"),
        ('{"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": true}}', "true: expected a whole number from 0"),
        ('{"cluster": {"ps": ["a:1"]}, "task": {"type": "ps", "index": 1}}', 'job "ps" has no task 1; the cluster has'),
    ],
)
def test_a_bad_tf_config_says_which_part_and_what_was_expected(config: str, message: str) -> None:
    code, said = refuse(TF_CONFIG=config)
    assert (code, len(said.splitlines())) == (2, 1)
    assert message in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["one"], '--task_id, or TF_CONFIG\'s task index, "one": expected a whole number from 0'),
        (["-1"], '"-1": expected a whole number from 0'),
        (["2"], 'job "ps" has no task 2; the cluster has chief 1, ps 2, worker 1'),
        (["0", "--gpu_memory_fraction", "2"], "argument --gpu_memory_fraction: 2 is not between 0 and 1"),
        (["0", "--wrong"], "unrecognized arguments: --wrong"),
    ],
)
def test_a_bad_argument_is_refused(arguments: list[str], message: str) -> None:
    code, said = refuse("--cluster_spec", SPEC, *PS, *arguments)
    assert code == 2
    assert message in said


def test_a_message_stays_short_when_the_cluster_is_long() -> None:
    """A mistake in a cluster of thousands does not print the thousands."""
    code, said = refuse("--cluster_spec", "ps;" + "worker-1a2b3c4d-0:2222;" * 4000, *PS, "0")
    assert code == 2
    assert len(said) < 400


def test_an_image_without_tensorflow_is_named_as_the_trouble() -> None:
    code, said = refuse("--cluster_spec", SPEC, *PS, "0")
    assert code == 1
    assert re.search(r"error: \S*python\S* finds no TensorFlow in this image: .*tensorflow", said)


def test_a_server_that_tensorflow_cannot_start_is_named_with_its_address(tmp_path: Path) -> None:
    with start(tmp_path, "1.15.5", "--cluster_spec", SPEC, *PS, "1", REFUSE="yes") as process:
        said = process.communicate(timeout=30)[1]
    assert process.returncode == 1
    assert "error: cannot serve ps 1 at ps-76no-1:3333: address already in use" in said


NEWER = {"JoinedStr", "AnnAssign", "NamedExpr", "Nonlocal", "YieldFrom", "AsyncFunctionDef", "MatMult", "Match"}
NEWER |= {"TryStar"}


def newer_than_python_2(source: str) -> list[str]:
    """What in a source Python 2.7 would not read, as far as the syntax tree shows it."""
    found = re.findall(r"[^\x00-\x7f]|\b\d+_\d+\b", source)
    return found + [ast.dump(node) for node in ast.walk(ast.parse(source)) if is_newer(node)]


def is_newer(node: ast.AST) -> bool:
    parts = (getattr(node, name, None) for name in ("kwonlyargs", "posonlyargs", "annotation", "returns", "cause"))
    return (
        type(node).__name__ in NEWER
        or any(parts)
        or (isinstance(node, ast.ClassDef) and bool(node.keywords))
        or (isinstance(node, ast.Dict) and None in node.keys)
        or any(isinstance(element, ast.Starred) for element in getattr(node, "elts", []))
    )


@pytest.mark.parametrize(
    "source",
    [
        *('f"{x}"', "x: int = 1", "def f(*, a): pass", "def f(a, /): pass", "def f(a: int): pass", "raise A from b"),
        *("def f() -> int: pass", "(x := 1)", "a, *b = c", "{**a}", "async def f(): pass", "class A(m=b): pass"),
        *("x = 1_000", "'\u00e4'", "a @ b"),
    ],
)
def test_syntax_newer_than_python_2_is_noticed(source: str) -> None:
    """The check below can fail."""
    assert newer_than_python_2(source)


def test_the_script_keeps_to_syntax_that_python_2_reads() -> None:
    """TensorFlow 1.x images run Python 2.7 and 3.5."""
    source = SCRIPT.read_text(encoding="utf-8")
    assert newer_than_python_2(source) == []
    assert "\nfrom __future__ import print_function\n" in source


def test_the_script_imports_nothing_an_image_may_lack() -> None:
    """Old standard library and TensorFlow, and TensorFlow not before the arguments have been read."""
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    top = {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    every = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert top == {"argparse", "json", "os", "re", "signal", "sys", "time"}
    assert (every - top, froms) == ({"tensorflow"}, {"__future__"})
