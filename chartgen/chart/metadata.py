"""Chart.yaml: what the chart is, for Helm, catalogues and linters."""

from collections.abc import Iterable

from chartgen import __version__
from chartgen.chart.additions import Addition
from chartgen.chart.readme import description
from chartgen.job.model import Job
from chartgen.k8s.images import tag
from chartgen.k8s.limits import OLDEST_KUBERNETES
from chartgen.plan.model import Plan
from chartgen.startup.typing import Any

AUTO = "auto"  # the version follows from the content: see version.py
FIRST = "0.1.0"
DIGEST = "chartgen/digest"
MAKER = "chartgen/version"

# Without "-0", Helm refuses the versions of GKE and EKS.
KUBERNETES = f">={OLDEST_KUBERNETES}.0-0"
LIBRARY = "chartgen-library"
LIBRARY_ADDRESS = f"file://../{LIBRARY}"  # by default beside the charts that use it


def metadata(job: Job, plan: Plan, additions: Iterable[Addition] = ()) -> dict[str, Any]:
    """The fields of Chart.yaml, in Helm's order."""
    said = job.settings.get("chart", {})
    kits = dict(addition.annotation for addition in additions)
    fields: dict[str, Any] = {
        "apiVersion": "v2",
        "name": job.name,
        "description": description(job, plan),
        "type": "application",
        "version": FIRST if job.version == AUTO else job.version,
        "appVersion": said.get("appVersion") or tag(job.shared.get("image", "")),
        "kubeVersion": KUBERNETES,
        "keywords": [job.framework, "distributed-training", *said.get("keywords", ())],
        **{key: said[key] for key in ("home", "sources", "maintainers", "icon") if key in said},
        "annotations": {
            "artifacthub.io/category": "ai-machine-learning",
            "artifacthub.io/license": said.get("license", ""),
            "chartgen/framework": job.framework,
            DIGEST: "",
            **kits,
            MAKER: __version__,
        },
    }
    if job.version != AUTO:
        del fields["annotations"][DIGEST]
    if not fields["appVersion"]:
        del fields["appVersion"]
    if "license" not in said:
        del fields["annotations"]["artifacthub.io/license"]
    return fields
