"""The limits that templates must repeat are those that Python has."""

import re

import pytest

from chartgen import resources
from chartgen.checks.pods.env import MOST_REFERRING
from chartgen.k8s import limits
from chartgen.plan import names
from chartgen.plan.restarts import is_permanent

TEMPLATES = "charts/job/templates"
# Names that end with a hash are cut before it.
CUT = limits.DNS_LABEL - names.HASH - len("-")
REPEATED = [
    ("lib/_metadata.tpl", r"gt \(len \.\) (\d+)", limits.DNS_LABEL),
    ("lib/_metadata.tpl", r"Kubernetes allows (\d+):", limits.DNS_LABEL),
    ("lib/_metadata.tpl", r"\| trunc (\d+)", limits.DNS_LABEL),
    ("lib/_metadata.tpl", r"gt \$size (\d+)", limits.ANNOTATION_BYTES),
    ("lib/_metadata.tpl", r"in total; Kubernetes allows (\d+)", limits.ANNOTATION_BYTES),
    ("lib/_cleanup.tpl", r"trunc (\d+)", CUT),
    ("keys-job.yaml", r"trunc (\d+) \$name", CUT),
    ("keys-job.yaml", r"sha256sum \| trunc (\d+)", names.HASH),
    ("cleanup-job.yaml", r"sha256sum \| trunc (\d+)", names.HASH),
    ("lib/_job.tpl", r"trunc (\d+) \$hash", names.HASH),
    ("lib/_env.tpl", r"gt \$size (\d+)", limits.ENV_STRING_BYTES),
    ("lib/_env.tpl", r"Linux allows (\d+)", limits.ENV_STRING_BYTES),
    ("lib/_env.tpl", r"gt \(len \.entries\) (\d+)", MOST_REFERRING),
    ("lib/_env.tpl", r"expected at most (\d+)", MOST_REFERRING),
]


@pytest.mark.parametrize(("file", "pattern", "limit"), REPEATED)
def test_a_template_repeats_the_limit(file: str, pattern: str, limit: int) -> None:
    numbers = re.findall(pattern, resources.text(f"{TEMPLATES}/{file}"))
    assert numbers, f"{file} has nothing like {pattern}"
    assert {int(number) for number in numbers} == {limit}


@pytest.mark.parametrize("file", ["charts/job/README.md", "pages/chart.txt"])
def test_a_page_names_the_oldest_kubernetes(file: str) -> None:
    assert re.findall(r"requires Kubernetes ([\d.]+)", resources.text(file)) == [
        limits.OLDEST_KUBERNETES
    ]


def test_every_limit_in_a_template_is_compared() -> None:
    facts = {value for value in vars(limits).values() if isinstance(value, int)}
    facts |= {CUT, MOST_REFERRING}
    assert {63, 54, 500} < facts
    for file in resources.names(TEMPLATES):
        text = resources.text(f"{TEMPLATES}/{file}")
        for name, pattern, _ in REPEATED:
            if name == file:
                text = re.sub(pattern, "", text)
        numbers = {int(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])", text)}
        assert not numbers & facts, file


def test_a_template_repeats_the_exit_codes_of_operators() -> None:
    text = resources.text(f"{TEMPLATES}/lib/_failure_policy.tpl")
    (retryable,) = re.findall(r'"retryable" \(list ([\d ]+)\)', text)
    (first, end) = re.findall(r'"permanent" \(untilStep (\d+) (\d+) 1\)', text)[0]
    codes = range(1, 256)
    assert [int(code) for code in retryable.split()] == [
        code for code in codes if not is_permanent("tf-operator", code)
    ]
    assert [*range(int(first), int(end))] == [code for code in codes if is_permanent("tfjob", code)]
