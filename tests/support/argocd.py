"""What Argo CD says about an application: health and drift, by its own code in Go."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.support.paths import ROOT
from tests.support.programs import require_built

ENGINE = ROOT / ".cache/gitops-engine/gitops_engine"
Object = dict[str, Any]


class Application(NamedTuple):
    """What the user interface shows, and the same of each object."""

    health: str  # Healthy, Suspended, Progressing, Missing, Degraded or Unknown
    synced: bool
    objects: list[Object]

    def drift(self) -> dict[str, Object]:
        """The objects that differ, by kind and name, with what is live and what a sync makes."""
        differing = [resource for resource in self.objects if not resource["synced"]]
        return {f"{resource['kind']}/{resource['name']}": resource for resource in differing}


def application(
    desired: Sequence[Object], live: Sequence[Object], annotations: str = "live"
) -> Application:
    """An application of the desired objects, as Argo CD sees it.

    Newer versions of Argo CD read `ignore-healthcheck` from live annotations, older ones (3.1) from
    the desired ones.
    """
    there = {_key(manifest): manifest for manifest in live}
    pairs = [{"desired": manifest, "live": there.pop(_key(manifest), None)} for manifest in desired]
    pairs += [{"live": manifest} for manifest in there.values()]
    command = [require_built(ENGINE, "gitops-engine"), f"-annotations={annotations}"]
    done = subprocess.run(command, input=json.dumps(pairs), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Application(**json.loads(done.stdout))


def _key(manifest: Object) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]
