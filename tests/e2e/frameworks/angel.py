"""Angel: one client has a Job, and is told in its arguments what to ask of Angel, which makes all other pods itself.

What Angel makes of it is shown by test_angel.py, with the real Angel.
"""

from collections.abc import Mapping
from typing import Any

from tests.e2e.jobs import EXAMPLES, Counts, Framework


def _told(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {
        "angel.ps.number": counts["ps"],
        "angel.workergroup.number": counts["worker"],
        "angel.kubernetes.serviceaccount": f"access-{runtime_id}",
        "angel.kubernetes.master.label.chartgen/runtime-id": runtime_id,
        "angel.kubernetes.executor.label.chartgen/runtime-id": runtime_id,
    }


def _peers(told: Mapping[str, Any]) -> list[str]:
    return []


FRAMEWORK = Framework(
    name="angel",
    job=EXAMPLES / "logistic-regression.yaml",
    roles={"client": 1},
    port=9078,
    addressed=(),
    told=_told,
    peers=_peers,
    grows="worker",
    alone={"volumes": [], "volumeMounts": []},  # there is no claim of the example's name
    trainings={},
    made={"ps": 2, "worker": 4},
    once=True,
)
