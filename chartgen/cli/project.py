"""The commands on a whole project: `render` and `validate` where chartgen.yaml says what to do."""

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chartgen.cli import screen
from chartgen.errors import OK, PROBLEMS, InputError, Problem, UsageError, WorldError
from chartgen.startup.typing import TYPE_CHECKING, TextIO
from chartgen.words import count, verdict

if TYPE_CHECKING:  # the core, which other commands do not need
    from chartgen.project.find import Place
    from chartgen.project.make import Outcome, RunOptions
    from chartgen.project.run import Removal, Run, Survey

# What a project file says, and a command line therefore may not.
_FIXED = (
    *("form", "release", "namespace", "set", "values", "library"),
    *("define", "tests", "stream", "kit", "matrix", "image"),
)
# Of these, those that other commands have too.
_OF_JOBS = ("form", "define", "image", "set", "namespace")


def is_meant(args: Namespace, *, output_dir: bool = True) -> bool:
    """Whether a command is about a project: no job is named, or one of this project.

    Where a directory for the output is named, it is not, unless that may be another than usual.
    """
    if output_dir and getattr(args, "output_dir", None) is not None:
        return False
    if args.jobs:
        from chartgen.project import find  # not needed where jobs and a directory are named

        if len(args.jobs) == 1 and find.has_project(args.jobs[0]):
            return True
        # What is not part of this project can still be validated.
        required = output_dir and hasattr(args, "output_dir")
        return find.has_project() and (required or find.covers(args.jobs))
    return True


def expand(words: Sequence[str]) -> list[str]:
    """The files that are meant by names of files and directories."""
    import os

    paths: list[str] = []
    for word in words:
        if word != "-" and os.path.isdir(word):
            from chartgen.project import find  # most people name files

            paths += find.in_folder(word)
        else:
            paths.append(word)
    return paths


def open_project(args: Namespace) -> "tuple[Place, list[str]]":
    """The project, and the jobs that were named in it."""
    from chartgen.project import find

    if len(args.jobs) == 1 and find.has_project(args.jobs[0]):
        return find.open_project(args.jobs[0].rstrip("/")), []
    return find.open_project(), args.jobs


@contextmanager
def _running(args: Namespace, options: "RunOptions") -> "Iterator[Run]":
    from chartgen.project.run import Run

    place, given = open_project(args)
    run = Run(place, given, options)
    with screen.progress("checking and making", 2 * len(run.due), quiet=args.quiet) as step:
        run.start(lambda _: step(""))
        try:
            yield run
        finally:
            run.close()


def render(args: Namespace) -> int:
    """Write the whole project, or compare it with its output."""
    from chartgen.project.make import RunOptions

    for option in _FIXED:
        if getattr(args, option, None):
            raise UsageError(f"{_name(option)} needs -o DIR; a project sets it in chartgen.yaml")
    if args.prune and (args.check or args.diff):
        raise UsageError("--prune cannot be used with --check or --diff; --check reports orphans")
    write = not (args.check or args.diff)
    options = RunOptions(write, args.diff, args.force, args.strict, args.helm or "")
    with _running(args, options) as run:
        survey = run.check()
        if report(survey, args):
            return PROBLEMS
        if args.prune and not run.whole:
            raise UsageError("--prune is for the whole project; name no jobs")
        outcomes = run.finish()
        orphans = run.orphans(survey.jobs)
    if write:
        written = not any(outcome.error for outcome in outcomes)
        removals = [*run.prune(orphans)] if args.prune and written else []
        return _report_written(outcomes, orphans, removals, survey, args)
    return _report_differences(run, outcomes, orphans, survey, args)


def _name(option: str) -> str:
    """An option as people type it."""
    return f"--{'from' if option == 'form' else option}"


def report(survey: "Survey", args: Namespace) -> bool:
    """Print problems, and warnings unless --quiet; whether the command has to end here."""
    if survey.problems and (survey.broken or not args.quiet):
        text = _problems_text(survey, args, sys.stderr)
        screen.say(text.rstrip("\n"))
    return survey.broken


def _problems_text(survey: "Survey", args: Namespace, stream: TextIO | None) -> str:
    from chartgen.report import problems
    from chartgen.sources import Sources

    texts = Sources([], [], survey.texts, [], {})
    colour = screen.colour(args.color, stream)
    return problems.report(survey.problems, "text", colour=colour, excerpts=texts.excerpt)


def _report_written(
    outcomes: "list[Outcome]",
    orphans: list[str],
    removals: "list[Removal]",
    survey: "Survey",
    args: Namespace,
) -> int:
    errors = [outcome.error for outcome in outcomes if outcome.error]
    failed = len(errors)
    errors += [removal.error for removal in removals if removal.error]
    removed = {removal.target: removal for removal in removals if not removal.error}
    changed = [outcome for outcome in outcomes if outcome.changed]
    if not args.quiet:
        for outcome in changed:
            screen.say(_line(outcome))
        for target in orphans:
            screen.say(f"{target}: {_describe_orphan(removed.get(target))}")
        screen.say(_sum(survey, len(changed), failed, len(removed)))
    if errors:
        raise WorldError("\n".join(errors))
    return OK


def _describe_orphan(removal: "Removal | None") -> str:
    if removal is None:
        return "orphan: no job is rendered to this directory; --prune removes it"
    return "removed, apart from files that chartgen did not write" if removal.left else "removed"


def _line(outcome: "Outcome") -> str:
    from chartgen.k8s.quantities import in_words

    line = f"{outcome.target}: {outcome.changed} of {count(outcome.files, 'file')} changed"
    if outcome.changed >= outcome.files:
        line = f"{outcome.target}: {count(outcome.files, 'file')} written"
    return f"{line}, requests {in_words(dict(outcome.totals))}" if outcome.totals else line


def _sum(survey: "Survey", changed: int, failed: int, removed: int) -> str:
    parts = [f"{count(len(survey.jobs), 'job')}: {changed:,} written"]
    if failed:
        parts.append(f"{failed:,} not written")
    if removed:
        parts.append(f"{removed:,} removed")
    unchanged = max(0, sum(len(job.targets) for job in survey.jobs) - changed - failed)
    return ", ".join([*parts, f"{unchanged:,} unchanged"])


def _report_differences(
    run: "Run",
    outcomes: "list[Outcome]",
    orphans: list[str],
    survey: "Survey",
    args: Namespace,
) -> int:
    from chartgen.cli.rendering import patch, preview
    from chartgen.report import directories

    for outcome in outcomes:
        if outcome.error:
            raise WorldError(outcome.error)
    problems: list[Problem] = []
    for outcome in outcomes:
        problems += directories.problems(
            outcome.target, outcome.differences, outcome.edited, outcome.files
        )
    problems += [directories.orphan(target) for target in orphans]
    if args.diff:
        previews = []
        for outcome in outcomes:
            if outcome.wanted:
                previews.append(preview.Preview(outcome.target, outcome.wanted, outcome.values))
        beside = {shared.name: shared.files for shared in run.shared}
        previews += [preview.Preview(target, {}, {"": ()}) for target in orphans]
        worded = preview.show(previews, beside, args)
        if args.text or not worded:
            patch.show(
                (difference for outcome in outcomes for difference in outcome.differences), args
            )
    else:
        screen.out(directories.report(problems, args.output))
    if not args.quiet:
        screen.flush()
        screen.say(_verdict(outcomes, orphans, survey))
    return PROBLEMS if problems else OK


def _verdict(outcomes: "list[Outcome]", orphans: list[str], survey: "Survey") -> str:
    differ = sum(bool(outcome.differences) for outcome in outcomes)
    total = sum(len(job.targets) for job in survey.jobs)
    parts = [verdict(differ, total)] if differ else []
    if orphans:
        parts.append(count(len(orphans), "orphan"))
    return ", ".join(parts) or f"{total:,} up to date"


def refuse_options(args: Namespace) -> None:
    """Refuse what would be ignored, because the project file and the jobs say it."""
    if args.kit:
        raise UsageError("a project names its kits in chartgen.yaml; --kit is for other jobs")
    if args.matrix:
        raise UsageError("--matrix is for templates of jobs, which a project does not name")
    for option in _OF_JOBS:
        if getattr(args, option, None):
            message = f"{_name(option)} is for other jobs; those of a project say it in their files"
            raise UsageError(message)


def validate(args: Namespace) -> int:
    """Report every problem of the project: its file, its jobs and their values."""
    from chartgen.project.make import RunOptions
    from chartgen.report import problems

    refuse_options(args)
    try:
        with _running(args, RunOptions(write=False, strict=args.strict)) as run:
            survey, paths = run.check(), run.paths
    except InputError as error:  # of the project file
        from chartgen.project.run import Survey

        survey, paths = Survey([*error.problems], {**error.texts}, [], 0), [*error.texts]
    if args.output == "text":
        screen.out(_problems_text(survey, args, sys.stdout))
    else:
        screen.out(problems.report(survey.problems, args.output, files=paths))
    if not args.quiet:
        screen.flush()
        fine = f"{count(len(paths), 'file')}, {count(len(survey.jobs), 'job')}: no problems"
        screen.say(problems.summary(survey.problems) if survey.problems else fine)
    return PROBLEMS if survey.broken else OK
