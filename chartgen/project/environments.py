"""The values of a job in an environment: read, and checked like the job itself."""

from functools import lru_cache

from chartgen import pipeline, resources, schema
from chartgen.chart.values import schema as values_schema
from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.pipeline import CheckedJob
from chartgen.project.model import Environment
from chartgen.schema.walk import Schema
from chartgen.startup.typing import Any
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.syntax.yaml.writer import emit


def read(text: bytes, file: str) -> Document | None:
    """The values in a file; None if there are none in it."""
    try:
        document, *more = yaml_reader.read(text, file)
    except InputError as error:
        if [problem.rule for problem in error.problems] == ["file-empty"]:
            return None
        raise
    if more:
        message = "second document in a values file; expected one"
        raise InputError([more[0].problem((), message, "project-several")])
    if document.problems:
        raise InputError(document.problems)
    return document if document.data is not None else None


def check(checked: CheckedJob, values: Document) -> tuple[list[Problem], bool]:
    """The problems of a job's values in an environment, and whether they need cloud data.

    Problems are in the places where they are written.
    """
    # A chart without cloud data accepts more of what is said about clouds and devices, but values
    # that say anything about them bring the data.
    shape = values_schema.shape(checked.job, checked.plan, clouds=True)
    has_board = "tensorboard" in checked.document.data
    if problems := schema.check(values, _partial(shape, has_board=has_board)):
        return problems, False
    try:
        with_values = pipeline.check_values(checked, values)
        all_problems, needs_clouds = with_values.warnings, with_values.pods.needs_clouds
    except InputError as error:
        all_problems, needs_clouds = error.problems, False
    problems = []
    for problem in all_problems:
        if problem in checked.warnings:
            continue
        if problem.rule == "override-no-replica" and problem.mark.file != values.file:
            continue  # there are fewer replicas here; Helm leaves such overrides out, too
        if problem.mark.file != values.file:
            problem = problem._replace(message=f"with {values.file}: {problem.message}")
        problems.append(problem)
    return problems, needs_clouds


@lru_cache(values_schema.MOST_SHAPES)
def _partial(shape: values_schema.Shape, *, has_board: bool) -> Schema:
    """The schema of a chart's values where nothing is required, because the chart has it."""
    whole = values_schema.schema(shape)
    definitions = dict(whole["definitions"])
    roles = definitions["roles"]
    own = {name: _optional(role) for name, role in roles["properties"].items()}
    definitions["roles"] = {**_optional(roles), "properties": own}
    if has_board:
        definitions["tensorboard"] = _optional(definitions["tensorboard"])
    # What a chart says by a pattern, for Helm, is checked like that of a job, in words.
    of_jobs = resources.data("schemas/job.schema.json")["definitions"]
    definitions |= {name: of_jobs[name] for name in ("quantity", "quantities")}
    properties = dict(whole["properties"])
    for name, _ in shape.groups:
        properties[name] = _optional(properties[name])
    return {**_optional(whole), "properties": properties, "definitions": definitions}


def _optional(schema: Schema) -> dict[str, Any]:
    """The schema of a mapping that need not have any key."""
    return {key: value for key, value in schema.items() if key != "required"}


def file_name(environment: str) -> str:
    """The file in a chart with the values of an environment."""
    return f"values-{environment}.yaml"


def text(environment: Environment, job: str, values: Document) -> str:
    """That file: the values as every reader reads them alike."""
    source = environment.file(job)  # the same wherever chartgen is run, unlike values.file
    head = (
        "# yaml-language-server: $schema=values.schema.json\n"
        f"# Values of the environment {environment.name}; written by chartgen from {source}\n"
    )
    return head + (emit(values.data) if values.data else "{}\n")
