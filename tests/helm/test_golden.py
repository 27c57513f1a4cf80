"""Golden charts: what Helm renders from them, reviewed by a person once and compared since."""

from pathlib import Path

import pytest

from tests.support.charts import render, template
from tests.support.golden import compare, refer_to_scripts
from tests.unit.chart.test_golden import CASES, GOLDEN


@pytest.mark.parametrize("case", CASES)
def test_golden_manifests(case: str, helm3: str, bless: bool, tmp_path: Path) -> None:
    """What Helm renders is what the golden case holds, with references to scripts."""
    chart = render((GOLDEN / case / "job.yaml").read_text(encoding="utf-8"), tmp_path)
    made = refer_to_scripts(template(helm3, chart))
    compare(GOLDEN / case / "manifests.yaml", made, bless)
