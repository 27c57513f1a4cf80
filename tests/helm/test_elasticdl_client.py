"""A command line of ElasticDL's client, parsed by a strict master."""

from pathlib import Path

from tests.e2e.programs.elasticdl.python import args as strict
from tests.support.charts import pods, read_objects, render
from tests.support.paths import CORPUS


def test_a_strict_master_accepts_the_flags_of_the_chart(tmp_path: Path, helm3: str) -> None:
    case = CORPUS / "native/elasticdl/b2-low-priority/elasticdl.sh"
    (pod,) = pods(
        read_objects(helm3, render(case.read_text("utf-8"), tmp_path, case.name)), "master"
    )
    flags = strict.master(pod["spec"]["containers"][0]["args"][2:])
    assert pod["spec"]["priorityClassName"] == "high-priority"
    assert (flags.worker_pod_priority, flags.num_workers) == ("low-priority", 2)
    assert flags.worker_resource_request == {"cpu": "3", "memory": "4096Mi"}
