"""The default parameter server, run as the chart runs it, with stand-ins for TensorFlow."""

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

from tests.support.paths import ROOT

SCRIPT = ROOT / "charts/job/files/grpc_tensorflow_server.py"
SPEC = "chief|chief-76no-0:2222,ps|ps-76no-0:2222;ps-76no-1:3333,worker|worker-76no-0:2222"
PS = ("--job_name", "ps", "--task_id")
CLUSTER = {
    "chief": ["chief-76no-0:2222"],
    "ps": ["ps-76no-0:2222", "ps-76no-1:3333"],
    "worker": ["worker-76no-0:2222"],
}

# What the script uses of both generations; each shape says where an image of that version has it.
API = """
import json, os

class train:
    ClusterSpec = dict

    class Server:
        def __init__(self, cluster, job_name, task_index):
            if "REFUSE" in os.environ:
                raise RuntimeError("address already in use")
            with open(os.environ["RECORD"], "w") as record:
                gpus = os.environ.get("CUDA_VISIBLE_DEVICES")
                json.dump({"task": [cluster, job_name, task_index], "gpus": gpus}, record)
"""
COMPAT = {"compat/__init__.py": "from . import v1\n", "compat/v1.py": API}
SHAPES = {
    "1.3.0": {"__init__.py": API + "\n__version__ = '1.3.0'\nclass compat: as_bytes = bytes\n"},
    "1.15.5": {"__init__.py": API + "\n__version__ = '1.15.5'\nfrom . import compat\n", **COMPAT},
    "2.21.0": {"__init__.py": "__version__ = '2.21.0'\nfrom . import compat\n", **COMPAT},
    "slow": {
        "__init__.py": "import sys, time\nprint('importing', file=sys.stderr, flush=True)\n"
        "time.sleep(60)\n"
    },
}


def environment(variables: dict[str, str]) -> dict[str, str]:
    ours = ("TF_CONFIG", "CUDA_VISIBLE_DEVICES", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in ours} | variables


def start(image: Path, shape: str, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    for name, text in SHAPES[shape].items():
        (image / "tensorflow" / name).parent.mkdir(parents=True, exist_ok=True)
        (image / "tensorflow" / name).write_text(text, encoding="utf-8")
    env = environment({"PYTHONPATH": str(image), "RECORD": str(image / "record.json"), **variables})
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *arguments], env=env, stderr=subprocess.PIPE, text=True
    )


def read_until(process: subprocess.Popen[str], word: str) -> str:
    """All output up to the line that contains the word, or until the process ends."""
    assert process.stderr is not None
    output = ""
    while word not in output and (line := process.stderr.readline()):
        output += line
    return output


def serve(image: Path, *arguments: str, shape: str = "2.21.0", **variables: str) -> dict[str, Any]:
    """Run the script until it serves, then stop it; what Server got, and the output."""
    with start(image, shape, *arguments, **variables) as process:
        output = read_until(process, " serves ")
        process.terminate()
    assert " serves " in output, output
    return {**json.loads((image / "record.json").read_text(encoding="utf-8")), "output": output}


def refuse(*arguments: str, **variables: str) -> tuple[int, str]:
    """Run the script without TensorFlow: it must refuse arguments before looking for it."""
    command = [sys.executable, "-S", str(SCRIPT), *arguments]
    done = subprocess.run(
        command, env=environment(variables), stderr=subprocess.PIPE, text=True, timeout=30
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("shape", ["1.3.0", "1.15.5", "2.21.0"])
def test_serves_the_given_task_on_every_generation_of_tensorflow(
    tmp_path: Path, shape: str
) -> None:
    """The server gets the cluster, job and index of the arguments, and one line says so."""
    served = serve(tmp_path, "--cluster_spec", SPEC, *PS, "1", shape=shape)
    assert served["task"] == [CLUSTER, "ps", 1]
    line = (
        f"TensorFlow {shape} serves ps 1 at ps-76no-1:3333 in a cluster of chief 1,"
        " ps 2, worker 1\n"
    )
    assert served["output"] == f"grpc_tensorflow_server: {line}"


def test_does_not_read_tf_config(tmp_path: Path) -> None:
    """A TF_CONFIG that is not JSON cannot stop a server that has all it needs."""
    served = serve(tmp_path, "--cluster_spec", SPEC, *PS, "0", TF_CONFIG="{broken")
    assert served["task"] == [CLUSTER, "ps", 0]


def test_reads_a_cluster_too_large_for_one_argument_from_a_file(tmp_path: Path) -> None:
    """@FILE has the cluster, even beyond the 131,072 bytes of one argument."""
    workers = [f"worker-1a2b3c4d-{index}:2222" for index in range(6000)]
    spec = f"ps|ps-0:2222,worker|{';'.join(workers)}\n"
    (tmp_path / "cluster").write_text(spec, encoding="utf-8")
    assert (tmp_path / "cluster").stat().st_size > 131_072
    served = serve(tmp_path, "--cluster_spec", f"@{tmp_path}/cluster", *PS, "0")
    assert served["task"][0]["worker"][5999] == "worker-1a2b3c4d-5999:2222"
    assert "in a cluster of ps 1, worker 6000" in served["output"]


def test_an_address_may_be_ipv6(tmp_path: Path) -> None:
    served = serve(tmp_path, "--cluster_spec", "ps|[fd00::1]:2222", *PS, "0")
    assert served["task"] == [{"ps": ["[fd00::1]:2222"]}, "ps", 0]


def test_uses_no_gpu(tmp_path: Path) -> None:
    """TensorFlow would take the memory of all that it sees."""
    served = serve(tmp_path, "--cluster_spec", SPEC, *PS, "0", CUDA_VISIBLE_DEVICES="0,1")
    assert served["gpus"] == "-1"


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
    """Serving or still importing, and never with 0.

    It has its own handler (or the code would be negative), because process 1 gets no signal
    without one; a Job would count an evicted server that ends with 0 as completed.
    """
    with start(tmp_path, shape, "--cluster_spec", SPEC, *PS, "0") as process:
        read_until(process, moment)
        process.send_signal(number)
        assert process.wait(timeout=20) == code


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "ps",
            """--cluster_spec: part 1, "ps", has no '|'; expected 'job|host:port;host:port',"""
            " jobs joined by ','",
        ),
        (SPEC + ",", """--cluster_spec: part 4, "", has no '|'; expected 'job|host"""),
        ("ps|a:1,ps|b:1", '--cluster_spec: part 2: job "ps" is already defined'),
        ("|a:1", '--cluster_spec: part 1: "" is not a job name'),
        (
            "ps|a:1,my-job|b:1",
            """part 2: "my-job" is not a job name: a letter, then letters, digits, '_'""",
        ),
        ("ps|a:1,worker|", 'part 2: job worker: task 0: "" is not host:port, port 1 to 65535'),
        ("ps|a:1;;b:1", 'part 1: job ps: task 1: "" is not host:port'),
        ("ps|a", 'task 0: "a" is not host:port'),
        ("ps|a:0", 'task 0: "a:0" is not host:port, port 1 to 65535'),
        ("ps|a:65536", 'task 0: "a:65536" is not host:port, port 1 to 65535'),
        ("ps|a:1\n", 'task 0: "a:1\\n" is not host:port'),
        ("ps|\u00e4:1", 'task 0: "\\u00e4:1" is not host:port'),
        ("ps|fd00::1:2222", 'task 0: "fd00::1:2222" is not host:port'),
        (
            "@/no/such/file",
            '--cluster_spec: cannot read "/no/such/file": No such file or directory',
        ),
        ("worker|a:1", 'job "ps" is not in the cluster, which has worker 1'),
        ('{"ps": ["a:1"]}', """part 1, "{\\"ps\\": [\\"a:1\\"]}", has no '|'"""),
        ("", """part 1, "", has no '|'; expected 'job|host"""),
    ],
)
def test_a_bad_cluster_spec_says_which_part_and_what_was_expected(spec: str, message: str) -> None:
    code, output = refuse("--cluster_spec", spec, *PS, "0")
    assert (code, len(output.splitlines())) == (2, 1)
    assert output.startswith("grpc_tensorflow_server: error: ")
    assert message in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["one"], "argument --task_id: invalid int value: 'one'"),
        (["-1"], 'job "ps" has no task -1; the cluster has chief 1, ps 2, worker 1'),
        (["2"], 'job "ps" has no task 2; the cluster has chief 1, ps 2, worker 1'),
        (["0", "--wrong"], "unrecognized arguments: --wrong"),
    ],
)
def test_a_bad_argument_is_refused(arguments: list[str], message: str) -> None:
    code, output = refuse("--cluster_spec", SPEC, *PS, *arguments)
    assert code == 2
    assert message in output


@pytest.mark.parametrize("missing", ["--cluster_spec", "--job_name", "--task_id"])
def test_a_missing_argument_is_named(missing: str) -> None:
    given = {"--cluster_spec": SPEC, "--job_name": "ps", "--task_id": "0"}
    del given[missing]
    code, output = refuse(*(word for pair in given.items() for word in pair))
    assert code == 2
    assert re.search(f"required.*{missing}", output)


def test_a_message_stays_short_when_the_cluster_is_long() -> None:
    """A mistake in a cluster of thousands does not print the thousands."""
    code, output = refuse("--cluster_spec", "ps;" + "worker-1a2b3c4d-0:2222;" * 4000, *PS, "0")
    assert code == 2
    assert len(output) < 400


def test_an_image_without_tensorflow_is_reported() -> None:
    code, output = refuse("--cluster_spec", SPEC, *PS, "0")
    assert code == 1
    assert re.search(
        r"error: \S*python\S* cannot import TensorFlow in this image: .*tensorflow", output
    )


def test_a_server_that_tensorflow_cannot_start_is_named_with_its_address(tmp_path: Path) -> None:
    with start(tmp_path, "1.15.5", "--cluster_spec", SPEC, *PS, "1", REFUSE="yes") as process:
        output = process.communicate(timeout=30)[1]
    assert process.returncode == 1
    assert "error: cannot serve ps 1 at ps-76no-1:3333: address already in use" in output


NEWER = {
    "JoinedStr",
    "AnnAssign",
    "NamedExpr",
    "Nonlocal",
    "YieldFrom",
    "AsyncFunctionDef",
    "MatMult",
    "Match",
}
NEWER |= {"TryStar"}


def newer_than_python_2(source: str) -> list[str]:
    """What Python 2.7 could not parse in a source, as far as the syntax tree shows it."""
    newer = re.findall(r"[^\x00-\x7f]|\b\d+_\d+\b", source)
    return newer + [ast.dump(node) for node in ast.walk(ast.parse(source)) if is_newer(node)]


def is_newer(node: ast.AST) -> bool:
    parts = (
        getattr(node, name, None)
        for name in ("kwonlyargs", "posonlyargs", "annotation", "returns", "cause")
    )
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
        *(
            'f"{x}"',
            "x: int = 1",
            "def f(*, a): pass",
            "def f(a, /): pass",
            "def f(a: int): pass",
            "raise A from b",
        ),
        *(
            "def f() -> int: pass",
            "(x := 1)",
            "a, *b = c",
            "{**a}",
            "async def f(): pass",
            "class A(m=b): pass",
        ),
        *("x = 1_000", "'\u00e4'", "a @ b"),
    ],
)
def test_syntax_newer_than_python_2_is_noticed(source: str) -> None:
    """The check below can fail."""
    assert newer_than_python_2(source)


def test_the_script_uses_only_syntax_of_python_2() -> None:
    """TensorFlow 1.x images run Python 2.7 and 3.5."""
    source = SCRIPT.read_text(encoding="utf-8")
    assert newer_than_python_2(source) == []
    assert "\nfrom __future__ import print_function\n" in source


def test_the_script_imports_nothing_an_image_may_lack() -> None:
    """Only the old standard library and TensorFlow, and TensorFlow only after the arguments."""
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    top = {name.name for node in tree.body if isinstance(node, ast.Import) for name in node.names}
    every = {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }
    froms = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert top == {"argparse", "json", "os", "re", "signal", "sys", "time"}
    assert (every - top, froms) == ({"tensorflow"}, {"__future__"})
