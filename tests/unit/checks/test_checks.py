"""checks: what the schema cannot say; problems/ has a report for each message, here are the edges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import pipeline
from chartgen.checks import roles as checks
from chartgen.errors import InputError
from chartgen.frameworks import tensorflow
from chartgen.job.model import Job, Role
from chartgen.plan import names
from chartgen.plan.model import Plan, RolePlan
from chartgen.syntax import yaml_reader as yaml
from tests.unit import test_problems

HEAD = "name: mnist\nframework: tensorflow\nimage: a:1\n"


def rules(text: str) -> list[str]:
    """The rules a job breaks, one word for each problem or warning."""
    try:
        return [problem.rule for problem in pipeline.check(yaml.read((HEAD + text).encode(), "job.yaml")[0]).warnings]
    except InputError as error:
        return [problem.rule for problem in error.problems]


def test_roles_that_a_framework_does_not_know_are_left_out() -> None:
    (document,) = yaml.read(b"roles: {worker: {}, driver: {}, ps: {}}\n", "job.yaml")
    known, (problem,) = checks.known_roles(document, "TensorFlow", tensorflow.ROLES)
    assert known.data == {"roles": {"worker": {}, "ps": {}}}
    assert document.data["roles"].keys() == {"worker", "driver", "ps"}
    assert problem.message.startswith("TensorFlow has no role 'driver'")


@given(st.integers(1, 20_000), st.integers(0, 40), st.integers(0, 16))
def test_a_name_is_refused_exactly_when_kubernetes_would(replicas: int, prefix: int, runtime_id: int) -> None:
    text = f"namePrefix: '{'p' * prefix}'\n{f'runtimeId: {chr(97) * runtime_id}' if runtime_id else ''}\n"
    longest = prefix + len("worker-") + (runtime_id or names.HASH) + 1 + len(str(replicas - 1))
    text += f"tensorflow: {{cluster: sparse}}\nroles: {{worker: {{replicas: {replicas}}}}}\n"
    assert ("name-length" in rules(text)) == (longest > 63)


def test_the_name_of_a_role_is_blamed_where_there_is_no_prefix() -> None:
    """No framework has such a role today; one that does will hear of it."""
    role = Role("r" * 60, 3, None, {}, {})
    job = Job("mnist", "x", "0.1.0", "", {"image": "a:1"}, {role.name: role}, {}, {})
    (document,) = yaml.read(b"roles: {}\n", "job.yaml")
    planned = RolePlan(role.name, "main", None, "", service=False, labels={}, env=())
    found = list(checks.check(job, Plan("X", (planned,), (), "", ()), document, ["none"]))
    assert [(problem.rule, problem.mark.column) for problem in found] == [("name-length", 1)]


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ("runtimeId: 0123456789abcdef", []),
        ("runtimeId: 0123456789abcdef\ncleanup: {enabled: false}", []),
        ("runtimeId: 0123456789abcdef\ncleanup: {enabled: true}", ["name-length"]),
        ("runtimeId: 0123456789abcdef\ntensorboard: {logDir: /logs}", ["name-length"]),
    ],
)
def test_names_of_what_is_made_beside_the_roles_count_too(settings: str, rule: list[str]) -> None:
    assert rules(f"namePrefix: {'p' * 36}\n{settings}\nroles: {{chief: {{}}}}\n") == rule


@pytest.mark.parametrize(
    ("overrides", "rule"),
    [
        ("{0: {}, 1: {}, 2-4: {}}", []),
        ("{0-4: {}}", []),
        ("{4: {}}", []),
        ("{5: {}}", ["override-range"]),
        ("{0-5: {}}", ["override-range"]),
        ("{3-2: {}}", ["override-range"]),
        ("{0-2: {}, 2-4: {}}", ["override-clash"]),
        ("{0-4: {}, 2: {}, 3: {}}", ["override-clash"] * 2),
        ("{0-9: {}, 4: {}}", ["override-range", "override-clash"]),
    ],
)
def test_overrides_name_replicas_that_exist_and_no_replica_twice(overrides: str, rule: list[str]) -> None:
    assert rules(f"roles: {{worker: {{replicas: 5, overrides: {overrides}}}}}\n") == rule


@pytest.mark.parametrize(
    ("cloud", "rule"), [("cloud: none", []), ("cloud: mine\nclouds: {mine: {}}", []), ("cloud: my", ["unknown-cloud"])]
)
def test_a_cloud_is_one_that_ships_or_ones_own(cloud: str, rule: list[str]) -> None:
    assert rules(f"{cloud}\nroles: {{worker: {{}}}}\n") == rule


def test_what_is_said_to_be_of_absence_is_a_rule() -> None:
    assert set(test_problems.rules()) >= checks.OF_ABSENCE


def test_a_thing_is_not_missed_while_a_part_of_the_description_is_refused() -> None:
    """It may be in that part: the image, the volume, the replicas, the chief."""
    text = (
        "roles:\n  worker: {replicas: no, volume: [], volumeMounts: [{name: a, mountPath: /a}], overrides: {3: {}}}\n"
    )
    document = yaml.read(f"name: mnist\nframework: tensorflow\nimge: a:1\n{text}".encode(), "job.yaml")[0]
    with pytest.raises(InputError) as caught:
        pipeline.check(document)
    assert {problem.rule for problem in caught.value.problems} == {"unknown-key", "type"}


def test_what_else_is_wrong_is_said_all_the_same() -> None:
    text = "imge: a:1\nroles:\n  worker: {env: {TF_CONFIG: x}, resources: {limits: {cpu: many}}}\n"
    assert sorted(rules(text)) == ["quantity", "reserved-env", "unknown-key"]
