"""Use a Mars cluster as a session does: compute on all workers, and again when there are more.

compute_mars.py COUNT...   wait for COUNT workers, then print how many took part and their sum
"""

import json
import os
import socket
import sys
import time
import urllib.request

import mars  # type: ignore[import-not-found]
import mars.remote as mr  # type: ignore[import-not-found]
import mars.tensor as mt  # type: ignore[import-not-found]
from mars.session import new_session  # type: ignore[import-not-found]

ENDPOINT = os.environ["MARS_ENDPOINT"]
LATER = int(mars.__version__.split(".")[1]) >= 7  # with supervisors


def main() -> None:
    new_session(ENDPOINT).as_default()
    for count in map(int, sys.argv[1:]):
        while workers() < count:
            time.sleep(1)
        sys.stdout.write(f"workers {took_part(4 * count)}, sum {total():.0f}\n")
        sys.stdout.flush()


def workers() -> int:
    """How many workers the cluster has."""
    question = "cluster/nodes?role=1" if LATER else "worker?action=count"
    with urllib.request.urlopen(f"{ENDPOINT}/api/{question}") as answer:
        told = json.loads(answer.read())
    return len(told["nodes"]) if LATER else int(told)


def took_part(calls: int) -> int:
    """How many workers executed some calls."""
    made = mr.ExecutableTuple([mr.spawn(host, args=(number,)) for number in range(calls)])
    return len(set(made.execute().fetch()))


def host(number: int) -> str:
    """Where it runs; it takes a while, so the next call goes to another worker."""
    time.sleep(0.5)
    return socket.gethostname()


def total() -> float:
    """100 to the power of 3, summed from a product that is spread over the workers."""
    ones = mt.ones((100, 100), chunk_size=25)
    return float(ones.dot(ones.T).sum().execute().fetch())


if __name__ == "__main__":
    main()
