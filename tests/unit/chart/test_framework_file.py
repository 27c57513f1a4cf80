"""What a framework adds, as one template of ordinary YAML with holes."""

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from chartgen import pipeline
from chartgen.chart.files import Files
from chartgen.chart.framework_file import framework_file
from chartgen.pipeline import CheckedJob
from chartgen.plan.late import (
    Chosen,
    Count,
    Given,
    Only,
    Option,
    Ordinal,
    Peers,
    Pick,
    Port,
    ReleaseName,
    Requested,
    ShippedFile,
    Tensorboard,
    Words,
    text,
)
from chartgen.plan.model import (
    AccessRule,
    Config,
    ConfigKey,
    Env,
    Mount,
    Plan,
    PodField,
    RolePlan,
    Service,
    Start,
    Volume,
    Wait,
)
from tests.support.paths import ROOT
from tests.unit.chart.test_golden import GOLDEN

JOB = (
    b"{name: parts, framework: tensorflow, image: 'a:1', roles: {chief: {}, worker: {replicas: 2}}}"
)
EXAMPLES = sorted(ROOT.glob("values/jobs/*.yaml"))
DESCRIPTIONS = [*EXAMPLES, *sorted(GOLDEN.glob("*/job.yaml"))]
NO_BOARD = Tensorboard(exists=False)
SPARSE = Chosen("tensorflow.cluster", "sparse")


@cache
def rendered(description: Path) -> tuple[CheckedJob, Files]:
    """The first job in a file, and its chart."""
    (document, *_) = pipeline.read(description.read_bytes(), "job.yaml")
    checked = pipeline.check(document)
    return checked, pipeline.render(checked)


def printed(*roles: RolePlan, **more: Any) -> str:
    """The file of a framework with these roles."""
    (document,) = pipeline.read(JOB, "job.yaml")
    plan = Plan("Parts", roles, configs=(), completion_role="", reserved_env=())
    return framework_file(pipeline.check(document).job, plan._replace(**more))


def role(**more: Any) -> RolePlan:
    base = RolePlan("worker", "main", 7103, "web", service=False, labels={}, env=())
    return base._replace(**more)


def template(file: str, name: str) -> str:
    """One template of a file: what is between its define and its end."""
    match = re.search(
        rf'\{{\{{- define "chartgen\.{name}" -\}}\}}\n?(.*?)\n?\{{\{{- end -\}}\}}', file, re.DOTALL
    )
    assert match, file
    return match[1]


def of_role(**more: Any) -> str:
    return template(printed(role(**more)), "role.worker")


def test_a_role_to_which_nothing_is_added_is_an_empty_mapping() -> None:
    assert of_role() == "{}"


def test_variables_come_with_their_conditions_and_sources() -> None:
    """Each stands under its name as Kubernetes has it, and a condition stands around all of it."""
    env = (
        Env("IP", PodField("status.podIP")),
        Env("HOSTS", ConfigKey("peers", text("hosts"))),
        Env("INDEX", text(Ordinal()), SPARSE),
    )
    assert of_role(env=env) == (
        "{{- $tensorflow := .root.Values.tensorflow | default dict -}}\n"
        "env:\n"
        "  - {name: IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}\n"
        "  - name: HOSTS\n"
        "    valueFrom:\n"
        "      configMapKeyRef:\n"
        '        name: {{ include "chartgen.name" (merge (dict "name" "peers") .) }}\n'
        "        key: hosts\n"
        '  {{- if eq (toString $tensorflow.cluster) "sparse" }}\n'
        "  - {name: INDEX, value: {{ .index | quote }}}\n"
        "  {{- end }}"
    )


def test_neighbours_with_one_condition_stand_in_one_block() -> None:
    """Others keep their place: a variable may refer to one that stands before it."""
    env = (
        Env("A", text("1"), SPARSE),
        Env("B", text("2"), SPARSE),
        Env("C", text("3")),
        Env("D", text("4"), SPARSE),
    )
    condition = "  {{- if $sparse }}\n"
    assert of_role(env=env).partition("env:\n")[2] == (
        f"{condition}"
        '  - {name: A, value: "1"}\n'
        '  - {name: B, value: "2"}\n'
        "  {{- end }}\n"
        '  - {name: C, value: "3"}\n'
        f"{condition}"
        '  - {name: D, value: "4"}\n'
        "  {{- end }}"
    )


def test_choices_are_branches_and_those_in_them_too() -> None:
    inner = Pick("tensorflow.form", (("x", text("X")), ("y", text("Y"))))
    outer = Pick(
        "tensorflow.cluster", (("a", text("A")), ("b", text("B", inner)), ("c", text("C")))
    )
    assert of_role(env=(Env("FORM", text(outer)),)).partition("name: FORM\n")[2] == (
        '    {{- if eq (toString $tensorflow.cluster) "b" }}\n'
        '    {{- if eq (toString $tensorflow.form) "y" }}\n'
        "    value: BY\n"
        "    {{- else }}\n"
        "    value: BX\n"
        "    {{- end }}\n"
        '    {{- else if eq (toString $tensorflow.cluster) "c" }}\n'
        "    value: C\n"
        "    {{- else }}\n"
        "    value: A\n"
        "    {{- end }}"
    )


def test_an_option_between_braces_has_its_variable() -> None:
    """Braces in a string end no action, so what follows them is still read."""
    env = (Env("JSON", text('{"a":{"b":"}}', Option("mars.timeout"), '"}}')),)
    assert of_role(env=env).startswith("{{- $mars := .root.Values.mars | default dict -}}\n")


def test_a_dollar_in_a_text_is_no_option() -> None:
    env = (Env("PATH", text("$home.x", Option("mars.timeout"))), Env("B", text("$b.c", Ordinal())))
    heads = re.findall(r"\$(\w+) :=", of_role(env=env))
    assert heads == ["mars"]


def test_an_optional_text_of_a_field_is_left_out_where_it_is_empty() -> None:
    fields = {
        "fixed": text("a ", "b"),
        "late": text(Option("mars.timeout")),
        "list": [text("i-", Ordinal()), 0],
        "port": Port(),
        "plain": "on",
        "braces": "{{ .Values }}",
        "off": False,
        "none": {},
        "nothing": [],
        "some": Only({"deep": 1}, Given("mars.timeout")),
    }
    assert of_role(fields=fields) == (
        "{{- $mars := .root.Values.mars | default dict -}}\n"
        "fields:\n"
        '  fixed: "a b"\n'
        '  {{- with include "chartgen.option" (dict "value" $mars.timeout) }}\n'
        "  late: {{ toJson (toString .) }}\n"
        "  {{- end }}\n"
        "  list:\n"
        '    {{- with printf "i-%v" .index }}\n'
        "    - {{ toJson (toString .) }}\n"
        "    {{- end }}\n"
        "    - 0\n"
        "  port: {{ int .spec.port }}\n"
        '  plain: "on"\n'
        '  braces: {{ printf "{{ .Values }}" | toJson }}\n'
        '  "off": false\n'
        "  none: {}\n"
        "  nothing: []\n"
        '  {{- if include "chartgen.option" (dict "value" $mars.timeout) }}\n'
        "  some: {deep: 1}\n"
        "  {{- end }}"
    )


def test_words_are_those_that_a_template_prints() -> None:
    args = (text("-p"), Words("twice"), Only([text("--peers"), text("x")], SPARSE))
    assert of_role(args=args) == (
        "{{- $tensorflow := .root.Values.tensorflow | default dict -}}\n"
        "args:\n"
        '  - "-p"\n'
        '  {{- range include "chartgen.twice" . | fromJsonArray }}\n'
        "  - {{ toJson . }}\n"
        "  {{- end }}\n"
        '  {{- if eq (toString $tensorflow.cluster) "sparse" }}\n'
        '  - "--peers"\n'
        "  - x\n"
        "  {{- end }}"
    )


def test_a_start_gives_way_to_the_role_s_own_command_with_its_mount() -> None:
    start = Start((text("start"), text(Ordinal())), Mount("script", "files", "/script"))
    with_default = of_role(command=(text("run"),), start=start)
    assert with_default.startswith(
        '{{- $starts := not (or (hasKey .spec "command") (hasKey .spec "args")) -}}\n'
        "{{- if $starts }}\n"
        "command: [start, {{ .index | quote }}]\n"
        "{{- else }}\n"
        "command: [run]\n"
        "{{- end }}\n"
    )
    assert with_default.count("{{- if $starts }}") == 2, "and around the volume and its mount"
    assert "volumeMounts: [{name: files, mountPath: /script}]" in with_default


def test_volumes_and_waits_have_their_conditions() -> None:
    volume = Volume(
        "shm", {"emptyDir": {"sizeLimit": text(Requested("memory"))}}, "/dev/shm", SPARSE
    )
    wait = Wait("wait", (Env("COUNT", text(Count("worker"))),), Given("mars.timeout"))
    lines = of_role(volumes=(volume,), waits=(wait,))
    assert '{{- if eq (toString $tensorflow.cluster) "sparse" }}\nvolumes:\n' in lines
    assert lines.partition("waits:\n")[0].count("{{- if") == 1, "around both"
    assert lines.partition("waits:\n")[2] == (
        '  {{- if include "chartgen.option" (dict "value" $mars.timeout) }}\n'
        "  - name: wait\n"
        "    env:\n"
        "      - name: COUNT\n"
        '        value: {{ include "chartgen.count" (merge (dict "role" "worker") .) | quote }}\n'
        "  {{- end }}"
    )


def test_configs_have_texts_files_and_entries_of_options() -> None:
    configs = (
        Config("peers", {"hosts": text(Peers(("worker",), "lines")), "y": text("fixed")}),
        Config("script", {"run.py": ShippedFile("run.py")}, start_of="worker"),
        Config("hadoop", {}, option="angel.hadoop"),
        Config("board", {"b.py": ShippedFile("b.py", NO_BOARD)}, when=Tensorboard(exists=True)),
    )
    file = printed(role(), configs=configs)
    assert template(file, "configs") == (
        "{{- $angel := .root.Values.angel | default dict -}}\n"
        "- name: peers\n"
        "  data:\n"
        '    hosts: {{ include "chartgen.peers" (list . "lines" "worker") | toJson }}\n'
        '    "y": fixed\n'
        '{{- if include "chartgen.starts" (dict "root" .root "role" "worker") }}\n'
        "- name: script\n"
        "  data:\n"
        '    run.py: {{ .root.Files.Get "files/run.py" | toJson }}\n'
        "{{- end }}\n"
        "{{- if $angel.hadoop }}\n"
        "- name: hadoop\n"
        "  data:\n"
        "    {{- range $key, $text := $angel.hadoop }}\n"
        '    {{ toJson $key }}: {{ include "chartgen.text" $text | toJson }}\n'
        "    {{- end }}\n"
        "{{- end }}\n"
        "{{- if .root.Values.tensorboard }}\n"
        "- name: board\n"
        "  data:\n"
        "    {{- if not .root.Values.tensorboard }}\n"
        '    b.py: {{ .root.Files.Get "files/b.py" | toJson }}\n'
        "    {{- end }}\n"
        "{{- end }}"
    )
    assert "hosts: {config: peers, roles: [worker]}" in template(file, "plan")


def test_rules_services_and_names_of_the_job() -> None:
    file = printed(
        role(),
        access_rules=(AccessRule("", ("pods",), ("get", "list"), SPARSE),),
        services=(Service("web", "worker", text("NodePort"), "the web page"),),
        unmanaged_pods=text("stray=", ReleaseName()),
        tensorboard_labels={"on": text(ReleaseName())},
    )
    assert template(file, "rules") == (
        "{{- $tensorflow := .root.Values.tensorflow | default dict -}}\n"
        '{{- if eq (toString $tensorflow.cluster) "sparse" }}\n'
        '- apiGroups: [""]\n'
        "  resources: [pods]\n"
        "  verbs: [get, list]\n"
        "{{- end }}"
    )
    assert template(file, "services") == (
        '- name: web\n  role: worker\n  type: NodePort\n  about: "the web page"'
    )
    assert template(file, "unmanaged") == '{{ printf "stray=%v" .root.Release.Name }}'
    assert "lockName" not in file, "which no template of this job calls"
    assert '{{- define "chartgen.configs" -}}[]{{- end -}}\n' in file
    assert template(file, "tensorboardLabels") == '"on": {{ .root.Release.Name | quote }}'


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_every_framework_s_file_is_whole(description: Path) -> None:
    """Blocks end, options are declared, and templates that are called exist."""
    checked, files = rendered(description)
    file = files[f"templates/_{checked.job.framework}.tpl"]
    opened = re.findall(r"\{\{-? (define|if|range|with) ", file)
    assert len(opened) == len(re.findall(r"\{\{-? end ", file))
    for body in file.split("{{- define ")[1:]:
        declared = {*re.findall(r"\$(\w+) :=", body), "key", "text"}
        assert {*re.findall(r"\$([a-z]\w*)[.\s]", body)} <= declared
    everything = "".join(files.values())
    defined = {*re.findall(r'define "([^"]+)"', everything)}
    assert {*re.findall(r'include "([^"]+)"', everything)} <= defined


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "description", DESCRIPTIONS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_every_template_and_variable_of_a_chart_is_used(description: Path) -> None:
    """Except for counts and ports, a few lines for all; roles and bare pods are called by name."""
    checked, files = rendered(description)
    templates = [text for path, text in files.items() if path.startswith("templates/")]
    named = Counter(re.findall(rf'"{checked.job.name}\.([\w.-]+)"', "".join(templates)))
    by_name = {f"role.{role.name}" for role in checked.plan.roles}
    by_name |= {role.bare for role in checked.plan.roles} | {"count", "port"}
    assert {name for name, times in named.items() if times == 1} <= by_name
    for body in "{{- define ".join(templates).split("{{- define "):
        for variable in re.findall(r"(\$[a-z]\w*)(?:, \$\w+)? :=", body):
            assert len(re.findall(rf"\{variable}\b", body)) > 1, (variable, body)


@pytest.mark.parametrize("description", EXAMPLES, ids=lambda path: path.stem)
def test_lines_fit_on_a_page(description: Path) -> None:
    """Except for those with a text that a program gets as one; a long name does not count."""
    checked, files = rendered(description)
    file = files[f"templates/_{checked.job.framework}.tpl"]
    for line in file.replace(f'"{checked.job.name}.', '"chartgen.').splitlines():
        assert len(line) <= 100 or re.match(r" +(value|key|- ).*['\"}]$", line), line


def test_the_file_of_a_plain_job_is_one_to_read() -> None:
    """A screen or three: what mnist's replicas get stands in it, top to bottom."""
    (document,) = pipeline.read((ROOT / "values/jobs/mnist.yaml").read_bytes(), "mnist.yaml")
    files = pipeline.render(pipeline.check(document))
    assert len(files["templates/_tensorflow.tpl"].splitlines()) <= 120


def test_what_does_not_depend_on_values_is_stated_once() -> None:
    worker = role(start=Start((text("start"),)), api=True, rescalable=True, service=True)
    shown = template(printed(worker, notes=("Mind the {gap}.",), completion_role="worker"), "plan")
    assert shown == (
        "framework: Parts\n"
        "decides: {role: worker, all: false}\n"
        'peersHint: ""\n'
        "roles:\n"
        "  worker: {container: main, portName: web, replicas: 2, service: true, starts: true, "
        "api: true,\n    rescalable: true}\n"
        'notes: ["Mind the {gap}."]'
    )
