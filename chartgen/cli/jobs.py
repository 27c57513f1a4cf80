"""The jobs a command works on: options about them, reading them, reporting their problems."""

import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from io import BytesIO

from chartgen.cli import hidden, screen
from chartgen.cli.parser import Parser
from chartgen.errors import UsageError
from chartgen.startup.typing import TYPE_CHECKING, TextIO
from chartgen.words import did_you_mean_or_known

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.document import Setting
    from chartgen.kits.model import Kit
    from chartgen.sources import SourceOptions, Sources


def add_jobs(parser: Parser, *, optional: bool = False) -> None:
    """The job descriptions a command works on; optional if they can come from a project."""
    about = "a job description, or a job in a native format; - is standard input"
    if optional:
        about += "; a directory means the jobs in it"
    parser.add_argument("jobs", nargs="*" if optional else "+", metavar="JOB", help=about)


def add_reading(parser: Parser) -> None:
    """--from, --define, --image and --strict, for commands that read jobs."""
    about = "the native format of the jobs, if it is not recognized (`chartgen list formats`)"
    action = parser.add_argument("--from", dest="form", default="", metavar="FORMAT", help=about)
    parser.completes(action, _formats)
    about = "the value of ${NAME} in a native command line, or of NAME in a .j2 description"
    parser.add_argument("--define", action="append", default=[], metavar="NAME=VALUE", help=about)
    about = "one job of a .j2 description for each value; may be repeated, for all combinations"
    values = "NAME=VALUE,VALUE"
    parser.add_argument("--matrix", action="append", default=[], metavar=values, help=about)
    about = "the image of jobs in native formats, instead of the one that they name, if any"
    parser.add_argument("--image", metavar="IMAGE", help=about)
    parser.add_argument("--strict", action="store_true", help="treat warnings as errors")


def add_kits(parser: Parser) -> None:
    """--kit, for commands that make charts."""
    about = "add a kit to every job: a directory, or one of `chartgen list kits`; may be repeated"
    parser.add_argument("--kit", action="append", default=[], metavar="DIR", help=about)


def add_set(parser: Parser) -> None:
    """--set, for commands that do not run Helm; `render` has its own."""
    about = "set a field of the job description that a native job becomes, in Helm's syntax"
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help=about)


def read_options(
    args: Namespace, words: Sequence[str] = (), *, operator_configs: bool = False
) -> "SourceOptions":
    """What --from, --define, --image and --strict say, and the words of --set."""
    from chartgen.sources import SourceOptions

    if args.form and not _is_format(args.form):
        hint = did_you_mean_or_known(args.form, _formats())
        raise UsageError(f"there is no native format {args.form!r}; {hint}")
    defines = dict(_definition(word) for word in args.define)
    return SourceOptions(
        args.form,
        defines,
        args.strict,
        operator_configs,
        settings=_settings(args.image, words),
        matrix=_matrix(args.matrix, defines),
        kits=_open_kits(getattr(args, "kit", ())),
    )


def read_jobs(
    paths: Sequence[str], args: Namespace, *, operator_configs: bool = False
) -> "Sources":
    """Read and check the jobs, with progress on a terminal."""
    from chartgen import sources

    options = read_options(args, args.set or (), operator_configs=operator_configs)
    with screen.progress("checking", len(paths), quiet=args.quiet) as step:
        gathered = sources.gather(paths, options, stdin=stdin(), progress=lambda: step(""))
    _check_completed(args, gathered)
    return gathered


def _check_completed(args: Namespace, sources: "Sources") -> None:
    """Refuse --image and --set if there is no native text that they could complete."""
    native = [bool(source.document.form) for source in sources.jobs]
    if not native or any(native):
        return
    # `render` hands its --set on to Helm, or refuses it itself.
    of_text = "" if hasattr(args, "format") else "set" * bool(args.set)
    if option := "image" * (args.image is not None) or of_text:
        raise UsageError(
            f"--{option} completes jobs in native formats, and there is none here; write it into "
            "the job description, or give it at install, as in: helm install mnist charts/mnist "
            "--set image=mnist:2"
        )


def stdin() -> "BytesIO":
    """Standard input as bytes; nothing if it is closed."""
    return sys.stdin.buffer if sys.stdin else BytesIO()  # type: ignore[return-value]


def problems_text(sources: "Sources", color: str, stream: TextIO | None) -> str:
    """The problems, with the lines they are in."""
    from chartgen.report import problems  # a run without problems does without it

    return problems.report(
        hidden.conceal_problems(sources.problems, sources.texts),
        "text",
        colour=screen.colour(color, stream),
        excerpts=sources.excerpt,
    )


def report_problems(sources: "Sources", args: Namespace) -> bool:
    """Print problems, and warnings unless --quiet; whether the command has to end here."""
    if sources.problems and (sources.broken or not args.quiet):
        screen.say(problems_text(sources, args.color, sys.stderr).rstrip("\n"))
    return sources.broken


def _open_kits(words: Sequence[str]) -> "tuple[Kit, ...]":
    if not words:
        return ()
    from chartgen.kits import find  # jobs without kits do without it

    return tuple(find.open_kit(word) for word in words)


def _is_format(name: str) -> bool:
    from chartgen.native import FORMATS  # as below

    return name in FORMATS or name in _formats()


def _formats() -> list[str]:
    from chartgen.native import formats  # job descriptions do without it

    return [*formats()]


def _settings(image: str | None, words: Sequence[str]) -> "tuple[Setting, ...]":
    """What --image and --set add to the descriptions that native texts mean."""
    if not words and image is None:
        return ()
    from chartgen.document import Setting
    from chartgen.native import settings

    given = [] if image is None else [Setting(("image",), image, "--image")]
    for word in words:
        given += settings.parse(word)
    return tuple(given)


def _hide_value(option: str, word: str) -> str:
    """An option in messages: without its value, which may be a secret."""
    name, equals, _ = word.partition("=")
    return f"{option} {name}=..." if equals else f"{option} ..."


_DEFINITION = "NAME=VALUE, as in --define DATA=/mnt/data"


def _definition(word: str) -> tuple[str, str]:
    import re

    name, equals, value = word.partition("=")
    if not equals or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise UsageError(f"{_hide_value('--define', word)}: expected {_DEFINITION}")
    return name, value


def _matrix(words: Sequence[str], defines: Mapping[str, str]) -> dict[str, list[str]]:
    """The values of each name of --matrix."""
    import re

    matrix: dict[str, list[str]] = {}
    for word in words:
        name, _, listed = word.partition("=")
        values = listed.split(",")
        if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) or "" in values:
            expected = "NAME=VALUE,VALUE, as in --matrix lr=0.1,0.01"
            raise UsageError(f"{_hide_value('--matrix', word)}: expected {expected}")
        if name in matrix or name in defines:
            raise UsageError(f"--matrix {name}=...: {name} is given twice")
        matrix[name] = list(dict.fromkeys(values))
    return matrix
