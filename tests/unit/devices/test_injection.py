"""What a pod requests and gets, where the golden pods and the problem cases do not look."""

from typing import Any

import pytest

from chartgen.devices import catalog
from chartgen.devices.injection import find_fabrics, inject
from chartgen.devices.request import read_request

EFA = "vpc.amazonaws.com/efa"


def cloud(name: str, **more: Any) -> catalog.Cloud:
    return {**catalog.data("cloud", name), "name": name, **more}


def accelerator(type_: str, count: int, **more: str) -> dict[str, Any]:
    return {"accelerator": {"type": type_, "count": count, **more}}


@pytest.mark.parametrize(("count", "adapters"), [(8, 4), (4, 2), (3, 1), (1, 1)])
def test_a_part_of_a_machine_gets_its_share_of_the_fabric(count: int, adapters: int) -> None:
    """Of four adapters for eight GPUs; at least one, or there would be no fabric."""
    spec = {**accelerator("a100", count, machine="p4d.24xlarge"), "fabric": "efa"}
    injection = inject(spec, cloud("aws"))
    assert injection.problems == ()
    assert injection.layers[0] == {"resources": {"limits": {EFA: adapters}}}


def test_limits_of_the_job_win_over_the_share() -> None:
    spec = {
        **accelerator("a100", 8, machine="p4d.24xlarge"),
        "fabric": "efa",
        "resources": {"limits": {EFA: 1}},
    }
    assert EFA not in str(inject(spec, cloud("aws")).layers[0])


@pytest.mark.parametrize(("count", "fabrics"), [(7, {}), (8, {"infiniband": False})])
def test_eight_devices_are_a_whole_machine_where_none_is_listed(
    count: int, fabrics: dict[str, bool]
) -> None:
    plain = cloud("amd-operator")
    assert not plain.get("machines")
    request, problems = read_request(accelerator("amd-gpu", count), plain)
    assert problems == []
    assert dict(find_fabrics(request, accelerator("amd-gpu", count), plain)) == fabrics


def test_of_several_devices_in_the_limits_the_last_by_name_counts() -> None:
    """As in charts, whose templates see a map in the order of its keys."""
    known = cloud("mine", devices={"amd.com/gpu": {}, "nvidia.com/gpu": {}})
    limits = {"nvidia.com/gpu": 1, "amd.com/gpu": 2, "example.com/unknown": 3}
    request, problems = read_request({"resources": {"limits": limits}}, known)
    assert (request.resource, request.number, problems) == ("nvidia.com/gpu", 1, [])
