"""Train y = w * x with MXNet, data-parallel: servers sum the gradients and take the steps.

Every worker first sends its rank + 1, which the servers add up, then a gradient for each step. All
of them see the same sum and the same weight, and print them.
"""

import argparse
import sys

import mxnet as mx  # type: ignore[import-not-found]

STEPS = 100


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kv-store", default="dist_sync")
    store = mx.kv.create(parser.parse_args().kv_store)
    total = added(store)
    sys.stdout.write(f"workers {store.num_workers}, sum {total:.0f}, weight {trained(store):.3f}\n")


def added(store: "mx.kv.KVStore") -> float:
    """The servers' sum of one number from each worker."""
    total = mx.nd.zeros(1)
    store.init("sum", total)
    store.push("sum", mx.nd.full(1, store.rank + 1))
    store.pull("sum", out=total)
    return float(total.asscalar())


def trained(store: "mx.kv.KVStore") -> float:
    """The weight after all steps, each with the mean of the workers' gradients, on the servers."""
    store.set_optimizer(
        mx.optimizer.create("sgd", learning_rate=0.5, rescale_grad=1 / store.num_workers)
    )
    weight = mx.nd.zeros(1)
    store.init("weight", weight)
    weight.attach_grad()
    for _ in range(STEPS):
        x = mx.nd.random.uniform(shape=32)
        with mx.autograd.record():
            loss = ((weight * x - 3 * x) ** 2).mean()
        loss.backward()
        store.push("weight", weight.grad)
        store.pull("weight", out=weight)
    return float(weight.asscalar())


if __name__ == "__main__":
    main()
