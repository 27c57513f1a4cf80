"""The script of the chart's own `helm test`, run for real in a world of stand-ins."""

import json
import shutil
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.charts import Objects, objects, render
from tests.support.script_world import BUSYBOX, JOB, NAMES, Api, Peer, World, busybox_kit, pod, python_kit, setting

KITS = [
    pytest.param(python_kit(), id="python"),
    pytest.param(busybox_kit(), id="busybox", marks=pytest.mark.skipif(not BUSYBOX, reason="busybox is not installed")),
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    made = Api(tmp_path_factory.mktemp("api"))
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    """A port for peers and one for TensorBoard that nobody listens on."""
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.9.1", 0))
        other.bind(("127.0.9.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


@pytest.fixture(scope="module")
def templated(helm3: str, tmp_path_factory: pytest.TempPathFactory, ports: tuple[int, int]) -> Objects:
    chart = render(JOB, tmp_path_factory.mktemp("charts"))
    peers = ",".join(f"roles.{role}.port={ports[0]}" for role in ("chief", "worker", "ps"))
    return objects(helm3, chart, "--set", peers)


@pytest.fixture(params=KITS)
def world(request: pytest.FixtureRequest, tmp_path: Path, templated: Objects, api: Api) -> World:
    api.reset()
    made = World(tmp_path, templated, api, request.param)
    made.found = [one for one in templated if one["kind"] != "Pod"] + [without_tensorboard(pod(templated))]
    return made


def without_tensorboard(one: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(one))
    (entry,) = (entry for entry in changed["spec"]["containers"][0]["env"] if entry["name"] == "TENSORBOARD")
    entry["value"] = ""
    return changed


@pytest.fixture
def listening(world: World, ports: tuple[int, int]) -> Iterator[dict[str, Peer]]:
    """Every replica listens."""
    peers = {name: Peer(world.addresses[name], ports[0]) for name in NAMES}
    yield peers
    for peer in peers.values():
        peer.close()


def test_a_job_that_runs_well_passes(world: World, listening: dict[str, Peer]) -> None:
    """Every check says what it found; the API is asked with the token, for this release's Jobs."""
    code, said = world.run()
    assert said.splitlines() == [
        "ok      config: what the replicas read from ConfigMaps is there",
        "ok      peers: the list of peers is what the values say",
        "ok      jobs: 5 are there, and none has failed",
        "ok      names: 4 resolve",
        "ok      ports: all replicas listen",
        "ok      pods: none waits or fails",
    ]
    assert code == 0
    assert "Bearer secret" in world.api.asked
    assert "/namespaces/default/jobs?" in world.api.asked
    assert "labelSelector=app.kubernetes.io%2Finstance%3Ddemo%2Cchartgen%2Fruntime-id%3Dab12" in world.api.asked


@pytest.mark.parametrize("columns", [1, 2])
def test_a_job_that_has_ended_passes_though_its_pods_are_gone(world: World, columns: int) -> None:
    """The Job that decides is complete, as Kubernetes told it before 1.31 and in a column of its own since then."""
    world.api.states |= {"chief-ab12-0": "Complete", "worker-ab12-0": "Failed"}
    world.api.columns = columns
    world.forget(*NAMES)
    code, said = world.run()
    assert "ok      jobs: chief-ab12-0, which decides, is complete" in said
    assert "names" not in said
    assert code == 0


def test_where_all_of_a_role_decide_the_job_ends_with_the_last(world: World, listening: dict[str, Peer]) -> None:
    """One that is done is not enough, and one that failed is no end that could be passed."""
    roles = [line + (",decides" if "worker" in line else "") for line in setting(world.found, "ROLES").splitlines()]
    for states, ended in ((("Complete", "Running"), False), (("Complete", "Complete"), True)):
        world.api.states |= {f"worker-ab12-{index}": state for index, state in enumerate(states)}
        code, said = world.run(ROLES="\n".join(roles))
        assert ("ok      jobs: worker-ab12-0, worker-ab12-1, which decide, are complete" in said) is ended
        assert code == 0
    world.api.states["worker-ab12-1"] = "Failed"
    assert world.run(ROLES="\n".join(roles))[0] == 1


def test_a_failed_job_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """It is named, and so is where to look; a Job that is not there at all counts, too."""
    world.api.states["worker-ab12-1"] = "Failed"
    del world.api.states["evaluator-ab12-0"]
    world.forget("worker-ab12-1")
    code, said = world.run()
    assert "FAILED  jobs: failed or gone: evaluator-ab12-0, worker-ab12-1; see: kubectl -n default describe job" in said
    assert "ok      names: 3 resolve" in said
    assert said.endswith("failed: jobs\n")
    assert code == 1


def test_a_name_that_does_not_resolve_fails_the_test(world: World) -> None:
    """While its Job is open; one that is complete or suspended has no name any more, and need not."""
    world.api.states |= {"worker-ab12-0": "Complete", "ps-ab12-0": "Suspended"}
    world.forget("worker-ab12-0", "worker-ab12-1", "ps-ab12-0")
    code, said = world.run()
    assert "FAILED  names: not to be resolved: worker-ab12-1; see: kubectl -n default describe job worker-" in said
    assert code == 1


def test_a_name_that_comes_late_is_waited_for(world: World, listening: dict[str, Peer]) -> None:
    """Pods need time to start."""
    world.wait = 30
    late = world.addresses.pop("worker-ab12-1")

    def start() -> None:
        with (world.folder / "addresses").open("a", encoding="utf-8") as file:
            file.write(f"worker-ab12-1 {late}\n")

    timer = threading.Timer(1, start)
    timer.start()
    code, said = world.run()
    timer.join()
    assert "ok      names: 4 resolve" in said
    assert code == 0


def test_the_chart_s_own_server_must_listen(world: World, listening: dict[str, Peer]) -> None:
    """The parameter server that the chart starts has no excuse; other programs may have their reasons."""
    listening["worker-ab12-0"].close()
    code, said = world.run()
    assert (
        "note    ports: not listening, which is fine while a program starts or if it never does: worker-ab12-0" in said
    )
    assert code == 0
    listening["ps-ab12-0"].close()
    code, said = world.run()
    assert "FAILED  ports: not listening on port " in said
    assert "see: kubectl -n default logs job/ps-ab12-0" in said
    assert code == 1


def test_a_list_of_peers_that_is_not_the_release_s_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """One too few, one too many, or another port."""
    hosts = world.folder / "config/peers-ab12/hosts"
    lines = hosts.read_text("utf-8").splitlines()
    for changed in (lines[:-1], [*lines, "worker-ab12-2 2222"], [*lines[:-1], f"{lines[-1]}1"], [*lines, lines[0]]):
        hosts.write_text("\n".join(changed), "utf-8")
        code, said = world.run()
        assert "FAILED  peers: only in the values, or only in the list of peers: " in said
        assert "see: kubectl -n default get configmap peers-ab12 -o yaml" in said
        assert code == 1


def test_config_that_is_not_there_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """A ConfigMap that is gone leaves its keys out of the volume, which is optional so that the test can say so."""
    shutil.rmtree(world.folder / "config/cm-ps-ab12")
    code, said = world.run()
    assert "FAILED  config: not there: cm-ps-ab12/" in said
    assert "see: kubectl -n default get configmaps" in said
    assert code == 1


def test_a_chart_without_config_says_nothing_of_it(world: World, listening: dict[str, Peer]) -> None:
    assert "config" not in world.run(CONFIG="", HOSTS="")[1]


def test_without_rights_the_test_judges_names_alone(world: World, listening: dict[str, Peer]) -> None:
    """It says what it could not judge; while the replica that decides is there, its peers must be, too."""
    code, said = world.run(SECRETS="")
    assert "unsure  jobs: how they stand could not be judged: rbac.create is false" in said
    assert "ok      names: 4 resolve" in said
    assert code == 0
    world.forget("worker-ab12-1")
    code, said = world.run(SECRETS="")
    assert "FAILED  names: not to be resolved: worker-ab12-1;" in said
    assert code == 1


def test_what_cannot_be_judged_does_not_fail(world: World) -> None:
    """No names and no rights: a job that has ended looks like this, too."""
    world.forget(*NAMES)
    code, said = world.run(SECRETS="")
    assert (
        "unsure  names: not to be resolved, for the job has ended or has not started: chief-ab12-0, ps-ab12-0, " in said
    )
    assert "and 1 more" in said
    assert code == 0


def test_names_that_outlive_the_job_are_no_failure(world: World) -> None:
    """A pod that has ended keeps its name until it is removed; without rights it looks like one that should listen."""
    code, said = world.run(SECRETS="")
    assert "ok      names: 4 resolve" in said
    assert "unsure  ports: not listening, for the job has ended or has not started: ps-ab12-0" in said
    assert code == 0
    world.forget("ps-ab12-0", "worker-ab12-1")
    code, said = world.run(SECRETS="")
    assert "unsure  names: not to be resolved, for the job has ended or has not started: ps-ab12-0, worker-" in said
    assert code == 0


def test_an_api_that_refuses_is_no_failure_of_the_job(world: World, listening: dict[str, Peer]) -> None:
    """It is tried again, and then said."""
    world.api.code = 403
    code, said = world.run()
    assert "unsure  jobs: how they stand could not be judged: the image's tools cannot ask the API" in said
    assert code == 0


@pytest.mark.parametrize("world", KITS[:1], indirect=True)  # whoever has busybox has its tools
def test_an_image_without_tools_says_so(world: World) -> None:
    """What it cannot ask with anything it has could not be judged."""
    (world.folder / "bin/python3").unlink()
    code, said = world.run()
    assert "unsure  names: could not be judged: the image has none of getent nslookup python3" in said
    assert code == 0


def test_a_replica_that_no_node_takes_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """Nobody would miss one that has no name; who asks for a device most often waits for that."""
    roles = [line + (",device" if "evaluator" in line else "") for line in setting(world.found, "ROLES").splitlines()]
    asking = {"ROLES": "\n".join(roles), "DEVICES": "nvidia.com/gpu"}
    world.api.waiting = [("evaluator-ab12-0", "Running"), ("other-0", "Pending")]
    code, said = world.run(**asking)
    assert "ok      devices: who asks for nvidia.com/gpu has a node\nok      pods: none waits or fails\n" in said
    assert code == 0
    assert "/api/v1/namespaces/default/pods?" in world.api.asked
    assert "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed" in world.api.asked
    world.api.waiting = [("evaluator-ab12-0", "Pending"), ("evaluator-ab12-0", "Pending")]
    code, said = world.run(**asking)
    look = "see: kubectl -n default describe pods -l job-name=evaluator-ab12-0\n"
    assert f"FAILED  devices: no node takes who asks for nvidia.com/gpu: evaluator-ab12-0; {look}" in said
    assert said.endswith("failed: devices\n")
    assert code == 1


def test_a_replica_that_does_not_run_fails_the_test_with_what_keeps_it(
    world: World, listening: dict[str, Peer]
) -> None:
    """An image that nobody has, or a program that fails again and again, before Kubernetes counts its Job as failed."""
    world.api.waiting = [("evaluator-ab12-0", "ImagePullBackOff"), ("worker-ab12-1", "CrashLoopBackOff")]
    code, said = world.run()
    look = "see: kubectl -n default describe pods -l job-name=evaluator-ab12-0\n"
    assert f"FAILED  pods: not running: evaluator-ab12-0, worker-ab12-1, for ImagePullBackOff; {look}" in said
    assert said.endswith("failed: pods\n")
    assert code == 1


def test_pods_are_not_asked_for_where_nobody_could_answer(world: World, listening: dict[str, Peer]) -> None:
    """Without rights it is said; of a job that has ended there is nothing to say."""
    code, said = world.run(SECRETS="")
    assert "unsure  pods: whether they run could not be judged: the API cannot be asked" in said
    assert code == 0
    world.api.states["chief-ab12-0"] = "Complete"
    assert "pods:" not in world.run()[1]


def test_tensorboard_answers_or_the_test_fails(
    world: World, listening: dict[str, Peer], ports: tuple[int, int]
) -> None:
    """An answer is one that says so: a server that fails to serve does not pass."""
    where = f"tensorboard-ab12 {ports[1]}"
    code, said = world.run(TENSORBOARD=where)
    url = f"http://tensorboard-ab12:{ports[1]}/"
    assert (
        f"FAILED  tensorboard: no answer from {url}; see: kubectl -n default logs deployment/tensorboard-ab12" in said
    )
    assert code == 1
    for answer, passes in ((b"HTTP/1.0 200 OK\r\n\r\nTensorBoard", True), (b"HTTP/1.0 500 No\r\n\r\n", False)):
        board = Peer(world.addresses["tensorboard-ab12"], ports[1], answer)
        code, said = world.run(TENSORBOARD=where)
        board.close()
        assert (f"ok      tensorboard: {url} answers" in said) is passes
        assert (code == 0) is passes


@pytest.mark.parametrize("world", KITS[1:], indirect=True)
def test_a_wget_that_crashes_is_no_failure_of_the_job(world: World, listening: dict[str, Peer]) -> None:
    """As some static builds do on https."""
    world.program("wget", "#!/bin/sh\nkill -SEGV $$\n")
    code, said = world.run()
    assert "unsure  jobs: how they stand could not be judged: the image's tools cannot ask the API" in said
    assert code == 0


def test_a_job_that_nobody_ends_is_judged_as_long_as_it_runs(world: World, listening: dict[str, Peer]) -> None:
    """Such as a cluster for others to use: it has not ended, so that what has failed counts."""
    code, said = world.run(DECIDES="")
    assert "ok      jobs: 5 are there, and none has failed" in said
    assert f"ok      names: {len(NAMES)} resolve" in said
    assert code == 0
    world.api.states[NAMES[0]] = "Failed"
    code, said = world.run(DECIDES="")
    assert f"FAILED  jobs: failed or gone: {NAMES[0]}" in said
    assert code == 1


@pytest.mark.parametrize("world", KITS[1:], indirect=True)
def test_names_beyond_counting_are_sampled(world: World) -> None:
    """Ten thousand names would take longer than Helm waits: each role has some of them asked, from the first on."""
    world.api.states = {f"worker-ab12-{index}": "Running" for index in range(10000)}
    world.addresses = {f"worker-ab12-{index}": "127.0.9.1" for index in range(0, 10000, 100)}
    world.write("config/peers-ab12/hosts", "\n".join(f"worker-ab12-{index} 2222" for index in range(10000)))
    roles = "role worker-ab12- 10000 2222 job,service,listed"
    code, said = world.run(ROLES=roles, DECIDES="worker-ab12-0", WAIT="0")
    assert "ok      jobs: 10000 are there" in said
    assert "ok      names: 100 resolve" in said
    assert code == 0


def test_the_kits_are_what_they_claim() -> None:
    """A Python image has no nc to fall back on, or the tests above would not show that Python alone is enough."""
    assert "nc" not in python_kit().programs
    assert "python3" not in busybox_kit().programs
