"""The linters that `make lint-charts` runs, built once from their Go modules.

A tool is built in a copy of its module, because `go install` refuses modules with `replace`
directives or with a name of another host. So its own go.mod and go.sum say what is in it.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

CACHE = Path(".cache/lint")


class Tool(NamedTuple):
    """A program, and the exact sources that it is built from."""

    module: str
    version: str
    package: str
    checksum: str  # of the module, as in a go.sum
    files: str = ""  # a folder of the module that the program needs at run time


TOOLS = {
    "kubeconform": Tool(
        "github.com/yannh/kubeconform",
        "v0.8.0",
        "./cmd/kubeconform",
        "h1:loDYd3a3spjIFrauqW67CDKF55Oo9R6uvC8AvpVd4ug=",
    ),
    "kube-score": Tool(
        "github.com/zegl/kube-score",
        "v1.20.0",
        "./cmd/kube-score",
        "h1:J1VqK86SunV4Gg8emPTmwUVxe0rmXnAs5K9ZUbGMKR8=",
    ),
    "kube-linter": Tool(
        "github.com/stackrox/kube-linter",
        "v0.8.3",
        "./cmd/kube-linter",
        "h1:8KmgOGsVya6gAG1xtHyOmjAVAdNH7u/hWS7mx3+X6h8=",
    ),
    "polaris": Tool(
        "github.com/fairwindsops/polaris",
        "v0.0.0-20260401181752-47c7deddfd66",  # its tags are not versions to Go
        ".",
        "h1:3q+OuVEZ6xowXMVNtEd3XTxEt3X8tyuWZDsaOu72FvU=",
    ),
    "ct": Tool(
        "github.com/helm/chart-testing/v3",
        "v3.14.0",
        "./ct",
        "h1:OpvIyKdogEeeLK/LIWx3T/M4EC/mkYx4OUw64EODaB8=",
        "etc",
    ),
    "ah": Tool(
        "github.com/artifacthub/hub",
        "v1.23.0",
        "./cmd/ah",
        "h1:CFQwQYGSSh1s26sx71/AZGYoF5VXlCOlVE/vdMEhmnw=",
    ),
}


def programs() -> dict[str, Path]:
    """The program of each tool; those that are missing are built."""
    return {name: _program(name, tool) for name, tool in TOOLS.items()}


def _program(name: str, tool: Tool) -> Path:
    place = (CACHE / f"{name}-{tool.version}").absolute()
    if not place.exists():
        start = time.monotonic()
        print(f"Building {name} {tool.version}", flush=True)
        _build(name, tool, place)
        print(f"Built {name} in {time.monotonic() - start:.0f} s", flush=True)
    return place / name


def _build(name: str, tool: Tool, place: Path) -> None:
    """Build the program aside, then move it into place."""
    if not shutil.which("go"):
        sys.exit("make lint-charts needs Go: https://go.dev/doc/install")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=CACHE) as folder:
        source, made = Path(folder, "source"), Path(folder, "made").absolute()
        shutil.copytree(_sources(tool), source, copy_function=shutil.copyfile)
        flags = ("-trimpath", "-mod=readonly", "-buildvcs=false", "-ldflags", "-s -w")
        _go("build", *flags, "-o", str(made / name), tool.package, folder=source)
        if tool.files:
            shutil.copytree(source / tool.files, made / tool.files)
        made.rename(place)


def _sources(tool: Tool) -> Path:
    """The folder of a module, which must be the one that the checksum was made of."""
    # The checksum is compared here, because the public database does not have all of them.
    answer = _go("mod", "download", "-json", f"{tool.module}@{tool.version}", unlisted=tool.module)
    facts = json.loads(answer)
    if facts["Sum"] != tool.checksum:
        sys.exit(f"{tool.module} {tool.version} is {facts['Sum']}, and not {tool.checksum}")
    return Path(facts["Dir"])


def _go(*words: str, folder: Path | None = None, unlisted: str = "") -> str:
    env = {**os.environ, "CGO_ENABLED": "0"}
    if unlisted:
        env["GONOSUMDB"] = unlisted
    done = subprocess.run(
        ["go", *words], cwd=folder, env=env, stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}go {words[0]} failed with exit code {done.returncode}")
    return done.stdout
