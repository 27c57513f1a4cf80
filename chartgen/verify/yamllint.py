"""Run yamllint on a text, and give what it finds as problems; the only module that imports it."""

from collections.abc import Iterator
from functools import lru_cache

from chartgen.errors import Mark, Problem

# Rules for mistakes, not for style: people write values files in many styles.
FILES = """\
rules:
  anchors: enable
  colons: {max-spaces-after: -1}
  commas: enable
  hyphens: {max-spaces-after: -1}
  indentation: {spaces: consistent, indent-sequences: whatever}
  key-duplicates: enable
  new-line-at-end-of-file: enable
  new-lines: {type: unix}
  octal-values: {forbid-implicit-octal: true, forbid-explicit-octal: true}
  trailing-spaces: enable
  truthy: {allowed-values: ['true', 'false'], check-keys: false}
"""
# For what Helm renders: only what two YAML readers would read differently.
RENDERED = """\
rules:
  anchors: enable
  key-duplicates: enable
  octal-values: {forbid-implicit-octal: true, forbid-explicit-octal: true}
  truthy: {allowed-values: ['true', 'false'], check-keys: false}
"""


class ConfigError(Exception):
    """A configuration that yamllint refuses, and why."""


def installed() -> bool:
    """Whether yamllint is installed."""
    from importlib.util import find_spec

    return find_spec("yamllint") is not None


def check(text: str, file: str, config: str) -> Iterator[Problem]:
    """Every problem of a text; yamllint's warnings are warnings."""
    for problem in _lint(text, config):
        yield problem._replace(mark=problem.mark._replace(file=file))


@lru_cache(maxsize=32)  # many charts have the same clouds, and yamllint reads a kB in 10 ms
def _lint(text: str, config: str) -> tuple[Problem, ...]:
    from yamllint import linter
    from yamllint.config import YamlLintConfig, YamlLintConfigError

    try:
        rules = YamlLintConfig(config)
    except YamlLintConfigError as error:
        raise ConfigError(str(error)) from error
    problems = []
    for problem in linter.run(text, rules):
        mark = Mark("", problem.line, problem.column)
        rule = f"yamllint-{problem.rule or 'syntax'}"
        problems.append(Problem(mark, problem.desc, rule, severity=problem.level or "error"))
    return tuple(problems)
