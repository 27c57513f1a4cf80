"""The command line as such: help, mistakes, streams, signals, and exit codes."""

import builtins
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import chartgen
from chartgen import __main__ as entry
from chartgen import cli, pipeline
from chartgen.cli import dispatch, screen
from chartgen.cli.commands import COMMANDS
from tests.support.command_line import JOB, Typist, command, environment, process
from tests.support.paths import ROOT


def test_the_version_is_printed_as_a_result(typed: Typist) -> None:
    assert typed("--version") == (0, f"chartgen {chartgen.__version__}\n", "")


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("help",)])
def test_help_names_every_command_with_an_example_and_the_exit_codes(
    typed: Typist, words: tuple[str, ...]
) -> None:
    code, out, err = typed(*words)
    assert (code, err) == (0, "")
    for name, about in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(about)}$", out, re.M)
    assert "Examples:" in out
    assert "130  interrupted" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(typed: Typist, name: str) -> None:
    code, out, err = typed(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: chartgen {name} ")
    assert re.search(rf"^Examples:\n(?:.*\n)*.*chartgen {name}", out, re.M)
    assert typed("help", name).out == out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_narrow_terminal_and_does_not_sprawl_on_a_wide_one(
    typed: Typist, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Options wrap; examples are lines to copy, which cannot."""
    monkeypatch.setenv("COLUMNS", "60")
    options = re.findall(r"^ .*", typed(name, "--help").out.partition("Examples:")[0], re.M)
    assert 20 < max(map(len, options)) <= 60
    for columns in ("300", "wide"):
        monkeypatch.setenv("COLUMNS", columns)
        assert max(map(len, typed(name, "--help").out.splitlines())) <= 102


def test_every_option_says_what_it_does() -> None:
    for name in COMMANDS:
        for action in dispatch.load(name)[1]._actions:
            assert action.help, f"{name} {action.dest}"


def test_a_missing_command_is_an_error_and_prints_the_help(typed: Typist) -> None:
    code, out, err = typed()
    assert (code, out) == (2, "")
    assert err.startswith("chartgen: name a command\nusage: chartgen COMMAND ...\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rendr",), "there is no command 'rendr'; did you mean 'render'?\n"),
        (("help", "rendr"), "there is no command 'rendr'; did you mean 'render'?\n"),
        (("xyz",), "there is no command 'xyz'; known: "),
        (
            ("--strict", "validate"),
            "options follow the command, as in: chartgen validate --strict\n",
        ),
        (("--strict",), "options follow the command, as in: chartgen COMMAND --strict\n"),
        (
            ("validate",),
            "name a job description, or write chartgen.yaml: "
            "`chartgen init --repo` makes a first one\n"
            "usage: chartgen validate [JOB...] [options]\n",
        ),
        (
            ("validate", "x", "--outpt=json"),
            "there is no option --outpt; did you mean '--output'?\nusage: ",
        ),
        (("validate", "x", "--out", "json"), "there is no option --out"),  # no abbreviations
        (("schema", "job", "x"), "unrecognized arguments: x\nusage: "),
        (
            ("validate", "x", "--output", "xml"),
            "argument --output: invalid choice: 'xml' (choose from ",
        ),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_is_right(
    typed: Typist, words: tuple[str, ...], message: str
) -> None:
    code, out, err = typed(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"chartgen: {message}")


def test_a_bug_is_called_a_bug_and_shows_its_traceback_only_on_request(
    typed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(pipeline, "check", broken)
    typed.job()
    short = typed("validate", "mnist.yaml")
    assert (short.code, short.out) == (70, "")
    assert short.err == (
        f"chartgen: this is a bug in chartgen {chartgen.__version__}: KeyError: 'surprise'\n"
        "Please report it, with the command and its input. CHARTGEN_DEBUG=1 shows where.\n"
    )
    asked = typed("validate", "mnist.yaml", "--debug")
    assert asked.code == 70
    assert asked.err.startswith("Traceback ")
    monkeypatch.setenv("CHARTGEN_DEBUG", "1")
    assert typed("validate", "mnist.yaml").err == asked.err


def test_problems_found_late_are_shown_as_problems(
    typed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = chartgen.errors.Problem(
        chartgen.errors.Mark("x.yaml", 3, 4), "it is wrong", "file-syntax", "mend it"
    )

    def late(*_: object) -> None:
        raise chartgen.errors.InputError([problem])

    monkeypatch.setattr(pipeline, "render", late)
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "out") == (
        1,
        "",
        "x.yaml:3:4: it is wrong (file-syntax)\n  hint: mend it\n",
    )


def test_help_and_schema_are_utf8_under_any_locale(tmp_path: Path) -> None:
    """A result is data: the same bytes under every locale."""
    plain = process("explain", "tensorflow", cwd=tmp_path)
    other = process(
        "explain", "tensorflow", cwd=tmp_path, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii"
    )
    assert plain == other
    assert plain.code == 0


def test_a_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    """`chartgen schema | head` ends silently, as if by SIGPIPE."""
    for unbuffered in ("", "1"):
        env = environment(PYTHONUNBUFFERED=unbuffered)
        run = subprocess.Popen(
            command("schema"), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 141
        run.stderr.close()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize(
    "words", [("schema",), ("--help",), ("list", "commands"), ("validate", "x", "--output=json")]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_stdout_is_reported_in_one_line(
    tmp_path: Path, words: tuple[str, ...], unbuffered: str
) -> None:
    with open("/dev/full", "wb") as full:
        env = environment(PYTHONUNBUFFERED=unbuffered)
        done = subprocess.run(
            command(*words), env=env, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True
        )
    message = "chartgen: cannot write to standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (3, message)


def test_closed_streams_cause_no_traceback(tmp_path: Path) -> None:
    """Whoever closes a stream does not want its content, nor a traceback."""

    def closed(redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
        line = ["bash", "-c", f'exec "$@" {redirection}', "bash", *command(*words)]
        return subprocess.run(line, env=environment(), cwd=tmp_path, capture_output=True, text=True)

    done = closed(">&-", "schema")
    assert (done.returncode, done.stderr) == (
        3,
        "chartgen: cannot write to standard output: it is closed\n",
    )
    done = closed("2>&-", "validate", "x")
    assert (done.returncode, done.stdout) == (1, "x:1:1: no such file (file-missing)\n")
    done = closed("<&-", "validate", "-")
    assert (done.returncode, done.stdout.startswith("<stdin>:1:1: the file is empty")) == (1, True)
    (tmp_path / "job.yaml").write_text(JOB.format(name="mnist"))
    assert closed(">&-", "render", "job.yaml", "-o", "out").returncode == 0  # it prints no result


def test_a_stderr_that_cannot_be_written_changes_no_exit_code(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.format(name="mnist"))
    line = ["bash", "-c", 'exec "$@" 2>/dev/full', "bash", *command("validate", "job.yaml")]
    assert subprocess.run(line, env=environment(), cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("stop", "code", "word"),
    [(signal.SIGINT, 130, "interrupted\n"), (signal.SIGTERM, 143, "terminated\n")],
)
def test_a_signal_in_the_middle_leaves_whole_charts_and_nothing_else(
    tmp_path: Path, stop: signal.Signals, code: int, word: str
) -> None:
    """Ctrl-C while hundreds of charts are written: each chart is complete or absent."""
    jobs = "---\n".join(JOB.format(name=f"job-{number}") for number in range(100))
    (tmp_path / "jobs.yaml").write_text(jobs)
    out = tmp_path / "out"
    line = command("render", "jobs.yaml", "-o", "out", "-q")
    run = subprocess.Popen(line, cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (out / "job-5").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    run.send_signal(stop)
    _, err = run.communicate()
    assert (run.returncode, err) == (code, word)
    charts = sorted(path.name for path in out.iterdir())
    assert 5 < len(charts) < 100
    assert all(re.fullmatch(r"job-\d+", name) for name in charts), "no half-built directory is left"
    sizes = {sum(1 for file in (out / name).rglob("*") if file.is_file()) for name in charts}
    assert len(sizes) == 1, "every chart has all its files"
    again = subprocess.run(line, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_the_handler_of_sigterm_is_restored(typed: Typist) -> None:
    before = signal.getsignal(signal.SIGTERM)
    typed("--version")
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_thread_may_run_commands_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Python lets only the main thread set signal handlers."""
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(cli.main(["--version"])))
    thread.start()
    thread.join()
    assert codes == [0]


class Terminal:
    """A stream that says it is a terminal."""

    def __init__(self) -> None:
        self.shown = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.shown += text

    def flush(self) -> None:
        pass


def test_colour_is_for_terminals_unless_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal: object = Terminal()
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    assert screen.colour("auto", terminal)  # type: ignore[arg-type]
    assert not screen.colour("auto", None)
    assert not screen.colour("never", terminal)  # type: ignore[arg-type]
    monkeypatch.setenv("TERM", "dumb")
    assert not screen.colour("auto", terminal)  # type: ignore[arg-type]
    monkeypatch.delenv("TERM")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not screen.colour("auto", terminal)  # type: ignore[arg-type]
    assert screen.colour("always", terminal)  # type: ignore[arg-type]


def test_progress_is_counted_on_a_terminal_and_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with screen.progress("checking", 20) as step:
        step("")
        step("one thing")
    assert terminal.shown == (
        "\r\x1b[Kchecking 1 of 20\r\x1b[Kone thing\n\r\x1b[Kchecking 2 of 20\r\x1b[K"
    )


@pytest.mark.parametrize(("total", "quiet"), [(19, False), (20, True)])
def test_progress_is_not_shown_for_a_few_items_or_if_quiet(
    monkeypatch: pytest.MonkeyPatch, total: int, quiet: bool
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with screen.progress("checking", total, quiet=quiet) as step:
        step("")
    assert terminal.shown == ""


def test_an_interrupted_terminal_gets_a_new_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal shows ^C without a line break."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    screen.say_stopped("interrupted")
    assert terminal.shown == "\ninterrupted\n"


@pytest.mark.parametrize(
    "words", [("--version",), ("--help",), ("schema", "cloud"), ("render", "-h")]
)
def test_a_command_that_needs_no_core_imports_no_library(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    code = (
        "import sys; from chartgen.cli import main; main(sys.argv[1:]); "
        "slow = {'yaml', 'jinja2', 'jsonschema', 'shutil', 'dataclasses', 'pathlib', 'typing'}; "
        "print(sorted(slow & set(sys.modules)), file=sys.stderr)"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", code, *words],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.stderr == "[]\n"


def test_ctrl_c_while_chartgen_is_still_loading_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Importing takes the first tenth of a second, and somebody may be that quick."""

    def pressed(name: str, *rest: Any) -> Any:
        if name == "chartgen.cli":
            raise KeyboardInterrupt
        return before(name, *rest)

    before = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", pressed)
    assert entry.main() == 130
    assert capfd.readouterr() == ("", "")


def test_a_process_that_ends_at_once_has_printed_everything(tmp_path: Path) -> None:
    """The end skips what Python does at exit, which includes writing what is still buffered."""
    printed = tmp_path / "printed.json"
    with printed.open("wb") as stream:
        command = [sys.executable, "-m", "chartgen", "schema", "cloud"]
        buffered = environment(PYTHONUNBUFFERED="")
        subprocess.run(command, cwd=ROOT, env=buffered, stdout=stream, check=True)
    assert printed.read_text() == (ROOT / "schemas/cloud.schema.json").read_text()


def test_a_process_ends_with_the_exit_code_of_its_command() -> None:
    command = [sys.executable, "-m", "chartgen", "render"]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("chartgen: ")
