"""The keys of an MPI job, made in the cluster: once, kept over upgrades, gone with the release.

And Intel MPI, which no example uses.
"""

from pathlib import Path

from tests.e2e import images
from tests.e2e.frameworks.mpi import FRAMEWORK, SAYS, sums
from tests.e2e.images import needs
from tests.e2e.jobs import probes, rendered
from tests.e2e.releases import Namespace, Object, Release, outcome
from tests.e2e.waiting import until

SECRET = "demo-ssh"
PATIENCE = 300  # seconds
INTEL = """
name: intel
framework: mpi
image: local/impi:1
mpi: {implementation: intel}
roles: {launcher: {}, worker: {}}
"""


def test_keys_are_made_once_and_removed_with_the_release(
    helm4: str, namespace: Namespace, tmp_path: Path
) -> None:
    """New pods use the old keys; pods wait until there are some."""
    chart, release = rendered(FRAMEWORK.job, tmp_path), namespace.release(helm4)
    count = sum(FRAMEWORK.roles.values())
    release.install(chart, probes(FRAMEWORK))
    release.running(count)
    before = secret(namespace)
    assert before["data"].keys() == {"ssh-privatekey", "ssh-publickey"}
    first = release.id()
    release.upgrade(chart, probes(FRAMEWORK, images.tag("python", 2)))
    until(lambda: first not in runtime_ids(release), "the Jobs are replaced")
    release.running(count)
    assert secret(namespace)["data"] == before["data"]
    release.uninstall()
    assert [
        secret for secret in namespace.objects("secrets") if secret["metadata"]["name"] == SECRET
    ] == []


@needs("impi")
def test_intel_mpi(helm3: str, namespace: Namespace, tmp_path: Path) -> None:
    """Its mpiexec starts ranks on both workers by ssh, as a user who is not root."""
    job = tmp_path / "intel.yaml"
    job.write_text(INTEL)
    release = namespace.release(helm3)
    release.install(rendered(job, tmp_path), sums("impi"))
    ended = until(
        lambda: [job for job in release.jobs("launcher") if outcome(job)],
        "the launcher ends",
        PATIENCE,
    )
    assert [outcome(job) for job in ended] == ["Complete"]
    assert SAYS in release.logs(ended[0]["metadata"]["name"]).splitlines()


def runtime_ids(release: Release) -> set[str]:
    """Of old and new Jobs, while both are there."""
    return {job["metadata"]["labels"]["chartgen/runtime-id"] for job in release.jobs()}


def secret(namespace: Namespace) -> Object:
    (keys,) = [
        secret for secret in namespace.objects("secrets") if secret["metadata"]["name"] == SECRET
    ]
    return keys
