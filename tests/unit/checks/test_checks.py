"""checks: what the schema cannot express.

tests/corpus/problems has a report for each message; here are the edge cases.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import checks, frameworks, pipeline, pods
from chartgen.checks import roles
from chartgen.errors import InputError
from chartgen.frameworks import tensorflow
from chartgen.job import layers
from chartgen.job.model import Job, Role, make_job
from chartgen.plan import names
from chartgen.plan.model import Config, Plan, RolePlan, Service
from chartgen.syntax.yaml import reader as yaml_reader

EXAMPLES = sorted((Path(__file__).parents[3] / "values/jobs").glob("*.yaml"))
HEAD = "name: mnist\nframework: tensorflow\nimage: a:1\n"


def rules(text: str) -> list[str]:
    """The rules a job breaks: one id for each problem or warning."""
    try:
        return [
            problem.rule
            for problem in pipeline.check(
                yaml_reader.read((HEAD + text).encode(), "job.yaml")[0]
            ).warnings
        ]
    except InputError as error:
        return [problem.rule for problem in error.problems]


def test_roles_unknown_to_the_framework_are_left_out() -> None:
    (document,) = yaml_reader.read(b"roles: {worker: {}, driver: {}, ps: {}}\n", "job.yaml")
    known, (problem,) = roles.keep_known(document, "TensorFlow", tensorflow.ROLES)
    assert known.data == {"roles": {"worker": {}, "ps": {}}}
    assert document.data["roles"].keys() == {"worker", "driver", "ps"}
    assert problem.message.startswith("TensorFlow has no role 'driver'")


@given(st.integers(1, 20_000), st.integers(0, 40), st.integers(0, 16))
def test_a_name_is_refused_exactly_when_kubernetes_would(
    replicas: int, prefix: int, runtime_id: int
) -> None:
    text = f"namePrefix: '{'p' * prefix}'\n"
    if runtime_id:
        text += f"runtimeId: {'a' * runtime_id}\n"
    longest = prefix + len("worker-") + (runtime_id or names.HASH) + 1 + len(str(replicas - 1))
    text += f"tensorflow: {{cluster: sparse}}\nroles: {{worker: {{replicas: {replicas}}}}}\n"
    assert ("name-too-long" in rules(text)) == (longest > 63)


def test_the_name_of_a_role_is_blamed_where_there_is_no_prefix() -> None:
    """No framework has such a role yet; one that adds it gets this message."""
    role = Role("r" * 60, 3, None, {}, {})
    job = Job("mnist", "x", "0.1.0", "", {"image": "a:1"}, {role.name: role}, {}, {})
    (document,) = yaml_reader.read(b"roles: {}\n", "job.yaml")
    planned = RolePlan(role.name, "main", None, "", service=False, labels={}, env=())
    plan = Plan("X", (planned,), (), "", ())
    problems = list(checks.check(pods.assemble(job, plan), document))
    assert [(problem.rule, problem.mark.column) for problem in problems] == [("name-too-long", 1)]


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ("runtimeId: 0123456789abcdef", []),
        ("runtimeId: 0123456789abcdef\ncleanup: {enabled: true}", []),
        ("runtimeId: 0123456789abcdef\ntensorboard: {logDir: /logs}", ["name-too-long"]),
    ],
)
def test_names_of_objects_beside_the_roles_count_too(settings: str, rule: list[str]) -> None:
    assert rules(f"namePrefix: {'p' * 36}\n{settings}\nroles: {{chief: {{}}}}\n") == rule


@pytest.mark.parametrize(
    "beside",
    [
        {"configs": (Config("c" * 60, {}),)},
        {"services": (Service("s" * 60, "chief", (), "all replicas"),)},
    ],
    ids=["config", "service"],
)
def test_names_that_a_framework_gives_beside_the_roles_count_too(beside: dict[str, Any]) -> None:
    """Ours are short; one of another package may not be."""
    checked = pipeline.check(
        yaml_reader.read((HEAD + "roles: {chief: {}}\n").encode(), "job.yaml")[0]
    )
    plan = checked.pods.plan._replace(**beside)
    problems = list(roles.check_names(checked.pods._replace(plan=plan), checked.document))
    assert [problem.rule for problem in problems] == ["name-too-long"]


@pytest.mark.parametrize(
    ("overrides", "rule"),
    [
        ("{0: {}, 1: {}, 2-4: {}}", []),
        ("{0-4: {}}", []),
        ("{4: {}}", []),
        ("{5: {}}", ["override-no-replica"]),
        ("{0-5: {}}", ["override-no-replica"]),
        ("{3-2: {}}", ["override-reversed"]),
        ("{0-2: {}, 2-4: {}}", ["override-overlap"]),
        ("{0-4: {}, 2: {}, 3: {}}", ["override-overlap"] * 2),
        ("{0-9: {}, 4: {}}", ["override-no-replica", "override-overlap"]),
    ],
)
def test_overrides_name_replicas_that_exist_and_no_replica_twice(
    overrides: str, rule: list[str]
) -> None:
    assert rules(f"roles: {{worker: {{replicas: 5, overrides: {overrides}}}}}\n") == rule


@pytest.mark.parametrize(
    ("cloud", "rule"),
    [
        ("cloud: none", []),
        ("cloud: mine\nclouds: {mine: {}}", []),
        ("cloud: my", ["cloud-unknown"]),
    ],
)
def test_a_cloud_is_built_in_or_defined_by_the_job(cloud: str, rule: list[str]) -> None:
    assert rules(f"{cloud}\nroles: {{worker: {{}}}}\n") == rule


def test_nothing_is_reported_missing_while_part_of_the_description_is_refused() -> None:
    """It may be in that part: the image, the volume, the replicas, the chief."""
    text = (
        "roles:\n"
        "  worker: {replicas: no, volume: [], volumeMounts: [{name: a, mountPath: /a}],"
        " overrides: {3: {}}}\n"
    )
    document = yaml_reader.read(
        f"name: mnist\nframework: tensorflow\nimge: a:1\n{text}".encode(), "job.yaml"
    )[0]
    with pytest.raises(InputError) as caught:
        pipeline.check(document)
    assert {problem.rule for problem in caught.value.problems} == {
        "key-unknown",
        "value-wrong-type",
    }


def test_other_problems_are_reported_all_the_same() -> None:
    text = "imge: a:1\nroles:\n  worker: {env: {TF_CONFIG: x}, resources: {limits: {cpu: many}}}\n"
    assert sorted(rules(text)) == ["env-reserved", "key-unknown", "quantity-malformed"]


# What environments change, with mistakes among them; each is tried on every role there is.
CHANGES = (
    "{}",
    "image: a",
    "cloud: aws-eks",
    "commonLabels: {helm.sh/chart: a}",
    "env: {A: $(B), B: $(A)}",
    "podSecurity: restricted",
    "roles: {ROLE: {replicas: 2}}",
    "roles: {ROLE: {port: 80}}",
    "roles: {ROLE: {image: a:latest}}",
    "roles: {ROLE: {resources: {limits: {cpu: 1, gpus: 2}, requests: {cpu: 2}}}}",
    "roles: {ROLE: {ports: [{containerPort: 1}, {containerPort: 1}]}}",
    "roles: {ROLE: {volumeMounts: [{name: a, mountPath: /a}]}}",
    "roles: {ROLE: {overrides: {0: {labels: {chartgen/role: a}, ttlSecondsAfterFinished: 1}}}}",
)


@pytest.mark.unmeasured
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_pods_that_were_checked_before_need_no_second_look(example: Path) -> None:
    """What is found with other values is the same, whether or not the job's own pods are known."""
    checked = pipeline.check(yaml_reader.read(example.read_bytes(), "job.yaml")[0])
    module = frameworks.framework(checked.job.framework)
    for role in checked.job.roles:
        for change in CHANGES:
            (values,) = yaml_reader.read(change.replace("ROLE", role).encode(), "values.yaml")
            document = layers.lay_over(checked.document, values)
            job = make_job(document.data, module.OPTIONS)
            others = pods.assemble(job, module.plan(job))
            told = {*checked.warnings}
            known = {*checks.check(others, document, checked.pods)} - told
            assert known == {*checks.check(others, document)} - told, change
