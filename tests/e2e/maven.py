"""What comes from Maven Central: the jars of requirements/NAME.jars, each with its digest."""

import hashlib
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from tests.e2e.process import Failure, run

_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_PROJECT = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>e2e</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
{dependencies}  </dependencies>
</project>
"""
# The list is complete: dependencies of these jars are not wanted.
_DEPENDENCY = """\
    <dependency>
      <groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
"""


class Jar(NamedTuple):
    """A jar by its coordinates, and the digest that it must have."""

    group: str
    artifact: str
    version: str
    digest: str


def lacking(listed: Path) -> str:
    """What this machine lacks for a list of jars, if there is one."""
    return (
        "it needs Maven, and there is no mvn on PATH"
        if listed.exists() and not shutil.which("mvn")
        else ""
    )


def download(listed: Path, folder: Path) -> None:
    """Put the jars that a file lists into a folder; a jar with another digest is a Failure."""
    jars = _jars(listed)
    folder.mkdir(parents=True)
    project = folder / "pom.xml"
    project.write_text(
        _PROJECT.format(dependencies="".join(_DEPENDENCY.format(**jar._asdict()) for jar in jars))
    )
    run("mvn", "--batch-mode", "--quiet", f"--file={project}", _COPY, f"-DoutputDirectory={folder}")
    project.unlink()
    for jar in jars:
        path = folder / f"{jar.artifact}-{jar.version}.jar"
        if hashlib.sha256(path.read_bytes()).hexdigest() != jar.digest:
            raise Failure(
                f"{path.name} is not the one that {listed.name} lists: its digest is another"
            )


def _jars(listed: Path) -> list[Jar]:
    """One per line: GROUP:ARTIFACT:VERSION SHA-256."""
    lines = [line for line in listed.read_text().splitlines() if not line.startswith("#")]
    return [Jar(*re.split("[: ]", line)) for line in lines]
