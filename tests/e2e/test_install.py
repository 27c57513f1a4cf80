"""A chart installs with each Helm; replicas find each other by name and get their parameters."""

import json
import re
from pathlib import Path

from tests.e2e.jobs import Framework, probes, reported_parameters
from tests.e2e.releases import Namespace, Object, Release, identity, outcome
from tests.e2e.waiting import until


def test_a_dry_run_on_the_server_shows_the_objects_and_creates_none(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    shown = namespace.release(helm).install(chart, probes(framework), "--dry-run=server")
    manifest = shown.partition("\nMANIFEST:\n")[2]  # after the hooks
    jobs = re.findall(r"kind: Job\nmetadata:\n  name: (\S+)", manifest)
    replicas = [job for job in jobs if not re.match(r"cleanup-|demo-ssh-", job)]
    assert len(replicas) == sum(framework.roles.values())
    assert namespace.everything() == set()


def test_a_running_job(helm: str, framework: Framework, chart: Path, namespace: Namespace) -> None:
    """Replicas reach each other, helm test passes, an empty upgrade and a killed pod do no harm.

    A killed pod comes back, or ends a job that cannot be started twice.
    """
    release = namespace.release(helm)
    values = probes(framework)
    release.install(chart, values)
    pods = release.running(sum(framework.roles.values()))
    check_environment(release, framework)
    check_peers(release, framework, pods)
    for _ in range(2):
        assert "Phase:          Succeeded" in release.test()
    check_same_upgrade(release, chart, values)
    check = check_killed_job if framework.once else check_killed_pod
    check(release, framework)


def check_environment(release: Release, framework: Framework) -> None:
    """The process in every pod has the variables and arguments that the framework promises."""
    runtime_id = release.id()
    for role, count in framework.roles.items():
        for index in range(count):
            parameters = reported_parameters(release, f"{role}-{runtime_id}-{index}")
            for name, value in framework.parameters(
                runtime_id, framework.counts, role, index
            ).items():
                assert parameters[name] == value, f"{name} of {role} {index}"


def check_peers(release: Release, framework: Framework, pods: list[Object]) -> None:
    """Every pod reaches every peer address, and the pod of that name answers there."""
    addresses = framework.peers(
        reported_parameters(release, f"{framework.member}-{release.id()}-0")
    )
    assert len(addresses) == sum(framework.roles[role] for role in framework.addressed)
    for pod in pods:
        answers = read_answers(release, pod, *addresses)
        wrong = {
            address: who
            for address, who in answers.items()
            if not who.startswith(address.rpartition(":")[0])
        }
        assert wrong == {}, f"what {pod['metadata']['name']} reached"


def read_answers(release: Release, pod: Object, *addresses: str) -> dict[str, str]:
    """Which pod answers at each of these addresses, asked from a pod."""
    ask = ("exec", pod["metadata"]["name"], "--", "python", "/app/probe.py", "ask", *addresses)
    answers: dict[str, str] = json.loads(release.namespace.kubectl(*ask))
    return answers


def check_same_upgrade(release: Release, chart: Path, values: dict[str, object]) -> None:
    """An upgrade without changes touches no object: the same uid, the same generation."""
    kinds = "jobs,pods,services,configmaps,deployments"
    before = identity(release.namespace.objects(kinds))
    release.upgrade(chart, values)
    after = identity(release.namespace.objects(kinds))
    assert before.items() <= after.items()
    # The pod of a hook may outlive its Job for a moment.
    until(
        lambda: identity(release.namespace.objects(kinds)) == before,
        "nothing is there but what was before the upgrade",
        30,
    )


def check_killed_pod(release: Release, framework: Framework) -> None:
    """A deleted pod comes back under the same name, and its peers reach it there."""
    role = framework.addressed[-1]
    victim = release.pods(role)[0]
    uid = victim["metadata"]["uid"]
    asker = next(pod for pod in release.pods() if pod["metadata"]["uid"] != uid)
    release.namespace.kubectl("delete", "pod", victim["metadata"]["name"], "--grace-period=1")
    release.running(sum(framework.roles.values()))
    (who,) = read_answers(
        release, asker, f"{victim['metadata']['labels']['job-name']}:{framework.port}"
    ).values()
    assert who.startswith(victim["metadata"]["labels"]["job-name"])
    assert who != victim["metadata"]["name"]


def check_killed_job(release: Release, framework: Framework) -> None:
    """A deleted pod fails its Job, and is not replaced."""
    (victim,) = release.pods()
    release.namespace.kubectl("delete", "pod", victim["metadata"]["name"], "--grace-period=1")
    until(
        lambda: {outcome(job) for job in release.jobs()} == {"Failed"},
        "the Job of a killed pod fails",
    )
    assert release.pods() == []
