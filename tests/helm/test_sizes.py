"""Forecast sizes are those of what the real Helm renders."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen import pipeline
from chartgen.chart import ChartOptions
from chartgen.checks import sizes
from chartgen.k8s import limits
from chartgen.pods import assemble
from tests.support.charts import expanded, named, pods, read_objects, render, template
from tests.unit.checks.test_sizes import HEAD, SPARSE, checked, noise

SIZED = {
    "one": "roles: {worker: {}}",
    "ten": "roles: {worker: {replicas: 10}, chief: {}}",
    "eleven": "roles: {worker: {replicas: 11}, chief: {}, ps: {replicas: 2}}",
    "hundreds": "roles: {worker: {replicas: 123}, ps: {replicas: 101}, chief: {}, evaluator: {}}",
    "none of a role": "roles: {worker: {replicas: 0}, ps: {replicas: 0}, chief: {}}",
    "a prefix and an id": "namePrefix: a-b-\nruntimeId: 76no\nroles: {worker: {replicas: 12}}",
    "a number for an id": "runtimeId: 1234567890\nroles: {worker: {replicas: 2}}",
    "ports": "roles: {worker: {replicas: 2, port: 1}, ps: {port: 65535}}",
    "ports of some": "roles: {chief: {}, worker: {replicas: 12, overrides: {0-2: {port: 80},"
    " 11: {port: 1}, 4: {}}}}",
    "the TfJob dialect": "roles: {master: {}, worker: {replicas: 3}, ps: {replicas: 2}}",
    "a ps with a command": "roles: {worker: {}, ps: {command: [serve]}}",
    "sparse": "SPARSE\nroles: {worker: {replicas: 12}, ps: {replicas: 3}, chief: {}}",
    "sparse without servers": "SPARSE\nroles: {worker: {replicas: 3}}",
    "sparse, ports of some": "SPARSE\nroles: {worker: {replicas: 3,"
    " overrides: {2: {port: 65535}}}, chief: {}}",
}


@pytest.mark.parametrize("text", SIZED.values(), ids=SIZED.keys())
def test_forecast_sizes_are_those_of_what_helm_renders(
    text: str, helm3: str, tmp_path: Path
) -> None:
    """To the byte: ConfigMaps, the clean-up's Role, and variables as the process sees them."""
    text = text.replace("SPARSE", SPARSE)
    job, plan = checked(text)
    forecast = sizes.Sizes(job, plan)
    objects = read_objects(helm3, render(HEAD + text, tmp_path))
    for name, size in forecast.config_maps().items():
        if name == "peers":
            (config,) = named(objects, "ConfigMap", f"{forecast.prefix}{name}-")
            assert sum(len(value.encode()) for value in config["data"].values()) == size
    for access in named(objects, "Role", f"{forecast.prefix}cleanup-"):
        listed = json.dumps(access["rules"][1]["resourceNames"], separators=(",", ":"))
        assert forecast.cleanup_role() == len(listed) - len("[]") + len(",")
    for role in plan.roles:
        if job.replicas(role.name):
            last = pods(objects, role.name)[-1]
            for name, size in forecast.env(role).items():
                assert (name, len(expanded(objects, last, name).encode())) == (name, size)


# --- Helm's record of a release


def record(description: str, helm: str, folder: Path) -> int:
    """The bytes of Helm's Secret: the chart and its manifest as JSON, gzip and base64."""
    chart = render(description, folder, options=ChartOptions())
    files = {
        path.relative_to(chart).as_posix(): path.read_text("utf-8")
        for path in chart.rglob("*")
        if path.is_file()
    }
    printed = template(helm, chart).split("---\n")[1:]
    hooks = [manifest for manifest in printed if "helm.sh/hook" in manifest]
    release = {
        "name": "demo",
        "info": {
            "first_deployed": "2026-01-31T12:00:00.000000000Z",
            "status": "deployed",
            "notes": "n" * 1500,
        },
        "chart": {
            "metadata": yaml.safe_load(files.pop("Chart.yaml")),
            "values": yaml.load(
                files.pop("values.yaml"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            ),
            "schema": _base64(files.pop("values.schema.json")),
            "templates": [
                _file(name, files[name]) for name in sorted(files) if name.startswith("templates/")
            ],
            "files": [
                _file(name, files[name])
                for name in sorted(files)
                if not name.startswith("templates/")
            ],
        },
        "manifest": "".join(f"---\n{manifest}" for manifest in printed if manifest not in hooks),
        "hooks": [
            {"name": "test", "kind": "Pod", "manifest": manifest, "events": ["test"]}
            for manifest in hooks
        ],
        "version": 1,
        "namespace": "default",
    }
    packed = gzip.compress(json.dumps(release, separators=(",", ":")).encode(), 9)
    return len(base64.b64encode(packed))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _file(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "data": _base64(text)}


def judge(text: str, helm: str, folder: Path) -> None:
    """The forecast is above the record, but not so much that it refuses what would fit."""
    real = record(HEAD + text, helm, folder)
    job, plan = checked(text)
    forecast = sizes.Sizes(job, plan).release(clouds=assemble(job, plan).needs_clouds)
    assert 1.0 <= forecast / real <= 1.5, (
        f"forecast {forecast:,}, real {real:,}: see the numbers at the top of sizes.py"
    )


ENV = ", ".join(f"VARIABLE_{number}: value-{number}" for number in range(100))
OVERRIDES = ", ".join(f"{number}: {{args: [{noise(400, number)}]}}" for number in range(30))
RELEASES = {
    "small": "roles: {worker: {replicas: 2}}",
    "with everything": "roles: {chief: {}, worker: {replicas: 3}, ps: {}, evaluator: {}}\n"
    "tensorboard: {logDir: /logs}",
    "with a device": "cloud: gke\ngpu: 1\nroles: {worker: {replicas: 2}}",
    "a hundred": "roles: {chief: {}, worker: {replicas: 100}, ps: {replicas: 10}}",
    "large pods": f"roles: {{worker: {{replicas: 100, env: {{{ENV}}}}}}}",
    "pods that gzip forgets": f"roles: {{worker: {{replicas: 20, env: {{A: {noise(36_000)}}}}}}}",
    "many overrides": f"roles: {{worker: {{replicas: 40, overrides: {{{OVERRIDES}}}}}}}",
}


@pytest.mark.parametrize("text", RELEASES.values(), ids=RELEASES.keys())
def test_the_size_of_a_release_is_forecast(text: str, helm3: str, tmp_path: Path) -> None:
    judge(text, helm3, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("replicas", [1000, 10000])
def test_the_size_of_a_large_release_is_forecast(replicas: int, helm3: str, tmp_path: Path) -> None:
    judge(
        f"{SPARSE}\nroles: {{chief: {{}}, ps: {{}}, worker: {{replicas: {replicas}}}}}",
        helm3,
        tmp_path,
    )


RANKS = """
name: ranks
framework: custom
image: a:1
custom:
  files: {hosts: '%{peers worker "{host} slots={devices}" "\\n"}'}
roles:
  worker:
    replicas: 10000
    port: 29500
    command: [train]
    env: {RANK: "%{rank}", LEADS: "%{if first}yes%{else}no%{end}", MASTER_ADDR: "%{host worker}"}
"""


@pytest.mark.slow
def test_ten_thousand_ranks_that_a_description_states_fit(helm3: str, tmp_path: Path) -> None:
    (document,) = pipeline.read(RANKS.encode(), "job.yaml")
    assert pipeline.check(document).warnings == ()
    assert record(RANKS, helm3, tmp_path) < limits.OBJECT_BYTES
