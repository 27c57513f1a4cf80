"""Every cloud and every device has a golden pod (tests/helm/test_cloud_pods.py compares them)."""

from chartgen.devices import catalog
from tests.support.paths import CORPUS

GOLDEN = CORPUS / "clouds"
CASES = sorted(path.stem for path in GOLDEN.glob("*.yaml"))


def test_every_cloud_and_every_device_has_a_golden_pod() -> None:
    assert catalog.names("cloud") == CASES
    for cloud in CASES:
        data = catalog.data("cloud", cloud)
        text = (GOLDEN / f"{cloud}.yaml").read_text("utf-8")
        for resource in data.get("devices", {}):
            assert resource.rstrip("*") in text
        for fabric in data.get("fabrics", {}):
            assert f"fabric: {fabric}\n" in text
