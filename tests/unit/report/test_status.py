"""The tables of `chartgen status`, as goldens at two widths, and its data for programs."""

import json

import pytest

from chartgen import resources
from chartgen.life import find
from chartgen.life.events import events
from chartgen.life.model import Status
from chartgen.life.status import status
from chartgen.report import status as report
from chartgen.report.status import Look
from tests.support.api_objects import (
    NOW,
    Object,
    ended,
    job,
    pod,
    running,
    unscheduled,
    waits,
    warning,
)
from tests.support.golden import compare
from tests.support.paths import ROOT

GOLDEN = ROOT / "tests/corpus/status"
NO_GPU = (
    "0/40 nodes are available: 32 Insufficient nvidia.com/gpu, "
    "8 node(s) had untolerated taint {dedicated: inference}. preemption: 0/40 nodes are available"
)
OOM = {"exitCode": 137, "reason": "OOMKilled"}


def fresh() -> find.Objects:
    """A job in its first minute: one replica has no node, one no image, one no claim."""
    jobs = [job("chief"), job("worker"), job("worker", 1), job("worker", 2), job("ps")]
    claim = '0/40 nodes are available: persistentvolumeclaim "data" not found.'
    pods = [
        pod("chief", status=waits("ContainerCreating")),
        pod("worker", status=unscheduled(NO_GPU), node=""),
        pod("worker", 1, status=unscheduled(claim), node=""),
        pod("worker", 2, status=waits("ImagePullBackOff", image="registry.example.com/mnist:9")),
        pod("ps", node="gke-research-default-pool-3f9c2a1b-x7k2"),
    ]
    return find.Objects(jobs, pods, [])


def thousands() -> find.Objects:
    """Ten thousand workers, three of which do not run."""
    jobs = [job("chief"), *(job("worker", index) for index in range(10_000))]
    pods = [pod("chief"), *(pod("worker", index) for index in range(10_000))]
    pods[18]["status"] = running(3, OOM)
    pods[4712]["status"] = unscheduled(NO_GPU)
    pods[4712]["spec"].pop("nodeName")
    pods[9001]["status"] = ended(1)
    jobs[9001]["status"]["conditions"] = [
        {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}
    ]
    pods[7]["status"] = waits("CrashLoopBackOff", lastState={"terminated": OOM})
    return find.Objects(jobs, pods, [])


def over() -> find.Objects:
    """A job that has ended well: its servers are released, and one worker had failed."""
    jobs = [job("chief", conditions={"Complete": {}}), job("worker", conditions={"Failed": {}})]
    jobs += [job("ps", suspend=True), job("ps", 1, suspend=True)]
    return find.Objects(jobs, [pod("chief", status=ended(0)), pod("worker", status=ended(2))], [])


def hostile() -> find.Objects:
    """Names and messages that would control a terminal."""
    evil = pod("chief", status=waits("CreateContainerError", "\x1b[2J\x1b[31mgone\r\n"))
    evil["spec"]["nodeName"] = "node\x1b]0;title\x07"
    return find.Objects([job("chief")], [evil], [])


CASES = {"fresh": fresh, "thousands": thousands, "over": over, "hostile": hostile}


def status_of(case: str) -> Status:
    job_status = status(CASES[case]())
    assert job_status is not None
    return job_status


@pytest.mark.unmeasured
@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("case", CASES)
def test_golden_tables(case: str, width: int, bless: bool) -> None:
    text = report.text(status_of(case), Look(NOW, width))
    compare(GOLDEN / f"{case}-{width}.txt", text, bless)
    assert max(map(len, text.splitlines())) <= width


def test_golden_data(bless: bool) -> None:
    compare(GOLDEN / "over.json", report.dump(report.data(status_of("over")), "json"), bless)


def test_the_fields_of_the_tfjob_document_are_there() -> None:
    data = json.loads(report.dump(report.data(status_of("over")), "json"))
    assert (data["phase"], data["state"], data["controlPaused"]) == ("Done", "Succeeded", False)
    assert data["replicaStatuses"][0] == {
        "tf_replica_type": "CHIEF",
        "role": "chief",
        "state": "Succeeded",
        "ReplicasStates": {"Succeeded": 1},
    }


def test_yaml_has_the_same_data() -> None:
    data = report.data(status_of("fresh"))
    assert resources.parse(report.dump(data, "yaml")) == data


def test_colours_only_paint_words() -> None:
    """Without its colours the text is the same; none of them is yellow, white or grey."""
    plain = report.text(status_of("fresh"), Look(NOW, 80))
    coloured = report.text(status_of("fresh"), Look(NOW, 80, colour=True))
    assert coloured != plain
    for code in ("31", "32", "35"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured.replace("\x1b[0m", "") == plain


def test_golden_listing(bless: bool) -> None:
    statuses = [status_of("fresh"), status_of("thousands"), status_of("over")]
    for width in (80, 200):
        compare(
            GOLDEN / f"list-{width}.txt", report.listing(statuses, "text", Look(NOW, width)), bless
        )


def test_golden_events(bless: bool) -> None:
    said: list[Object] = [
        warning("Job", "chief-76no-0", "FailedCreate", "quota", time="2026-11-18T02:59:00Z"),
        warning("Pod", "chief-76no-0-gone1", "Killing", "Stopping", type="Normal", count=4),
        warning("Pod", "other-1", "Failed", "of another release"),
    ]
    rows = events(find.Objects([job("chief")], [pod("chief")], said))
    assert [row.reason for row in rows] == ["Killing", "FailedCreate"]
    compare(GOLDEN / "events.txt", report.events(rows, "text", Look(NOW, 80)), bless)
