"""Charts through the real Helm: render a description, template the chart, and read the objects back."""

import subprocess
from pathlib import Path
from typing import Any

import yaml

from chartgen import pipeline

Objects = list[dict[str, Any]]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def render(description: str, folder: Path, file: str = "job.yaml") -> Path:
    """Render the one job in a description into a folder, and return its chart's path."""
    (document,) = pipeline.read(description.encode(), file)
    checked = pipeline.check(document)
    chart = folder / checked.job.name
    for path, text in pipeline.render(checked).items():
        place = chart / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return chart


def run(helm: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Helm and return what came out, whatever it was."""
    return subprocess.run([helm, *map(str, args)], capture_output=True, text=True, check=False, encoding="utf-8")


def template(helm: str, chart: Path, *args: str, release: str = "demo") -> str:
    """What `helm template` prints."""
    done = run(helm, "template", release, chart, *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(helm: str, chart: Path, *args: str, release: str = "demo") -> Objects:
    """The objects that `helm template` prints, as data."""
    return [found for found in yaml.load_all(template(helm, chart, *args, release=release), Loader=_LOADER) if found]


def refusal(helm: str, chart: Path, *args: str) -> str:
    """What Helm says when it refuses to template."""
    done = run(helm, "template", "demo", chart, *args)
    assert done.returncode != 0, "Helm took what it should refuse"
    return done.stderr


def named(found: Objects, kind: str, prefix: str = "") -> Objects:
    """The objects of a kind whose names start so."""
    return [one for one in found if one["kind"] == kind and one["metadata"]["name"].startswith(prefix)]


def env(pod: dict[str, Any], container: int = 0) -> dict[str, Any]:
    """A container's environment: values, or where they come from."""
    entries = pod["spec"]["containers"][container]["env"]
    return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in entries}


def pods(found: Objects, role: str) -> list[dict[str, Any]]:
    """The pod templates of a role's Jobs, by index."""
    return [
        job["spec"]["template"] for job in named(found, "Job") if job["metadata"]["labels"].get("chartgen/role") == role
    ]


def expanded(found: Objects, pod: dict[str, Any], name: str) -> str:
    """An env value as the process sees it: ConfigMap keys looked up, $(NAME) put in, as the kubelet does."""
    maps = {one["metadata"]["name"]: one["data"] for one in named(found, "ConfigMap")}
    seen: dict[str, str] = {}
    for entry in pod["spec"]["containers"][0]["env"]:
        if "valueFrom" in entry:
            key = entry["valueFrom"]["configMapKeyRef"]
            seen[entry["name"]] = maps[key["name"]][key["key"]]
            continue
        value = entry["value"]
        for other, text in seen.items():
            value = value.replace(f"$({other})", text)
        seen[entry["name"]] = value
    return seen[name]
