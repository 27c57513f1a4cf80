"""Print how long chartgen takes relative to Helm on the same job, in one run on one machine."""

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from chartgen import pipeline
from tests.bench import project
from tests.support import large

ROOT = Path(__file__).parents[2]
PYTHON = sys.executable
HELM = str(Path(PYTHON).with_name("helm"))
JOB = """\
name: bench
framework: tensorflow
image: registry.example.com/bench:1
roles:
  chief: {command: [python, /app/train.py], args: [--steps, "1000"]}
  worker:
    replicas: 5
    command: [python, /app/train.py]
    resources: {limits: {cpu: 4, memory: 16Gi}}
  ps: {replicas: 2}
"""


def main() -> int:
    """All comparisons."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name)
        (folder / "job.yaml").write_text(JOB)
        cold(folder)
        many(folder)
        loop(folder)
        sizes(folder)
    project.main(JOB)
    return 0


def sizes(folder: Path) -> None:
    """CPU time of validating a file of each format, at 40 kB, 400 kB and 4 MB."""
    print("chartgen validate, by the size of a file, as a process of its own")
    print(f"  {'40 kB':>9}  {'400 kB':>9}  {'4 MB':>9}")
    for shape in large.PLAIN:
        times = []
        for size in (40_000, 400_000, 4_000_000):
            times.append(validate(folder, shape.suffix, shape.text(size)))
        growth = (times[2] - times[1]) / (times[1] - times[0])
        print(
            "  "
            + "  ".join(f"{seconds:7.2f} s" for seconds in times)
            + f"  {shape.name} (x{growth:.0f})"
        )
    seconds = validate(folder, ".json", large.tfjobs(300, 4))
    print(f"  {seconds:7.2f} s  300 TfJobs of kubectl get -o json, with 900 warnings")


def validate(folder: Path, suffix: str, text: str) -> float:
    """The CPU time of `chartgen validate` for a file with this text."""
    file = folder / f"large{suffix}"
    file.write_text(text[: pipeline.LIMIT])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [PYTHON, "-m", "chartgen", "validate", str(file)]
    subprocess.run(command, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold(folder: Path) -> None:
    """One job of 8 replicas, each time in a new process."""
    ours = [
        PYTHON,
        "-m",
        "chartgen",
        "render",
        str(folder / "job.yaml"),
        "-o",
        str(folder / "out"),
        "-q",
    ]
    run(ours)
    theirs = [HELM, "template", "demo", str(folder / "out" / "bench")]
    bare = [PYTHON, "-c", "pass"]
    render, template, start = best(20, lambda: run(ours), lambda: run(theirs), lambda: run(bare))
    print("chartgen render, cold, against helm template of its result, 8 replicas")
    print(
        f"  {render * 1000:6.0f} ms  chartgen render (of which {start * 1000:.0f} ms are"
        " Python's own start)"
    )
    print(f"  {template * 1000:6.0f} ms  helm template")
    verdict(render / template, "0.6 is the goal, 0.8 the most")


def many(folder: Path) -> None:
    """A thousand job files in one run, each into its own chart, and just writing the same files."""
    jobs = folder / "jobs"
    jobs.mkdir()
    for number in range(1000):
        (jobs / f"{number}.yaml").write_text(JOB.replace("bench", f"bench-{number}"))
    names = [str(path) for path in jobs.iterdir()]
    (took,) = best(
        1,
        lambda: run([PYTHON, "-m", "chartgen", "render", *names, "-o", str(folder / "many"), "-q"]),
    )
    charts = sum(1 for _ in (folder / "many").iterdir())
    files = [path for path in (folder / "many").rglob("*") if path.is_file()]
    (again,) = best(1, lambda: copy(files, folder / "plain"))
    print(f"\n{charts} job files in one run")
    print(
        f"  {took:6.2f} s   chartgen render, {took / charts * 1000:.1f} ms each"
        " (2 ms is the goal, 3 ms the most)"
    )
    print(f"  {again:6.2f} s   plainly writing the same {len(files)} files")


def loop(folder: Path) -> None:
    """Our chart and the shortest loop that a person could write for the same objects."""
    chart = folder / "out" / "bench"
    rendered = run(
        [
            HELM,
            "template",
            "demo",
            str(chart),
            "--set",
            "tensorflow.cluster=sparse",  # as below: with the full list each replica has less
            "-s",
            "templates/jobs.yaml",
            "-s",
            "templates/services.yaml",
        ]
    )
    hand = by_hand(rendered, folder / "loop")
    print("\nhelm template of our chart, against a hand-written loop over the same objects")
    for count, rounds in ((1000, 7), (10000, 3)):
        ours = [
            HELM,
            "template",
            "demo",
            str(chart),
            "--set",
            f"roles.worker.replicas={count},tensorflow.cluster=sparse",
        ]
        theirs = [HELM, "template", "demo", str(hand), "--set", f"count={count}"]
        mine, other = best(rounds, lambda ours=ours: run(ours), lambda theirs=theirs: run(theirs))  # type: ignore[misc]
        print(f"  {mine:6.2f} s   ours, {count} replicas\n  {other:6.2f} s   hand-written loop")
        verdict(mine / other, "1.0 is the goal, 1.1 the most")


def by_hand(rendered: str, folder: Path) -> Path:
    """A chart whose one template prints our chart's Job and Service of a worker in a loop."""
    documents = rendered.split("\n---\n")
    worker = [
        text
        for text in documents
        if "chartgen/role: worker" in text and "chartgen/index: '0'" in text
    ]
    job, service = (
        next(text for text in worker if f"kind: {kind}\n" in text) for kind in ("Job", "Service")
    )
    body = "\n---\n".join(line_by_line(text) for text in (job, service))
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: loop\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("count: 1\n")
    (folder / "templates" / "jobs.yaml").write_text(
        f"{{{{- range $i := until (int .Values.count) }}}}\n---\n{body}\n{{{{- end }}}}\n"
    )
    return folder


def line_by_line(text: str) -> str:
    """A document with the loop's variable where the index was."""
    name = next(line.split()[-1] for line in text.splitlines() if line.startswith("  name: "))
    holes = {
        name: name[:-1] + "{{ $i }}",
        "index: '0'": "index: '{{ $i }}'",
        'index: "0"': 'index: "{{ $i }}"',
        '"index":0': '"index":{{ $i }}',
        '{"0":': '{"{{ $i }}":',
    }
    for old, new in holes.items():
        text = text.replace(old, new)
    return "\n".join(line for line in text.splitlines() if not line.startswith("# Source"))


def copy(files: list[Path], folder: Path) -> None:
    for number, file in enumerate(files):
        place = folder / str(number % 1000) / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())


def best(rounds: int, *actions: Callable[[], object]) -> list[float]:
    """The shortest time of each action; they take turns, so that a busy moment hits all of them."""
    times = [float("inf")] * len(actions)
    for _ in range(rounds):
        for number, action in enumerate(actions):
            start = time.perf_counter()
            action()
            times[number] = min(times[number], time.perf_counter() - start)
    return times


def run(command: list[str]) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def verdict(ratio: float, goal: str) -> None:
    print(f"  {ratio:6.2f}     ratio ({goal})")


if __name__ == "__main__":
    if not shutil.which(HELM):
        sys.exit("Helm 3 is missing beside this Python: run `make bench`")
    sys.exit(main())
