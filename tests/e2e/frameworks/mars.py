"""Mars: all get the schedulers' names, the driver that of the web service; its end is the end."""

from collections.abc import Mapping
from typing import Any

from tests.e2e import images
from tests.e2e.jobs import EXAMPLES, Counts, Framework
from tests.e2e.releases import Values

PORT = 7103
WAIT: Values = {"wait": {"image": images.tag("busybox")}}  # no image can be pulled here
_QUICK = {
    "tcpSocket": {"port": PORT},
    "periodSeconds": 1,
}  # Mars' own probe is slow; test_mars.py waits for it
_CPUS = {"scheduler": 1, "worker": 2, "web": 1}  # a worker without a spare CPU gets no work


def _parameters(runtime_id: str, counts: Counts, role: str, index: int) -> Mapping[str, Any]:
    if role == "driver":
        return {"MARS_ENDPOINT": f"http://web-{runtime_id}-0:{PORT}"}
    schedulers = [f"scheduler-{runtime_id}-{n}:{PORT}" for n in range(counts["scheduler"])]
    return {
        "CHARTGEN_SCHEDULERS": ",".join(schedulers),
        "MKL_NUM_THREADS": 1,
        "MARS_CPU_TOTAL": _CPUS[role],
        "MARS_MEMORY_TOTAL": 32 * 2**20,  # what a probe requests
        **(
            {"MARS_CACHE_MEM_SIZE": "25%", "MARS_SPILL_DIRS": "/mnt/spill"}
            if role == "worker"
            else {}
        ),
    }


def _peers(parameters: Mapping[str, Any]) -> list[str]:
    return str(parameters["CHARTGEN_SCHEDULERS"]).split(",")


FRAMEWORK = Framework(
    name="mars",
    job=EXAMPLES / "analysis.yaml",
    roles={"driver": 1, "scheduler": 1, "worker": 2, "web": 1},
    port=PORT,
    addressed=("scheduler",),
    parameters=_parameters,
    peers=_peers,
    grows="worker",
    alone={**WAIT, "cleanup": {"enabled": False}, "container": {"readinessProbe": _QUICK}},
    trainings={},  # the real processes are in test_mars.py
    joins=True,
)
