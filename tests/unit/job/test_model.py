"""job: the typed description, and how its layers merge."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import resources
from chartgen.job.model import SPEC_FIELDS, Job, ends, merged, typed
from chartgen.syntax.yaml_writer import emit
from tests.support import go_expression as tiny

SCHEMA = resources.data("schemas/job.schema.json")

_SCALAR = st.sampled_from(["", "a", "b", 0, 1, 2.5, True, False])
_VALUE = st.recursive(
    _SCALAR,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
_MAP = st.dictionaries(st.sampled_from("abcd"), _VALUE, max_size=4)
_MERGE_ALL = """
{{- define "all" }}{{ $all := list }}
{{- range .Values.cases }}{{ $all = append $all (mergeOverwrite (deepCopy .base) (deepCopy .over)) }}{{ end }}
{{- dict "all" $all | toJson }}{{ end }}
"""


def job(**data: Any) -> Job:
    return typed({"name": "mnist", "framework": "x", "roles": {"worker": {}}, **data}, {"size": ("s", "m", "l")})


def _anything(luck: Random, depth: int) -> Any:
    """A scalar, a list or a map, by luck."""
    kind = luck.random() if depth else 1.0
    if kind < 0.2:
        return [_anything(luck, depth - 1) for _ in range(luck.randrange(3))]
    if kind < 0.7:
        return {key: _anything(luck, depth - 1) for key in luck.sample("abcd", luck.randrange(4))}
    return luck.choice(["", "a", "b", 0, 1, 2.5, True, False])


def _map(luck: Random) -> dict[str, Any]:
    return {key: _anything(luck, 3) for key in "abcd"}


def test_layers_merge_as_helm_merges_values(helm: str, tmp_path: Path) -> None:
    """What is checked here must be what the chart does with the same layers: empty lists, false, 0 and "" included."""
    luck = Random(3)
    pairs = [(_map(luck), _map(luck)) for _ in range(1000)]
    cases = emit({"cases": [{"base": base, "over": over} for base, over in pairs]})
    answer = tiny.ask(helm, tmp_path, cases, '(include "all" . | fromJson).all', _MERGE_ALL)
    ours = [merged(base, over) for base, over in pairs]
    assert json.dumps(answer, sort_keys=True) == json.dumps(ours, sort_keys=True)


@given(_MAP, _MAP)
def test_merging_changes_neither_side(base: dict[str, Any], over: dict[str, Any]) -> None:
    before = json.dumps([base, over])
    merged(base, over)
    assert json.dumps([base, over]) == before


@given(_MAP)
def test_nothing_merged_over_a_map_is_the_map(base: dict[str, Any]) -> None:
    assert merged(base, {}) == merged({}, base) == merged(base, base) == base


def test_a_role_wins_over_the_job_and_an_override_over_both() -> None:
    one = job(
        image="a:1",
        env={"A": "job", "B": "job", "C": "job"},
        args=["job"],
        roles={"worker": {"env": {"B": "role"}, "overrides": {"0": {"env": {"C": "one"}, "args": []}}}},
    )
    assert one.spec("worker") == {"image": "a:1", "env": {"A": "job", "B": "role", "C": "job"}, "args": ["job"]}
    assert one.spec("worker", "0") == {"image": "a:1", "env": {"A": "job", "B": "role", "C": "one"}, "args": []}


def test_a_role_that_is_not_there_has_no_replicas_and_one_that_says_nothing_has_one() -> None:
    assert job().replicas("worker") == 1
    assert job().replicas("ps") == 0


@pytest.mark.parametrize(("key", "span"), [("0", (0, 0)), ("2", (2, 2)), ("0-3", (0, 3)), ("10-12", (10, 12))])
def test_an_override_names_an_index_or_a_range(key: str, span: tuple[int, int]) -> None:
    assert ends(key) == span


def test_defaults_are_those_of_the_schema() -> None:
    assert job().version == SCHEMA["definitions"]["version"]["default"]
    assert job().description == ""


def test_options_stand_under_the_frameworks_name() -> None:
    assert job().options == {"size": "s"}
    assert job(x={"size": "l"}).options == {"size": "l"}


def test_every_word_of_the_description_ends_up_in_the_job() -> None:
    """A property added to the schema and forgotten here would be read, and lost."""
    names = {"name", "framework", "version", "description", "roles"}
    words = {word: word for word in SCHEMA["properties"] if word not in names}
    found = typed({"name": "n", "framework": "x", "roles": {}, **words}, {})
    kept = {*found.shared, *found.settings}
    assert kept == set(words) - set(SCHEMA["definitions"]["framework"]["enum"])


def test_the_fields_of_a_role_are_those_of_the_schema() -> None:
    own = {"replicas", "port", "template", "overrides"}
    definitions = SCHEMA["definitions"]
    assert definitions["role"]["properties"].keys() == SPEC_FIELDS | own
    assert definitions["override"]["properties"].keys() == SPEC_FIELDS | {"port"}


def test_the_chart_knows_the_same_job_wide_fields() -> None:
    """The templates pick them by name; a field missing there would be taken from the file and never reach a pod."""
    define = (
        resources.text("charts/job/templates/_job.tpl").partition('define "chartgen.shared"')[2].partition("end")[0]
    )
    assert set(re.findall(r'"(\w+)"', define)) == SPEC_FIELDS
