"""The lengths of variables and annotations that Linux and the API server accept."""

import pytest
import yaml

from tests.unit.checks.test_sizes import rules

ENV = 131_072
CARD = {"limits": {"example.com/card": 1}}
SIDECAR = {"name": "s", "image": "a:1", "resources": CARD}


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("env", "fits"),
    [
        ({"A": "x" * (ENV - 3)}, True),
        ({"A": "x" * (ENV - 2)}, False),
        ({"A": "\u00e4" * (ENV // 2)}, False),
        ({"A": "x" * (ENV // 2), "B": "$(A)$(A)"}, False),
        ({"A": "$(A)" * 1000}, True),
    ],
)
def test_a_variable_that_linux_would_refuse_is_reported(env: dict[str, str], fits: bool) -> None:
    assert rules(yaml.safe_dump({"roles": {"worker": {"env": env}}})) == (
        [] if fits else ["env-too-long"]
    )


@pytest.mark.unmeasured
def test_annotations_that_the_api_server_would_refuse_are_reported() -> None:
    """Keys and values both count, summed over all places that add annotations."""
    assert (
        rules(yaml.safe_dump({"roles": {"worker": {}}, "annotations": {"a": "x" * 262_143}})) == []
    )
    both = {
        "annotations": {"a": "x" * 131_000},
        "roles": {"worker": {"annotations": {"b": "x" * 132_000}}},
    }
    assert rules(yaml.safe_dump(both)) == ["annotations-too-large"]


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("worker", "refused"),
    [
        ({"resources": CARD, "annotations": {"b": "x" * 140_000}}, True),
        ({"resources": CARD, "annotations": {"a": "x" * 140_000}}, False),
        ({"sidecars": [SIDECAR], "annotations": {"b": "x" * 140_000}}, True),
        ({"annotations": {"b": "x" * 140_000}}, False),
    ],
)
def test_annotations_that_a_cloud_injects_count_too(
    worker: dict[str, object], refused: bool
) -> None:
    """Those of the job's with the same key replace them."""
    injected = {"example.com/card": {"annotations": {"a": "x" * 140_000}}}
    job = {"roles": {"worker": worker}, "cloud": "ours", "clouds": {"ours": {"devices": injected}}}
    assert rules(yaml.safe_dump(job)) == ["annotations-too-large"] * refused
