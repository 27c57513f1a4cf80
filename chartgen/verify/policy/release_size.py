"""The size of Helm's record of a release, which has to fit into a Secret."""

from base64 import b64encode
from collections.abc import Iterator, Mapping

from chartgen.errors import Problem
from chartgen.k8s.limits import OBJECT_BYTES
from chartgen.k8s.objects import ObjectField


def check(name: str, files: Mapping[str, bytes], printed: str) -> Iterator[Problem]:
    """A problem if the record, with the whole chart and all its objects, is too large."""
    size = _packed_size(files, printed)
    if size > OBJECT_BYTES:
        message = (
            f"Helm's record of a release would have about {size:,} bytes; "
            f"the limit for a Secret is {OBJECT_BYTES:,}"
        )
        hint = (
            "leave large files out of the chart (.helmignore), or render fewer or smaller objects"
        )
        yield ObjectField(f"Chart/{name}").problem(message, "release-too-large", hint)


def _packed_size(files: Mapping[str, bytes], printed: str) -> int:
    """As Helm packs it: JSON with the files in base64, compressed, and in base64 once more."""
    from json import dumps
    from zlib import compress

    chart = {path: b64encode(content).decode() for path, content in files.items()}
    record = dumps({"chart": chart, "manifest": printed})
    packed = compress(record.encode(errors="surrogateescape"), 9)
    return (len(packed) + 2) // 3 * 4
