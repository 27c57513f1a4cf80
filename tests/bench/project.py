"""What a repository of jobs costs: the time of a run, and the lines that a reviewer reads."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ("dev", "staging", "production")
MNIST = (ROOT / "values/jobs/mnist.yaml").read_text("utf-8")
JOB = "jobs/mnist.yaml"
CHANGES = {
    "image": ("mnist:1.4", "mnist:1.5"),
    "workers": ("replicas: 3", "replicas: 5"),
    "env": ("LC_ALL: C.UTF-8", "LC_ALL: C.UTF-8\n  SEED: '1'"),
    "memory": ("memory: 16Gi", "memory: 32Gi"),
}


def chartgen(folder: Path, *words: str, fails: bool = False) -> str:
    command = [sys.executable, "-m", "chartgen", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == (1 if fails else 0), done.stderr
    return done.stdout


def many(folder: Path, job: str, number: int) -> None:
    """So many jobs in three environments each: the first run, one without changes, a check."""
    for name in ("jobs", *(f"environments/{environment}" for environment in ENVIRONMENTS)):
        (folder / name).mkdir(parents=True)
    names = ", ".join(f"{environment}: {{}}" for environment in ENVIRONMENTS)
    (folder / "chartgen.yaml").write_text(f"environments: {{{names}}}\n")
    for index in range(number):
        (folder / f"jobs/{index}.yaml").write_text(job.replace("bench", f"bench-{index}"))
        for count, environment in enumerate(ENVIRONMENTS, start=1):
            values = folder / f"environments/{environment}/bench-{index}.yaml"
            values.write_text(f"roles: {{worker: {{replicas: {count}}}}}\n")
    first = cpu_time(folder, "render", "-q")
    again = cpu_time(folder, "render", "-q")
    check = cpu_time(folder, "render", "--check", "-q")
    print(
        f"\na project of {number:,} jobs in {len(ENVIRONMENTS)} environments, CPU time on one core"
    )
    print(f"  {first:6.2f} s   chartgen render, {first / number * 1000:.1f} ms per chart (most: 3)")
    print(f"  {again:6.2f} s   again, with nothing changed: {first / again:.0f} times as fast (5)")
    print(f"  {check:6.2f} s   chartgen render --check")


def cpu_time(folder: Path, *words: str) -> float:
    """The seconds that a command computes, on one core, whatever else the machine does."""
    known = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(known)})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        chartgen(folder, *words)
    finally:
        os.sched_setaffinity(0, known)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def costs() -> dict[str, tuple[str, str, str]]:
    """The lines and files that each usual change of one job costs in Git, and its words."""
    by_change = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "jobs").mkdir()
        (folder / JOB).write_text(MNIST)
        (folder / "chartgen.yaml").write_text("{}\n")
        _render(folder)
        _git(folder, "init", "-q")
        _git(folder, "add", "-A")
        _git(folder, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "before")
        for name, (old, new) in CHANGES.items():
            by_change[name] = _cost(folder, old, new)
            _git(folder, "reset", "-q", "--hard")
    return by_change


def _cost(folder: Path, old: str, new: str) -> tuple[str, str, str]:
    assert old in MNIST
    (folder / JOB).write_text(MNIST.replace(old, new, 1))
    words = chartgen(folder, "render", "--diff", "-q", fails=True)
    _render(folder)
    _git(folder, "add", "-A")
    charts, plain = _changed(folder, "charts"), _changed(folder, "plain")
    return charts, plain, f"{len(words.splitlines())} lines"


def _render(folder: Path) -> None:
    """The project's chart, and the same objects as plain manifests."""
    chartgen(folder, "render", "-q")
    chartgen(folder, "render", JOB, "-o", "plain", "--format", "manifests", "-q")


def _changed(folder: Path, path: str) -> str:
    rows = _git(folder, "diff", "--cached", "--find-renames", "--numstat", "--", path).splitlines()
    lines = 0
    for row in rows:
        added, removed, _ = row.split("\t")
        lines += int(added) + int(removed)
    return f"{lines} in {len(rows)}"


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def main(job: str) -> None:
    """The times of two sizes, which show that they are linear; and the costs."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    for number in (250, 1000):
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            many(Path(folder), job, number)
    if shutil.which("git"):
        print("\nwhat a change costs a reviewer: in the chart, as manifests, in words")
        for name, cost in costs().items():
            print(f"  {name:10} {' / '.join(cost)}")
