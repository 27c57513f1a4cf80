"""A job's layers merge as Helm merges values."""

import json
from pathlib import Path
from random import Random
from typing import Any

from chartgen.job.model import merge
from chartgen.syntax.yaml.writer import emit
from tests.support import go_expression

_MERGE_ALL = """
{{- define "all" }}{{ $all := list }}
{{- range .Values.cases }}
{{- $all = append $all (mergeOverwrite (deepCopy .base) (deepCopy .over)) }}{{ end }}
{{- dict "all" $all | toJson }}{{ end }}
"""


def _anything(luck: Random, depth: int) -> Any:
    """A random scalar, list or map."""
    kind = luck.random() if depth else 1.0
    if kind < 0.2:
        return [_anything(luck, depth - 1) for _ in range(luck.randrange(3))]
    if kind < 0.7:
        return {key: _anything(luck, depth - 1) for key in luck.sample("abcd", luck.randrange(4))}
    return luck.choice(["", "a", "b", 0, 1, 2.5, True, False])


def _map(luck: Random) -> dict[str, Any]:
    return {key: _anything(luck, 3) for key in "abcd"}


def test_layers_merge_as_helm_merges_values(helm: str, tmp_path: Path) -> None:
    """Python and the chart must merge the same way, including empty lists, false, 0 and ""."""
    luck = Random(3)
    pairs = [(_map(luck), _map(luck)) for _ in range(1000)]
    cases = emit({"cases": [{"base": base, "over": over} for base, over in pairs]})
    answer = go_expression.ask(
        helm, tmp_path, cases, '(include "all" . | fromJson).all', _MERGE_ALL
    )
    ours = [merge(base, over) for base, over in pairs]
    assert json.dumps(answer, sort_keys=True) == json.dumps(ours, sort_keys=True)
