"""Render one job description, let Helm check the chart, and show what was made."""

import os
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import yaml

BIN = Path(sys.executable).parent
CHARTS = Path("build/demo")
PACKAGES = Path("build/packages")


def run(tool: str, *args: str) -> str:
    """Show a command and run it with the tool from this virtual environment; errors are shown."""
    print(f"$ {shlex.join([tool, *args])}", flush=True)
    done = subprocess.run(
        [BIN / tool, *args], stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    if done.returncode:
        print(done.stdout, end="")
        sys.exit(f"demo: {tool} failed with exit code {done.returncode}")
    return done.stdout


def tree(folder: Path, indent: str = "") -> list[str]:
    """The files below a folder, drawn as `tree` does."""
    lines: list[str] = []
    entries = sorted(folder.iterdir(), key=lambda entry: (entry.is_dir(), entry.name))
    for entry in entries:
        last = entry is entries[-1]
        lines.append(f"{indent}{'└── ' if last else '├── '}{entry.name}")
        if entry.is_dir():
            lines += tree(entry, indent + ("    " if last else "│   "))
    return lines


def kinds(manifests: str) -> Counter[str]:
    """How many objects of each kind there are; hooks, such as those of `helm test`, count apart."""
    objects = [item for item in yaml.load_all(manifests, Loader=yaml.CSafeLoader) if item]
    hooks = [(item["metadata"].get("annotations") or {}).get("helm.sh/hook") for item in objects]
    return Counter(
        f"{item['kind']} (helm {hook})" if hook else item["kind"]
        for item, hook in zip(objects, hooks, strict=True)
    )


def show(title: str, lines: list[str]) -> None:
    print(f"\n{title}", *(f"  {line}" for line in lines), sep="\n")


def judge(chart: Path) -> tuple[str, str, str]:
    """What Helm says about a chart: its lint, its objects and its package."""
    return (
        run("helm", "lint", "--strict", str(chart)),
        run("helm", "template", chart.name, str(chart)),
        run("helm", "package", str(chart), "--destination", str(PACKAGES)),
    )


def main(job: str) -> None:
    text = Path(job).read_text("utf-8")
    chart = CHARTS / yaml.safe_load(text)["name"]
    print(f"{job}:\n\n{text}")
    run("chartgen", "render", job, "-o", str(CHARTS))
    lint, manifests, package = judge(chart)
    counts = sorted(kinds(manifests).items())
    show(f"The chart, {chart}:", [chart.name, *tree(chart)])
    show("Helm's verdict:", [line for line in lint.splitlines() if line.strip()])
    show(f"{sum(n for _, n in counts)} objects:", [f"{n:4}  {kind}" for kind, n in counts])
    show("The package:", [package.rpartition(": ")[2].strip()])
    show("Install it:", [f"{os.path.relpath(BIN / 'helm')} install {chart.name} {chart}"])


if __name__ == "__main__":
    main(*sys.argv[1:])
