"""Completion scripts in the words of each shell: bash, zsh and fish."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_BASH = """\
# chartgen's completion for bash; put into ~/.bashrc: source <(chartgen completion bash)
_chartgen() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words='' IFS=$'\\n'
    if [ "$word" = "=" ]; then word=''; elif [ "$before" = "=" ]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
    else
        case "${{COMP_WORDS[1]}} $before $word" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _chartgen chartgen
"""

_ZSH = """\
#compdef chartgen
# chartgen's completion for zsh; put it as _chartgen into a directory of $fpath
_chartgen() {{
    local -a commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{cases}
    esac
}}
if [ "$funcstack[1]" = _chartgen ]; then
    _chartgen "$@"
else
    compdef _chartgen chartgen
fi
"""

_FISH = "# chartgen's completion for fish; put it into ~/.config/fish/completions/chartgen.fish\n"


class Argument(NamedTuple):
    """An option or, without names, a positional argument; `kind` is what follows: words, file, dir, text or nothing."""

    names: tuple[str, ...]
    about: str
    kind: str
    words: tuple[str, ...] = ()
    metavar: str = ""


class Command(NamedTuple):
    """A command as a shell sees it."""

    name: str
    about: str
    arguments: tuple[Argument, ...]


def bash(commands: Sequence[Command]) -> str:
    """A function that looks at the command, the word before and the word to complete."""
    names = _lines([*(command.name for command in commands), "help", "--help", "--version"])
    cases = "\n".join(f"        {line}" for command in commands for line in _bash_cases(command))
    return _BASH.format(commands=names, cases=f"{cases}\n        'help '*) words={names} ;;")


def _bash_cases(command: Command) -> Iterator[str]:
    """First what follows an option, then options, then positional words; an empty list makes bash offer files."""
    for argument in command.arguments:
        if argument.names and argument.kind != "nothing":
            patterns = "|".join(f"'{command.name} {name} '*" for name in argument.names)
            yield f"{patterns}) words={_lines(argument.words)} ;;"
    yield f"'{command.name} '*' -'*) words={_lines(name for one in command.arguments for name in one.names)} ;;"
    yield f"'{command.name} '*) words={_lines(_positional_words(command))} ;;"


def _positional_words(command: Command) -> list[str]:
    return [word for argument in command.arguments if not argument.names for word in argument.words]


def _lines(words: Iterable[str]) -> str:
    """Words for compgen, one a line, which lets them hold spaces."""
    return "$'" + "\\n".join(words) + "'"


def zsh(commands: Sequence[Command]) -> str:
    """_arguments knows all that is needed once it has been told."""
    names = "\n".join(f"        {_quoted(f'{command.name}:{command.about}')}" for command in commands)
    cases = "\n".join(_zsh_case(command) for command in commands)
    return _ZSH.format(commands=names, cases=cases)


def _zsh_case(command: Command) -> str:
    rows = [f"            {_zsh_argument(argument)}" for argument in command.arguments]
    return " \\\n".join([f"        {command.name}) _arguments -S", *rows]) + " ;;"


def _zsh_argument(argument: Argument) -> str:
    about = argument.about
    for special in "\\[]:":
        about = about.replace(special, f"\\{special}")
    follows = f":{argument.metavar}:{_zsh_action(argument)}" if argument.kind != "nothing" else ""
    if not argument.names:
        return _quoted(("*" if argument.kind == "file" else "") + (follows or ":"))
    if len(argument.names) == 1:
        return _quoted(f"*{argument.names[0]}[{about}]{follows}")
    return f"{{{','.join(argument.names)}}}{_quoted(f'[{about}]{follows}')}"


def _zsh_action(argument: Argument) -> str:
    actions = {"file": "_files", "dir": "_files -/", "words": f"({' '.join(argument.words)})"}
    return actions.get(argument.kind, " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish(commands: Sequence[Command]) -> str:
    """One line per word that may stand somewhere."""
    lines = [line for command in commands for line in _fish_lines(command)]
    return _FISH + "".join(f"complete -c chartgen {line}\n" for line in lines)


def _fish_lines(command: Command) -> Iterator[str]:
    yield f"-n __fish_use_subcommand -f -a {command.name} -d {_fish_quoted(command.about)}"
    for argument in command.arguments:
        if not argument.names and argument.kind == "file":
            continue  # which is what fish offers anyway
        words = [f"-n '__fish_seen_subcommand_from {command.name}'", *_fish_names(argument.names)]
        words += _fish_follows(argument)
        if argument.names:
            words.append(f"-d {_fish_quoted(argument.about)}")
        yield " ".join(words)


def _fish_names(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"


def _fish_follows(argument: Argument) -> Iterator[str]:
    if argument.kind == "nothing":
        return
    if argument.names:
        yield "-r"
    if argument.kind != "file":
        yield "-f"
    if argument.kind == "dir":
        yield "-a '(__fish_complete_directories)'"
    if argument.words:
        yield f"-a {_fish_quoted(' '.join(argument.words))}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
