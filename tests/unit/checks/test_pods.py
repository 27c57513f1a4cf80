"""checks.pods: what a role's finished pods must satisfy.

tests/corpus/problems has a report for each message; here are the edge cases.
"""

import pytest

from chartgen import pipeline
from chartgen.errors import InputError, Problem
from chartgen.syntax.yaml import reader as yaml_reader

HEAD = "name: mnist\nframework: tensorflow\nimage: a:1\n"


def problems(text: str, head: str = HEAD) -> list[Problem]:
    """The problems and warnings of a job."""
    try:
        return list(
            pipeline.check(yaml_reader.read((head + text).encode(), "job.yaml")[0]).warnings
        )
    except InputError as error:
        return list(error.problems)


def rules(text: str, head: str = HEAD) -> list[str]:
    return [problem.rule for problem in problems(text, head)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("image: a:1\nroles: {worker: {}, ps: {}}", []),
        ("roles: {worker: {image: a:1}, ps: {image: a:2}}", []),
        ("roles: {worker: {image: a:1}, ps: {}}", ["image-missing"]),
        ("roles: {worker: {image: a:1}, ps: {replicas: 0}}", ["image-missing"]),
        ("roles: {worker: {overrides: {0: {image: a:1}}}}", ["image-missing"]),
        (
            "roles: {worker: {image: a:1}, ps: {image: a:2}}\ntensorboard: {logDir: x}",
            ["image-missing"],
        ),
        ("roles: {worker: {image: a:1}, ps: {image: a:1}}\ntensorboard: {logDir: x}", []),
        (
            "roles: {worker: {image: a:1}, ps: {image: a:2}}\ntensorboard: {logDir: x, image: a:3}",
            [],
        ),
    ],
)
def test_every_pod_needs_an_image(text: str, rule: list[str]) -> None:
    """Also a role without replicas: it may get some at install, and the chart would then fail."""
    assert rules(text, "name: mnist\nframework: tensorflow\n") == rule


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("volumes: [{name: v}]\nroles: {worker: {MOUNT}}", True),
        ("MOUNT\nroles: {worker: {volumes: [{name: v}]}}", True),
        ("MOUNT\nroles: {worker: {volumes: [{name: v}]}, ps: {}}", False),
        ("volumes: [{name: v}]\nroles: {worker: {volumes: [], MOUNT}}", False),
        ("roles: {worker: {volumes: [{name: v}], overrides: {0: {MOUNT}}}}", True),
        ("roles: {worker: {overrides: {0: {MOUNT}}}}", False),
        ("volumes: [{name: v}]\nroles: {worker: {}}\ntensorboard: {logDir: x, MOUNT}", False),
    ],
)
def test_a_mount_names_a_volume_that_the_same_pod_has(text: str, known: bool) -> None:
    reported = rules(text.replace("MOUNT", "volumeMounts: [{name: v, mountPath: /v}]"))
    assert reported == ([] if known else ["volume-unknown"])


def test_a_problem_that_many_pods_share_is_reported_once() -> None:
    """At the one place it comes from, however many roles and overrides it affects."""
    roles = (
        "{worker: {replicas: 3, overrides: {0: {args: [a]}, 1: {args: [b]}}}, ps: {}, chief: {}}"
    )
    (problem,) = problems(f"volumeMounts: [{{name: v, mountPath: /v}}]\nroles: {roles}\n")
    assert (problem.rule, problem.mark.line, problem.mark.column) == ("volume-unknown", 4, 23)


def test_a_problem_is_reported_at_the_place_that_takes_precedence() -> None:
    (problem,) = problems(
        """\
volumeMounts: [{name: v, mountPath: /v}]
volumes: [{name: v}]
roles:
  worker:
    replicas: 2
    overrides:
      1:
        volumeMounts: [{name: w, mountPath: /w}]
"""
    )
    assert (problem.rule, problem.mark.line) == ("volume-unknown", 11)


@pytest.mark.parametrize(
    ("ps", "rule"),
    [
        ("volumes: [{name: ps-config-volume}]", ["volume-duplicate"]),
        ("volumes: [{name: ps-config-volume}], command: [serve]", []),
        ("volumes: [{name: ps-config-volume}], args: [serve]", []),
        (
            "volumes: [{name: v}], volumeMounts: [{name: v, mountPath: /ps-server}]",
            ["mount-duplicate"],
        ),
        ("volumes: [{name: v}], volumeMounts: [{name: v, mountPath: /ps-server}], command: []", []),
        ("volumeMounts: [{name: ps-config-volume, mountPath: /mine}]", []),
    ],
)
def test_what_the_chart_adds_counts_only_where_it_adds_it(ps: str, rule: list[str]) -> None:
    """A parameter server with its own command gets no script, and no volume for one."""
    assert rules(f"roles: {{chief: {{}}, ps: {{{ps}}}}}\n") == rule


def test_containers_may_mount_at_the_same_path_but_not_twice_in_one() -> None:
    mounts = "volumeMounts: [{name: v, mountPath: /v}]"
    assert (
        rules(
            "volumes: [{name: v}]\n"
            f"roles: {{worker: {{{mounts}, sidecars: [{{name: s, image: a:1, {mounts}}}]}}}}\n"
        )
        == []
    )


@pytest.mark.parametrize(
    ("env", "rule"),
    [
        ("{A: $(B), B: plain}", []),
        ("{A: $(B), B: $(C), C: plain}", []),
        ("{A: 1, Z: $(A), B: $(Z)}", []),
        ("{A: $(B), B: $(A)}", ["env-reference-loop", "env-reference-loop"]),
        ("{A: $(B), B: $(C), C: $(B)}", ["env-reference-loop", "env-reference-loop"]),
        ("{B: $(A), A: $(C), C: plain}", []),
        ("{A: $(NOWHERE), B: x}", []),
        ("{A: $(A)}", []),
        ("{A: $$(B), B: $(C), C: plain}", []),
        ("{A: $$(B), B: $(A)}", []),
        ("{A: $$$(B), B: $(A)}", ["env-reference-loop", "env-reference-loop"]),
        ("{A: $(B), B: {valueFrom: {fieldRef: {fieldPath: status.podIP}}}}", []),
        ("{A: '$(B', B: $(C), C: plain}", []),
        ("{A: $(TF_CONFIG)}", ["env-reference-early"]),
    ],
)
def test_a_reference_works_only_after_what_it_refers_to(env: str, rule: list[str]) -> None:
    """The chart orders them so, its own last; only a cycle of references has no order."""
    assert rules(f"roles: {{worker: {{env: {env}}}}}\n") == rule


def test_references_are_judged_in_tensorboard_and_across_layers() -> None:
    assert (
        rules("roles: {worker: {}}\ntensorboard: {logDir: x, env: {A: $(B), B: $(A)}}\n")
        == ["env-reference-loop"] * 2
    )
    assert (
        rules("env: {B: $(A)}\nroles: {worker: {env: {A: $(B)}}}\n") == ["env-reference-loop"] * 2
    )


@pytest.mark.parametrize(
    ("ports", "rule"),
    [
        ("[{containerPort: 80}, {containerPort: 81}]", []),
        ("[{containerPort: 80}, {containerPort: 80, protocol: UDP}]", []),
        ("[{containerPort: 80}, {containerPort: 80}]", ["port-duplicate"]),
        ("[{containerPort: 80, protocol: TCP}, {containerPort: 80}]", ["port-duplicate"]),
        ("[{name: a, containerPort: 80}, {name: a, containerPort: 81}]", ["port-duplicate"]),
        ("[{name: tf-port, containerPort: 81}]", ["port-duplicate"]),
        ("[{name: tf-port, containerPort: 2222}]", []),
        ("[{name: mine, containerPort: 2222}]", []),
    ],
)
def test_ports_differ_in_number_and_name(ports: str, rule: list[str]) -> None:
    """The framework's port is left out if the job names one with the same number."""
    assert rules(f"roles: {{worker: {{ports: {ports}}}}}\n") == rule


def test_the_port_of_an_override_takes_precedence() -> None:
    worker = (
        "{replicas: 2, ports: [{name: tf-port, containerPort: 3333}], overrides: {1: {port: 3333}}}"
    )
    assert rules(f"roles: {{worker: {worker}}}\n") == ["port-duplicate"]
    assert (
        rules(f"roles: {{worker: {worker.replace('replicas: 2', 'replicas: 2, port: 3333')}}}\n")
        == []
    )


def test_a_label_that_the_chart_sets_is_only_a_warning() -> None:
    """Nothing breaks, but its author should know that it is not used."""
    reported = problems(
        "roles: {worker: {labels: {task_index: seven, mine: 'yes'}}}\n"
        "tensorboard: {logDir: x, labels: {job_type: x}}\n"
    )
    assert [(problem.rule, problem.severity) for problem in reported] == [
        ("label-reserved", "warning")
    ]


def test_tensorboard_may_have_its_own_tf_config() -> None:
    assert rules("roles: {worker: {}}\ntensorboard: {logDir: x, env: {TF_CONFIG: x}}\n") == []
