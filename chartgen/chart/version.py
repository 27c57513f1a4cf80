"""`version: auto`: the version that follows from a chart's content and from the one before it."""

import re
from collections.abc import Iterable

from chartgen.chart.files import Files
from chartgen.chart.metadata import DIGEST, FIRST, MAKER
from chartgen.startup.records import NamedTuple

CHART = "Chart.yaml"

_VERSION = re.compile(r"^version: (.*)$", re.MULTILINE)
_DIGEST = re.compile(rf"^  {DIGEST}: (.*)$", re.MULTILINE)
_MAKER = re.compile(rf"^  {MAKER}: .*\n", re.MULTILINE)
_LIBRARY = re.compile(r"^ {4}version: .*\n", re.MULTILINE)  # of the one dependency of a thin chart
_NUMBERS = re.compile(r"(\d{1,18})\.(\d{1,18})\.(\d{1,18})(?!\d)")


class KnownVersion(NamedTuple):
    """What a Chart.yaml says about its version."""

    version: str
    digest: str


def sign(files: Files, shared: Iterable[str] = ()) -> Files:
    """The files, with the digest of their content in Chart.yaml.

    `shared` are texts that are part of the content but of another chart: the library of thin ones.
    """
    from hashlib import sha256  # only charts whose version is derived need it

    digest = sha256()  # text by text: to join a whole chart takes longer than the digest
    for path, text in sorted(files.items()):
        content = _plain(text) if path == CHART else text
        digest.update(f"{path}\n{len(content)}\n".encode())
        digest.update(content.encode())
    for text in shared:
        digest.update(f"{len(text)}\n{text}".encode())
    line = f'  {DIGEST}: "sha256:{digest.hexdigest()}"'
    return {**files, CHART: _DIGEST.sub(line, files[CHART])}


def _plain(chart: str) -> str:
    """Chart.yaml without what changes with the version of the chart or of chartgen."""
    for pattern in (_MAKER, _VERSION, _DIGEST, _LIBRARY):
        chart = pattern.sub("", chart)
    return chart


def settle(new: str, old: str) -> str:
    """A new Chart.yaml with the version that follows the old one's; a given version stays."""
    digest = _DIGEST.search(new)
    if not digest:
        return new
    known = list(_read_versions(old))
    latest = max(known, key=lambda item: _order(item.version), default=None)
    if latest is None:
        return new
    same = len(known) == 1 and latest.digest == digest[1]
    version = latest.version if same else _next(latest.version)
    return _VERSION.sub(f'version: "{version}"', new, count=1)


def same_but_for_maker(new: str, old: str) -> bool:
    """Whether two Chart.yaml differ at most in the version of chartgen that wrote them."""
    return _MAKER.sub("", new) == _MAKER.sub("", old)


def same_but_for_version(new: str, old: str) -> bool:
    """Whether two Chart.yaml differ at most in the versions of the chart and of chartgen."""
    return _plain(new) == _plain(old)


def with_library(chart: str, version: str) -> str:
    """A Chart.yaml of the thin layout that depends on this version of the library."""
    return _LIBRARY.sub(f'    version: "{version}"\n', chart)


def version_of(chart: str) -> str:
    """The version in a Chart.yaml of ours."""
    return next((known.version for known in _read_versions(chart)), FIRST)


def _read_versions(chart: str) -> Iterable[KnownVersion]:
    """The versions in a Chart.yaml: one, or those of both sides of a merge conflict."""
    digests = [match[1] for match in _DIGEST.finditer(chart)]
    for match in _VERSION.finditer(chart):
        version = match[1].strip("\"' ")
        if _NUMBERS.match(version):
            yield KnownVersion(version, digests[0] if len(digests) == 1 else "")


def _order(version: str) -> tuple[int, ...]:
    match = _NUMBERS.match(version)
    return tuple(map(int, match.groups())) if match else ()


def _next(version: str) -> str:
    match = _NUMBERS.match(version)
    return f"{match[1]}.{match[2]}.{int(match[3]) + 1}" if match else FIRST
