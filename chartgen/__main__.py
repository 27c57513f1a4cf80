"""The command `chartgen`, also as `python -m chartgen`."""

import gc

from chartgen.startup.typing import NoReturn

# New objects before Python looks for cycles among them; by default 700, but a run makes hardly any.
# No file within the limit makes as many, so that the time for a file grows with its size alone.
_OBJECTS = 5_000_000


def main() -> int:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    try:
        from chartgen.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


def command() -> NoReturn:
    """Run the command line as a process of its own."""
    gc.set_threshold(_OBJECTS)
    code = main()
    from chartgen.cli import screen

    screen.end(code)


if __name__ == "__main__":
    command()
