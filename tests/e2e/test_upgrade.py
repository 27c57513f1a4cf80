"""An upgrade replaces what cannot be changed in place, changes what depends on what was changed, and no more."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e import images
from tests.e2e.jobs import Framework, environment, probes
from tests.e2e.releases import Namespace, Release, merged
from tests.e2e.waiting import until


def image(framework: Framework) -> dict[str, Any]:
    return {"image": images.tag("python", 2)}


def variable(framework: Framework) -> dict[str, Any]:
    return {"env": {"LEARNING_RATE": "0.1"}}


def count(framework: Framework) -> dict[str, Any]:
    return {"roles": {framework.grows: {"replicas": framework.roles[framework.grows] + 1}}}


@pytest.mark.parametrize("change", [image, variable, count])
def test_a_change_replaces_the_jobs(
    change: Any, helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """New Jobs under a new id take the place of the old ones, whose pods go, and everyone knows the new peers."""
    release = namespace.release(helm)
    values = probes(framework)
    release.install(chart, values)
    release.running(sum(framework.roles.values()))
    old = release.id()
    changed = merged(values, change(framework))
    counts = {role: changed["roles"][role].get("replicas", number) for role, number in framework.roles.items()}
    release.upgrade(chart, changed)
    release.running(sum(counts.values()))
    assert release.id() != old
    check_everyone_was_told(release, framework, counts, changed)
    assert [name for name in namespace.everything() if old in name and "revision" not in name] == []


def check_everyone_was_told(release: Release, framework: Framework, counts: dict[str, int], values: Any) -> None:
    for job in release.jobs():
        labels = job["metadata"]["labels"]
        role, index = labels["chartgen/role"], int(labels["chartgen/index"])
        told = environment(until(lambda: release.logs(job["metadata"]["name"]), "a log"))  # noqa: B023
        expected = {**values.get("env", {}), **framework.told(release.id(), counts, role, index)}
        assert {name: str(told[name]) for name in expected} == {name: str(value) for name, value in expected.items()}
        (container,) = job["spec"]["template"]["spec"]["containers"]
        assert container["image"] == values["image"]


def test_uninstall_leaves_nothing(helm: str, framework: Framework, chart: Path, namespace: Namespace) -> None:
    """After an uninstall the namespace is as it was, with the clean-up, its rights and a test having been there."""
    release = namespace.release(helm)
    release.install(chart, merged(probes(framework), {"cleanup": {"enabled": True}}))
    release.running(sum(framework.roles.values()))
    release.test()
    assert len(namespace.everything()) > sum(framework.roles.values())
    release.uninstall()
    until(lambda: not namespace.everything(), f"nothing is left of {namespace.everything()}")
