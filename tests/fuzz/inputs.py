"""Inputs in all formats: the corpus, with some of it changed, repeated, removed or exchanged."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.paths import CORPUS, ROOT

SUFFIXES = (".yaml", ".yml", ".json", ".sh", ".py", ".properties", ".xml")
# Words that have broken something in chartgen, Helm or Kubernetes, or in a program like them.
WORDS = (
    "", " ", "''", '""', "0", "-1", "1e3", "0x1F", "1_000", "08", "1:30", ".inf", ".nan", "~",
    "null", "true", "no", "on", "y", "[]", "{}", "[[]]", "- ", ": ", "? ", "| ", "> ", "&a ",
    "*a", "<<", "!!str ", "!!binary ", "%YAML", "---\n", "...\n", "{{ .Values }}", "{{", "}}",
    "$(A)", "${A}", "$A", "`id`", "$(id)", "; touch x", "\\", "\\u0000", "\\x07", "\t", "\r",
    "\u00e9", "\u4e2d", "\U0001f600", "\ufeff", "\u2028", "\x00", "\x7f",
    "9" * 20, "9" * 400, "9" * 5000, "0" + "7" * 5000,
    "9007199254740993", "a" * 64, "a" * 254, "a" * 1100, "-" * 70, "/", "..", "../x", "C:\\x",
    "name", "image", "roles", "framework", "env", "volumes", "overrides", "0-9", "3-1", "gpu",
    "cloud", "clouds", "tests", "gke", "worker", "ps", "123", "1234e5", "2024-01-01", "=", "#",
    "!", "@", "|", "'", '"', "lambda: 0", "9**9**9", "*args", "f'{x}'",
    "%{", "%{index}", "%%{", "%{host worker}", '%{peers worker "{host}\n"}', "%{count * 010}",
    "{x}", "{0}", "%s", "%(x)s", "<%=", "%>", "<%= x %>", "<% if x %>", "<%# ",
    "<%= ''.__class__ %>", "&amp;", "<value>",
)  # fmt: skip


class Input(NamedTuple):
    """A text, and the name of the file that it may be in."""

    name: str
    data: bytes


def seeds() -> list[Input]:
    """Every input of the corpus, of the examples and of the clouds."""
    all_seeds = []
    for folder in (CORPUS, ROOT / "values"):
        for path in sorted(folder.rglob("*")):
            generated = path.name in ("manifests.yaml", "values.yaml", "Chart.yaml", "expected.txt")
            readable = path.suffix in SUFFIXES and path.is_file() and not generated
            if readable and path.stat().st_size < 20_000:
                all_seeds.append(read_seed(path))
    return all_seeds


def read_seed(path: Path) -> Input:
    """A file, under a name that says no more than its format."""
    return Input(f"job{path.suffix}", path.read_bytes())


def inputs(seed: int, count: int) -> Iterator[Input]:
    """As many inputs as asked for, the same for the same seed."""
    chance = random.Random(seed)
    corpus = seeds()
    for _ in range(count):
        name, data = chance.choice(corpus)
        text = data.decode(errors="replace")
        for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
            text = chance.choice(CHANGES)(chance, text, corpus)
        yield Input(name, text.encode(errors="replace")[:200_000])


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True) or [""]


def _drop(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    start = chance.randrange(len(text) + 1)
    return text[:start] + text[start + chance.choice((1, 1, 4, 40)) :]


def _insert(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(WORDS) + text[at:]


def _replace_word(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    words = text.split(" ")
    words[chance.randrange(len(words))] = chance.choice(WORDS)
    return " ".join(words)


def _replace_value(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    """What follows a ':' or '=' of a line is another word."""
    lines = _lines(text)
    at = chance.randrange(len(lines))
    for mark in (": ", "="):
        head, separator, _ = lines[at].rstrip("\n").partition(mark)
        if separator:
            lines[at] = f"{head}{mark}{chance.choice(WORDS)}\n"
            break
    return "".join(lines)


def _move_line(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    lines = _lines(text)
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randrange(len(lines) + 1), line)
    return "".join(lines)


def _repeat_line(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    lines = _lines(text)
    at = chance.randrange(len(lines))
    return "".join([*lines[:at], *lines[at : at + 1] * chance.choice((2, 3, 50)), *lines[at:]])


def _indent_line(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    lines = _lines(text)
    at = chance.randrange(len(lines))
    lines[at] = chance.choice(("  ", "    ", "\t", "- ")) + lines[at]
    return "".join(lines)


def _join(chance: random.Random, text: str, corpus: list[Input]) -> str:
    """The head of one input, and the tail of another."""
    other = chance.choice(corpus).data.decode(errors="replace")
    mine, theirs = _lines(text), _lines(other)
    head, tail = chance.randrange(len(mine) + 1), chance.randrange(len(theirs) + 1)
    return "".join([*mine[:head], *theirs[tail:]])


def _add_field(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    """A field at the end of the description, or of its last mapping."""
    space = chance.choice(("", "", "  ", "    "))
    return f"{text}\n{space}{chance.choice(WORDS)}: {chance.choice(WORDS)}\n"


def _comment(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    """A comment after a line or between two of them."""
    lines = _lines(text)
    at = chance.randrange(len(lines))
    beside = lines[at].rstrip("\n") + chance.choice((" # why\n", " & # why\n"))
    lines[at] = chance.choice((beside, lines[at] + "# why\n", "# why\n" + lines[at]))
    return "".join(lines)


def _prefix(chance: random.Random, text: str, _corpus: list[Input]) -> str:
    """A word before the first line, as nohup is before a command."""
    return chance.choice(("nohup ", "A=b ", "sudo -E ", "( ", "if x; then ", "$ ", "\n\n")) + text


CHANGES = (
    _comment, _prefix, _drop, _insert, _insert, _replace_word, _replace_value, _replace_value,
    _move_line, _repeat_line, _indent_line, _join, _add_field,
)  # fmt: skip
