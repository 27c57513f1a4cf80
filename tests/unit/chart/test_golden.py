"""Golden charts: what chartgen writes and what Helm makes of it, read by a person once and compared ever after."""

from pathlib import Path

import pytest

from chartgen import pipeline, resources
from tests.support.charts import render, template

GOLDEN = Path(__file__).parents[2] / "corpus/golden"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
ELSEWHERE = ("values.schema.json", "files/clouds.yaml")  # what is alike in all cases and looked at once


def chart_files(case: str) -> dict[str, str]:
    """The chart of a case; a case's job.yaml is named as its own directory sees it."""
    (document,) = pipeline.read((GOLDEN / case / "job.yaml").read_bytes(), "job.yaml")
    return pipeline.render(pipeline.check(document))


def fixed(path: str) -> bool:
    """Whether a file is the skeleton's own, the same in every chart but for its names."""
    return path in resources.names("charts/job") and path != "README.md"


def compare(place: Path, text: str, bless: bool) -> None:
    if bless:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    assert place.exists(), f"{place} is missing: write it with `make golden`, and read it"
    assert text == place.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_golden_chart(case: str, bless: bool) -> None:
    """A chart's own files are what the golden case holds, and no file is missing or new."""
    files = chart_files(case)
    compare(GOLDEN / case / "files.txt", "".join(f"{path}\n" for path in files), bless)
    for path, text in files.items():
        if not fixed(path) and path not in ELSEWHERE:
            compare(GOLDEN / case / path, text, bless)


@pytest.mark.parametrize("case", CASES)
def test_golden_skeleton(case: str) -> None:
    """A file of the skeleton is in the chart as it is, but that its named templates carry the chart's name."""
    files = chart_files(case)
    name = pipeline.check(pipeline.read((GOLDEN / case / "job.yaml").read_bytes(), "job.yaml")[0]).job.name
    skeleton = [path for path in files if fixed(path)]
    assert "templates/replicas.yaml" in skeleton
    for path in skeleton:
        assert files[path].replace(f'"{name}.', '"chartgen.') == resources.text(f"charts/job/{path}")


@pytest.mark.parametrize("case", CASES)
def test_golden_manifests(case: str, helm3: str, bless: bool, tmp_path: Path) -> None:
    """What Helm makes of the chart is what the golden case holds."""
    chart = render((GOLDEN / case / "job.yaml").read_text(encoding="utf-8"), tmp_path)
    compare(GOLDEN / case / "manifests.yaml", template(helm3, chart), bless)


def test_golden_values_schema(bless: bool) -> None:
    """One schema in full stands for all: they differ in the names of roles alone, which other tests look at."""
    compare(
        GOLDEN / "parameter-servers" / "values.schema.json",
        chart_files("parameter-servers")["values.schema.json"],
        bless,
    )
