"""Directories with a changed file: projects, kits, descriptions with parameters, packages."""

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.inputs import CHANGES, Input, read_seed
from tests.fuzz.judge import Verdict
from tests.fuzz.words import judge_command
from tests.support.paths import CORPUS, ROOT

SWEEP = """\
name: sweep
framework: custom
image: sweep:1
roles:
  work:
    replicas: <%= n %>
    port: 80
    env: {A: "%{host}:%{port}", B: "<% if n == '2' %>%{peers work}<% endif %>"}
"""
# What is made of a directory, and the file that is changed in it.
COMMANDS = (
    (("chartgen.yaml",), ("validate",)),
    (("chartgen.yaml", "environments/staging/mnist.yaml", "jobs/mnist.yaml"), ("render", "-q")),
    (("chartgen.yaml",), ("render", "--check", "--output=json")),
    (("chartgen.yaml", "jobs/mnist.yaml"), ("gitops", "-o", "-", "-q")),
    (
        ("kit/kit.yaml", "kit/templates/", "kit/notes.txt.j2"),
        ("render", "jobs/mnist.yaml", "--kit", "kit", "-o", "out"),
    ),
    (("sweep.yaml.j2",), ("validate", "sweep.yaml.j2", "--matrix", "n=1,2")),
    (("sweep.yaml.j2",), ("render", "sweep.yaml.j2", "--define", "n=2", "-o", "out")),
    (("made/mnist/Chart.yaml", "made/mnist/values.yaml"), ("package", "made/mnist", "-o", "out")),
    (("made/mnist/Chart.yaml", "made/mnist/README.md"), ("render", "jobs", "-o", "made")),
)  # fmt: skip


def judge_folders(seed: int, count: int) -> Iterator[tuple[Input, list[str], Verdict]]:
    """The changed files with which a command ends in our own bug, or does not end."""
    chance = random.Random(seed)
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as top:
        plain = Path(top, "plain")
        make_folder(plain)
        try:
            for number in range(count):
                folder = Path(top, "changed")
                shutil.copytree(plain, folder)
                os.chdir(folder)
                places, words = COMMANDS[number % len(COMMANDS)]
                path = _changed(folder, chance.choice(places), chance)
                changed = Input(path.name, path.read_bytes())
                verdict = judge_command([*words])
                os.chdir(here)
                shutil.rmtree(folder)
                if verdict.kind:
                    yield changed, [*words], verdict
        finally:
            os.chdir(here)


def make_folder(folder: Path) -> None:
    """A project with environments, a kit, a description with parameters, and a chart."""
    shutil.copytree(CORPUS / "repository", folder)
    shutil.copytree(ROOT / "charts" / "kits" / "baseline", folder / "kit")
    (folder / "sweep.yaml.j2").write_text(SWEEP, "utf-8")
    os.chdir(folder)
    judge_command(["render", "jobs/mnist.yaml", "-o", "made", "-q"])


def _changed(folder: Path, place: str, chance: random.Random) -> Path:
    """Change a file, or one of a directory, as inputs are changed."""
    path = folder / place
    if path.is_dir():
        path = chance.choice(sorted(file for file in path.rglob("*") if file.is_file()))
    text = path.read_text("utf-8") if path.exists() else ""
    corpus = [read_seed(file) for file in sorted(folder.rglob("*.yaml"))]
    for _ in range(chance.choice((1, 1, 2, 4))):
        text = chance.choice(CHANGES)(chance, text, corpus)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(errors="replace")[:200_000])
    return path
