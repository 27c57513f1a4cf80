"""yamllint by our rules, or by a house's own."""

import pytest

from chartgen.verify.yamllint import FILES, RENDERED, ConfigError, check


def rules(text: str, config: str = FILES) -> list[str]:
    return [f"{one.mark}: {one.rule} {one.severity}" for one in check(text, "values.yaml", config)]


def test_taste_is_no_problem() -> None:
    assert rules("# a\na:   {b: 1}\nc:\n- d\n- 'e'\n" + "# " + "x" * 300 + "\n") == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: 1\na: 2\n", "values.yaml:2:1: key-duplicates error"),
        ("a: yes\n", "values.yaml:1:4: truthy error"),
        ("a: 010\n", "values.yaml:1:7: octal-values error"),
        ("a: 1 \n", "values.yaml:1:5: trailing-spaces error"),
        ("a: 1", "values.yaml:1:5: new-line-at-end-of-file error"),
        ("a: *b\n", "values.yaml:1:4: anchors error"),
        ("a: [\n", "values.yaml:2:1: yaml error"),
    ],
)
def test_a_mistake_is_one(text: str, rule: str) -> None:
    assert rule in rules(text)


def test_helms_own_print_is_judged_by_what_it_means_only() -> None:
    assert rules("a: 1 \n\n\n\nb:\n     c: 1", RENDERED) == []
    assert rules("a: on\n", RENDERED) == ["values.yaml:1:4: truthy error"]


def test_warnings_of_a_houses_own_rules_are_warnings() -> None:
    assert rules("a: yes\n", "rules: {truthy: {level: warning}}") == ["values.yaml:1:4: truthy warning"]


def test_a_configuration_that_is_none_is_told() -> None:
    with pytest.raises(ConfigError, match="no such rule"):
        rules("a: 1\n", "rules: {nope: enable}")
