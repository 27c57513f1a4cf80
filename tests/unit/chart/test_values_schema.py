"""values.schema.json: what it refuses at install is what a description may not say."""

import json
from itertools import product

import jsonschema
import pytest

from chartgen import pipeline
from chartgen.errors import InputError

NUMBERS = [
    "", "0", "1", "01", "1.", "1.0", ".5", "1.5", "-1", "+1", "+-1", "1000", "20", "1_0", " 1",
    "3000000",
]  # fmt: skip
UNITS = [
    "", "m", "u", "n", "k", "K", "ki", "Ki", "M", "Mi", "mi", "E", "Ei", "e", "e0", "e3", "E+1",
    "e-1", "i",
]  # fmt: skip
QUANTITIES = [number + unit for number, unit in product(NUMBERS, UNITS)] + ["-1.5e3", "\u0663"]
LIMIT_DEPTH = 3  # of resources.limits.cpu
JOB = """
name: m
framework: tensorflow
image: a:1
roles:
  worker:
    resources:
      limits:
        memory: 1Gi
"""


def refused_in_a_description(limits: dict[str, str | int]) -> set[str]:
    """The names of the limits that chartgen reports."""
    text = JOB + "".join(f"        {name}: {json.dumps(size)}\n" for name, size in limits.items())
    (document,) = pipeline.read(text.encode(), "job.yaml")
    try:
        pipeline.check(document)
    except InputError as error:
        lines = text.splitlines()
        errors = [problem for problem in error.problems if problem.severity == "error"]
        return {lines[problem.mark.line - 1].strip().split(":")[0] for problem in errors}
    return set()


def refused_at_install(limits: dict[str, str | int]) -> set[str]:
    """The names of the limits that the schema of the chart's values refuses."""
    (document,) = pipeline.read(JOB.encode(), "job.yaml")
    schema = json.loads(pipeline.render(pipeline.check(document))["values.schema.json"])
    errors = jsonschema.Draft7Validator(schema).iter_errors({"resources": {"limits": limits}})
    return {str(error.path[-1]) for error in errors if len(error.path) == LIMIT_DEPTH}


@pytest.mark.parametrize("resource", ["hugepages-{}Mi", "example.com/{}"])
def test_the_schema_reads_quantities_as_the_checks_do(resource: str) -> None:
    """Otherwise a chart could refuse its own values."""
    quantities: list[str | int] = [*QUANTITIES, 0, 4, -4]
    limits = {resource.format(number): size for number, size in enumerate(quantities)}
    described, installed = refused_in_a_description(limits), refused_at_install(limits)
    assert 50 < len(installed) < len(limits) - 50
    assert {limits[name] for name in described} == {limits[name] for name in installed}
