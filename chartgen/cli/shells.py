"""Completion scripts for bash, zsh and fish."""

from collections.abc import Iterable, Iterator, Sequence

from chartgen.startup.records import NamedTuple

_BASH = """\
# chartgen's completion for bash; put into ~/.bashrc: source <(chartgen completion bash)
_chartgen() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words='' IFS=$'\\n'
    if [ "$word" = "=" ]; then
        word=''
    elif [ "$before" = "=" ]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
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
    """An option or, without names, a positional argument.

    Its `kind` is what follows: words, file, dir, text or nothing.
    """

    names: tuple[str, ...]
    about: str
    kind: str
    words: tuple[str, ...] = ()
    metavar: str = ""


class Completable(NamedTuple):
    """A command, as a shell completes it."""

    name: str
    about: str
    arguments: tuple[Argument, ...]


def bash(commands: Sequence[Completable]) -> str:
    """A script with a function that looks at the command, the previous word and the current one."""
    names = _lines([*(command.name for command in commands), "help", "--help", "--version"])
    cases = "\n".join(f"        {line}" for command in commands for line in _bash_cases(command))
    return _BASH.format(commands=names, cases=f"{cases}\n        'help '*) words={names} ;;")


def _bash_cases(command: Completable) -> Iterator[str]:
    """Cases for what follows an option, for options, and for positional words.

    For an empty list bash offers files.
    """
    for argument in command.arguments:
        if argument.names and argument.kind != "nothing":
            patterns = "|".join(f"'{command.name} {name} '*" for name in argument.names)
            yield f"{patterns}) words={_lines(argument.words)} ;;"
    options: list[str] = []
    positional: dict[str, None] = {}  # each word once, although two arguments may take it
    for argument in command.arguments:
        options += argument.names
        positional |= dict.fromkeys(() if argument.names else argument.words)
    yield f"'{command.name} '*' -'*) words={_lines(options)} ;;"
    yield f"'{command.name} '*) words={_lines(positional)} ;;"


def _lines(words: Iterable[str]) -> str:
    """Words for compgen, one per line, so that they may contain spaces."""
    return "$'" + "\\n".join(words) + "'"


def zsh(commands: Sequence[Completable]) -> str:
    """A script that describes every argument to _arguments."""
    names = "\n".join(
        f"        {_quote(f'{command.name}:{command.about}')}" for command in commands
    )
    cases = "\n".join(_zsh_case(command) for command in commands)
    return _ZSH.format(commands=names, cases=cases)


def _zsh_case(command: Completable) -> str:
    rows = [f"            {_zsh_argument(argument)}" for argument in command.arguments]
    return " \\\n".join([f"        {command.name}) _arguments -S", *rows]) + " ;;"


def _zsh_argument(argument: Argument) -> str:
    about = argument.about
    for special in "\\[]:":
        about = about.replace(special, f"\\{special}")
    follows = f":{argument.metavar}:{_zsh_action(argument)}" if argument.kind != "nothing" else ""
    if not argument.names:
        return _quote(("*" if argument.kind == "file" else "") + (follows or ":"))
    if len(argument.names) == 1:
        return _quote(f"*{argument.names[0]}[{about}]{follows}")
    return f"{{{','.join(argument.names)}}}{_quote(f'[{about}]{follows}')}"


def _zsh_action(argument: Argument) -> str:
    actions = {"file": "_files", "dir": "_files -/", "words": f"({' '.join(argument.words)})"}
    return actions.get(argument.kind, " ")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def fish(commands: Sequence[Completable]) -> str:
    """A script with one line for each word that can be completed."""
    lines = [line for command in commands for line in _fish_lines(command)]
    return _FISH + "".join(f"complete -c chartgen {line}\n" for line in lines)


def _fish_lines(command: Completable) -> Iterator[str]:
    yield f"-n __fish_use_subcommand -f -a {command.name} -d {_quote_for_fish(command.about)}"
    for argument in command.arguments:
        if not argument.names and argument.kind == "file":
            continue  # fish offers files by itself
        words = [f"-n '__fish_seen_subcommand_from {command.name}'", *_fish_names(argument.names)]
        words += _fish_follows(argument)
        if argument.names:
            words.append(f"-d {_quote_for_fish(argument.about)}")
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
        yield f"-a {_quote_for_fish(' '.join(argument.words))}"


def _quote_for_fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
