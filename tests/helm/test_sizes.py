"""limits: forecasts against the real thing, which is what Helm makes of the chart."""

import base64
import gzip
import json
from pathlib import Path
from random import Random
from string import ascii_lowercase
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chartgen import pipeline
from chartgen.checks import sizes as limits
from chartgen.errors import InputError
from chartgen.job.model import Job
from chartgen.plan.model import Plan
from tests.support.charts import expanded, named, objects, pods, render, template

HEAD = "name: mnist\nframework: tensorflow\nimage: registry.example.com/mnist:1.4\n"

SIZED = {
    "one": "roles: {worker: {}}",
    "ten": "roles: {worker: {replicas: 10}, chief: {}}",
    "eleven": "roles: {worker: {replicas: 11}, chief: {}, ps: {replicas: 2}}",
    "hundreds": "roles: {worker: {replicas: 123}, ps: {replicas: 101}, chief: {}, evaluator: {}}",
    "none of a role": "roles: {worker: {replicas: 0}, ps: {replicas: 0}, chief: {}}",
    "a prefix and an id": "namePrefix: a-b-\nruntimeId: 76no\nroles: {worker: {replicas: 12}}",
    "a number for an id": "runtimeId: 1234567890\nroles: {worker: {replicas: 2}}",
    "ports": "roles: {worker: {replicas: 2, port: 1}, ps: {port: 65535}}",
    "ports of some": "roles: {chief: {}, worker: {replicas: 12, overrides: {0-2: {port: 80}, 11: {port: 1}, 4: {}}}}",
    "the TfJob dialect": "roles: {master: {}, worker: {replicas: 3}, ps: {replicas: 2}}",
    "a ps with a command": "roles: {worker: {}, ps: {command: [serve]}}",
    "sparse": "SPARSE\nroles: {worker: {replicas: 12}, ps: {replicas: 3}, chief: {}}",
    "sparse without servers": "SPARSE\nroles: {worker: {replicas: 3}}",
    "sparse, ports of some": "SPARSE\nroles: {worker: {replicas: 3, overrides: {2: {port: 65535}}}, chief: {}}",
}
SPARSE = "tensorflow: {cluster: sparse}"


def checked(text: str) -> tuple[Job, Plan]:
    found = pipeline.check(pipeline.read((HEAD + text).encode(), "job.yaml")[0])
    return found.job, found.plan


def rules(text: str) -> list[str]:
    try:
        checked(text)
    except InputError as error:
        return [problem.rule for problem in error.problems]
    return []


@pytest.mark.parametrize("text", SIZED.values(), ids=SIZED.keys())
def test_sizes_are_those_of_what_helm_makes(text: str, helm3: str, tmp_path: Path) -> None:
    """To the byte: every ConfigMap, and every variable of the framework as the process in the pod will see it."""
    text = text.replace("SPARSE", SPARSE)
    job, plan = checked(text)
    sizes = limits.Sizes(job, plan)
    found = objects(helm3, render(HEAD + text, tmp_path))
    for name, size in sizes.config_maps().items():
        if name == "peers":
            (config,) = named(found, "ConfigMap", f"{sizes.prefix}{name}-")
            assert sum(len(value.encode()) for value in config["data"].values()) == size
    for role in plan.roles:
        if job.replicas(role.name):
            last = pods(found, role.name)[-1]
            for name, size in sizes.env(role).items():
                assert (name, len(expanded(found, last, name).encode())) == (name, size)


def test_the_longest_variable_is_the_one_the_kernel_would_refuse() -> None:
    """NAME=value and a zero byte, of the role whose value is the longest."""
    sizes = limits.Sizes(*checked("roles: {worker: {replicas: 100}, chief: {}}"))
    longest = max(max(sizes.env(role).values()) for role in sizes.plan.roles)
    assert sizes.longest_env() == ("TF_CONFIG", len("TF_CONFIG=") + longest + 1)
    assert (
        sizes.longest_env()[1] > limits.Sizes(*checked("roles: {worker: {replicas: 99}, chief: {}}")).longest_env()[1]
    )


def test_a_full_cluster_fits_up_to_a_certain_worker() -> None:
    """With 8-digit ids and 4-digit ports the number is well known."""
    assert rules("roles: {chief: {}, worker: {replicas: 4716}}") == []
    assert rules("roles: {chief: {}, worker: {replicas: 4717}}") == ["env-size"]
    assert rules(f"{SPARSE}\nroles: {{chief: {{}}, worker: {{replicas: 4717}}}}") == []


def test_ten_thousand_replicas_are_fine() -> None:
    assert (
        rules("tensorflow: {cluster: sparse}\nroles: {chief: {}, ps: {replicas: 10}, worker: {replicas: 10000}}") == []
    )


def test_the_hint_names_the_sparse_form_unless_it_is_taken() -> None:
    def hint(text: str) -> str:
        with pytest.raises(InputError) as caught:
            checked(text)
        return caught.value.problems[0].hint

    assert "sparse" in hint("roles: {worker: {replicas: 5000}}")
    assert "fewer" in hint(f"{SPARSE}\nroles: {{worker: {{}}, ps: {{replicas: 6000}}}}")


@given(st.integers(0, 100_000))
def test_digits_are_counted_without_counting(count: int) -> None:
    assert limits._digits_below(count) == len("".join(map(str, range(count))))


# --- Helm's record of a release


def record(text: str, helm: str, folder: Path) -> int:
    """The bytes of the Secret that Helm would keep: all of the chart and all it makes, as JSON, gzip and base64."""
    chart = render(HEAD + text, folder)
    files = {path.relative_to(chart).as_posix(): path.read_text("utf-8") for path in chart.rglob("*") if path.is_file()}
    printed = template(helm, chart).split("---\n")[1:]
    hooks = [one for one in printed if "helm.sh/hook" in one]
    release = {
        "name": "demo",
        "info": {"first_deployed": "2026-01-31T12:00:00.000000000Z", "status": "deployed", "notes": "n" * 1500},
        "chart": {
            "metadata": yaml.safe_load(files.pop("Chart.yaml")),
            "values": yaml.load(files.pop("values.yaml"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)),
            "schema": _base64(files.pop("values.schema.json")),
            "templates": [_file(name, files[name]) for name in sorted(files) if name.startswith("templates/")],
            "files": [_file(name, files[name]) for name in sorted(files) if not name.startswith("templates/")],
        },
        "manifest": "".join(f"---\n{one}" for one in printed if one not in hooks),
        "hooks": [{"name": "test", "kind": "Pod", "manifest": one, "events": ["test"]} for one in hooks],
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
    """The forecast is above the record, and not by so much that it refuses what would fit."""
    real = record(text, helm, folder)
    forecast = limits.Sizes(*checked(text)).release()
    assert 1.0 <= forecast / real <= 1.6, (
        f"forecast {forecast:,}, real {real:,}: see the numbers at the top of checks/sizes.py"
    )


def noise(length: int, seed: int = 0) -> str:
    """Text that gzip cannot make much shorter."""
    return "".join(Random(seed).choices(ascii_lowercase, k=length))


ENV = ", ".join(f"VARIABLE_{number}: value-{number}" for number in range(100))
OVERRIDES = ", ".join(f"{number}: {{args: [{noise(400, number)}]}}" for number in range(30))
RELEASES = {
    "small": "roles: {worker: {replicas: 2}}",
    "with everything": "roles: {chief: {}, worker: {replicas: 3}, ps: {}, evaluator: {}}\ntensorboard: {logDir: /logs}",
    "a hundred": "roles: {chief: {}, worker: {replicas: 100}, ps: {replicas: 10}}",
    "large pods": f"roles: {{worker: {{replicas: 100, env: {{{ENV}}}}}}}",
    "pods that gzip forgets": f"roles: {{worker: {{replicas: 20, env: {{A: {noise(36_000)}}}}}}}",
    "many overrides": f"roles: {{worker: {{replicas: 40, overrides: {{{OVERRIDES}}}}}}}",
}


@pytest.mark.parametrize("text", RELEASES.values(), ids=RELEASES.keys())
def test_a_release_is_forecast(text: str, helm3: str, tmp_path: Path) -> None:
    judge(text, helm3, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("replicas", [1000, 10000])
def test_a_large_release_is_forecast(replicas: int, helm3: str, tmp_path: Path) -> None:
    judge(f"{SPARSE}\nroles: {{chief: {{}}, ps: {{}}, worker: {{replicas: {replicas}}}}}", helm3, tmp_path)


def test_an_override_with_a_large_pod_counts_for_each_of_its_replicas() -> None:
    large = f"roles: {{worker: {{replicas: 100, overrides: {{0-98: {{env: {{A: {noise(36_000)}}}}}}}}}}}"
    assert rules(large) == ["release-size"]
    assert rules(large.replace("0-98", "98")) == []


def test_a_config_map_too_large_is_not_advised_to_be_sparse() -> None:
    """In either form it lists all replicas."""
    text = "namePrefix: research-department-vision-group-\nroles: {worker: {replicas: 12000}}"
    with pytest.raises(InputError) as caught:
        checked(text)
    hints = {problem.rule: problem.hint for problem in caught.value.problems}
    assert "sparse" not in hints["config-size"]
    assert "sparse" in hints["env-size"]
