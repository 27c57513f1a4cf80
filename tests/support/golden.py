"""Golden files: output that a person has reviewed once, compared since."""

import hashlib
import re
from pathlib import Path

from chartgen.chart import skeleton


def compare(place: Path, text: str, bless: bool) -> None:
    """Compare a text with a golden file, or write it there."""
    if bless:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    assert place.exists(), f"{place} is missing: write it with `make golden`, and read it"
    assert text == place.read_text(encoding="utf-8")


def shipped_scripts() -> dict[str, str]:
    """The scripts that run in pods, by their path in a chart."""
    paths = [path for path in skeleton.paths() if path.startswith("files/")]
    return {path: skeleton.template(path) for path in paths}


def script_digests() -> str:
    """The digest of every script, as sha256sum prints it."""
    scripts = shipped_scripts().items()
    return "".join(
        f"{hashlib.sha256(text.encode()).hexdigest()}  {path}\n" for path, text in scripts
    )


def refer_to_scripts(manifests: str) -> str:
    """Manifests with a reference, as in <files/test.sh>, for the whole text of each script.

    Scripts have their own tests, and a change of one must not change a manifest. Where a manifest
    has another text than charts/job, it keeps that text, and the comparison shows it.
    """
    for path, text in shipped_scripts().items():
        first = re.escape(text.partition("\n")[0])
        for margin in set(re.findall(rf"\|\n( +){first}\n", manifests)):
            # In an empty line Helm prints some of the margin, or all of it, or nothing.
            empty = f" {{0,{len(margin)}}}"
            lines = [margin + re.escape(line) if line else empty for line in text.splitlines()]
            block = "\n".join((r"\|", *lines, ""))
            manifests = re.sub(block, f"<{path}>\n", manifests)
    return manifests
