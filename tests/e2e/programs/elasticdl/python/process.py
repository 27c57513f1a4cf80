"""How master and worker run: arguments parsed strictly, the model loaded, an end on a signal."""

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
    """Run a process to its end; unknown arguments end it with 2, as with argparse."""
    signal.signal(
        signal.SIGTERM, lambda number, frame: os._exit(143)
    )  # process 1 would otherwise ignore it
    try:
        flags = parse(sys.argv[1:])
    except Refused as refusal:
        sys.stderr.write(f"error: {refusal}\n")
        sys.exit(2)
    main(flags)


def model(flags: Namespace) -> Model:
    """The model's function that turns a record into a number: in DIR/DIR.py, by its name."""
    folder = PurePath(flags.model_def)
    module: dict[str, Any] = runpy.run_path(str(folder / f"{folder.name}.py"))
    function: Model = module[flags.loss]
    return function


def log(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
