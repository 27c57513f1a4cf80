"""How many examples properties try: some in each run of the tests, many in `make properties`."""

import os

_FACTOR = int(os.environ.get("CHARTGEN_EXAMPLES", "1"))


def examples(number: int) -> int:
    """So many in each run of the tests."""
    return number * _FACTOR
