"""Build a Helm that stays, for the tests: `make resident-helm`.

It is the version of a Helm that is already there, built by the same Go from the same sources, with
the files of tests/resident_helm added.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ADDED = ROOT / "tests/resident_helm"
BUILT = ROOT / ".cache/resident"


def output(*words: str | Path, folder: Path = ROOT, **more: str) -> str:
    """What a program prints, which must not fail."""
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, **more}, stdout=subprocess.PIPE, encoding="utf-8"
    )
    if done.returncode:
        sys.exit(f"{words[0]} failed with exit code {done.returncode}")
    return done.stdout


def build(helm: Path) -> None:
    """Build the Helm that is like this one, unless it is there and no file has changed since."""
    version, go = output(helm, "version", "--template", "{{.Version}} {{.GoVersion}}").split()
    changed = max(file.stat().st_mtime for file in (Path(__file__), *ADDED.rglob("*.go")))
    if (BUILT / version).exists() and (BUILT / version).stat().st_mtime > changed:
        return
    major = version.partition(".")[0]
    sources = BUILT / f"{version}.sources"
    shutil.rmtree(sources, ignore_errors=True)
    BUILT.mkdir(parents=True, exist_ok=True)
    module = json.loads(
        output("go", "mod", "download", "-json", f"helm.sh/helm/{major}@{version}", folder=BUILT)
    )
    shutil.copytree(module["Dir"], sources, copy_function=shutil.copyfile)  # which may be written
    for folder, _, _ in os.walk(sources):
        os.chmod(folder, 0o755)
    shutil.copytree(ADDED / major, sources, dirs_exist_ok=True)
    shutil.copy(ADDED / "loop.go", sources / "cmd/helm")
    output(
        *("go", "build", "-mod=mod", "-ldflags", flags(major, version, sources)),
        *("-o", BUILT / f"{version}.new", "./cmd/helm"),
        folder=sources,
        CGO_ENABLED="0",
        GOTOOLCHAIN=go,
    )
    shutil.rmtree(sources)
    (BUILT / f"{version}.new").rename(BUILT / version)


def flags(major: str, version: str, sources: Path) -> str:
    """What Helm's own Makefile passes to the linker: its version, and that of Kubernetes."""
    module = f"helm.sh/helm/{major}"
    words = ["-s", "-w", "-X", f"{module}/internal/version.version={version}"]
    client = re.search(r"k8s\.io/client-go v0\.([0-9]+)", (sources / "go.mod").read_text())
    if major == "v3" and client:
        for name, number in (("Major", "1"), ("Minor", client[1])):
            words += ["-X", f"{module}/pkg/chartutil.k8sVersion{name}={number}"]
    return " ".join(words)


if __name__ == "__main__":
    for path in sys.argv[1:]:
        build(Path(path).absolute())
