"""The quick check follows JSON Schema, and the part of a schema for a path is found."""

from typing import Any

import pytest

from chartgen import resources
from chartgen.document import Path
from chartgen.schema import _library
from chartgen.schema.accept import accepts
from chartgen.schema.walk import at

JOB: dict[str, Any] = resources.data("schemas/job.schema.json")


@pytest.mark.parametrize(
    ("rules", "good", "bad"),
    [
        ({"type": "integer"}, [0, -3, 1.0], [True, 1.5, "1", None, float("inf")]),
        ({"type": "number"}, [0, 1.5], [False, "1", None]),
        ({"type": ["string", "null"]}, ["", None], [0, [], {}]),
        ({"enum": [1, "a", None]}, [1, 1.0, "a", None], [True, "1", 0]),
        ({"const": False}, [False], [0, None, ""]),
        ({"pattern": "b"}, ["abc", 3, None], ["ac", ""]),
        ({"pattern": "^a$|^$"}, ["a", ""], ["a\n", "\n", "ab"]),
        ({"minLength": 2, "maxLength": 2}, ["éé", "\U0001f600a", 7], ["é", "eee"]),
        ({"minimum": 0, "maximum": 9}, [0, 9, "x", float("nan"), True], [-1, 9.5]),
        ({"minItems": 1, "maxItems": 1}, [[0], {}, ""], [[], [0, 0]]),
        ({"minProperties": 1, "maxProperties": 1}, [{"a": 0}, []], [{}, {"a": 0, "b": 0}]),
        ({"required": ["a"]}, [{"a": None}, [], "a"], [{}, {"b": 0}]),
        ({"propertyNames": {"maxLength": 1}}, [{"a": 0}, "long"], [{"long": 0}]),
        ({"items": {"type": "string"}}, [["a"], [], {}], [["a", 1]]),
        ({"items": False}, [[]], [[1]]),
        ({"oneOf": [{"type": "string"}, {"minLength": 2}]}, ["a", 3], ["ab"]),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, ["ab"], ["a", 3]),
        ({"not": {"type": "string"}}, [1], ["a"]),
        (
            {
                "properties": {"a": {"type": "string"}},
                "patternProperties": {"^x": {"type": "null"}},
                "additionalProperties": {"type": "integer"},
            },
            [{"a": "", "x1": None, "b": 1}, {}, "text"],
            [{"a": 1}, {"x1": 1}, {"b": ""}],
        ),
        (
            {"$ref": "#/definitions/a", "type": "null", "definitions": {"a": {"type": "string"}}},
            ["a"],
            [None],
        ),
    ],
)
def test_the_quick_check_follows_json_schema(
    rules: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    for value in good + bad:
        assert (
            accepts(rules, value)
            == _library(rules).is_valid(value)
            == any(value is good_value for good_value in good)
        ), value


def test_an_unknown_keyword_leaves_the_decision_to_the_library() -> None:
    """Unknown is neither valid nor, inside `not`, invalid."""
    assert not accepts({"uniqueItems": True}, [1, 2])
    assert not accepts({"not": {"uniqueItems": True}}, [1, 1])
    assert not accepts({"enum": [[1]]}, [1])
    assert not accepts({"items": [{"type": "integer"}]}, [1])


def test_a_ref_that_cannot_be_resolved_accepts_nothing() -> None:
    assert not accepts({"$ref": "https://example.com/schema.json"}, 1)
    assert not accepts({"$ref": "#/definitions/gone"}, 1)


class TestAt:
    """The part of a schema that applies to a path."""

    @pytest.mark.parametrize(
        ("path", "title"),
        [
            ((), "Job"),
            (("name",), "Name"),
            (("roles", "worker"), "Role"),
            (("roles", "worker", "args", 1), "Text"),
            (("roles", "worker", "overrides", "0-3", "port"), "Port"),
            (("roles", "ps", "template", "metadata", "labels"), "Labels"),
            (("env", 0, "value"), "Text"),
            (("sidecars", 0, "resources"), "Resources"),
        ],
    )
    def test_it_is_found_through_refs_lists_maps_and_alternatives(
        self, path: Path, title: str
    ) -> None:
        place = at(JOB, path)
        assert place
        assert place["title"] == title

    def test_alternatives_stay_alternatives(self) -> None:
        place = at(JOB, ("env", "A"))
        assert place
        assert [branch.get("$ref") for branch in place["anyOf"]] == ["#/definitions/text", None]
        two = {
            "anyOf": [
                {"items": {"type": "string"}},
                {"items": {"type": "null"}},
                {"items": {"type": "null"}},
            ]
        }
        assert at(two, (0,)) == {"anyOf": [{"type": "string"}, {"type": "null"}]}

    @pytest.mark.parametrize(
        "path",
        [
            ("nonsense",),
            ("name", 0),
            ("name", "x"),
            ("clouds", "own", "x"),
            ("affinity", "nodeAffinity", "x"),
        ],
    )
    def test_a_path_the_schema_says_nothing_about_has_no_part(self, path: Path) -> None:
        assert at(JOB, path) is None
