"""Every problem says where it is, what is wrong, what was expected and, if known, how to fix it."""

from typing import Any

import pytest

from chartgen import resources, schema
from chartgen.syntax.yaml.reader import read

JOB: dict[str, Any] = resources.data("schemas/job.schema.json")


def _lines(text: str, rules: schema.Schema = JOB) -> list[str]:
    """The problems of a text as people see them, without the file's name."""
    return [
        f"{problem.mark.line}:{problem.mark.column}: {problem.message} ({problem.rule})"
        + (f" / {problem.hint}" if problem.hint else "")
        for problem in schema.check(read(text.encode(), "job.yaml")[0], rules)
    ]


def _job(more: str = "", worker: str = "{}") -> str:
    """A valid job of five lines, and what is added to it from line 6 on."""
    return f"# a job\n---\nname: mnist\nframework: tensorflow\nroles: {{worker: {worker}}}\n{more}"


PROBLEMS: dict[str, tuple[str, list[str]]] = {
    "root-list": (
        "- name: mnist\n",
        [
            "1:1: expected a mapping with name, framework and roles, got a list (value-wrong-type)"
            " / write keys and values (key: value), without '- '"
        ],
    ),
    "root-text": (
        "mnist",
        [
            "1:1: expected a mapping with name, framework and roles, got the text 'mnist'"
            " (value-wrong-type)"
        ],
    ),
    "key-unknown": (
        _job(worker="{replica: 3}"),
        ["5:18: unknown key 'replica' in roles.worker (key-unknown) / did you mean 'replicas'?"],
    ),
    "unknown-key-case": (
        _job("imagepullpolicy: Always"),
        ["6:1: unknown key 'imagepullpolicy' (key-unknown) / did you mean 'imagePullPolicy'?"],
    ),
    "unknown-key-like-nothing": (
        _job("tensorboard: {logDir: /logs, xyzzy: 1}"),
        [
            "6:30: unknown key 'xyzzy' in tensorboard (key-unknown)"
            " / known keys: logDir, image, serviceType, volumes, volumeMounts, env, resources,"
            " labels, annotations, ... (14 in all)"
        ],
    ),
    "unknown-key-of-something-below": (
        _job("replicas: 3", "{hostNetwork: true, limits: {cpu: 1}}"),
        [
            "5:18: unknown key 'hostNetwork' in roles.worker (key-unknown)"
            " / it belongs at roles.worker.pod.hostNetwork",
            "5:37: unknown key 'limits' in roles.worker (key-unknown)"
            " / it belongs at roles.worker.resources.limits",
            "6:1: unknown key 'replicas' (key-unknown) / it belongs at roles.<name>.replicas",
        ],
    ),
    "unknown-key-of-something-above": (
        _job(worker="{resources: {command: [a]}, cloud: gke}"),
        [
            "5:30: unknown key 'command' in roles.worker.resources (key-unknown)"
            " / it belongs at roles.worker.command",
            "5:45: unknown key 'cloud' in roles.worker (key-unknown) / it belongs at the top level",
        ],
    ),
    "unknown-index": (
        _job(worker="{overrides: {first: {}, 0-1: {replicas: 2}}}"),
        [
            "5:30: unknown key 'first' in roles.worker.overrides;"
            ' expected an index such as "2" or a range such as "0-3" (key-unknown)',
            "5:47: unknown key 'replicas' in roles.worker.overrides.0-1 (key-unknown)"
            " / it belongs at roles.worker.replicas",
        ],
    ),
    "misspelt-and-so-missing": (
        "nmae: mnist\nframework: tensorflow\nroles: {worker: {}}",
        ["1:1: unknown key 'nmae' (key-unknown) / did you mean 'name'?"],
    ),
    "required": (
        "name: mnist\ntensorboard:\n  image: a",
        [
            "1:1: missing 'framework': the framework that runs the job; it defines the roles"
            " (key-missing) / for example framework: tensorflow",
            "1:1: missing 'roles': the roles of the job, such as worker and ps, by name;"
            " the framework defines them (key-missing)"
            " / for example roles: {chief: {command: [python, train.py]}, worker: {replicas: 3}}",
            "2:1: missing 'logDir' in tensorboard: where TensorBoard reads the logs:"
            " a path, or a bucket (key-missing) / for example logDir: gs://bucket/mnist",
        ],
    ),
    "required-by-kubernetes": (
        _job("sidecars:\n  - {image: a, envFrom: [{secretRef: {}}]}\n  - name: b\n    tty: true"),
        [
            "7:5: missing 'name' in sidecars[0] (key-missing)",
            "7:27: missing 'name' in sidecars[0].envFrom[0].secretRef (key-missing)",
            "8:5: missing 'image' in sidecars[1]: the container image (key-missing)"
            " / for example image: registry.example.com/mnist:1.4",
        ],
    ),
    "type-integer": (
        _job(worker='{replicas: three, port: "2222", backoffLimit: 1.5}'),
        [
            "5:28: roles.worker.replicas: expected an integer, got the text 'three'"
            " (value-wrong-type)",
            "5:41: roles.worker.port: expected an integer, got the text '2222' (value-wrong-type)"
            " / write 2222 without quotes",
            "5:63: roles.worker.backoffLimit: expected an integer, got the number 1.5"
            " (value-wrong-type)",
        ],
    ),
    "type-boolean": (
        _job(
            'rbac: {create: y}\ncleanup: {enabled: "off"}\npod: {hostIPC: maybe}\n'
            "container: {tty: 1}"
        ),
        [
            "6:16: rbac.create: expected true or false, got the text 'y' (value-wrong-type)"
            " / write true",
            "7:20: cleanup.enabled: expected true or false, got the text 'off' (value-wrong-type)"
            " / write false",
            "8:16: pod.hostIPC: expected true or false, got the text 'maybe' (value-wrong-type)",
            "9:18: container.tty: expected true or false, got the number 1 (value-wrong-type)",
        ],
    ),
    "type-text": (
        _job(
            "image: 3\nversion: 1.0\nworkingDir: true\nargs: [[a], {b: c}]\n"
            "resources: {limits: {nvidia.com/gpu: []}}"
        ),
        [
            "6:8: image: expected text or a mapping, got the number 3 (value-wrong-type)"
            ' / write "3"',
            '7:10: version: expected text, got the number 1.0 (value-wrong-type) / write "1.0.0"',
            '8:13: workingDir: expected text, got true (value-wrong-type) / write "true"',
            "9:8: args[0]: expected text, got a list (value-wrong-type)"
            " / write its items beside the others, without brackets of their own",
            "9:13: args[1]: expected text, got a mapping (value-wrong-type)",
            '10:38: resources.limits["nvidia.com/gpu"]: expected text or a number, got a list'
            " (value-wrong-type)",
        ],
    ),
    "type-list": (
        _job("command: python train.py --steps 10\nargs: 10\nvolumes: {name: data}"),
        [
            "6:10: command: expected a list, got the text 'python train.py --steps 10'"
            " (value-wrong-type)"
            ' / write a list: [python, train.py, "--steps", "10"]',
            "7:7: args: expected a list, got the number 10 (value-wrong-type) / write a list: [10]",
            "8:10: volumes: expected a list, got a mapping (value-wrong-type)"
            " / begin each item with '- '",
        ],
    ),
    "type-mapping": (
        "name: mnist\nframework: tensorflow\nroles: [{worker: {}}]\nlabels: vision",
        [
            "3:8: roles: expected a mapping, got a list (value-wrong-type)"
            " / write keys and values (key: value), without '- '",
            "4:9: labels: expected a mapping, got the text 'vision' (value-wrong-type)"
            " / for example {team: vision}",
        ],
    ),
    "null": (
        _job("image:\nargs: ~\nenv: {A: }", "null"),
        [
            "5:17: roles.worker: expected a mapping, got nothing (null) (value-wrong-type)"
            " / write {} or remove the key",
            "6:7: image: expected text or a mapping, got nothing (null) (value-wrong-type)"
            " / write a value or remove the key",
            "7:7: args: expected a list, got nothing (null) (value-wrong-type)"
            " / write [] or remove the key",
            "8:10: env.A: expected text or a mapping, got nothing (null) (value-wrong-type)"
            " / write a value or remove the key",
        ],
    ),
    "either-of-two-forms": (
        _job(
            "env: 3",
            "{env: {A: [1], B: {valueFrom: 1}, C: {value: 1}},"
            " overrides: {0: {env: [{name: A, vale: 1}]}}}",
        ),
        [
            "5:27: roles.worker.env.A: expected text or a mapping, got a list (value-wrong-type)",
            "5:47: roles.worker.env.B.valueFrom: expected a mapping, got the number 1"
            " (value-wrong-type)",
            "5:55: unknown key 'value' in roles.worker.env.C (key-unknown)"
            " / did you mean 'valueFrom'?",
            "5:99: unknown key 'vale' in roles.worker.overrides.0.env[0] (key-unknown)"
            " / did you mean 'value'?",
            "6:6: env: expected a mapping or a list, got the number 3 (value-wrong-type)"
            " / for example {LC_ALL: C.UTF-8}",
        ],
    ),
    "enum": (
        "name: mnist\nframework: TensorFlow\n"
        "roles: {worker: {restartPolicy: Always, imagePullPolicy: ifnotpresent}}",
        [
            "2:12: framework: expected one of FRAMEWORKS, got 'TensorFlow' (value-not-listed)"
            " / did you mean 'tensorflow'?",
            "3:33: roles.worker.restartPolicy: expected one of 'OnFailure', 'Never', 'ExitCode',"
            " got 'Always' (value-not-listed)",
            "3:58: roles.worker.imagePullPolicy: expected one of 'Always', 'IfNotPresent', 'Never',"
            " got 'ifnotpresent' (value-not-listed) / did you mean 'IfNotPresent'?",
        ],
    ),
    "enum-and-type": (
        "name: mnist\nframework: on\npodSecurity:\nroles: {worker: {}}",
        [
            "2:12: framework: expected one of FRAMEWORKS, got true (value-not-listed)",
            "3:13: podSecurity: expected one of 'none', 'restricted', got null (value-not-listed)"
            " / did you mean 'none'?",
        ],
    ),
    "pattern": (
        "name: My_Job\nframework: tensorflow\nversion: v1.2\nnamePrefix: -x\nimage: a b\n"
        "roles: {Worker: {}}",
        [
            "1:7: name: expected a DNS label (lowercase letters, digits and '-',"
            " starting with a letter, at most 40 characters), got 'My_Job' (value-malformed)"
            " / did you mean 'my-job'?",
            "3:10: version: expected a SemVer version such as 0.1.0, or auto, got 'v1.2'"
            " (value-malformed)",
            "4:13: namePrefix: expected nothing, or lowercase letters, digits and '-',"
            " starting with a letter, got '-x' (value-malformed) / did you mean 'x'?",
            "5:8: image: expected an image reference such as registry.example.com/team/mnist:1.4"
            " (lowercase except for the tag), got 'a b' (value-malformed)"
            " / did you mean 'a-b'?",
            "6:9: roles: expected the name of a role (lowercase letters, digits and '-') as a key,"
            " got 'Worker' (value-malformed) / did you mean 'worker'?",
        ],
    ),
    "pattern-and-a-last-newline": (
        "name: |\n  mnist\nframework: tensorflow\nroles: {worker: {}}",
        [
            "1:7: name: expected a DNS label (lowercase letters, digits and '-',"
            " starting with a letter, at most 40 characters), got 'mnist\\n' (value-malformed)"
            " / did you mean 'mnist'?"
        ],
    ),
    "range": (
        _job("runtimeId: -1", "{replicas: -1, port: 70000}"),
        [
            "5:28: roles.worker.replicas: -1 is below the minimum 0 (value-out-of-range)",
            "5:38: roles.worker.port: 70000 is above the maximum 65535 (value-out-of-range)",
            "6:12: runtimeId: -1 is below the minimum 0 (value-out-of-range)",
        ],
    ),
    "length": (
        "name: " + "m" * 41 + "\nframework: tensorflow\nroles: {}\nworkingDir: ''",
        [
            "1:7: name: expected at most 40 characters, got 41 (value-wrong-length)",
            "3:8: roles: expected at least 1 entry, got none (value-wrong-length)",
            "4:13: workingDir: expected a path in the container that starts with '/', such as /app,"
            " got '' (value-malformed)",
        ],
    ),
    "one-of-many-kinds": (
        _job("volumes: [{name: a, emptyDir: {}, nfs: {}}]\nenv: {A: {valueFrom: {}}}"),
        [
            "6:11: volumes[0]: expected a name and one type of volume, got name, emptyDir and nfs"
            " (value-wrong-length)",
            "7:22: env.A.valueFrom: expected one source, such as secretKeyRef or fieldRef,"
            " got nothing (value-wrong-length)",
        ],
    ),
    "not-both": (
        _job("env: [{name: A, value: b, valueFrom: {fieldRef: {fieldPath: c}}}]"),
        ["6:7: env[0]: expected either value or valueFrom, not both (value-not-allowed)"],
    ),
    "long-texts-are-shortened": (
        _job(f"cloud: {'X' * 100}\nlabels: {{a: {'é' * 64}}}"),
        [
            "6:8: cloud: expected the name of a cloud (lowercase letters, digits and '-'),"
            f" or the path of a file such as ./ours.yaml, got '{'X' * 57}...' (value-malformed)"
            f" / did you mean '{'x' * 100}'?",
            "7:13: labels.a: expected at most 63 characters, got 64 (value-wrong-length)",
            "7:13: labels.a: expected the value of a label (letters, digits, '-', '_' and '.',"
            f" at most 63 characters), got '{'é' * 57}...' (value-malformed)",
        ],
    ),
    "quote": (
        _job(
            "image: 012\nlabels: {day: 2024-01-01, flag: no}",
            "{env: {A: on}, args: [--rate, 1e-05, 1:30, .inf]}",
        ),
        [
            "5:27: 'on' is text to some YAML readers and true to others (yaml-quotes-needed)"
            ' / write "on"',
            "5:47: '1e-05' is text to some YAML readers and a number to others"
            ' (yaml-quotes-needed) / write "1e-05"',
            "5:54: '1:30' is text to some YAML readers and a number to others (yaml-quotes-needed)"
            ' / write "1:30"',
            "5:60: '.inf' is text to some YAML readers and a number to others (yaml-quotes-needed)"
            ' / write ".inf"',
            "6:8: '012' is 10 to some YAML readers and 12 to others (yaml-quotes-needed)"
            ' / write "012"',
            "7:15: '2024-01-01' is text to some YAML readers and a date to others"
            ' (yaml-quotes-needed) / write "2024-01-01"',
            "7:33: 'no' is text to some YAML readers and false to others (yaml-quotes-needed)"
            ' / write "no"',
        ],
    ),
    "quote-in-kubernetes-own-words": (
        _job(
            "env: [{name: A, value: off}]\ntolerations: [{value: yes}]\n"
            "resources: {limits: {cpu: 1e3}}"
        ),
        [
            "6:24: 'off' is text to some YAML readers and false to others (yaml-quotes-needed)"
            ' / write "off"',
            "7:23: 'yes' is text to some YAML readers and true to others (yaml-quotes-needed)"
            ' / write "yes"',
            "8:27: '1e3' is text to some YAML readers and a number to others (yaml-quotes-needed)"
            ' / write "1e3"',
        ],
    ),
    "quote-and-nothing-else": (
        _job("args: [1e3]"),
        [
            "6:8: '1e3' is text to some YAML readers and a number to others (yaml-quotes-needed)"
            ' / write "1e3"'
        ],
    ),
    "no-quote-where-no-text-is-read": (
        _job(
            "rbac: {create: yes}\naffinity: {nodeAffinity: {x: on}}", "{port: 0x8ae, replicas: 1e1}"
        ),
        ["5:41: roles.worker.replicas: expected an integer, got the text '1e1' (value-wrong-type)"],
    ),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_problems_say_where_what_and_how_to_fix_it(case: str) -> None:
    text, lines = PROBLEMS[case]
    known = ", ".join(map(repr, JOB["definitions"]["framework"]["enum"]))
    assert _lines(text) == [line.replace("FRAMEWORKS", known) for line in lines]


@pytest.mark.parametrize(
    ("rules", "text", "lines"),
    [
        ({"const": "a"}, "b", ["1:1: expected 'a', got 'b' (value-not-listed)"]),
        (
            {"enum": [1, [2]]},
            "[3]",
            ["1:1: expected one of the number 1, a list, got a list (value-not-listed)"],
        ),
        (
            {"pattern": "^[$]\\$$"},
            "a",
            ["1:1: expected text that matches ^[$]\\$$, got 'a' (value-malformed)"],
        ),
        (
            {"uniqueItems": True},
            "[1, 1]",
            ["1:1: a list does not satisfy uniqueItems true (value-not-allowed)"],
        ),
        (
            {"items": [{"type": "null"}]},
            "[1]",
            ["1:2: [0]: expected null, got the number 1 (value-wrong-type)"],
        ),
        (
            {"additionalProperties": False},
            "{a: 1}",
            ["1:2: unknown key 'a' (key-unknown) / known keys: none"],
        ),
        (
            {"properties": {"a": False}},
            "{a: 1}",
            ["1:1: the number 1 is not allowed here (value-not-allowed)"],
        ),
        ({"minItems": 2}, "[a]", ["1:1: expected at least 2 entries, got 1 (value-wrong-length)"]),
        (
            {"oneOf": [{"type": "string"}, {"minLength": 1}]},
            "a",
            [
                "1:1: the text 'a' does not satisfy oneOf [{type: string}, {minLength: 1}]"
                " (value-not-allowed)"
            ],
        ),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            "{c: 1}",
            ["1:1: missing 'a' (key-missing)"],
        ),
    ],
)
def test_keywords_the_job_schema_does_not_use_are_checked_too(
    rules: dict[str, Any], text: str, lines: list[str]
) -> None:
    assert _lines(text, rules) == lines
