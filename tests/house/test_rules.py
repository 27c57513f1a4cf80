"""The registry has every rule that chartgen can report, and each rule has a case or a test."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from chartgen.checks import rules
from chartgen.checks.rules import RULES
from tests.support.paths import CORPUS, ROOT

REGISTRY = ROOT / "chartgen" / "checks" / "rules.py"
AREAS = {rule.partition("-")[0] for rule in RULES}
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)+")
# Functions that make a problem from their arguments, one of which is the rule.
MAKERS = {
    *("Problem", "MissingProblem", "problem", "warning", "missing", "about", "about_missing"),
    *("report", "_report", "_refuse", "_reject", "_StopError", "check_names"),
}


@cache
def parsed() -> dict[Path, ast.Module]:
    """Every module of chartgen."""
    paths = sorted((ROOT / "chartgen").rglob("*.py"))
    return {path: ast.parse(path.read_text("utf-8")) for path in paths}


def literals() -> Iterator[str]:
    """Every string in chartgen's source, apart from the registry."""
    for path, tree in parsed().items():
        if path != REGISTRY:
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


@cache
def named_rules() -> frozenset[str]:
    """Every rule that the source names where it makes a problem."""
    named: set[str] = set()
    for tree in parsed().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in MAKERS:
                words = (word.value for word in node.args if isinstance(word, ast.Constant))
                named.update(str(word) for word in words if ID.fullmatch(str(word)))
    return frozenset(named)


def test_the_search_finds_rules_wherever_they_are_named() -> None:
    """One each of a document, a reader, a schema, a disk, a Kubernetes object and a stage."""
    assert {
        *("env-too-long", "yaml-tag", "key-unknown", "file-missing"),
        *("service-port-unnamed", "helm-test"),
    } <= named_rules()


def test_every_rule_that_a_problem_names_is_in_the_registry() -> None:
    assert {rule for rule in named_rules() if rule not in RULES} == set()


def test_every_rule_of_the_registry_is_named_by_some_problem() -> None:
    known = {*literals(), "yamllint-syntax"}  # after the prefix, as with yamllint's own rules
    assert {rule for rule in RULES if rule not in known} == set()


def test_every_reported_rule_can_be_looked_up() -> None:
    for path in CORPUS.glob("problems/*/expected.txt"):
        for line in path.read_text("utf-8").splitlines():
            if not line.startswith("  hint: "):
                rule = line.rpartition("(")[2].removesuffix(")")
                assert rules.text(rule), f"{path}: {line}"


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_described_in_sentences(rule: str) -> None:
    means, remedy = RULES[rule]
    assert ID.fullmatch(rule)
    assert means.endswith(".")
    assert remedy.endswith(".")
    assert means[0].isupper() or means[0] in "`-" or means.startswith(("angel", "yamllint"))


def test_every_rule_has_a_problem_case_or_is_named_by_a_test() -> None:
    """A new message needs a case, so that somebody has read it as users will read it."""
    cases = "".join(path.read_text("utf-8") for path in CORPUS.glob("problems/*/expected.txt"))
    tests = ""
    for folder in ("unit", "helm"):
        for path in sorted((ROOT / "tests" / folder).rglob("*.py")):
            tests += path.read_text("utf-8")
    missing = {rule for rule in RULES if f"({rule})" not in cases and rule not in tests}
    assert missing == set()
