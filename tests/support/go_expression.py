"""A small chart through the real Helm: how Go's readers and functions treat some values."""

import base64
import json
from pathlib import Path
from typing import Any

from tests.support.charts import template


def ask(
    helm: str, folder: Path, values: str, expression: str = ".Values", definitions: str = ""
) -> Any:
    """The value of a Go template expression with this values.yaml, as data."""
    chart = folder / "tiny"
    (chart / "templates").mkdir(parents=True, exist_ok=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: tiny\nversion: 0.1.0\n", "utf-8")
    (chart / "values.yaml").write_text(values, "utf-8", newline="")
    # In base64, so that nothing reads it a second time.
    (chart / "templates" / "answer.yaml").write_text(
        f"answer: {{{{ {expression} | toJson | b64enc }}}}\n", "utf-8"
    )
    (chart / "templates" / "_definitions.tpl").write_text(definitions, "utf-8")
    return json.loads(base64.b64decode(template(helm, chart).rpartition("answer: ")[2]))
