"""The limits that templates must repeat are those of k8s.limits."""

import re

import pytest

from chartgen import resources
from chartgen.k8s import limits

TEMPLATES = "charts/job/templates/lib/"


@pytest.mark.parametrize(
    ("file", "pattern", "limit"),
    [
        ("_metadata.tpl", r"gt \(len \.\) (\d+)", limits.DNS_LABEL),
        ("_metadata.tpl", r"Kubernetes allows (\d+):", limits.DNS_LABEL),
        ("_metadata.tpl", r"\| trunc (\d+)", limits.DNS_LABEL),
        ("_metadata.tpl", r"gt \$size (\d+)", limits.ANNOTATION_BYTES),
        ("_metadata.tpl", r"Kubernetes allows (\d+)\"", limits.ANNOTATION_BYTES),
        ("_env.tpl", r"gt \$size (\d+)", limits.ENV_STRING_BYTES),
        ("_env.tpl", r"Linux allows (\d+)", limits.ENV_STRING_BYTES),
    ],
)
def test_a_template_repeats_the_limit(file: str, pattern: str, limit: int) -> None:
    numbers = re.findall(pattern, resources.text(TEMPLATES + file))
    assert numbers, f"{file} has nothing like {pattern}"
    assert {int(number) for number in numbers} == {limit}


@pytest.mark.parametrize("file", ["charts/job/README.md", "pages/chart.txt"])
def test_a_page_names_the_oldest_kubernetes(file: str) -> None:
    assert re.findall(r"requires Kubernetes ([\d.]+)", resources.text(file)) == [
        limits.OLDEST_KUBERNETES
    ]
