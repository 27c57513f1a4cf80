"""Lint: what yamllint says of a text, as problems; the only door to it."""

from collections.abc import Iterator

from chartgen.errors import Mark, Problem

# What a mistake looks like, and not what a house finds pretty: values files are written by people of many houses.
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
# Helm's own print is nobody's to make pretty; what two readers of YAML would read differently is a mistake in it, too.
RENDERED = """\
rules:
  anchors: enable
  key-duplicates: enable
  octal-values: {forbid-implicit-octal: true, forbid-explicit-octal: true}
  truthy: {allowed-values: ['true', 'false'], check-keys: false}
"""


class ConfigError(Exception):
    """A configuration that yamllint does not take, and why."""


def there() -> bool:
    """Whether yamllint is installed."""
    from importlib.util import find_spec

    return find_spec("yamllint") is not None


def check(text: str, file: str, config: str) -> Iterator[Problem]:
    """Every problem of a text; yamllint's warnings are warnings."""
    from yamllint import linter
    from yamllint.config import YamlLintConfig, YamlLintConfigError

    try:
        rules = YamlLintConfig(config)
    except YamlLintConfigError as error:
        raise ConfigError(str(error)) from error
    for found in linter.run(text, rules):
        mark = Mark(file, found.line, found.column)
        yield Problem(mark, found.desc, found.rule or "yaml", severity=found.level or "error")
