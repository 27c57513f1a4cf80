"""Late values through the real Helm: texts come out as meant, whatever stands around a hole."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chartgen.chart import go_template
from chartgen.plan.late import JobName, Option, Ordinal, Part, Port, ReleaseName, RuntimeId, Text
from tests.support.examples import examples
from tests.support.go_expression import ask
from tests.unit.test_properties import SPECIAL, letters

# What a user may say in an option ends up in the text as it is.
OPTION = 'it\'s "{{ .x }}" %d \\ $(Y): -\n#'
FACTS: list[tuple[Part, str]] = [
    (Ordinal(), "3"),
    (RuntimeId(), "59e90732"),
    (JobName(), "tiny"),
    (ReleaseName(), "demo"),
    (Port(), "2222"),
    (Option("mars.text"), OPTION),
    (Option("mars.none"), ""),
]
LITERALS = st.sampled_from([*SPECIAL, "{", "}", "%", "%v", "$mars.", "1e3", "on", "@", "-"])
TEXTS = st.lists(
    LITERALS | st.text(letters, max_size=4) | st.sampled_from([fact for fact, _ in FACTS]),
    max_size=6,
).map(lambda parts: tuple(parts))
# The one helper that these facts need, as the charts have it.
HELPERS = """
{{- define "chartgen.option" -}}{{ with .value }}{{ . }}{{ end }}{{- end -}}
"""


def plain(text: Text) -> str:
    known = {repr(fact): value for fact, value in FACTS}  # those without fields are equal
    return "".join(part if isinstance(part, str) else known[repr(part)] for part in text)


def evaluate(helm: str, folder: Path, lines: list[str]) -> object:
    """What lines of a template come to as data."""
    body = "\n".join(lines)
    head = "{{- $mars := .root.Values.mars | default dict -}}"
    values = json.dumps({"mars": {"text": OPTION}})
    template = f'{{{{- define "answer" -}}}}{head}\nitems:\n{body}\n{{{{- end -}}}}'
    context = '(dict "root" . "index" 3 "id" "59e90732" "spec" (dict "port" 2222))'
    return ask(helm, folder, values, f'(include "answer" {context} | fromYaml)', HELPERS + template)


@pytest.mark.parametrize(
    "text",
    [
        ("{{", Ordinal(), "}}"),
        ("{", Ordinal(), "}"),
        ('{"a":{"b":', Ordinal(), "}}"),
        ("{{ .Values }}",),
        ("a\nb\n", RuntimeId()),
        (RuntimeId(),),
        (Ordinal(),),
        ("100%", Option("mars.text"), "%!"),
        ("'", Ordinal(), "'", '"'),
    ],
)
def test_a_text_comes_out_as_it_was_meant(text: Text, helm: str, tmp_path: Path) -> None:
    assert evaluate(helm, tmp_path, [f"- {go_template.yaml(text)}"]) == {"items": [plain(text)]}


@settings(max_examples=examples(8), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=40, max_size=80))
def test_any_text_comes_out_as_it_was_meant(texts: list[Text], helm3: str, tmp_path: Path) -> None:
    """As a YAML scalar, which stays a string, and as an expression; many in one run of Helm."""
    lines = [f"- {go_template.yaml(text)}" for text in texts]
    expressions = [go_template.string(text) for text in texts if text]
    lines += [f"- {go_template.hole(f'toJson (toString ({word}))')}" for word in expressions]
    expected = [*map(plain, texts), *(plain(text) for text in texts if text)]
    assert evaluate(helm3, tmp_path, lines) == {"items": expected}
