"""What comes from Maven Central: the jars that requirements/NAME.jars lists, each with its digest."""

import hashlib
import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.e2e.process import Failure

CENTRAL = "https://repo1.maven.org/maven2"
AT_ONCE = 8


class Jar(NamedTuple):
    """A jar by its coordinates, and the digest that it must have."""

    group: str
    artifact: str
    version: str
    digest: str

    @property
    def name(self) -> str:
        return f"{self.artifact}-{self.version}.jar"

    @property
    def url(self) -> str:
        return f"{CENTRAL}/{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"


def download(listed: Path, folder: Path) -> None:
    """Put the jars that a file lists into a folder; one that is not as it was listed is a Failure."""
    found = _jars(listed)
    folder.mkdir(parents=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for jar, content in zip(found, pool.map(_content, found), strict=True):
            (folder / jar.name).write_bytes(content)


def _jars(listed: Path) -> list[Jar]:
    """One a line: GROUP:ARTIFACT:VERSION SHA-256."""
    lines = [line for line in listed.read_text().splitlines() if not line.startswith("#")]
    return [Jar(*re.split("[: ]", line)) for line in lines]


def _content(jar: Jar) -> bytes:
    with urllib.request.urlopen(jar.url, timeout=60) as answer:
        content: bytes = answer.read()
    if hashlib.sha256(content).hexdigest() != jar.digest:
        raise Failure(f"{jar.url} is not the one that requirements/ lists: its digest is another")
    return content
