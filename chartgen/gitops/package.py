"""Packages of charts: what is in one, the index of a repository, an OCI layout, the provenance."""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from hashlib import sha256

from chartgen.startup.records import NamedTuple
from chartgen.startup.typing import Any
from chartgen.syntax.yaml.writer import emit

# Helm wants a time in an index; a clock would make it differ from run to run.
CREATED = "1970-01-01T00:00:00Z"
CHART = "Chart.yaml"

_CONFIG = "application/vnd.cncf.helm.config.v1+json"
_CONTENT = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_PROVENANCE = "application/vnd.cncf.helm.chart.provenance.v1.prov"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_REFERENCE = "org.opencontainers.image.ref.name"


class Package(NamedTuple):
    """A packaged chart."""

    metadata: Mapping[str, Any]  # its Chart.yaml
    content: bytes
    provenance: str = ""

    @property
    def file(self) -> str:
        """The name that Helm expects."""
        return f"{self.metadata['name']}-{self.metadata['version']}.tgz"

    @property
    def digest(self) -> str:
        """The SHA-256 of the package."""
        return sha256(self.content).hexdigest()


def select_files(paths: Iterable[str], ignore: str) -> list[str]:
    """The files that belong into a package, by the rules of .helmignore; Chart.yaml comes first."""
    rules = []
    for line in ignore.splitlines():
        rule = line.strip()
        if rule and not rule.startswith("#"):
            rules.append(rule)
    packaged = [path for path in paths if path == CHART or not _ignored(path, rules)]
    return sorted(packaged, key=lambda path: (path != CHART, path))


def _ignored(path: str, rules: Iterable[str]) -> bool:
    """Whether a rule matches a file, or a directory above it; a `!` takes back what matched."""
    steps = path.split("/")
    ignored = False
    for rule in rules:
        pattern = rule.removeprefix("!")
        for end in range(1, len(steps) + 1):
            if pattern.endswith("/") and end == len(steps):
                continue  # only for directories
            name = "/".join(steps[:end])
            anchored = "/" in pattern.rstrip("/")
            subject = name if anchored else steps[end - 1]
            if fnmatchcase(subject, pattern.strip("/")):
                ignored = not rule.startswith("!")
    return ignored


def index(packages: Iterable[Package], url: str) -> str:
    """index.yaml: what `helm repo add` reads; the newest version of a chart comes first."""
    entries: dict[str, list[dict[str, Any]]] = {}
    prefix = f"{url.rstrip('/')}/" if url else ""
    for package in sorted(packages, key=_order, reverse=True):
        entry = {
            **package.metadata,
            "created": CREATED,
            "digest": package.digest,
            "urls": [f"{prefix}{package.file}"],
        }
        entries.setdefault(package.metadata["name"], []).append(entry)
    ordered = dict(sorted(entries.items()))
    return emit({"apiVersion": "v1", "entries": ordered, "generated": CREATED})


def _order(package: Package) -> tuple[Any, ...]:
    core, _, pre = str(package.metadata["version"]).partition("+")[0].partition("-")
    # Numbers without a zero in front: the longer one is larger, whatever its length.
    numbers = [(len(part), part) for part in core.split(".") if part.isdecimal()]
    return (package.metadata["name"], numbers, not pre, pre)


def provenance_message(chart_yaml: str, package: Package) -> str:
    """What is signed: the chart's metadata and the digest of the package, as Helm writes it."""
    return f"{chart_yaml.rstrip()}\n\n...\nfiles:\n  {package.file}: sha256:{package.digest}\n"


def oci_layout(package: Package, existing_index: str = "") -> dict[str, bytes]:
    """The files of an OCI image layout with this chart, beside what is in its index already.

    ValueError if that is no index.
    """
    blobs: dict[str, bytes] = {}

    def descriptor(media_type: str, content: bytes) -> dict[str, Any]:
        digest = sha256(content).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = content
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    layers = [descriptor(_CONTENT, package.content)]
    if package.provenance:
        layers.append(descriptor(_PROVENANCE, package.provenance.encode()))
    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": descriptor(_CONFIG, _json(package.metadata)),
        "layers": layers,
        "annotations": _annotations(package.metadata),
    }
    tag = str(package.metadata["version"]).replace("+", "_")  # which a tag cannot hold
    own = descriptor(_MANIFEST, _json(manifest)) | {"annotations": {_REFERENCE: tag}}
    others = [entry for entry in _entries(existing_index) if _tag(entry) != tag]
    manifests = sorted([*others, own], key=_tag)
    listed = {"schemaVersion": 2, "mediaType": _INDEX, "manifests": manifests}
    return {**blobs, "index.json": _json(listed), "oci-layout": b'{"imageLayoutVersion":"1.0.0"}'}


def _entries(index: str) -> list[dict[str, Any]]:
    """The manifests that an index.json lists; none if there is no index yet."""
    data = json.loads(index or "{}")
    entries = data.get("manifests", []) if isinstance(data, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("it has no list of manifests")
    return entries


def _tag(entry: Mapping[str, Any]) -> str:
    """The name of a manifest in an index; other tools may list some without one."""
    return str((entry.get("annotations") or {}).get(_REFERENCE, ""))


def _annotations(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Those that `helm push` adds, except for the time."""
    names = {"name": "title", "version": "version", "description": "description", "home": "url"}
    annotations = {}
    for field, name in names.items():
        if metadata.get(field):
            annotations[f"org.opencontainers.image.{name}"] = str(metadata[field])
    return annotations


def _json(data: Any) -> bytes:
    return json.dumps(data, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
