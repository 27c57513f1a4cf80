"""A search for the best learning rate with Ray, whose trials run on two workers at once.

The program itself runs in the head, which has no CPUs for trials. Prints the best rate, the weight
that a model has learned with it, and where the trials ran.
"""

import socket
import sys

import ray  # type: ignore[import-not-found]
from ray.util.placement_group import placement_group  # type: ignore[import-not-found]
from ray.util.scheduling_strategies import (  # type: ignore[import-not-found]
    PlacementGroupSchedulingStrategy,
)

WORKERS = 2
RATES = (0.125, 0.25, 0.5, 0.75)


def main() -> None:
    ray.init()
    places = placement_group([{"CPU": 1}] * WORKERS, strategy="STRICT_SPREAD")
    ray.get(places.ready())  # waits for nodes that have not joined yet
    trials = []
    for number, rate in enumerate(RATES):
        place = PlacementGroupSchedulingStrategy(places, number % WORKERS)
        trials.append(ray.remote(trial).options(num_cpus=1, scheduling_strategy=place).remote(rate))
    results = ray.get(trials)
    _, rate, weight, _ = min(results)
    pods = {pod for *_, pod in results if "worker" in pod}
    sys.stdout.write(f"rate {rate}, weight {weight:.3f}, in {len(pods)} pods of worker\n")


def trial(rate: float) -> tuple[float, float, float, str]:
    """How far from y = 3x a few steps with a learning rate end, the weight, and the pod."""
    weight = 0.0
    for _ in range(10):
        weight -= rate * 2 * (weight - 3)
    return abs(weight - 3), rate, weight, socket.gethostname()


if __name__ == "__main__":
    main()
