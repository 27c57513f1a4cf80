"""job: the typed description, and how its layers merge."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import resources
from chartgen.job.model import SPEC_FIELDS, Job, ends, make_job, merge

SCHEMA = resources.data("schemas/job.schema.json")

_SCALAR = st.sampled_from(["", "a", "b", 0, 1, 2.5, True, False])
_VALUE = st.recursive(
    _SCALAR,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
_MAP = st.dictionaries(st.sampled_from("abcd"), _VALUE, max_size=4)


def job(**data: Any) -> Job:
    return make_job(
        {"name": "mnist", "framework": "x", "roles": {"worker": {}}, **data},
        {"size": ("s", "m", "l")},
    )


@given(_MAP, _MAP)
def test_merging_changes_neither_side(base: dict[str, Any], over: dict[str, Any]) -> None:
    before = json.dumps([base, over])
    merge(base, over)
    assert json.dumps([base, over]) == before


@given(_MAP)
def test_merging_an_empty_map_changes_nothing(base: dict[str, Any]) -> None:
    assert merge(base, {}) == merge({}, base) == merge(base, base) == base


def test_a_role_wins_over_the_job_and_an_override_over_both() -> None:
    layered_job = job(
        image="a:1",
        env={"A": "job", "B": "job", "C": "job"},
        args=["job"],
        roles={
            "worker": {"env": {"B": "role"}, "overrides": {"0": {"env": {"C": "one"}, "args": []}}}
        },
    )
    assert layered_job.spec("worker") == {
        "image": "a:1",
        "env": {"A": "job", "B": "role", "C": "job"},
        "args": ["job"],
    }
    assert layered_job.spec("worker", "0") == {
        "image": "a:1",
        "env": {"A": "job", "B": "role", "C": "one"},
        "args": [],
    }


def test_a_role_that_is_not_there_has_no_replicas_and_one_that_says_nothing_has_one() -> None:
    assert job().replicas("worker") == 1
    assert job().replicas("ps") == 0


@pytest.mark.parametrize(
    ("key", "span"), [("0", (0, 0)), ("2", (2, 2)), ("0-3", (0, 3)), ("10-12", (10, 12))]
)
def test_an_override_names_an_index_or_a_range(key: str, span: tuple[int, int]) -> None:
    assert ends(key) == span


def test_defaults_are_those_of_the_schema() -> None:
    assert job().version == SCHEMA["definitions"]["version"]["default"]
    assert job().description == ""


def test_options_are_under_the_frameworks_name() -> None:
    assert job().options == {"size": "s"}
    assert job(x={"size": "l"}).options == {"size": "l"}


def test_every_key_of_the_description_ends_up_in_the_job() -> None:
    """A property added to the schema but not to the model would be read and then lost."""
    names = {"name", "framework", "version", "description", "roles"}
    words: dict[str, Any] = {word: word for word in SCHEMA["properties"] if word not in names}
    words["chart"] = {}
    full_job = make_job({"name": "n", "framework": "x", "roles": {}, **words}, {})
    kept = {*full_job.shared, *full_job.settings}
    assert kept == set(words) - set(SCHEMA["definitions"]["framework"]["enum"])


def test_the_fields_of_a_role_are_those_of_the_schema() -> None:
    own = {"replicas", "port", "template", "overrides"}
    definitions = SCHEMA["definitions"]
    assert definitions["role"]["properties"].keys() == SPEC_FIELDS | own
    assert definitions["override"]["properties"].keys() == SPEC_FIELDS | {"port"}
