"""The command `init`: a starter job description, or a repository of jobs."""

import re
from argparse import Namespace
from collections.abc import Iterable

from chartgen import frameworks
from chartgen.cli import screen
from chartgen.cli.parser import Parser
from chartgen.errors import OK, UsageError
from chartgen.k8s.images import PLACEHOLDER
from chartgen.words import did_you_mean_or_known, in_shell

SYNTAX = "NAME [options] | --repo [DIR]"
ABOUT = """\
Print a starter job description: small, valid, with comments that say what else can be set. With
--repo, write the files of a repository of jobs: a project file, a first job, a pre-commit hook and
a CI workflow. Existing files are left alone."""
EXAMPLES = """\
  chartgen init mnist > job.yaml
  chartgen init mnist --image example.com/mnist:1.4 --role chief --role worker=3 > job.yaml
  chartgen render job.yaml -o charts
  chartgen init --repo training && cd training && chartgen render"""


def options(parser: Parser) -> None:
    """What a description requires."""
    about = "the job's name, which becomes the chart's"
    parser.add_argument("name", nargs="?", metavar="NAME", help=about)
    about = "write the files of a repository of jobs to DIR, by default the current directory"
    parser.add_argument("--repo", nargs="?", const=".", metavar="DIR", help=about)
    given = parser.add_argument(
        "--framework", default="tensorflow", metavar="NAME", help="see: chartgen list frameworks"
    )
    parser.completes(given, frameworks.names)
    parser.add_argument(
        "--image", default=PLACEHOLDER, help=f"the container image; {PLACEHOLDER} by default"
    )
    parser.add_argument(
        "--role",
        action="append",
        metavar="ROLE[=COUNT]",
        help="a role and its replicas; may be repeated",
    )


def run(args: Namespace) -> int:
    """Print it, checked like any other; or write a repository."""
    if args.repo is not None:
        if args.name or args.role:
            raise UsageError("--repo takes no job; its first one is named example")
        return _write_repo(args.repo)
    if not args.name:
        raise UsageError("name the job, as in: chartgen init mnist > job.yaml")
    if args.framework not in frameworks.MODULES and args.framework not in frameworks.names():
        hint = did_you_mean_or_known(args.framework, frameworks.names())
        raise UsageError(f"there is no framework {args.framework!r}; {hint}")
    from chartgen.scaffold.init import first_description  # jinja2 is for this command alone

    roles = _counts(args.role or ())
    screen.out(first_description(args.name, args.framework, args.image, roles))
    return OK


def _write_repo(folder: str) -> int:
    from chartgen.scaffold import repo
    from chartgen.world import project_files

    for name, text in repo.files().items():
        path = project_files.join(folder, name)
        written = project_files.write_new(path, text)
        screen.say(f"{path}: {'written' if written else 'exists, and was left alone'}")
    go = "" if folder == "." else f"cd {in_shell(folder)} && "
    screen.say(f"next: edit jobs/example.yaml, and then: {go}chartgen render")
    return OK


def _counts(words: Iterable[str]) -> dict[str, int]:
    """The roles of --role options, with their replicas."""
    counts = {}
    for word in words:
        role, _, count = word.partition("=")
        if not re.fullmatch("[0-9]{1,9}", count or "1"):
            raise UsageError(f"--role {word}: expected ROLE or ROLE=COUNT, as in worker=3")
        counts[role] = int(count or "1")
    return counts
