"""A world of JAX that is not complete: status and helm test say who waits for whom."""

from pathlib import Path

import pytest

from tests.e2e.frameworks import jax
from tests.e2e.images import needs
from tests.e2e.jobs import rendered
from tests.e2e.life import reported, status
from tests.e2e.process import Failure
from tests.e2e.releases import Namespace, Release, merged
from tests.e2e.waiting import until

pytestmark = needs("jax")

NOWHERE = {"nodeSelector": {"pool": "none"}}


def test_a_worker_that_never_comes(helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    """The first waits for it; both are named, with the cause."""
    release = namespace.release(helm3)
    late = {"roles": {"worker": {"overrides": {"1": NOWHERE}}}}
    values = merged(jax.gathers("numbers"), late)
    release.install(rendered(jax.FRAMEWORK.job, tmp_path), values)
    expected = (
        "worker-1 cannot start: no node fits: 1 of 1 do not match its nodeSelector or affinity; "
        "worker-0 waits for it"
    )
    until(lambda: status(release)[1]["reason"] == expected, "status says who waits for whom")
    assert reported(release, "--wait=1s") == (4, "Running", "Running", expected)
    with pytest.raises(Failure, match=r"FAILED  pods: not running \(Pending\): worker-\w+-1; "):
        release.test("--logs")


def test_a_coordinator_at_another_port(helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    """The program of the first listens elsewhere: the others cannot meet it."""
    release = namespace.release(helm3)
    elsewhere = {"command": ["python", "/app/probe.py", "7777"]}
    wrong = {"roles": {"worker": {"overrides": {"0": elsewhere}}}}
    values = merged(jax.gathers("numbers"), wrong)
    release.install(rendered(jax.FRAMEWORK.job, tmp_path), values)
    release.running(2)
    first = release.jobs("worker")[0]["metadata"]["name"]
    met = f"all meet at {first}, which does not listen on port {jax.PORT} (yet)"
    assert f"note    ports: {met}" in said_by_test(release)


def said_by_test(release: Release) -> str:
    """The log of a test that passes, which `helm test` removes together with its pod."""
    namespace = release.namespace
    words = ("--namespace", namespace.name, "get", "hooks", release.name)
    hooks = namespace.folder / "hooks.yaml"
    hooks.write_text(namespace.cluster.run(release.helm, *words))
    namespace.kubectl("apply", "--filename", str(hooks))
    name = f"test-{release.id()}"
    waiting = ("wait", f"pod/{name}", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=3m")
    namespace.kubectl(*waiting)
    return namespace.logs(name)
