"""The command `convert`: jobs in native formats in, the job descriptions they mean out."""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chartgen.cli import screen
from chartgen.cli.parser import Parser, add_color, add_define, add_from, add_quiet, add_strict
from chartgen.errors import OK, PROBLEMS, InputError

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.document import Document
    from chartgen.sources import Inputs

SYNTAX = "NATIVE... [options]"
ABOUT = """\
Print the job description that a job in a native format means: the comments are kept, and more of them
say what was dropped or changed, and why. `chartgen render` makes the same chart of both. Of the
configuration of a TfJob operator, alone or in its ConfigMap, comes a cloud to name in a job."""
EXAMPLES = """\
  chartgen convert tfjob.yaml > job.yaml
  kubectl get tfjob mnist -o yaml | chartgen convert -
  chartgen convert tfjob.yaml --output json
  kubectl get configmap tf-job-operator-config -o yaml | chartgen convert - > ours.yaml

Exit codes: 0 fine, 1 the jobs have problems, 2 usage."""


def options(parser: Parser) -> None:
    """What to convert, and into what."""
    about = "a job in a native format (`chartgen list formats`); - is standard input"
    parser.add_argument("jobs", nargs="+", metavar="NATIVE", help=about)
    parser.add_argument("--output", choices=("yaml", "json"), default="yaml", help="yaml (the default) has comments")
    add_from(parser)
    add_define(parser)
    add_strict(parser)
    add_color(parser)
    add_quiet(parser, "warnings and no notes")


def run(args: Namespace) -> int:
    """Check all, then print one after the other."""
    from chartgen import sources as inputs

    options = {"strict": args.strict, "quiet": args.quiet, "form": args.form, "define": args.define}
    found = inputs.gather(args.jobs, **options, clouds=not args.form)
    clouds = list(_clouds(found, args))
    if inputs.problems_end(found, args):
        return PROBLEMS
    files: dict[str, list[Document]] = {}
    for job in found.found:
        files.setdefault(job.document.file, []).append(job.document)
    printed = clouds + [
        text for file, documents in files.items() for text in _texts(found.texts[file], documents, args)
    ]
    screen.out(("---\n" if args.output == "yaml" else "").join(printed))
    return OK


def _clouds(found: "Inputs", args: Namespace) -> "Iterator[str]":
    """The clouds that configurations of an operator mean; problems of theirs go to the others."""
    from chartgen.native.operators import config as controller

    for document in found.configs or ():
        try:
            config = controller.cloud(document)
        except InputError as error:
            found.problems.extend(error.problems)
            continue
        found.problems.extend(
            problem._replace(severity="error") if args.strict else problem for problem in config.warnings
        )
        yield controller.text(config, document.file) if args.output == "yaml" else _dumped(config.cloud)


def _texts(text: bytes, documents: "Sequence[Document]", args: Namespace) -> "Iterator[str]":
    """The descriptions of one file; a file that has nothing else comes out as it went in."""
    if not any(document.form for document in documents) and args.output == "yaml":
        if not args.quiet:
            screen.say(f"{documents[0].file}: a job description already, left as it is")
        yield text.decode().removeprefix("\ufeff")
    elif args.output == "json":
        yield from (_json(document, args) for document in documents)
    else:
        yield from _yaml(text, documents)


def _yaml(text: bytes, documents: "Sequence[Document]") -> "Iterator[str]":
    from chartgen.native import describe as convert

    comments = convert.comments(text.decode().removeprefix("\ufeff"), documents)
    for document, own in zip(documents, comments, strict=True):
        described, notes = convert.adopted(document)
        yield convert.description(described, notes, document, own)


def _json(document: "Document", args: Namespace) -> str:
    from chartgen.native import describe as convert

    described, notes = convert.adopted(document)
    for note in notes:
        if not args.quiet:  # JSON has no comments
            screen.say(f"{document.file}: {note.text}")
    return _dumped(described.data)


def _dumped(data: object) -> str:
    from json import dumps

    return dumps(data, indent=2, ensure_ascii=False) + "\n"
