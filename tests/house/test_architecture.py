"""The rules of the architecture that import contracts cannot express (.importlinter has these)."""

import ast
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PACKAGE = ROOT / "chartgen"
MODULES = {
    path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
    for path in sorted(PACKAGE.rglob("*.py"))
}
CLI = {"__main__.py"} | {module for module in MODULES if module.startswith("cli/")}
RIM = (
    CLI
    | {"resources.py", "sources.py"}
    | {module for module in MODULES if module.startswith(("world/", "verify/"))}
)

EXITS = {"print", "exit", "quit", "breakpoint", "SystemExit", "sys.exit", "os._exit", "os.abort"}
STREAMS = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
ENGINES = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "subprocess.getoutput"}
WORLD = {"open", "input", "__file__"}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
EMPTY_WORDS = {"utils", "util", "common", "helpers", "helper", "manager", "misc"}


@cache
def _tree(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def _names(source: str) -> frozenset[str]:
    """Every name that is read, bare (`open`) and dotted (`sys.exit`)."""
    names = set()
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(ast.unparse(node))
    return frozenset(names)


def _shells(source: str) -> list[str]:
    """Every call with a `shell=` that is not plainly False."""
    calls = (node for node in ast.walk(_tree(source)) if isinstance(node, ast.Call))
    shells = ((call, word.value) for call in calls for word in call.keywords if word.arg == "shell")
    return [
        ast.unparse(call)
        for call, value in shells
        if not (isinstance(value, ast.Constant) and value.value is False)
    ]


def _functions() -> Iterator[tuple[str, int]]:
    """Every function, as module and name, and how many lines it has."""
    for module, source in MODULES.items():
        for node in ast.walk(_tree(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{module}: {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


def _types() -> Iterator[tuple[str, str]]:
    """Every class and every alias of a type, by name, and its module."""
    for module, source in MODULES.items():
        tree = _tree(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield node.name, module
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if re.fullmatch(r"_?[A-Z]+[a-z]\w*", name):
                    yield name, module


def _crowded(source: str) -> list[int]:
    """The lines of statements with more than one comprehension; a lambda counts by itself."""
    crowded = []
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.stmt | ast.Lambda) and len(list(_comprehensions(node))) > 1:
            crowded.append(node.lineno)
    return crowded


def _comprehensions(node: ast.AST) -> Iterator[ast.AST]:
    """The comprehensions of a statement, apart from those of statements and lambdas inside it."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, COMPREHENSIONS):
            yield inner
        if not isinstance(inner, ast.stmt | ast.Lambda):
            yield from _comprehensions(inner)


def _uses(modules: Iterable[str], bad: set[str]) -> list[str]:
    """Every use of one of these names in these modules, as a line for a person to read."""
    uses: list[str] = []
    for module in sorted(modules):
        uses += (f"{module}: {name}" for name in sorted(bad & _names(MODULES[module])))
    return uses


def _imported(*args: str, cwd: Path) -> set[str]:
    """The modules that `chartgen ARGS` imports, and their packages, in a process of its own."""
    command = [sys.executable, "-X", "importtime", "-m", "chartgen", *args]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    modules = {line.rpartition("|")[2].strip() for line in lines}
    return modules | {module.partition(".")[0] for module in modules}


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
def test_the_checks_below_find_what_they_look_for(source: str, bad: set[str]) -> None:
    assert bad & _names(source)


def test_the_check_for_shells_distinguishes_shells_from_other_processes() -> None:
    source = "run('a', shell=True); run('b', shell=flag); run('c', shell=False); run('d')"
    assert _shells(source) == ["run('a', shell=True)", "run('b', shell=flag)"]


def test_only_the_command_line_prints_or_exits() -> None:
    assert _uses(MODULES.keys() - CLI, EXITS | STREAMS) == []


def test_no_text_is_run_as_code_or_by_a_shell() -> None:
    assert _uses(MODULES, ENGINES) == []
    assert [shell for source in MODULES.values() for shell in _shells(source)] == []


def test_the_core_opens_nothing() -> None:
    """Import contracts keep os, pathlib, time and so on out of the core; these need no import."""
    assert _uses(MODULES.keys() - RIM, WORLD) == []


def test_a_module_opens_with_one_sentence() -> None:
    """The first line ends with a full stop, and a blank line comes before the rest."""
    wrong: list[str] = []
    for module, source in MODULES.items():
        first, _, rest = (ast.get_docstring(_tree(source)) or "").partition("\n")
        if not first.endswith(".") or (rest and not rest.startswith("\n")):
            wrong.append(f"{module}: {first!r}")
    assert wrong == []


def test_a_module_is_named_after_what_it_does() -> None:
    assert [
        module for module in MODULES if set(Path(module).with_suffix("").parts) & EMPTY_WORDS
    ] == []


def test_a_room_has_at_most_ten_modules() -> None:
    """Except for those that are a list by nature: one file for each command."""
    rooms: dict[str, list[str]] = {}
    for module in MODULES:
        room, name = Path(module).parent.as_posix(), Path(module).stem
        if name != "__init__":
            rooms.setdefault(room, []).append(name)
    assert {room for room, names in rooms.items() if len(names) > 10} == {"cli/commands"}


def test_no_type_name_is_defined_twice() -> None:
    modules: dict[str, list[str]] = {}
    for name, module in _types():
        modules.setdefault(name, []).append(module)
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}


def test_a_statement_has_at_most_one_comprehension() -> None:
    assert _crowded("x = [a for a in [b for b in c]]") == [1]
    assert _crowded("for a in [b for b in c]:\n    yield [d for d in a]") == []
    crowded = {module: _crowded(source) for module, source in MODULES.items()}
    assert {module: lines for module, lines in crowded.items() if lines} == {}


def test_functions_are_short() -> None:
    """The limits are taken from programs that are a pleasure to read."""
    functions = list(_functions())
    lengths = [length for _, length in functions]
    assert statistics.median(lengths) <= 12
    assert statistics.quantiles(lengths, n=10)[-1] < 30
    assert [name for name, length in functions if length > 60] == []


# Text of pods, whose hash names the Jobs of a release: a break would replace them at an upgrade.
_IN_PODS = ("job/files/wait.sh", "job/files/grpc_tensorflow_server.py")


def test_lines_of_charts_and_values_fit_on_a_page() -> None:
    """A reviewer reads templates, scripts and data side by side with the change of them."""
    for path in sorted((*(ROOT / "charts").rglob("*"), *(ROOT / "values").rglob("*"))):
        if path.is_file() and not path.as_posix().endswith(_IN_PODS):
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                assert len(line) <= 100, f"{path.relative_to(ROOT)}:{number}"


def test_help_imports_no_library() -> None:
    """`chartgen --help` answers at once, whatever is installed."""
    libraries = {"jinja2", "jsonschema", "kubernetes", "ruamel", "yaml"}
    assert libraries & _imported("--help", cwd=ROOT) == set()


def test_rendering_a_valid_job_imports_only_what_it_needs(tmp_path: Path) -> None:
    """What is imported for a valid job decides how long a cold start takes."""
    job = ROOT / "values/jobs/mnist.yaml"
    imported = _imported("render", str(job), "-o", str(tmp_path), cwd=tmp_path)
    assert "chartgen" in imported
    libraries = {"jinja2", "jsonschema", "kubernetes", "ruamel", "importlib_resources"}
    assert {*libraries, "dataclasses", "difflib", "importlib.metadata"} & imported == set()
    assert {"chartgen.extensions", "chartgen.api"} & imported == set()
    assert {"chartgen.manual", "chartgen.checks.rules", "chartgen.native"} & imported == set()
    assert {"hashlib", "locale", "pathlib", "shutil", "subprocess", "tempfile"} & imported == set()


def test_rendering_a_valid_job_compiles_no_pattern_that_it_does_not_use(tmp_path: Path) -> None:
    """PyYAML's pattern of characters that are not printable takes a fifteenth of a cold start."""
    code = (
        "import re, sys; compiled = []; real = re._compiler.compile\n"
        "def compile(pattern, flags=0): compiled.append(pattern); return real(pattern, flags)\n"
        "re._compiler.compile = compile\n"
        "from chartgen.cli import main; code = main(sys.argv[1:])\n"
        "from yaml.reader import Reader; unused = [*compiled]; Reader.NON_PRINTABLE.search('a')\n"
        "late = [pattern for pattern in compiled if pattern not in unused]\n"
        "print(code, len(late), '\\U0010ffff' in late[0])"
    )
    command = [sys.executable, "-c", code, "render", str(ROOT / "values/jobs/mnist.yaml")]
    done = subprocess.run(
        [*command, "-o", str(tmp_path), "-q"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "0 1 True\n", done.stderr
