"""The job descriptions a command is given: read and checked, all of them, with every problem there is."""

import os
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import NamedTuple, TextIO

from chartgen import pipeline
from chartgen.cli import screen
from chartgen.cli.parser import meant
from chartgen.document import Document
from chartgen.errors import InputError, Mark, Problem, UsageError
from chartgen.job import cloud_file as cloudfile
from chartgen.pipeline import Checked
from chartgen.world import files as tree


class Found(NamedTuple):
    """A job without problems, and the document it was read from."""

    checked: Checked
    document: Document


class Inputs(NamedTuple):
    """What was found in the files: jobs, problems (warnings among them), and the text of each file."""

    found: list[Found]
    problems: list[Problem]
    texts: dict[str, bytes]
    configs: list[Document] | None = None  # of operators, where they are asked for

    @property
    def broken(self) -> bool:
        """Whether there is a problem that is no mere warning."""
        return any(problem.severity == "error" for problem in self.problems)

    def excerpt(self, mark: Mark) -> str | None:
        """The line of a mark, if the file could be read."""
        lines = self.texts.get(mark.file, b"").decode(errors="replace").removeprefix("\ufeff")
        shown = lines.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return shown[mark.line - 1] if mark.line <= len(shown) else None


def gather(
    paths: Sequence[str],
    *,
    strict: bool,
    quiet: bool,
    form: str = "",
    define: Sequence[str] = (),
    clouds: bool = False,
) -> Inputs:
    """Read and check every file, in the native format that is named if any; problems are kept, not raised.

    With `clouds`, configurations of an operator are kept as well; else they are no jobs like anything else.
    """
    if form:
        _check_format(form)
    defines = dict(map(_definition, define))
    if paths.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    inputs = Inputs([], [], {}, [] if clouds else None)
    with screen.progress("checking", len(paths), quiet=quiet) as step:
        for path in paths:
            _gather(path, form, defines, inputs)
            step("")
    if strict:
        inputs.problems[:] = [problem._replace(severity="error") for problem in inputs.problems]
    return inputs


def show(inputs: Inputs, color: str, stream: TextIO | None) -> str:
    """The problems as text, with the lines they stand in."""
    from chartgen.report import problems as report  # a run without problems does without it

    return report.report(inputs.problems, "text", colour=screen.colour(color, stream), excerpts=inputs.excerpt)


def _check_format(form: str) -> None:
    from chartgen.native import FORMATS  # job descriptions do without it

    if form not in FORMATS:
        raise UsageError(f"there is no native format {form!r}; {meant(form, FORMATS)}")


def _definition(word: str) -> tuple[str, str]:
    """The name and the value of a NAME=VALUE."""
    import re

    name, equals, value = word.partition("=")
    if not equals or not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise UsageError(f"--define takes NAME=VALUE, as in --define DATA=/mnt/data, not {word!r}")
    return name, value


def _gather(path: str, form: str, defines: Mapping[str, str], inputs: Inputs) -> None:
    file = tree.STDIN if path == "-" else path
    try:
        text = tree.read(path, pipeline.LIMIT, sys.stdin.buffer if sys.stdin else BytesIO())
        inputs.texts[file] = text
        if inputs.configs is not None and (config := _config(text, file)):
            inputs.configs.append(config)
            return
        documents = pipeline.read(text, file, form, defines)
    except InputError as error:
        inputs.problems.extend(error.problems)
        return
    for document in documents:
        try:
            checked = pipeline.check(document, _beside(path, document, inputs))
        except InputError as error:
            inputs.problems.extend(error.problems)
        else:
            inputs.found.append(Found(checked, document))
            inputs.problems.extend(checked.warnings)


def _config(text: bytes, file: str) -> Document | None:
    from chartgen.native.operators import config as controller  # only `convert` asks for it

    return controller.read(text, file)


def _beside(path: str, document: Document, inputs: Inputs) -> dict[str, tuple[str, bytes] | None]:
    """The file that a description names as its cloud, sought where the description is."""
    name = cloudfile.named(document)
    if not name:
        return {}
    file = os.path.normpath(os.path.join(os.path.dirname(path), name))
    try:
        inputs.texts[file] = tree.read(file, pipeline.LIMIT)
    except InputError as error:
        mark = document.mark(("cloud",))
        inputs.problems.extend(one._replace(mark=mark, message=f"{file}: {one.message}") for one in error.problems)
        return {name: None}
    return {name: (file, inputs.texts[file])}


def problems_end(inputs: Inputs, args: Namespace) -> bool:
    """Show problems, and warnings unless nobody wants them; whether there is any that ends the run."""
    if inputs.problems and (inputs.broken or not args.quiet):
        screen.say(show(inputs, args.color, sys.stderr).rstrip("\n"))
    return inputs.broken
