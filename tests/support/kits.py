"""Kits for tests, and jobs with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from chartgen import pipeline
from chartgen.kits import apply, defaults, model
from chartgen.kits.model import Kit
from chartgen.pipeline import CheckedJob

KIT = 'name: platform\nversion: "1.0.0"\nabout: what the platform team adds\n'
QUEUE = """\
values:
  queue: {type: string, description: The queue., default: research}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: <%= metadata('facts') %>\ndata:\n"
JOB = """\
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
roles:
  chief: {command: [python, train.py]}
  worker: {replicas: 2, command: [python, train.py]}
"""


def kit(files: Mapping[str, str], folder: str = "kit") -> Kit:
    """A kit with these files; kit.yaml is a plain one unless it is given."""
    whole = {"kit.yaml": KIT, **files}
    return model.read(folder, {name: text.encode() for name, text in whole.items()})


def checked(kits: Sequence[Kit], job: str = JOB) -> CheckedJob:
    """A job with kits."""
    (document,) = pipeline.read(job.encode(), "job.yaml")
    complete = defaults.completer(kits, None)
    whole = pipeline.check(document, complete=complete, groups=defaults.groups(kits))
    return apply.apply(kits, whole)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """The directory of a kit."""
    for name, text in {"kit.yaml": KIT, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
