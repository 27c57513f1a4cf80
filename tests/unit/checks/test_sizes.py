"""checks.sizes: what is forecast, and refused; tests/helm/test_sizes.py measures real charts."""

from pathlib import Path
from random import Random
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import frameworks, pipeline
from chartgen.checks import sizes
from chartgen.errors import InputError
from chartgen.job.model import Job, Spec
from chartgen.k8s import limits
from chartgen.plan.model import Plan

EXAMPLES = sorted((Path(__file__).parents[3] / "values/jobs").glob("*.yaml"))
HEAD = "name: mnist\nframework: tensorflow\nimage: registry.example.com/mnist:1.4\n"
SPARSE = "tensorflow: {cluster: sparse}"


def checked(text: str) -> tuple[Job, Plan]:
    result = pipeline.check(pipeline.read((HEAD + text).encode(), "job.yaml")[0])
    return result.job, result.plan


def rules(text: str) -> list[str]:
    try:
        checked(text)
    except InputError as error:
        return [problem.rule for problem in error.problems]
    return []


def test_the_longest_variable_is_the_one_the_kernel_would_refuse() -> None:
    """NAME=value and a zero byte, of the role whose value is the longest."""
    forecast = sizes.Sizes(*checked("roles: {worker: {replicas: 100}, chief: {}}"))
    longest = max(max(forecast.env(role).values()) for role in forecast.plan.roles)
    assert forecast.longest_env() == ("TF_CONFIG", len("TF_CONFIG=") + longest + 1)
    assert (
        forecast.longest_env()[1]
        > sizes.Sizes(*checked("roles: {worker: {replicas: 99}, chief: {}}")).longest_env()[1]
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_job_that_is_not_measured_is_far_from_every_limit(example: Path) -> None:
    """With as many replicas and characters as go unmeasured, no text has half of what it may."""
    (document,) = pipeline.read(example.read_bytes(), "job.yaml")
    job = pipeline.check(document).job
    share = sizes.FEW_REPLICAS // len(job.roles)
    roles = {name: role._replace(replicas=share) for name, role in job.roles.items()}
    said: Spec = {**job.shared, "env": {"LONG": "x" * sizes.FEW_CHARACTERS}}
    job = job._replace(shared=said, roles=roles)
    forecast = sizes.Sizes(job, frameworks.framework(job.framework).plan(job))
    objects = [*forecast.config_maps().values(), forecast.cleanup_role()]
    assert max(objects) < limits.OBJECT_BYTES / 2
    assert forecast.longest_env()[1] < limits.ENV_STRING_BYTES / 2
    assert forecast.release(clouds=True) < limits.OBJECT_BYTES / 2


def test_a_full_cluster_fits_up_to_a_certain_number_of_workers() -> None:
    """With 8-character ids and 4-digit ports the number is known exactly."""
    assert rules("roles: {chief: {}, worker: {replicas: 4716}}") == []
    assert rules("roles: {chief: {}, worker: {replicas: 4717}}") == ["env-too-long"]
    assert rules(f"{SPARSE}\nroles: {{chief: {{}}, worker: {{replicas: 4717}}}}") == []


def test_ten_thousand_replicas_are_fine() -> None:
    assert (
        rules(
            "tensorflow: {cluster: sparse}\n"
            "roles: {chief: {}, ps: {replicas: 10}, worker: {replicas: 10000}}"
        )
        == []
    )


def test_a_role_that_lists_too_many_jobs_is_reported() -> None:
    """Helm's record of the release is too large before, unless names are as long as they may be."""

    def message(prefix: str) -> str:
        roles = "roles: {chief: {}, ps: {}, worker: {replicas: 20000}}"
        with pytest.raises(InputError) as caught:
            checked(f"{SPARSE}\n{prefix}\n{roles}")
        return str(caught.value)

    assert "the Role that names the Jobs" not in message("")
    assert "the Role that names the Jobs for the clean-up would have 1," in message(
        f"namePrefix: {'long-' * 7}"
    )


def test_the_hint_names_the_sparse_form_unless_the_job_uses_it() -> None:
    def hint(text: str) -> str:
        with pytest.raises(InputError) as caught:
            checked(text)
        return caught.value.problems[0].hint

    assert "sparse" in hint("roles: {worker: {replicas: 5000}}")
    assert "fewer" in hint(f"{SPARSE}\nroles: {{worker: {{}}, ps: {{replicas: 6000}}}}")


@given(st.integers(0, 100_000))
def test_digits_are_summed_by_a_formula(count: int) -> None:
    assert sizes._digits_below(count) == len("".join(map(str, range(count))))


def noise(length: int, seed: int = 0) -> str:
    """Text that gzip can hardly compress."""
    return "".join(Random(seed).choices(ascii_lowercase, k=length))


def test_an_override_with_a_large_pod_counts_for_each_of_its_replicas() -> None:
    overrides = f"{{0-98: {{env: {{A: {noise(36_000)}}}}}}}"
    large = f"roles: {{worker: {{replicas: 100, overrides: {overrides}}}}}"
    assert rules(large) == ["release-too-large"]
    assert rules(large.replace("0-98", "98")) == []


def test_an_override_counts_only_for_replicas_that_there_are() -> None:
    """The range is refused, and what it would add to the list of addresses is not."""
    overrides = "{0-999999: {port: 60000}}"
    text = f"roles: {{chief: {{}}, worker: {{replicas: 101, overrides: {overrides}}}}}"
    assert rules(text) == ["override-no-replica"]


def test_the_sparse_form_is_not_suggested_for_a_config_map_that_is_too_large() -> None:
    """It lists all replicas in either form."""
    text = "namePrefix: research-department-vision-group-\nroles: {worker: {replicas: 12000}}"
    with pytest.raises(InputError) as caught:
        checked(text)
    hints = {problem.rule: problem.hint for problem in caught.value.problems}
    assert "sparse" not in hints["data-too-large"]
    assert "sparse" in hints["env-too-long"]
