"""Chart writer: a job and its plan become the files of a Helm chart."""

from collections.abc import Mapping
from typing import Any

from chartgen import __version__, frameworks, resources
from chartgen.chart import values_schema as values
from chartgen.chart.framework_file import framework_data
from chartgen.chart.readme import description, readme
from chartgen.devices import catalog as clouds
from chartgen.devices.injection import containers
from chartgen.job.model import Job, ends, merged
from chartgen.k8s.quantities import Containers, in_words, sums
from chartgen.plan.model import Plan
from chartgen.syntax.yaml_writer import emit

Files = dict[str, str]

_README = "README.md"
_ONLY_WITH = {"templates/tensorboard.yaml": "tensorboard", "templates/priorityclasses.yaml": "priorityClasses"}
_ONLY_PLANNED = {
    "templates/access.yaml": "rules",
    "templates/reserved.yaml": "reserved",
    "templates/services.yaml": "services",
    "templates/strays.yaml": "strays",
}


def chart(job: Job, plan: Plan, roles: Mapping[str, str]) -> Files:
    """Every file of the chart, by its path in it: the skeleton as it is, and what this job makes of it as data."""
    shape = values.shape(job, plan)
    value_schema = values.schema(shape)
    found = values.values(job, plan, value_schema["properties"])
    rows = values.rows(found, value_schema)
    files = {
        "Chart.yaml": emit(_metadata(job, plan)),
        _README: readme(_text(_README), job, plan, roles, rows, in_words(asks(job, plan))),
        "files/clouds.yaml": clouds.stream(),
        "files/framework.yaml": emit(framework_data(plan)),
        "values.schema.json": values.schema_text(shape),
        "values.yaml": values.text(found, value_schema, roles),
    }
    for path in resources.names("charts/job"):
        if path not in files and _belongs(path, job, plan):
            # Named templates are global to Helm: under the chart's name, two charts in one umbrella keep theirs apart.
            files[path] = _text(path).replace('"chartgen.', f'"{job.name}.')
    return dict(sorted(files.items()))


def _text(path: str) -> str:
    return resources.text(f"charts/job/{path}")


def _belongs(path: str, job: Job, plan: Plan) -> bool:
    """Whether a file of the skeleton is part of this job's chart."""
    if path.startswith("files/"):
        return path.removeprefix("files/") in (*plan.files, "cleanup.py", "test.sh")
    if path in _ONLY_PLANNED:
        return bool(getattr(plan, _ONLY_PLANNED[path]))
    owner = path.removeprefix("templates/_").removesuffix(".tpl")
    if owner in frameworks.MODULES:
        return owner == job.framework
    return path not in _ONLY_WITH or _ONLY_WITH[path] in job.settings


def _metadata(job: Job, plan: Plan) -> dict[str, Any]:
    return {
        "apiVersion": "v2",
        "name": job.name,
        "description": description(job, plan),
        "type": "application",
        "version": job.version,
        "kubeVersion": ">=1.29.0-0",  # with -0, or the versions of GKE and EKS are refused
        "keywords": [job.framework, "distributed-training"],
        "annotations": {
            "artifacthub.io/category": "ai-machine-learning",
            "chartgen/framework": job.framework,
            "chartgen/version": __version__,
        },
    }


def asks(job: Job, plan: Plan) -> dict[str, float]:
    """What the job asks of the cluster in sum, as it is described."""
    parts: list[tuple[int, Containers]] = []
    cloud = clouds.of(job)
    for role in plan.roles:
        described = job.roles[role.name]
        sizes = {key: last - first + 1 for key in described.overrides for first, last in [ends(key)]}
        sizes[""] = described.replicas - sum(sizes.values())
        specs = {key: merged(role.defaults, job.spec(role.name, key)) for key in sizes}
        parts += [(count, containers(specs[key], cloud, len(role.waits))) for key, count in sizes.items()]
    if "tensorboard" in job.settings:
        parts.append((1, Containers([job.settings["tensorboard"]])))
    if plan.decides and job.settings.get("cleanup", {}).get("enabled", plan.cleanup):
        parts.append((1, Containers([{"resources": _CLEANUP}])))
    return sums(parts)


_CLEANUP = {"requests": {"cpu": "10m", "memory": "32Mi"}}  # as templates/cleanup.yaml has it
