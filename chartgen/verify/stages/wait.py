"""Wait until everything the chart runs has succeeded or is healthy.

Jobs must complete or have all of their pods ready; Deployments, StatefulSets, DaemonSets and Pods
must be ready. The stage fails as soon as one of them fails, or if they are not healthy within
--timeout. It then shows the pods, the warnings among the events, and the logs of what failed.
"""

from chartgen.k8s import health
from chartgen.verify.base import ChartTest, Findings
from chartgen.verify.releases.release import installed, why_not_installed
from chartgen.world.cluster import client


def skip(test: ChartTest) -> str:
    """Needs a release."""
    return why_not_installed(test)


def run(test: ChartTest, findings: Findings) -> None:
    """Wait, and describe what is unhealthy."""
    release = installed(test)
    names = [*release.workloads()]
    if not names:
        findings.about = "the chart runs nothing"
        return
    states = client.wait(
        release.cluster, names, release.timeout, lambda text: test.progress("wait", text)
    )
    words = [state.word for state in states.values()]
    counts = []
    for word in (health.DONE, health.HEALTHY, health.WAITING, health.BROKEN):
        if word in words:
            counts.append(f"{words.count(word):,} {word}")
    findings.about = ", ".join(counts)
    worst, why = health.BROKEN, ""
    if worst not in words:
        worst, why = health.WAITING, f"not healthy within {release.timeout:g}s: "
    unhealthy = [name for name, state in states.items() if state.word == worst]
    for name in unhealthy:
        findings.problems.append(
            release.problem(why + states[name].why, "object-not-healthy", str(name))
        )
    findings.log += release.describe_failures(unhealthy)
