"""The tools that deploy charts: which of them makes the objects."""

from collections.abc import Sequence

from chartgen.errors import UsageError
from chartgen.gitops import argocd, flux
from chartgen.gitops.model import Delivery, Target
from chartgen.k8s.objects import Object


def objects(targets: Sequence[Target], delivery: Delivery) -> dict[str, Object]:
    """The objects of the tool that was chosen, by the paths of their files."""
    if not delivery.registry and not delivery.repository:
        raise UsageError(
            "say where the charts are: --repository URL, or gitops.repository in chartgen.yaml"
        )
    make = flux.objects if delivery.tool == "flux" else argocd.objects
    return make(targets, delivery)
