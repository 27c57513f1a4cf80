"""The command `chartgen`, also as `python -m chartgen`."""

import sys


def main() -> int:
    """Run the command line; Ctrl-C while it is still being loaded ends it as quietly as later."""
    try:
        from chartgen.cli import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
