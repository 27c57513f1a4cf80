"""YAML read with and without libyaml: its data and its problems."""

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from chartgen.document import Document
from chartgen.errors import InputError, Problem
from chartgen.syntax.yaml import reader as syntax

Read = Callable[[bytes, str], list[Document]]


def _without_libyaml() -> Read:
    """The same module as if PyYAML had been built without libyaml."""
    spec = importlib.util.spec_from_file_location("chartgen.syntax.pure_yaml", syntax.__file__)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        spec.loader.exec_module(module)
    read: Read = module.read
    return read


READS = [syntax.read, _without_libyaml()]
either = pytest.mark.parametrize("read", READS, ids=["libyaml", "pure"])


def documents(text: str, read: Read = syntax.read) -> list[Document]:
    return read(text.encode(), "job.yaml")


def document(text: str, read: Read = syntax.read) -> Document:
    (only,) = documents(text, read)
    return only


def data(text: str, read: Read = syntax.read) -> Any:
    return document(text, read).data


def problems(text: str | bytes, read: Read = syntax.read) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read(text if isinstance(text, bytes) else text.encode(), "job.yaml")
    return caught.value.problems


def lines(text: str | bytes, read: Read = syntax.read) -> list[str]:
    return [
        f"{problem.mark.line}:{problem.mark.column}: {problem.rule}"
        for problem in problems(text, read)
    ]
