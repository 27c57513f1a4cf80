"""Checks of values as such: what Kubernetes' own schemas refuse, and what Helm would alter."""

from collections.abc import Iterator

from chartgen import resources, schema
from chartgen.document import Document, Path
from chartgen.errors import Problem
from chartgen.pods import Pods
from chartgen.startup.typing import Any

_LARGEST = 2**53  # Helm reads numbers as floating-point ones, which have no more digits
_LONGEST_KEY = 1_000  # characters; YAML readers look for the ':' of a key in the next 1,024
_BOM = "\ufeff"
# Fields whose inside the schema of job descriptions does not know.
_RAW = frozenset(
    {
        "volumes", "volumeMounts", "tolerations", "affinity", "securityContext",
        "podSecurityContext", "initContainers", "sidecars", "container", "pod", "ports", "envFrom",
        "env", "job",
    }
)  # fmt: skip


def check_fields(pods: Pods, document: Document) -> Iterator[Problem]:
    """Fields that are passed to Kubernetes as they are have its names and its types."""
    if any(not _RAW.isdisjoint(layer.spec) for layer in pods.layers):
        rules: schema.Schema = resources.data("schemas/kubernetes.schema.json")
        yield from schema.check(document._replace(traps=()), rules)


def check_texts(_: Pods, document: Document) -> Iterator[Problem]:
    """Keys, texts and numbers that Helm's readers would refuse or alter."""
    if not _has_doubtful(document.data):
        return
    for path, key, value in _walk(document.data):
        if key == "<<":
            message = "'<<' merges mappings in YAML, and no reader takes it as a key"
            yield document.problem(path, f"{message}; expected another key", "key-merge", key=True)
        elif isinstance(key, str) and len(key) > _LONGEST_KEY:
            message = f"this key has {len(key):,} characters; YAML readers accept 1,024"
            yield document.problem(path, message, "key-too-long", key=True)
        if isinstance(value, int) and abs(value) > _LARGEST:
            message = f"{value} has more digits than Helm can keep in a number"
            hint = "if it is text, write it in quotes"
            yield document.problem(path, message, "value-out-of-range", hint)
        if (isinstance(value, str) and _BOM in value) or (isinstance(key, str) and _BOM in key):
            message = "there is a byte order mark (U+FEFF) in this text; expected it to be removed"
            yield document.problem(path, message, "file-control-character")


def _has_doubtful(data: Any) -> bool:
    """Whether there may be anything of that kind; to find its place takes longer."""
    waiting = [data]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            keys = "".join(node)
            if "<<" in node or _BOM in keys or len(keys) > _LONGEST_KEY:
                return True
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node
        elif isinstance(node, str):
            if _BOM in node:
                return True
        elif isinstance(node, int) and abs(node) > _LARGEST:
            return True
    return False


def _walk(data: Any, path: Path = ()) -> Iterator[tuple[Path, str | int, Any]]:
    """Every value, with its path and its key."""
    items: Any = ()
    if isinstance(data, dict):
        items = data.items()
    elif isinstance(data, list):
        items = enumerate(data)
    for key, value in items:
        yield (*path, key), key, value
        if isinstance(value, dict | list):
            yield from _walk(value, (*path, key))
