"""How master and worker run: their words parsed strictly, their model loaded, and an end when they are told to."""

import os
import runpy
import signal
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from .args import Refused

Model = Callable[[str], int]


def run(parse: Callable[[list[str]], Namespace], main: Callable[[Namespace], None]) -> None:
    """Run a process to its end; words that it does not know end it with 2, as argparse does."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(143))  # process 1 would else not hear it
    try:
        told = parse(sys.argv[1:])
    except Refused as refusal:
        sys.stderr.write(f"error: {refusal}\n")
        sys.exit(2)
    main(told)


def model(told: Namespace) -> Model:
    """The model's function that makes a number of a record: in DIR/DIR.py, by the name that is told."""
    folder = PurePath(told.model_def)
    found: dict[str, Any] = runpy.run_path(str(folder / f"{folder.name}.py"))
    function: Model = found[told.loss]
    return function


def log(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
