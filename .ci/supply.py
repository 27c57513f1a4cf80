"""Write .ci/requirements.lock, every package of `make venv` with its hashes, or print an SBOM.

python .ci/supply.py lock   resolve anew, and write the lock; read the diff
python .ci/supply.py sbom   print what chartgen and its extras consist of, as CycloneDX 1.6
"""

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LOCK = ROOT / ".ci" / "requirements.lock"
HEAD = """\
# Written by `make lock`: what CI installs, with the hashes of the files. It holds for Linux on
# x86-64 and the oldest Python that chartgen supports.
"""


def lock() -> str:
    """The lock, from what pip would install into an empty environment."""
    words = ["install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-"]
    command = [sys.executable, "-m", "pip", *words, ".[helm,schemas]", "--group", "dev"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    lines = []
    for package in json.loads(done.stdout)["install"]:
        about, file = package["metadata"], package["download_info"]
        if "archive_info" in file:  # else it is chartgen itself
            digest = file["archive_info"]["hashes"]["sha256"]
            lines.append(f"{about['name']}=={about['version']} --hash=sha256:{digest}\n")
    return HEAD + "".join(sorted(lines, key=str.lower))


def sbom() -> str:
    """The packages that `pip install 'chartgen[...]'` brings, by the versions of the lock."""
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK.read_text("utf-8"), re.MULTILINE))
    versions = {_plain(name): version for name, version in locked.items()}
    components: list[dict[str, Any]] = []
    for name in sorted(_needed("chartgen")):
        version = versions.get(name, "")
        purl = f"pkg:pypi/{name}@{version}"
        component = {"type": "library", "name": name, "version": version, "purl": purl}
        components.append({**component, "bom-ref": purl, "licenses": _licences(name)})
    own = metadata.version("chartgen")
    root = {"type": "application", "name": "chartgen", "version": own, "bom-ref": "chartgen"}
    return json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": {"component": root},
            "components": components,
        },
        indent=2,
    )


def _needed(package: str) -> set[str]:
    """What a package requires, with all extras of chartgen and none of others."""
    needed: set[str] = set()
    waiting = [package]
    while waiting:
        name = waiting.pop()
        for line in _requires(name):
            extra = "extra ==" in line
            other = _plain(re.split(r"[^\w.-]", line, maxsplit=1)[0])
            if other not in needed and other != "chartgen" and not (extra and name != "chartgen"):
                needed.add(other)
                waiting.append(other)
    return {name for name in needed if _installed(name)}


def _requires(name: str) -> list[str]:
    return (metadata.requires(name) or []) if _installed(name) else []


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _licences(name: str) -> list[dict[str, Any]]:
    about = metadata.metadata(name).json
    text = about.get("license_expression") or about.get("license") or "unknown"
    text = str(text).split("\n")[0]
    return [{"license": {"name": text[:80]}}]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    if sys.argv[1:] == ["lock"]:
        LOCK.write_text(lock(), "utf-8")
    elif sys.argv[1:] == ["sbom"]:
        print(sbom())
    else:
        sys.exit(__doc__)
