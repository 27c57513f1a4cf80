"""Sizes: how large Helm's record of a release gets, which a Secret must hold."""

from base64 import b64encode
from collections.abc import Iterator, Mapping

from chartgen.errors import Problem
from chartgen.k8s.objects import Place

RECORD = 2**20  # bytes that the API server takes in a Secret


def record(name: str, files: Mapping[str, bytes], printed: str) -> Iterator[Problem]:
    """A problem if the record of a release, with all of the chart and all that it makes, is too large."""
    size = _size(files, printed)
    if size > RECORD:
        message = f"Helm's record of a release would have about {size:,} bytes; a Secret takes {RECORD:,}"
        hint = "leave large files out of the chart (.helmignore), or make fewer or smaller objects"
        yield Place(f"Chart/{name}").problem(message, "release-size", hint)


def _size(files: Mapping[str, bytes], printed: str) -> int:
    """As Helm packs it: JSON, with the files as base64, compressed and in base64 once more."""
    from json import dumps
    from zlib import compress

    texts = {path: b64encode(content).decode() for path, content in files.items()}
    packed = compress(dumps({"chart": texts, "manifest": printed}).encode(errors="surrogateescape"), 9)
    return (len(packed) + 2) // 3 * 4
