"""The rules of the house that import contracts cannot say (.importlinter says the others)."""

import ast
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "chartgen"
MODULES = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
CLI = {"__main__.py", "sources.py"} | {module for module in MODULES if module.startswith("cli/")}
RIM = (
    CLI
    | {"resources.py", "world/files.py", "world/atomic.py", "world/helm.py", "world/cluster.py"}
    | {"verify/source.py", "verify/stages/lint.py"}
)

EXITS = {"print", "exit", "quit", "breakpoint", "SystemExit", "sys.exit", "os._exit", "os.abort"}
STREAMS = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
ENGINES = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "subprocess.getoutput"}
WORLD = {"open", "input", "__file__"}
EMPTY_WORDS = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}


def _names(source: str) -> Iterator[str]:
    """Every name that is read, bare (`open`) and dotted (`sys.exit`)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)


def _shells(source: str) -> list[str]:
    """Every call with a `shell=` that is not plainly False."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    shells = ((call, word.value) for call in calls for word in call.keywords if word.arg == "shell")
    return [
        ast.unparse(call) for call, value in shells if not (isinstance(value, ast.Constant) and value.value is False)
    ]


def _lengths() -> list[int]:
    """How many lines each function has."""
    nodes = (node for source in MODULES.values() for node in ast.walk(ast.parse(source)))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]


def _imported(*args: str, cwd: Path) -> set[str]:
    """The packages that `chartgen ARGS` imports on its way, in a process of its own that nobody measures."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, "-X", "importtime", "-m", "chartgen", *args]
    done = subprocess.run(command, cwd=cwd, env={**plain, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


@pytest.mark.parametrize(
    ("source", "bad"),
    [
        ("print('x')", EXITS),
        ("def f() -> None:\n    raise SystemExit(1)", EXITS),
        ("import sys\nsys.stdout.write('x')", STREAMS),
        ("x = eval('1')", ENGINES),
        ("with open('x') as file: pass", WORLD),
    ],
)
def test_the_checks_below_see_what_they_look_for(source: str, bad: set[str]) -> None:
    assert bad & set(_names(source))


def test_the_check_for_shells_tells_a_shell_from_none() -> None:
    source = "run('a', shell=True); run('b', shell=flag); run('c', shell=False); run('d')"
    assert _shells(source) == ["run('a', shell=True)", "run('b', shell=flag)"]


@pytest.mark.parametrize("module", sorted(MODULES.keys() - CLI))
def test_only_the_command_line_prints_or_exits(module: str) -> None:
    assert (EXITS | STREAMS) & set(_names(MODULES[module])) == set()


@pytest.mark.parametrize("module", MODULES)
def test_no_text_is_run_as_code_or_by_a_shell(module: str) -> None:
    assert ENGINES & set(_names(MODULES[module])) == set()
    assert _shells(MODULES[module]) == []


@pytest.mark.parametrize("module", sorted(MODULES.keys() - RIM))
def test_the_core_opens_nothing(module: str) -> None:
    """Import contracts keep os, pathlib, time and the like out of the core; these need no import."""
    assert WORLD & set(_names(MODULES[module])) == set()


@pytest.mark.parametrize("module", MODULES)
def test_a_module_opens_with_one_sentence(module: str) -> None:
    first, _, rest = (ast.get_docstring(ast.parse(MODULES[module])) or "").partition("\n")
    assert first.endswith("."), f"the first line is to be one sentence: {first!r}"
    assert not rest or rest.startswith("\n"), "a blank line comes after the first sentence"


@pytest.mark.parametrize("module", MODULES)
def test_a_module_is_short_enough_to_read_and_named_for_what_it_does(module: str) -> None:
    assert len(MODULES[module].splitlines()) <= 300
    assert set(Path(module).with_suffix("").parts) & EMPTY_WORDS == set()


def test_functions_are_short() -> None:
    """The yardstick is taken from programs that are a pleasure to read."""
    lengths = sorted(_lengths())
    assert statistics.median(lengths) <= 12
    assert statistics.quantiles(lengths, n=10)[-1] < 30


def test_help_imports_no_library() -> None:
    """`chartgen --help` and completion answer at once, whatever is installed."""
    libraries = {"jinja2", "jsonschema", "kubernetes", "ruamel", "yaml"}
    assert libraries & _imported("--help", cwd=ROOT) == set()


def test_rendering_a_valid_job_imports_only_what_it_needs(tmp_path: Path) -> None:
    """What is imported on the way of a valid job decides how long a cold start takes."""
    job = ROOT / "values/jobs/mnist.yaml"
    imported = _imported("render", str(job), "-o", str(tmp_path), cwd=tmp_path)
    assert "chartgen" in imported
    assert imported & {"jsonschema", "kubernetes", "ruamel", "importlib_resources", "dataclasses", "difflib"} == set()
