"""Chart writer: a job and its plan become the files of a Helm chart."""

from collections.abc import Mapping
from json import dumps
from typing import Any

from chartgen import __version__, resources, values
from chartgen.emit import emit
from chartgen.job import Job, ends
from chartgen.plan import Plan
from chartgen.quantities import in_words, sums
from chartgen.render import render

Files = dict[str, str]

_ONLY_WITH = {"templates/tensorboard.yaml": "tensorboard"}


def chart(job: Job, plan: Plan, roles: Mapping[str, str]) -> Files:
    """Every file of the chart, by its path in it."""
    value_schema = values.schema(resources.data("schemas/job.schema.json"), job, plan)
    found = values.values(job, plan, value_schema["properties"])
    files = {
        "Chart.yaml": emit(_metadata(job, plan)),
        "README.md": _readme(job, plan, roles, list(values.rows(found, value_schema))),
        "values.schema.json": dumps(value_schema, indent=2, ensure_ascii=False) + "\n",
        "values.yaml": values.text(found, value_schema, roles),
    }
    for path in resources.names("charts/job"):
        if _belongs(path, job, plan):
            files[path.removesuffix(".j2")] = _skeleton(path, job, plan)
    return dict(sorted(files.items()))


def _belongs(path: str, job: Job, plan: Plan) -> bool:
    """Whether a file of the skeleton is part of this job's chart."""
    if path.startswith("files/"):
        return path.removeprefix("files/") in (*plan.files, "cleanup.py")
    needed = _ONLY_WITH.get(path)
    return path != "README.md.j2" and (needed is None or needed in job.settings)


def _skeleton(path: str, job: Job, plan: Plan) -> str:
    text = render(f"job/{path}", plan=plan) if path.endswith(".j2") else resources.text(f"charts/job/{path}")
    if not path.startswith("templates/"):
        return text
    # Helm's named templates are global: under the chart's own name, two charts in one umbrella keep theirs apart.
    return text.replace('"chartgen.', f'"{job.name}.')


def _metadata(job: Job, plan: Plan) -> dict[str, Any]:
    return {
        "apiVersion": "v2",
        "name": job.name,
        "description": _description(job, plan),
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


def _readme(job: Job, plan: Plan, roles: Mapping[str, str], rows: list[values.Row]) -> str:
    return render(
        "job/README.md.j2",
        job=job,
        plan=plan,
        roles=roles,
        rows=rows,
        description=_description(job, plan),
        asks=in_words(asks(job, plan)),
    )


def _description(job: Job, plan: Plan) -> str:
    return job.description or f"A distributed {plan.title} job"


def asks(job: Job, plan: Plan) -> dict[str, float]:
    """What the job asks of the cluster in sum, as it is described."""
    parts: list[tuple[int, list[Mapping[str, Any]]]] = []
    for role in plan.roles:
        described = job.roles[role.name]
        sizes = {key: last - first + 1 for key in described.overrides for first, last in [ends(key)]}
        sizes[""] = described.replicas - sum(sizes.values())
        parts += [(count, _containers(job.spec(role.name, key))) for key, count in sizes.items()]
    if "tensorboard" in job.settings:
        parts.append((1, [job.settings["tensorboard"]]))
    return sums(parts)


def _containers(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A pod's containers that run side by side, as far as they ask for something."""
    lasting = [one for one in spec.get("initContainers", ()) if one.get("restartPolicy") == "Always"]
    return [spec, *spec.get("sidecars", ()), *lasting]
