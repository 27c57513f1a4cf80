"""Angel: only the client has a Job; Angel creates all other pods from the client's arguments.

test_angel.py runs the real Angel.
"""

from collections.abc import Mapping
from typing import Any

from tests.e2e.jobs import EXAMPLES, Counts, Framework


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    return {
        "angel.ps.number": counts["ps"],
        "angel.workergroup.number": counts["worker"],
        "angel.kubernetes.serviceaccount": f"access-{runtime_id}",
        "angel.kubernetes.master.label.chartgen/runtime-id": runtime_id,
        "angel.kubernetes.executor.label.chartgen/runtime-id": runtime_id,
    }


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    return []


FRAMEWORK = Framework(
    name="angel",
    job=EXAMPLES / "logistic-regression.yaml",
    roles={"client": 1},
    port=9078,
    addressed=(),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone={"volumes": [], "volumeMounts": []},  # the example's claim does not exist here
    trainings={},
    made={"ps": 2, "worker": 4},
    once=True,
)
