"""yamllint with chartgen's rules, or with a configuration of the user's."""

import pytest

from chartgen.verify.yamllint import FILES, RENDERED, ConfigError, check


def rules(text: str, config: str = FILES) -> list[str]:
    return [
        f"{problem.mark}: {problem.rule} {problem.severity}"
        for problem in check(text, "values.yaml", config)
    ]


def test_matters_of_taste_are_not_problems() -> None:
    assert rules("# a\na:   {b: 1}\nc:\n- d\n- 'e'\n" + "# " + "x" * 300 + "\n") == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: 1\na: 2\n", "values.yaml:2:1: yamllint-key-duplicates error"),
        ("a: yes\n", "values.yaml:1:4: yamllint-truthy error"),
        ("a: 010\n", "values.yaml:1:7: yamllint-octal-values error"),
        ("a: 1 \n", "values.yaml:1:5: yamllint-trailing-spaces error"),
        ("a: 1", "values.yaml:1:5: yamllint-new-line-at-end-of-file error"),
        ("a: *b\n", "values.yaml:1:4: yamllint-anchors error"),
        ("a: [\n", "values.yaml:2:1: yamllint-syntax error"),
    ],
)
def test_a_mistake_is_a_problem(text: str, rule: str) -> None:
    assert rule in rules(text)


def test_the_layout_of_helms_output_is_not_checked() -> None:
    assert rules("a: 1 \n\n\n\nb:\n     c: 1", RENDERED) == []
    assert rules("a: on\n", RENDERED) == ["values.yaml:1:4: yamllint-truthy error"]


def test_warnings_of_a_users_configuration_are_warnings() -> None:
    assert rules("a: yes\n", "rules: {truthy: {level: warning}}") == [
        "values.yaml:1:4: yamllint-truthy warning"
    ]


def test_an_invalid_configuration_is_reported() -> None:
    with pytest.raises(ConfigError, match="no such rule"):
        rules("a: 1\n", "rules: {nope: enable}")
