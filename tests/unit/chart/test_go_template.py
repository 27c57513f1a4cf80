"""Late values as Go template text: what is printed is read as one value, and as text."""

import pytest
import yaml as pyyaml

from chartgen.chart import go_template
from chartgen.plan.late import (
    Account,
    Asks,
    Chosen,
    Count,
    Given,
    Host,
    Image,
    JobName,
    Namespace,
    Option,
    Ordinal,
    Part,
    Peers,
    Pick,
    Port,
    ReleaseName,
    Requested,
    RuntimeId,
    Size,
    Tensorboard,
    Text,
    When,
    text,
)

REPLICA = 'include "chartgen.replicaName" (dict "root" .root "id" .id "role"'


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (Ordinal(), ".index"),
        (RuntimeId(), ".id"),
        (JobName(), ".root.Chart.Name"),
        (ReleaseName(), ".root.Release.Name"),
        (Namespace(), ".root.Release.Namespace"),
        (Account(), 'include "chartgen.account" .'),
        (Port(), "int .spec.port"),
        (Port("ps"), 'include "chartgen.port" (dict "root" .root "role" "ps")'),
        (Port("ps", 0), 'include "chartgen.port" (dict "root" .root "role" "ps" "number" 0)'),
        (Host("ps"), 'include "chartgen.replicaName" (merge (dict "role" "ps") .)'),
        (Host("ps", 3), f'{REPLICA} "ps" "index" 3)'),
        (
            Count("ps", "mars.timeout"),
            'include "chartgen.count" (merge (dict "role" "ps" "atMost" $mars.timeout) .)',
        ),
        (Peers(("ps", "worker"), "json"), 'include "chartgen.peers" (list . "json" "ps" "worker")'),
        (Image(), 'include "chartgen.image" (dict "root" .root "spec" .spec)'),
        (
            Image("ps"),
            'include "chartgen.image" (dict "root" .root "spec" (get .root.Values.roles "ps"))',
        ),
        (
            Requested("cpu", 1),
            'include "chartgen.requested" (dict "spec" .spec "resource" "cpu" "least" 1)',
        ),
        (Option("mars.timeout"), 'include "chartgen.option" (dict "value" $mars.timeout)'),
        (
            Option("mars.modules", " "),
            'include "chartgen.option" (dict "value" $mars.modules "between" " ")',
        ),
        (
            Size("mars.plasma", "memory", 90),
            'include "chartgen.size" (dict "value" $mars.plasma "spec" .spec "resource" "memory" '
            '"percent" 90)',
        ),
        (Size("mars.plasma"), 'include "chartgen.size" (dict "value" $mars.plasma)'),
    ],
)
def test_a_late_value_is_an_expression(part: Part, expected: str) -> None:
    assert go_template.expression(part) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (text(), '""'),
        (text(""), '""'),
        (text("--job_name"), '"--job_name"'),
        (text("on"), '"on"'),
        (text("1e3"), '"1e3"'),
        (text("in", "dex"), "index"),
        (text("it's"), '"it\'s"'),
        # A single fact is quoted by Helm: an index stays text.
        (text(Ordinal()), "{{ .index | quote }}"),
        (text("", RuntimeId(), ""), "{{ .id | quote }}"),
        # Literals and facts without quotes of their own share a pair of quotes.
        (text("a-", Ordinal(), "-", RuntimeId()), "'a-{{ .index }}-{{ .id }}'"),
        (text("it's ", Ordinal()), "'it''s {{ .index }}'"),
        (text('{"index":', Ordinal(), "}"), "'{\"index\":{{ .index }}}'"),
        (text('{"a":{"b":', Ordinal(), "}}"), '\'{"a":{"b":{{ .index }}}}\''),
        (text("100% of ", Ordinal()), "'100% of {{ .index }}'"),
        (text(Port(), "\\"), "'{{ int .spec.port }}\\'"),
        # A brace before a hole would begin another one.
        (text("{", Ordinal(), "}"), '{{ printf "{%v}" .index | toJson }}'),
        (text("{{", Ordinal()), '{{ printf "{{%v" .index | toJson }}'),
        # What looks like a template is text.
        (text("it's {{ plain }}"), '{{ printf "it\'s {{ plain }}" | toJson }}'),
        (text("100% {{"), '{{ printf "100%% {{" | toJson }}'),
        (text("{", "{ x }}"), '{{ printf "{{ x }}" | toJson }}'),
        # A line break would be folded between quotes.
        (text("a\nb", Ordinal()), '{{ printf "a\\nb%v" .index | toJson }}'),
        (text("\t", Ordinal()), '{{ printf "\\t%v" .index | toJson }}'),
        # What a user wrote may have any quotes, so that it is never put between ours.
        (
            text("x=", Option("mars.timeout")),
            '{{ printf "x=%v" (include "chartgen.option" (dict "value" $mars.timeout)) | toJson }}',
        ),
        (
            text(Option("mars.timeout")),
            '{{ include "chartgen.option" (dict "value" $mars.timeout) | toJson }}',
        ),
        (
            text('"', Image(), '"'),
            '{{ printf "\\"%v\\"" (include "chartgen.image" (dict "root" .root "spec" .spec)) '
            "| toJson }}",
        ),
        (
            text(Peers(("ps",), "json")),
            '{{ include "chartgen.peers" (list . "json" "ps") | toJson }}',
        ),
    ],
)
def test_a_text_is_a_yaml_scalar_with_holes(value: Text, expected: str) -> None:
    assert go_template.yaml(value) == expected


@pytest.mark.parametrize(
    ("host", "port"),
    [
        (
            Host("ps", 2, port=True),
            'include "chartgen.port" (dict "root" .root "role" "ps" "number" 2)',
        ),
        (Host("ps", port=True), "int .spec.port"),
    ],
)
def test_an_address_is_a_host_and_the_port_of_that_replica(host: Host, port: str) -> None:
    alone = host._replace(port=False)
    name, number = go_template.expression(alone), go_template.hole(port)
    assert go_template.yaml(text(host)) == f"'{go_template.hole(name)}:{number}'"


@pytest.mark.parametrize(
    "literal", ["", "a", "it's", "a\nb", '"', "\\", "{{", "é", "%v", "#", ": "]
)
def test_a_fixed_text_is_read_back_as_it_was(literal: str) -> None:
    """Where no template is needed, any YAML reader will do."""
    printed = go_template.yaml(text(literal))
    if not printed.startswith("{{"):
        assert pyyaml.safe_load(printed) == literal


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (None, ""),
        (Chosen("mars.discovery", "api"), 'eq (toString $mars.discovery) "api"'),
        (Given("mars.timeout"), 'include "chartgen.option" (dict "value" $mars.timeout)'),
        (Tensorboard(exists=True), ".root.Values.tensorboard"),
        (Tensorboard(exists=False), "not .root.Values.tensorboard"),
        (Asks("cpu"), 'hasKey (include "chartgen.requests" .spec | fromJson) "cpu"'),
    ],
)
def test_a_condition_is_an_expression(when: When, expected: str) -> None:
    assert go_template.condition(when) == expected


def test_a_block_has_its_condition_around_it_and_none_without() -> None:
    assert go_template.block("", ["  a: 1"], "  ") == ["  a: 1"]
    assert go_template.block(".x", ["  a: 1"], "  ") == ["  {{- if .x }}", "  a: 1", "  {{- end }}"]
    assert go_template.block(".x", ["a: 1"], "", ["a: 2"]) == [
        "{{- if .x }}",
        "a: 1",
        "{{- else }}",
        "a: 2",
        "{{- end }}",
    ]


def test_a_text_with_choices_is_one_text_for_each() -> None:
    """The first choice is the default: it is what is left where the option has no other value."""
    pick = Pick("x.y", (("a", text("A")), ("b", text("B", Ordinal())), ("c", text())))
    assert go_template.alternatives(text("<", pick, ">")) == [
        ('eq (toString $x.y) "b"', ("<", "B", Ordinal(), ">")),
        ('eq (toString $x.y) "c"', ("<", ">")),
        ("", ("<", "A", ">")),
    ]
    assert go_template.alternatives(text("plain")) == [("", ("plain",))]


def test_what_is_no_late_value_is_our_bug() -> None:
    with pytest.raises(TypeError, match="not a late value"):
        go_template.expression(Pick("x.y", ()))
