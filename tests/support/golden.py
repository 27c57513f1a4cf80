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
        for margin in set(re.findall(rf"^( +){first}\n", manifests, re.MULTILINE)):
            block = "".join(_pattern(line, margin) for line in text.splitlines())
            manifests = re.sub(rf"\|\n{block}", f"<{path}>\n", manifests)
            # Some texts are made of several scripts, or begin with a line of the chart.
            manifests = re.sub(f"(?m)^{block}", f"{margin}<{path}>\n", manifests)
    return manifests


def _pattern(line: str, margin: str) -> str:
    """A line of a script in a manifest."""
    if not line:
        return f" {{0,{len(margin)}}}\n"  # Helm prints some of the margin, or all of it, or nothing
    pattern = f"{margin}{re.escape(line)}\n"
    # A script with api.py before it, in one text, does not import it.
    return f"(?:{pattern})?" if line.startswith("from api import ") else pattern
