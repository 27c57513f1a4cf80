"""The tools that deploy charts: which of them makes the objects."""

import re
from collections.abc import Sequence

from chartgen.errors import UsageError
from chartgen.gitops import argocd, flux
from chartgen.gitops.model import Delivery, Target
from chartgen.k8s.objects import Object

_URL = re.compile(r"(https?|ssh|git|file)://\S+$|[^\s:]+@[^\s:]+:\S+$")


def objects(targets: Sequence[Target], delivery: Delivery) -> dict[str, Object]:
    """The objects of the tool that was chosen, by the paths of their files."""
    registry, repository = delivery.registry, delivery.repository
    in_git = not registry or any(target.manifests for target in targets)
    if in_git and not repository:
        raise UsageError(
            "say where the charts are: --repository URL, or gitops.repository in chartgen.yaml"
        )
    if registry and not registry.startswith("oci://"):
        raise UsageError(f"the registry {registry}: expected a URL such as oci://{registry}")
    if repository and not _URL.match(repository):
        expected = "expected a URL such as https://example.com/training.git"
        raise UsageError(f"the repository {repository}: {expected}")
    make = flux.objects if delivery.tool == "flux" else argocd.objects
    return make(targets, delivery)
