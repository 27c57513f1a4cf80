"""Command lines of words that chartgen has, and of words that break things."""

import contextlib
import io
import os
import random
import tempfile
from collections.abc import Iterator

from chartgen import cli
from chartgen.cli.commands import COMMANDS
from chartgen.errors import BUG
from tests.fuzz.inputs import WORDS
from tests.fuzz.judge import SECONDS, HangError, Verdict, hurry

OPTIONS = (
    "--help", "--check", "--diff", "--force", "--strict", "--quiet", "-o", "--output", "--from",
    "--define", "--set", "--format", "--layout", "--library", "--release", "-n", "--clouds",
    "--color", "json", "junit", "manifests", "text", "job.yaml", "out", "-", "examples",
    "clouds", "roles", "tensorflow", "mnist", "job", "bash", "A=b", "=", "tfjob",
)  # fmt: skip
# `test` runs Helm; `refused_charts` does that too, on charts.
NAMES = tuple(name for name in COMMANDS if name != "test")


def judge_words(seed: int, count: int) -> Iterator[tuple[list[str], Verdict]]:
    """The command lines that end in our own bug, or do not end, each with what was said."""
    chance = random.Random(seed)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            with open("job.yaml", "w", encoding="utf-8") as stream:
                stream.write(
                    "name: j\nframework: tensorflow\nimage: j:1\nroles: {worker: {command: [w]}}\n"
                )
            for _ in range(count):
                words = [chance.choice(NAMES)]
                for _ in range(chance.randrange(5)):
                    words.append(chance.choice((*OPTIONS, *OPTIONS, *WORDS)).replace("\x00", ""))
                verdict = judge_command(words)
                if verdict.kind:
                    yield words, verdict
        finally:
            os.chdir(here)


def judge_command(words: list[str]) -> Verdict:
    """Run a command line in this process, within a time of its own."""
    try:
        with hurry(SECONDS) as rung:
            code, said = _run(words)
    except HangError:  # after the command itself
        return Verdict("hang", rung[0])
    if rung:
        return Verdict("hang", rung[0])
    return Verdict("crash", said[-300:]) if code == BUG else Verdict("")


def _run(words: list[str]) -> tuple[int, str]:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(b"name: j\n"), "utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        import sys

        before, sys.stdin = sys.stdin, stdin
        try:
            return cli.main(words), err.getvalue()
        finally:
            sys.stdin = before
