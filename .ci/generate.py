"""Write what is made from other files: tables in README.md, and schemas of clouds and pods.

With --check nothing is written: a file that is not up to date is named, and the exit code is 1.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from chartgen import resources
from chartgen.chart.values.schema import referenced
from chartgen.k8s import schemas
from chartgen.manual import formats, frameworks

ROOT = Path(__file__).parent.parent
REFERENCE = re.compile(r"#/\$defs/([\w.-]+)")
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def framework_table() -> str:
    rows = []
    for row in frameworks.rows():
        roles = ", ".join(f"`{role}`" for role in row["roles"].split(","))
        rows.append((f"`{row['name']}`", row["about"].removesuffix("."), roles))
    return table(("framework", "what it is", "roles"), rows)


def format_table() -> str:
    rows = []
    for row in formats.rows():
        rows.append((f"`{row['name']}`", row["about"], f"`{row['framework']}`"))
    return table(("format", "what it is", "becomes a job of"), rows)


TABLES = {"frameworks": framework_table, "formats": format_table}


def readme(text: str) -> str:
    """The README with its tables generated again."""
    return BLOCK.sub(lambda block: block[1] + TABLES[block[2]]() + block[3], text)


def cloud_schema(_: str) -> str:
    """The schema of a file with a cloud: what the job's schema says about `clouds`, on its own."""
    job = resources.data("schemas/job.schema.json")
    schema = {"$schema": job["$schema"], **job["definitions"]["cloudData"]}
    names = referenced(schema, job["definitions"])
    schema["definitions"] = {name: job["definitions"][name] for name in names}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def kubernetes_schema(_: str) -> str:
    """What Kubernetes says of the fields of pods and Jobs that descriptions take as they are."""
    known = schemas.kinds(schemas.versions()[-1])
    core = "io.k8s.api.core.v1."
    pod = known.definitions[f"{core}PodSpec"]["properties"]
    container = known.definitions[f"{core}Container"]["properties"]
    pod_fields = {name: pod[name] for name in ("volumes", "tolerations", "affinity")}
    pod_fields["podSecurityContext"] = pod["securityContext"]
    pod_fields["initContainers"] = pod_fields["sidecars"] = pod["initContainers"]
    for name in ("volumeMounts", "envFrom", "ports", "securityContext"):
        pod_fields[name] = container[name]
    reference = {"$ref": f"#/$defs/{core}EnvVarSource"}
    variable = {"properties": {"valueFrom": reference}}
    pod_fields["env"] = {"additionalProperties": {"anyOf": [{"type": "string"}, variable]}}
    pod_fields["pod"] = {"properties": pod, "additionalProperties": False}
    pod_fields["container"] = {"properties": container, "additionalProperties": False}
    policy = known.definitions["io.k8s.api.batch.v1.JobSpec"]["properties"]["podFailurePolicy"]
    pod_fields["job"] = {"properties": {"podFailurePolicy": policy}}
    fields = {"properties": pod_fields}
    role = {"properties": {**pod_fields, "overrides": {"additionalProperties": fields}}}
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"Fields of pods and Jobs in Kubernetes {known.version}",
        "properties": {
            **pod_fields,
            "tensorboard": fields,
            "roles": {"additionalProperties": role},
        },
    }
    schema["$defs"] = _definitions(schema, known.definitions)
    return (
        json.dumps(schema, sort_keys=True, separators=(",", ":"))
        .replace(f'"{core}', '"')
        .replace(f"/$defs/{core}", "/$defs/")
        + "\n"
    )


def _definitions(schema: object, known: Mapping[str, object]) -> dict[str, object]:
    """The definitions that a schema refers to, directly or by way of others."""
    definitions: dict[str, object] = {}
    waiting = [schema]
    while waiting:
        text = json.dumps(waiting.pop())
        for name in REFERENCE.findall(text):
            if name not in definitions:
                definitions[name] = known[name]
                waiting.append(known[name])
    return definitions


FILES = {
    "README.md": readme,
    "schemas/cloud.schema.json": cloud_schema,
    "schemas/kubernetes.schema.json": kubernetes_schema,
}


def main(root: Path, *, check: bool) -> int:
    """Write the files that differ, or only name them."""
    code = 0
    for name, make in FILES.items():
        path = root / name
        before = path.read_text("utf-8") if path.exists() else ""
        after = make(before)
        if after != before and check:
            print(f"{name} is not up to date: run `make generate`")
            code = 1
        elif after != before:
            path.write_text(after, "utf-8")
            print(f"{name} written")
    return code


if __name__ == "__main__":
    sys.exit(main(ROOT, check="--check" in sys.argv[1:]))
