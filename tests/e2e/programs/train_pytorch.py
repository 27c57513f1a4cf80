"""Distributed data parallel training with PyTorch over Gloo, started by torchrun or by Python.

train_pytorch.py [--steps N] [--pause SECONDS]

Fits y = 3x. Prints the number of processes, the sum of their ranks + 1, and the weight.
"""

import argparse
import datetime
import sys
import time

import torch  # type: ignore[import-not-found]
import torch.distributed as dist  # type: ignore[import-not-found]
from torch.nn.parallel import DistributedDataParallel  # type: ignore[import-not-found]

PATIENCE = datetime.timedelta(seconds=60)  # for a peer that is gone


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=PATIENCE)
    rank, size = dist.get_rank(), dist.get_world_size()
    say(f"rank {rank} of {size} has met the others")
    total = torch.tensor([float(rank + 1)])
    dist.all_reduce(total)
    weight = trained(options.steps, options.pause)
    say(f"processes {size}, sum {total.item():.0f}, weight {weight:.3f}")
    dist.destroy_process_group()


def trained(steps: int, pause: float) -> float:
    """The weight after all steps, each with the mean of all processes' gradients."""
    model = DistributedDataParallel(torch.nn.Linear(1, 1, bias=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for _ in range(steps):
        x = torch.rand(32, 1)
        optimizer.zero_grad()
        ((model(x) - 3 * x) ** 2).mean().backward()
        optimizer.step()
        time.sleep(pause)
    return float(model.module.weight.item())


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
