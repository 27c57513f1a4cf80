"""The command `completion`: its scripts are run by their shells, where these are installed."""

import subprocess
from pathlib import Path

import pytest

from chartgen import frameworks
from chartgen.cli import dispatch
from chartgen.cli.commands import COMMANDS
from chartgen.cli.shells import Argument, Completable, bash, fish, zsh
from tests.support import programs
from tests.support.command_line import Typist

ASK = """\
source {script}
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_chartgen
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def offered(typed: Typist, *words: str) -> list[str]:
    """What bash would offer for the last word."""
    script = typed.folder / "chartgen.bash"
    script.write_text(typed("completion", "bash").out)
    ask = ["bash", "--norc", "-c", ASK.format(script=script), "bash", "chartgen", *words]
    done = subprocess.run(ask, capture_output=True, text=True, check=True, cwd=typed.folder)
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_offers_commands(typed: Typist) -> None:
    assert offered(typed, "re") == ["render"]
    assert offered(typed, "") == [*COMMANDS, "help", "--help", "--version"]
    assert offered(typed, "help", "val") == ["validate"]


def test_bash_offers_options_and_their_values(typed: Typist) -> None:
    assert offered(typed, "render", "--fo") == ["--format", "--force"]
    assert offered(typed, "render", "x.yaml", "--format", "") == ["chart", "manifests"]
    assert offered(typed, "render", "--format", "=", "m") == ["manifests"]
    assert offered(typed, "render", "--format", "=") == ["chart", "manifests"]
    assert offered(typed, "validate", "--output", "j") == ["json", "junit"]


def test_bash_offers_what_the_installed_chartgen_knows(typed: Typist) -> None:
    assert offered(typed, "completion", "") == ["bash", "zsh", "fish"]
    assert offered(typed, "explain", "job.rol") == ["job.roles"]
    assert offered(typed, "list", "cl") == ["clouds"]
    assert {*frameworks.MODULES} <= {*offered(typed, "list", "roles", "")}
    assert offered(typed, "schema", "jo") == ["job"]


def test_bash_leaves_files_to_bash(typed: Typist) -> None:
    """With no answer from the script and `-o default`, bash completes file names itself."""
    typed.job()
    assert offered(typed, "render", "mn") == []
    assert offered(typed, "render", "-o", "") == []
    assert typed("completion", "bash").out.endswith("complete -o default -F _chartgen chartgen\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_command_and_long_option_is_in_every_script(typed: Typist, shell: str) -> None:
    code, out, err = typed("completion", shell)
    assert (code, err) == (0, "")
    for name in COMMANDS:
        assert name in out
        for action in dispatch.load(name)[1]._actions:
            for option in action.option_strings:
                assert (
                    f"-l {option[2:]}"
                    if shell == "fish" and option[:2] == "--"
                    else option.lstrip("-")
                ) in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_valid_syntax(typed: Typist, tmp_path: Path, shell: str) -> None:
    path = programs.shell(shell)
    script = tmp_path / "script"
    script.write_text(typed("completion", shell).out)
    done = subprocess.run([path, "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


SAMPLE = [
    Completable(
        "run",
        "run it's job",
        (
            Argument(("-o", "--out"), "where [it] goes: there", "dir", (), "DIR"),
            Argument(("--form",), "as", "words", ("a", "b"), "form"),
            Argument(("--name",), "text", "text", (), "NAME"),
            Argument(("--yes",), "do", "nothing"),
            Argument((), "", "file", (), "JOB"),
        ),
    ),
    Completable("say", "say it", (Argument((), "", "words", ("x", "y"), "WHAT"),)),
]


def test_the_zsh_script_uses_the_terms_of_zsh() -> None:
    script = zsh(SAMPLE)
    assert script.startswith("#compdef chartgen\n")
    assert "        'run:run it'\\''s job'\n" in script
    assert (
        "        run) _arguments -S \\\n"
        "            {-o,--out}'[where \\[it\\] goes\\: there]:DIR:_files -/' \\\n"
        "            '*--form[as]:form:(a b)' \\\n"
        "            '*--name[text]:NAME: ' \\\n"
        "            '*--yes[do]' \\\n"
        "            '*:JOB:_files' ;;\n"
        "        say) _arguments -S \\\n"
        "            ':WHAT:(x y)' ;;\n"
    ) in script


def test_the_fish_script_uses_the_terms_of_fish() -> None:
    run, say = "-n '__fish_seen_subcommand_from run'", "-n '__fish_seen_subcommand_from say'"
    assert fish(SAMPLE).splitlines()[1:] == [
        f"complete -c chartgen {line}"
        for line in (
            "-n __fish_use_subcommand -f -a run -d 'run it\\'s job'",
            f"{run} -s o -l out -r -f -a '(__fish_complete_directories)'"
            " -d 'where [it] goes: there'",
            f"{run} -l form -r -f -a 'a b' -d 'as'",
            f"{run} -l name -r -f -d 'text'",
            f"{run} -l yes -d 'do'",
            "-n __fish_use_subcommand -f -a say -d 'say it'",
            f"{say} -f -a 'x y'",
        )
    ]


def test_the_bash_script_handles_the_values_of_options_first() -> None:
    lines = [line.strip() for line in bash(SAMPLE).splitlines()]
    cases = lines[lines.index('case "${COMP_WORDS[1]} $before $word" in') + 1 : lines.index("esac")]
    assert cases == [
        "'run -o '*|'run --out '*) words=$'' ;;",
        "'run --form '*) words=$'a\\nb' ;;",
        "'run --name '*) words=$'' ;;",
        "'run '*' -'*) words=$'-o\\n--out\\n--form\\n--name\\n--yes' ;;",
        "'run '*) words=$'' ;;",
        "'say '*' -'*) words=$'' ;;",
        "'say '*) words=$'x\\ny' ;;",
        "'help '*) words=$'run\\nsay\\nhelp\\n--help\\n--version' ;;",
    ]
