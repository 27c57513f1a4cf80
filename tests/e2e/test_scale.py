"""A real API server accepts a thousand replicas."""

import json
import re
from pathlib import Path

from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes
from tests.e2e.releases import Namespace, merged

COUNT = 1000


@FIRST
def test_a_thousand_replicas(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Installed where no pod can be created; all named replicas are in the list of peers."""
    namespace.kubectl("create", "quota", "none", "--hard=pods=0")
    role = framework.grows
    count = COUNT - sum(framework.roles.values()) + framework.roles[role]
    values = merged(probes(framework), {"roles": {role: {"replicas": count}}})
    release = namespace.release(helm3)
    # Helm would validate each object first, for more than a minute; the API server does that too.
    release.install(chart, values, "--disable-openapi-validation", "--timeout=10m")
    jobs = release.jobs()
    assert len(jobs) == COUNT
    listed = re.findall(
        r"[\w-]+", json.dumps([item["data"] for item in namespace.objects("configmaps")])
    )
    named = [
        job["metadata"]
        for job in jobs
        if job["metadata"]["labels"]["chartgen/role"] in framework.addressed
    ]
    assert {item["name"] for item in named} <= set(listed)
    release.run("uninstall", "--cascade=background", "--timeout=10m")
    assert release.jobs() == []
