"""frameworks: each module fulfils the Protocol, agrees with the schema, and has a manual page."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import frameworks, pipeline, resources
from chartgen.errors import InputError
from chartgen.frameworks.base import Framework
from chartgen.frameworks.managed_pods import OUT_OF_REACH
from chartgen.job.model import SPEC_FIELDS, make_job
from chartgen.plan import restarts
from chartgen.plan.late import Chosen, Given, Option, Pick, Range, Size
from chartgen.plan.restarts import is_permanent

SCHEMA = resources.data("schemas/job.schema.json")
FOLDER = Path(frameworks.__file__).parent
NAMES = sorted(frameworks.MODULES)


@pytest.fixture(params=NAMES)
def framework(request: pytest.FixtureRequest) -> Framework:
    """Each framework in turn."""
    return frameworks.framework(request.param)


def example(framework: Framework) -> str:
    """The job description in a manual page, under `Example`."""
    section = re.search(r"^Example\n((?:  .*\n|\n)+)", framework.__doc__ or "", re.MULTILINE)
    assert section, "the manual shows an example"
    return re.sub(r"^  ", "", section[1], flags=re.MULTILINE)


def options(part: Any) -> set[str]:
    """The options that a plan, or a part of it, depends on."""
    match part:
        case Chosen(option, _) | Given(option) | Option(option, _) | Size(option):
            return {option}
        case Range(least, most):
            return {least, most}
        case Pick(option, cases):
            return {option, *options(cases)}
        case tuple() | list():
            return {option for item in part for option in options(item)}
        case Mapping():
            return {option for item in part.values() for option in options(item)}
        case _:
            return set()


def test_the_registry_the_schema_and_the_modules_agree() -> None:
    shared = {"__init__", "base", "elsewhere", "launchers", "managed_pods"}
    paths = [*FOLDER.glob("*.py"), *(path.parent for path in FOLDER.glob("*/__init__.py"))]
    modules = {path.stem for path in paths} - shared
    assert set(NAMES) == set(SCHEMA["definitions"]["framework"]["enum"]) == modules
    assert all(name == frameworks.framework(name).NAME for name in NAMES)


def test_mypy_checks_every_module_against_the_protocol() -> None:
    """By a tuple that only type checkers see."""
    source = (FOLDER / "__init__.py").read_text(encoding="utf-8")
    (checked,) = re.findall(r"_CHECKED: tuple\[Framework, \.\.\.\] = \((.*?)\n    \)", source, re.S)
    assert re.findall(r"\w+", checked) == sorted(NAMES)


def test_every_field_of_a_role_is_known_to_reach_pods_that_a_framework_creates_or_not() -> None:
    """A new field is in none of these until somebody has looked."""
    passed_on = {"image", "imagePullPolicy", "resources", "env", "volumes", "volumeMounts"}
    passed_on |= {"labels", "annotations"}
    of_the_creator = {"command", "args", "workingDir", "ports", "serviceAccountName", "service"}
    of_the_creator |= {"imagePullSecrets", "restartPolicy", "exitCodes", "backoffLimit", "job"}
    of_the_creator |= {"activeDeadlineSeconds", "ttlSecondsAfterFinished", "suspend"}
    assert {*OUT_OF_REACH} == SPEC_FIELDS - passed_on - of_the_creator


def test_a_module_has_everything_the_protocol_requires(framework: Framework) -> None:
    assert isinstance(framework, ModuleType)
    for name in [name for name in vars(Framework) if name.isupper()]:
        assert hasattr(framework, name), f"{framework.NAME} lacks {name}"
    assert not framework.ROLES or framework.ROLES.keys() >= set(framework.FIRST)
    assert all(
        re.fullmatch(SCHEMA["definitions"]["roles"]["propertyNames"]["pattern"], role)
        for role in framework.ROLES
    )


def test_options_and_their_defaults_are_those_of_the_schema(framework: Framework) -> None:
    described = SCHEMA["definitions"].get(framework.NAME, {}).get("properties", {})
    assert described.keys() == framework.OPTIONS.keys()
    for name, default in framework.OPTIONS.items():
        if isinstance(default, tuple):
            assert (name, described[name]["default"], described[name]["enum"]) == (
                name,
                default[0],
                [*default],
            )
        else:
            assert (name, described[name].get("default")) == (name, default)


def test_the_manual_names_every_role_and_option(framework: Framework) -> None:
    manual = framework.__doc__ or ""
    assert manual.startswith(f"{framework.TITLE}: ")
    assert all(re.search(rf"^  {role} ", manual, re.MULTILINE) for role in framework.ROLES)
    assert all(f"{framework.NAME}.{option}" in manual for option in framework.OPTIONS)


def test_the_example_in_the_manual_has_no_problems(framework: Framework) -> None:
    (document,) = pipeline.read(example(framework).encode(), "example.yaml")
    checked = pipeline.check(document)
    assert checked.warnings == ()
    assert checked.job.framework == framework.NAME
    assert "Chart.yaml" in pipeline.render(checked)


@given(st.data())
def test_a_plan_is_complete_for_any_set_of_roles(data: st.DataObject) -> None:
    """Every role in order, one that decides if any does, all configs, every variable reserved."""
    name = data.draw(st.sampled_from(NAMES))
    framework = frameworks.framework(name)
    names = framework.ROLES or dict.fromkeys(("any", "other"))
    roles = data.draw(
        st.dictionaries(st.sampled_from(sorted(names)), st.integers(0, 3), min_size=1)
    )
    described: dict[str, Any] = {
        role: {"replicas": count, "image": "a:1"} for role, count in roles.items()
    }
    choices = {
        option: words for option, words in framework.OPTIONS.items() if isinstance(words, tuple)
    }
    chosen = {option: data.draw(st.sampled_from(words)) for option, words in choices.items()}
    plan = framework.plan(
        make_job(
            {"name": "n", "framework": name, "roles": described, name: chosen}, framework.OPTIONS
        )
    )
    ordered = framework.ROLES or roles
    assert [role.name for role in plan.roles] == [role for role in ordered if role in roles]
    assert plan.completion_role in {*names, ""}
    configs = {config.name for config in plan.configs}
    for role in plan.roles:
        assert role.container == framework.CONTAINER
        assert {env.name for env in role.env if not env.default} <= set(plan.reserved_env)
        mounts = [*role.mounts, *([role.start.mount] if role.start and role.start.mount else [])]
        assert {mount.config for mount in mounts} <= configs
        assert bool(role.port) == bool(role.port_name)
        assert role.port or not role.service, "a Service has a port"
    assert options(plan) <= {
        f"{name}.{option}" for option in framework.OPTIONS if option not in plan.fixed_options
    }


@pytest.mark.parametrize(
    ("roles", "decides"),
    [
        ("{chief: {}, worker: {}}", "chief"),
        ("{master: {}, worker: {}}", "master"),
        ("{worker: {replicas: 3}, ps: {}}", "worker"),
        ("{chief: {}}", "chief"),
    ],
)
def test_in_tensorflow_one_replica_decides_when_the_job_ends(roles: str, decides: str) -> None:
    text = f"name: mnist\nframework: tensorflow\nimage: a:1\nroles: {roles}\n"
    plan = pipeline.check(pipeline.read(text.encode(), "job.yaml")[0]).plan
    assert plan.completion_role == decides
    assert {role.name: role.at_least for role in plan.roles if role.at_least} == {decides: 1}
    assert {role.name for role in plan.roles if role.at_most} == {"chief", "master"} & {
        role.name for role in plan.roles
    }


@pytest.mark.parametrize(
    ("roles", "rules"),
    [
        ("{ps: {}}", ["tensorflow-chief-missing"]),
        ("{evaluator: {}}", ["tensorflow-chief-missing"]),
        ("{worker: {replicas: 0}}", ["tensorflow-chief-missing"]),
        ("{chief: {replicas: 0}, worker: {}}", ["tensorflow-chief-missing"]),
        (
            "{chief: {replicas: 0}, master: {}}",
            ["tensorflow-chief-and-master", "tensorflow-chief-missing"],
        ),
        ("{chief: {}, master: {}}", ["tensorflow-chief-and-master"]),
        ("{chief: {}, evaluator: {replicas: 2}}", ["role-one-replica"]),
        ("{worker: {replicas: 9}, evaluator: {replicas: 0}}", []),
    ],
)
def test_tensorflow_refuses_a_job_whose_end_none_or_two_would_decide(
    roles: str, rules: list[str]
) -> None:
    text = f"name: mnist\nframework: tensorflow\nimage: a:1\nroles: {roles}\n"
    document = pipeline.read(text.encode(), "job.yaml")[0]
    problems = []
    try:
        pipeline.check(document)
    except InputError as error:
        problems = [problem.rule for problem in error.problems]
    assert problems == rules


def test_the_manual_tells_what_becomes_of_a_replica_that_fails(framework: Framework) -> None:
    """With the fields by which its roles say so; the words may be on two lines."""
    section = re.search(r"^Restarts\n((?:  .*\n)+)", framework.__doc__ or "", re.MULTILINE)
    assert section, "the manual has a section on restarts"
    words = " ".join(section[1].split())
    (document,) = pipeline.read(example(framework).encode(), "job.yaml")
    for role in pipeline.check(document).plan.roles:
        for field in role.defaults.keys() & restarts.ONCE.keys():
            assert f"{field}: {role.defaults[field]}" in words, role.name


CODES = [
    ("none", set()),
    ("tfjob", {1}),
    ("tf-operator", {1, 134}),
    ({"permanent": [1, 143]}, {1, 143}),
    ({"retryable": [1, 134]}, {137, 143}),
]


@pytest.mark.parametrize(("codes", "permanent"), CODES)
def test_exit_codes_that_are_not_retried(codes: Any, permanent: set[int]) -> None:
    assert {code for code in (1, 134, 137, 143) if is_permanent(codes, code)} == permanent


ALL_COME_BACK = [("pytorch", 1), ("jax", 134)]


@pytest.mark.parametrize(("name", "code"), ALL_COME_BACK)
def test_where_a_lone_replica_cannot_rejoin_all_come_back(name: str, code: int) -> None:
    """Each fails several times before all meet, and Kubernetes would give up after six."""
    (document,) = pipeline.read(example(frameworks.framework(name)).encode(), "job.yaml")
    for role in pipeline.check(document).plan.roles:
        assert (role.defaults, role.lost_peer) == (restarts.TOGETHER, code)
