"""A gather over all processes of a JAX job, again and again.

gather_jax.py numbers|bare [SECONDS]

`numbers`: the program passes the count and its id on; `bare`: JAX finds them by itself. Prints
what each process contributed, at the start and after the seconds.
"""

import os
import sys
import time

import jax  # type: ignore[import-not-found]
from jax.experimental import multihost_utils  # type: ignore[import-not-found]


def main(way: str, seconds: str = "0") -> None:
    if way == "bare":
        jax.distributed.initialize()
    else:
        jax.distributed.initialize(
            num_processes=int(os.environ["JAX_NUM_PROCESSES"]),
            process_id=int(os.environ["JAX_PROCESS_ID"]),
        )
    limit = time.monotonic() + float(seconds)
    say(f"met {gathered()}")
    while time.monotonic() < limit:
        gathered()
        time.sleep(0.5)
    say(f"processes {jax.process_count()}, gathered {gathered()}")


def gathered() -> list[int]:
    """What the processes contribute, each its id + 1."""
    mine = jax.numpy.array([jax.process_index() + 1])
    return sorted(int(number) for number in multihost_utils.process_allgather(mine).flatten())


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
