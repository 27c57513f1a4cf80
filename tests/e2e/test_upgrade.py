"""An upgrade replaces what cannot be changed in place; an uninstall leaves nothing."""

from pathlib import Path
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import Framework, probes, reported_parameters
from tests.e2e.releases import Namespace, Release, identity, merged
from tests.e2e.waiting import until


def changes(framework: Framework) -> list[dict[str, Any]]:
    """What people change: an image, a variable, a count."""
    count = framework.counts[framework.grows] + 1
    return [
        {"image": images.tag("python", 2)},
        {"env": {"LEARNING_RATE": "0.1"}},
        {"roles": {framework.grows: {"replicas": count}}},
    ]


def test_upgrades_and_the_end(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Each change replaces all Jobs under a new id, or adds some; after the end nothing is left.

    That includes the cleanup, its permissions and a test.
    """
    release = namespace.release(helm)
    values = merged(probes(framework), {"cleanup": {"enabled": True}})
    release.install(chart, values)
    release.running(sum(framework.roles.values()))
    for change in changes(framework):
        values = merged(values, change)
        check_change(release, framework, chart, values, joins=framework.joins and "roles" in change)
    release.test()
    assert len(namespace.everything()) > sum(framework.roles.values())
    release.uninstall()
    until(lambda: not namespace.everything(), f"nothing is left of {namespace.everything()}")


def check_change(
    release: Release,
    framework: Framework,
    chart: Path,
    values: dict[str, Any],
    *,
    joins: bool = False,
) -> None:
    """All replicas have a new id and nothing has the old one; or the old ones are unchanged."""
    old, before = release.id(), identity(release.jobs())
    counts = {role: values["roles"][role]["replicas"] for role in framework.counts}
    release.upgrade(chart, values)
    release.running(sum(counts[role] for role in framework.roles))
    check_parameters(release, framework, counts, values)
    if joins:
        assert before.items() < identity(release.jobs()).items()
        return
    assert release.id() != old
    until(
        lambda: not of_id(release.namespace, old),
        f"nothing is left of {of_id(release.namespace, old)}",
    )


def of_id(namespace: Namespace, runtime_id: str) -> list[str]:
    """Everything with an id in its name."""
    return [
        name for name in namespace.everything() if runtime_id in name and "revision" not in name
    ]


def check_parameters(
    release: Release, framework: Framework, counts: dict[str, int], values: Any
) -> None:
    """Every process has the variables of its values, and the current peers."""
    for job in release.jobs():
        labels = job["metadata"]["labels"]
        role, index = labels["chartgen/role"], int(labels["chartgen/index"])
        parameters = reported_parameters(release, job["metadata"]["name"])
        expected = {
            **values.get("env", {}),
            **framework.parameters(release.id(), counts, role, index),
        }
        assert {name: str(parameters[name]) for name in expected} == {
            name: str(value) for name, value in expected.items()
        }
        (container,) = job["spec"]["template"]["spec"]["containers"]
        assert container["image"] == values["image"]
