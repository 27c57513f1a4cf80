"""A sum over all ranks of MPI, and where they run: the names of their pods have the role in them.

Prints what the first rank finds.
"""

import os
import socket
import sys

from mpi4py import MPI  # type: ignore[import-not-found]


def main() -> None:
    world = MPI.COMM_WORLD
    total = world.allreduce(world.rank + 1)
    hosts = world.allgather(socket.gethostname())
    users = {*world.allgather(os.getuid())}
    roles = sorted({role for role in ("launcher", "worker") for host in hosts if role in host})
    if world.rank == 0:
        where = f"{len({*hosts})} pods of {', '.join(roles)}"
        sys.stdout.write(f"ranks {world.size}, sum {total}, in {where}, as user {users}\n")


if __name__ == "__main__":
    main()
