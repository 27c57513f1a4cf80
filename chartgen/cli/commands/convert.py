"""The command `convert`: jobs in native formats in, the job descriptions they mean out."""

from argparse import Namespace
from collections.abc import Iterator, Sequence

from chartgen.cli import hidden, screen
from chartgen.cli.jobs import add_reading, add_set, read_jobs, report_problems
from chartgen.cli.parser import Parser, add_color, add_quiet
from chartgen.errors import OK, PROBLEMS
from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # the core, which a mistyped command does not need
    from chartgen.document import Document
    from chartgen.sources import Sources

SYNTAX = "NATIVE... [options]"
ABOUT = """\
Print the job description for a job in a native format. Comments are kept; new ones say what was
dropped or changed, and why. `chartgen render` makes the same chart from both. The configuration of
a TfJob operator, alone or in its ConfigMap, becomes a cloud that a job can name."""
EXAMPLES = """\
  chartgen convert tfjob.yaml > job.yaml
  kubectl get tfjob mnist -o yaml | chartgen convert -
  chartgen convert tfjob.yaml --output json
  chartgen convert train.sh --image registry.example.com/mnist:1 --define DATA=/data
  kubectl get configmap tf-job-operator-config -o yaml | chartgen convert - > ours.yaml

Exit codes: 0 fine, 1 the jobs have problems, 2 usage."""


def options(parser: Parser) -> None:
    """What to convert, and to what."""
    about = "a job in a native format (`chartgen list formats`); - is standard input"
    parser.add_argument("jobs", nargs="+", metavar="NATIVE", help=about)
    parser.add_argument(
        "--output", choices=("yaml", "json"), default="yaml", help="yaml (the default) has comments"
    )
    add_reading(parser)
    add_set(parser)
    add_color(parser)
    add_quiet(parser, "warnings and notes")


def run(args: Namespace) -> int:
    """Check all, then print one after the other."""
    sources = read_jobs(args.jobs, args, operator_configs=not args.form)
    texts = _clouds(sources, args)
    if report_problems(sources, args):
        return PROBLEMS
    documents: dict[str, list[Document]] = {}
    for source in sources.jobs:
        documents.setdefault(source.document.file, []).append(source.document)
    for file, of_file in documents.items():
        texts += _texts(sources.texts[file], of_file, args)
    screen.out(("---\n" if args.output == "yaml" else "").join(texts))
    return OK


def _clouds(sources: "Sources", args: Namespace) -> list[str]:
    """The clouds that operators' configurations mean; their problems join the others."""
    from chartgen.native.operators import config

    clouds, problems = config.clouds(sources.operator_configs, strict=args.strict)
    sources.problems.extend(problems)
    if args.output == "json":
        return [_dump(operator.cloud) for operator in clouds.values()]
    return [config.text(operator, file) for file, operator in clouds.items()]


def _texts(text: bytes, documents: "Sequence[Document]", args: Namespace) -> "Iterator[str]":
    """The descriptions of one file; a file of nothing else is printed as it is."""
    from chartgen.native import describe

    if args.output == "json":
        for document in documents:
            described, notes = describe.adopt(document)
            for note in notes if not args.quiet else ():  # JSON has no comments
                screen.say(f"{document.file}: {hidden.conceal(note.text)}")
            yield _dump(described.data)
    elif any(document.form for document in documents):
        yield from describe.descriptions(text, documents)
    else:
        if not args.quiet:
            screen.say(f"{documents[0].file}: already a job description, left as it is")
        yield text.decode().removeprefix("\ufeff")


def _dump(data: object) -> str:
    from json import dumps

    return dumps(data, indent=2, ensure_ascii=False) + "\n"
