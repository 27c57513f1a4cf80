"""The script of the chart's own `helm test`, run for real with stand-ins for the cluster."""

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chartgen import resources
from tests.support.charts import Objects, read_objects, render
from tests.support.script_world import (
    JOB,
    NAMES,
    Api,
    Peer,
    World,
    busybox_kit,
    pod,
    python_kit,
    setting,
)

KITS = [pytest.param(python_kit, id="python"), pytest.param(busybox_kit, id="busybox")]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    made = Api(tmp_path_factory.mktemp("api"))
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def ports() -> tuple[int, int]:
    """A port for peers and one for TensorBoard that nobody listens on."""
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.9.1", 0))
        second.bind(("127.0.9.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


@pytest.fixture(scope="module")
def templated(
    helm3: str, tmp_path_factory: pytest.TempPathFactory, ports: tuple[int, int]
) -> Objects:
    chart = render(JOB, tmp_path_factory.mktemp("charts"))
    peers = ",".join(f"roles.{role}.port={ports[0]}" for role in ("chief", "worker", "ps"))
    return read_objects(helm3, chart, "--set", peers)


@pytest.fixture(params=KITS)
def world(request: pytest.FixtureRequest, tmp_path: Path, templated: Objects, api: Api) -> World:
    api.reset()
    made = World(tmp_path, templated, api, request.param())
    made.objects = [item for item in templated if item["kind"] != "Pod"] + [
        without_tensorboard(pod(templated))
    ]
    return made


def without_tensorboard(test_pod: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(test_pod))
    (entry,) = (
        entry for entry in changed["spec"]["containers"][0]["env"] if entry["name"] == "TENSORBOARD"
    )
    entry["value"] = ""
    return changed


@pytest.fixture
def listening(world: World, ports: tuple[int, int]) -> Iterator[dict[str, Peer]]:
    """Every replica listens."""
    peers = {name: Peer(world.addresses[name], ports[0]) for name in NAMES}
    yield peers
    for peer in peers.values():
        peer.close()


def test_a_healthy_job_passes(world: World, listening: dict[str, Peer]) -> None:
    """Every check says what it found; the API is queried with the token for this release's Jobs."""
    code, output = world.run()
    assert output.splitlines() == [
        "ok      config: all ConfigMap keys that the replicas read exist",
        "ok      peers: the list of peers matches the values",
        "ok      jobs: 5 exist, none has failed",
        "ok      names: 4 resolve",
        "ok      ports: all replicas listen",
        "ok      pods: none is waiting or failing",
    ]
    assert code == 0
    assert "Bearer secret" in world.api.asked
    assert "/namespaces/default/jobs?" in world.api.asked
    assert (
        "labelSelector=app.kubernetes.io%2Finstance%3Ddemo%2Cchartgen%2Fruntime-id%3Dab12"
        in world.api.asked
    )


@pytest.mark.parametrize("columns", [1, 2])
def test_a_job_that_has_ended_passes_though_its_pods_are_gone(world: World, columns: int) -> None:
    """The deciding Job is complete, as Kubernetes before and since 1.31 shows it."""
    world.api.states |= {"chief-ab12-0": "Complete", "worker-ab12-0": "Failed"}
    world.api.columns = columns
    world.forget(*NAMES)
    code, output = world.run()
    assert "ok      jobs: chief-ab12-0, which decides, is complete" in output
    assert "names" not in output
    assert code == 0


def test_if_all_replicas_of_a_role_decide_the_job_ends_with_the_last(
    world: World, listening: dict[str, Peer]
) -> None:
    """One that is complete is not enough, and one that failed fails the test."""
    roles = [
        line + (",decides" if "worker" in line else "")
        for line in setting(world.objects, "ROLES").splitlines()
    ]
    for states, ended in ((("Complete", "Running"), False), (("Complete", "Complete"), True)):
        world.api.states |= {f"worker-ab12-{index}": state for index, state in enumerate(states)}
        code, output = world.run(ROLES="\n".join(roles))
        assert (
            "ok      jobs: worker-ab12-0, worker-ab12-1, which decide, are complete" in output
        ) is ended
        assert code == 0
    world.api.states["worker-ab12-1"] = "Failed"
    assert world.run(ROLES="\n".join(roles))[0] == 1


def test_if_any_replica_of_a_role_decides_the_job_ends_with_the_first_that_succeeds(
    world: World,
) -> None:
    roles = [
        line + (",any" if "worker" in line else "")
        for line in setting(world.objects, "ROLES").splitlines()
    ]
    world.api.states |= {"worker-ab12-0": "Suspended", "worker-ab12-1": "Complete"}
    world.forget(*NAMES)
    code, output = world.run(ROLES="\n".join(roles))
    assert "ok      jobs: worker-ab12-1, which decides, is complete" in output
    assert code == 0


def test_a_failed_job_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """It is named with where to look; a Job that is missing counts too."""
    world.api.states["worker-ab12-1"] = "Failed"
    del world.api.states["evaluator-ab12-0"]
    world.forget("worker-ab12-1")
    code, output = world.run()
    assert (
        "FAILED  jobs: failed or missing: evaluator-ab12-0, worker-ab12-1; see:"
        " kubectl -n default describe job" in output
    )
    assert "ok      names: 3 resolve" in output
    assert output.endswith("failed: jobs\n")
    assert code == 1


def test_a_name_that_does_not_resolve_fails_the_test(world: World) -> None:
    """While its Job is active; a complete or suspended Job no longer has or needs a name."""
    world.api.states |= {"worker-ab12-0": "Complete", "ps-ab12-0": "Suspended"}
    world.forget("worker-ab12-0", "worker-ab12-1", "ps-ab12-0")
    code, output = world.run()
    assert (
        "FAILED  names: do not resolve: worker-ab12-1; see:"
        " kubectl -n default describe job worker-" in output
    )
    assert code == 1


def test_a_name_that_appears_late_is_waited_for(world: World, listening: dict[str, Peer]) -> None:
    """Pods need time to start."""
    world.wait = 30
    late = world.addresses.pop("worker-ab12-1")

    def start() -> None:
        with (world.folder / "addresses").open("a", encoding="utf-8") as file:
            file.write(f"worker-ab12-1 {late}\n")

    timer = threading.Timer(1, start)
    timer.start()
    code, output = world.run()
    timer.join()
    assert "ok      names: 4 resolve" in output
    assert code == 0


def test_the_charts_own_server_must_listen(world: World, listening: dict[str, Peer]) -> None:
    """The chart's own parameter server must; other programs may have reasons not to listen."""
    listening["worker-ab12-0"].close()
    code, output = world.run()
    assert (
        "note    ports: not listening, which is fine for a program that is starting"
        " or needs no port: worker-ab12-0" in output
    )
    assert code == 0
    listening["ps-ab12-0"].close()
    code, output = world.run()
    assert "FAILED  ports: not listening on port " in output
    assert "see: kubectl -n default logs job/ps-ab12-0" in output
    assert code == 1


def test_where_all_meet_at_the_first_only_that_one_has_to_listen(
    world: World, listening: dict[str, Peer]
) -> None:
    """A program that listens on another port is named: the others wait for it."""
    roles = setting(world.objects, "ROLES").replace("service,listed", "service,listed,meets")
    for entry in pod(world.objects)["spec"]["containers"][0]["env"]:
        if entry["name"] == "ROLES":
            entry["value"] = roles
    listening["worker-ab12-1"].close()
    assert "ok      ports: all replicas listen" in world.run()[1]
    listening["worker-ab12-0"].close()
    code, output = world.run()
    port = roles.split()[3]
    met = f"all meet at worker-ab12-0, which does not listen on port {port} (yet)"
    assert f"note    ports: {met}" in output
    assert code == 0


def test_a_wrong_list_of_peers_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """One too few, one too many, or another port."""
    hosts = world.folder / "config/peers-ab12/hosts"
    lines = hosts.read_text("utf-8").splitlines()
    for changed in (
        lines[:-1],
        [*lines, "worker-ab12-2 2222"],
        [*lines[:-1], f"{lines[-1]}1"],
        [*lines, lines[0]],
    ):
        hosts.write_text("\n".join(changed), "utf-8")
        code, output = world.run()
        assert "FAILED  peers: the list of peers and the values differ: " in output
        assert "see: kubectl -n default get configmap peers-ab12 -o yaml" in output
        assert code == 1


def test_missing_config_fails_the_test(world: World, listening: dict[str, Peer]) -> None:
    """Without the ConfigMap its keys are missing in the volume, which is optional for this test."""
    shutil.rmtree(world.folder / "config/cm-ps-ab12")
    code, output = world.run()
    assert "FAILED  config: missing: cm-ps-ab12/" in output
    assert "see: kubectl -n default get configmaps" in output
    assert code == 1


def test_a_chart_without_config_does_not_mention_it(
    world: World, listening: dict[str, Peer]
) -> None:
    assert "config" not in world.run(CONFIG="", HOSTS="")[1]


def test_without_permissions_the_test_checks_only_names(
    world: World, listening: dict[str, Peer]
) -> None:
    """It says what it could not check; with the deciding replica its peers must be there."""
    code, output = world.run(API="")
    assert "unsure  jobs: could not be checked: rbac.create is false" in output
    assert "ok      names: 4 resolve" in output
    assert code == 0
    world.forget("worker-ab12-1")
    code, output = world.run(API="")
    assert "FAILED  names: do not resolve: worker-ab12-1;" in output
    assert code == 1


def test_what_cannot_be_checked_does_not_fail(world: World) -> None:
    """No names and no permissions: a job that has ended looks the same."""
    world.forget(*NAMES)
    code, output = world.run(API="")
    assert (
        "unsure  names: do not resolve; the job may have ended or not have started:"
        " chief-ab12-0, ps-ab12-0, " in output
    )
    assert "and 1 more" in output
    assert code == 0


def test_names_that_outlive_the_job_are_not_a_failure(world: World) -> None:
    """An ended pod keeps its name until it is removed, and looks like one that should listen."""
    code, output = world.run(API="")
    assert "ok      names: 4 resolve" in output
    assert (
        "unsure  ports: not listening; the job may have ended or not have started: ps-ab12-0"
        in output
    )
    assert code == 0
    world.forget("ps-ab12-0", "worker-ab12-1")
    code, output = world.run(API="")
    assert (
        "unsure  names: do not resolve; the job may have ended or not have started:"
        " ps-ab12-0, worker-" in output
    )
    assert code == 0


def test_an_api_that_refuses_is_not_a_failure_of_the_job(
    world: World, listening: dict[str, Peer]
) -> None:
    """It is tried again, and then reported."""
    world.api.code = 403
    code, output = world.run()
    assert "unsure  jobs: could not be checked: the API cannot be queried" in output
    assert code == 0


@pytest.mark.parametrize("world", KITS[:1], indirect=True)  # whoever has busybox has its tools
def test_an_image_without_tools_says_so(world: World) -> None:
    """Without any tool to ask with, nothing could be checked."""
    (world.folder / "bin/python3").unlink()
    code, output = world.run()
    assert (
        "unsure  names: could not be checked: the image has none of getent nslookup python3"
        in output
    )
    assert code == 0


def test_a_replica_that_cannot_be_scheduled_fails_the_test(
    world: World, listening: dict[str, Peer]
) -> None:
    """A replica without a name would go unnoticed; the usual cause is a device that no node has."""
    roles = [
        line + (",device" if "evaluator" in line else "")
        for line in setting(world.objects, "ROLES").splitlines()
    ]
    asking = {"ROLES": "\n".join(roles), "DEVICES": "nvidia.com/gpu"}
    world.api.waiting = [("evaluator-ab12-0", "Running"), ("other-0", "Pending")]
    code, output = world.run(**asking)
    assert (
        "ok      devices: all replicas that request nvidia.com/gpu have a node\n"
        "ok      pods: none is waiting or failing\n" in output
    )
    assert code == 0
    assert "/api/v1/namespaces/default/pods?" in world.api.asked
    assert "fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed" in world.api.asked
    world.api.waiting = [("evaluator-ab12-0", "Pending"), ("evaluator-ab12-0", "Pending")]
    code, output = world.run(**asking)
    look = "see: kubectl -n default describe pods -l job-name=evaluator-ab12-0\n"
    assert (
        "FAILED  devices: no node for replicas that request nvidia.com/gpu:"
        f" evaluator-ab12-0; {look}" in output
    )
    assert output.endswith("failed: devices\n")
    assert code == 1


def test_a_replica_that_does_not_run_fails_the_test_with_the_reason(
    world: World, listening: dict[str, Peer]
) -> None:
    """A missing image, or a program that keeps failing, before its Job is marked as failed."""
    world.api.waiting = [
        ("evaluator-ab12-0", "ImagePullBackOff"),
        ("worker-ab12-1", "CrashLoopBackOff"),
    ]
    code, output = world.run()
    look = "see: kubectl -n default describe pods -l job-name=evaluator-ab12-0\n"
    assert (
        f"FAILED  pods: not running (ImagePullBackOff): evaluator-ab12-0, worker-ab12-1; {look}"
        in output
    )
    assert output.endswith("failed: pods\n")
    assert code == 1


@pytest.mark.parametrize(
    ("waiting", "warned", "said"),
    [
        (
            [("evaluator-ab12-0", "Pending")],
            (
                "pod/evaluator-ab12-0-x7k2p",
                "FailedScheduling",
                'claim "data" not found. {x: y} [z]',
            ),
            "not running (Pending): evaluator-ab12-0; claim 'data' not found. {x: y} [z]; see",
        ),
        (
            [],
            ("job/evaluator-ab12-0", "FailedCreate", 'pods "x" is forbidden: maximum cpu is 1'),
            "not running (refused): evaluator-ab12-0; pods 'x' is forbidden: maximum cpu is 1; see",
        ),
        (
            [("evaluator-ab12-0", "ImagePullBackOff")],
            ("pod/other-x7k2p", "Failed", "of another job"),
            "not running (ImagePullBackOff): evaluator-ab12-0; see",
        ),
    ],
)
def test_what_waiting_cannot_mend_is_told_at_once_with_the_cause(
    world: World,
    listening: dict[str, Peer],
    waiting: list[tuple[str, str]],
    warned: tuple[str, str, str],
    said: str,
) -> None:
    world.api.waiting, world.api.warned = waiting, [warned]
    began = time.monotonic()
    code, output = world.run(WAIT="60")
    assert (code, time.monotonic() - began < 30) == (1, True)
    assert f"FAILED  pods: {said}" in output


def test_a_full_quota_may_be_freed_and_is_waited_for(
    world: World, listening: dict[str, Peer]
) -> None:
    quota = 'pods "x" is forbidden: exceeded quota: team, requested: cpu=1'
    world.api.warned = [("job/evaluator-ab12-0", "FailedCreate", quota)]
    code, output = world.run()
    assert code == 1
    assert (
        "not running (refused): evaluator-ab12-0; pods 'x' is forbidden: exceeded quota" in output
    )


def test_a_replica_whose_pod_is_about_to_be_made_is_not_refused(
    world: World, listening: dict[str, Peer]
) -> None:
    world.api.warned = [("job/evaluator-ab12-0", "BackoffLimitExceeded", "of before")]
    code, output = world.run()
    assert (code, "ok      pods: none is waiting or failing" in output) == (0, True)


def test_pods_are_not_checked_without_permissions_or_after_the_end(
    world: World, listening: dict[str, Peer]
) -> None:
    """Without permissions that is reported; after the end there is nothing to report."""
    code, output = world.run(API="")
    assert "unsure  pods: could not be checked: the API cannot be queried" in output
    assert code == 0
    world.api.states["chief-ab12-0"] = "Complete"
    assert "pods:" not in world.run()[1]


def test_tensorboard_answers_or_the_test_fails(
    world: World, listening: dict[str, Peer], ports: tuple[int, int]
) -> None:
    """A server that answers with an error does not pass."""
    where = f"tensorboard-ab12 {ports[1]}"
    code, output = world.run(TENSORBOARD=where)
    url = f"http://tensorboard-ab12:{ports[1]}/"
    assert (
        f"FAILED  tensorboard: no answer from {url}; see:"
        " kubectl -n default logs deployment/tensorboard-ab12" in output
    )
    assert code == 1
    for answer, passes in (
        (b"HTTP/1.0 200 OK\r\n\r\nTensorBoard", True),
        (b"HTTP/1.0 500 No\r\n\r\n", False),
    ):
        board = Peer(world.addresses["tensorboard-ab12"], ports[1], answer)
        code, output = world.run(TENSORBOARD=where)
        board.close()
        assert (f"ok      tensorboard: {url} answers" in output) is passes
        assert (code == 0) is passes


@pytest.mark.parametrize("world", KITS[1:], indirect=True)
def test_a_tool_that_does_not_verify_the_server_is_not_used(
    world: World, listening: dict[str, Peer]
) -> None:
    """busybox has a wget, which would send the token to whoever answers."""
    (world.folder / "bin/curl").unlink()
    world.program("wget", "#!/bin/sh\necho used > wget\n")
    code, output = world.run()
    assert "unsure  jobs: could not be checked: the image has none of python3 curl" in output
    assert (code, world.api.asked) == (0, "")


def test_the_token_is_for_the_cluster_and_nobody_else(
    world: World, listening: dict[str, Peer], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A server whose certificate another authority signed never sees a request."""
    other = Api(tmp_path_factory.mktemp("other"))
    shutil.copy(other.certificate, world.folder / "secrets/ca.crt")
    other.server.shutdown()
    other.server.server_close()
    code, output = world.run()
    assert "unsure  jobs: could not be checked: the API cannot be queried" in output
    assert (code, world.api.asked) == (0, "")


def test_the_token_is_in_no_list_of_arguments(world: World, listening: dict[str, Peer]) -> None:
    """Whoever may list the processes of a node may read their arguments."""
    heard = world.folder / "heard"
    world.write("secrets/token", "0f-the-p0d")
    for name in ("python3", "curl"):
        if tool := world.kit.programs.get(name):
            (world.folder / "bin" / name).unlink()
            said = f'echo "$*" >>{heard}\nexec {tool} "$@"'
            world.program(name, f"#!{shutil.which('sh')}\n{said}\n")
    assert "ok      jobs: 5 exist" in world.run()[1]
    assert "labelSelector" in heard.read_text()
    assert "0f-the-p0d" not in heard.read_text()
    assert "Bearer 0f-the-p0d" in world.api.asked


def test_a_job_without_an_end_is_checked_as_long_as_it_runs(
    world: World, listening: dict[str, Peer]
) -> None:
    """Such as a cluster for others to use: it has not ended, so what has failed counts."""
    code, output = world.run(DECIDES="")
    assert "ok      jobs: 5 exist, none has failed" in output
    assert f"ok      names: {len(NAMES)} resolve" in output
    assert code == 0
    world.api.states[NAMES[0]] = "Failed"
    code, output = world.run(DECIDES="")
    assert f"FAILED  jobs: failed or missing: {NAMES[0]}" in output
    assert code == 1


@pytest.mark.parametrize("world", KITS[1:], indirect=True)
def test_very_many_names_are_sampled(world: World) -> None:
    """Ten thousand names would take longer than Helm waits: some of each role are resolved."""
    world.api.states = {f"worker-ab12-{index}": "Running" for index in range(10000)}
    world.addresses = {f"worker-ab12-{index}": "127.0.9.1" for index in range(0, 10000, 100)}
    world.write(
        "config/peers-ab12/hosts", "\n".join(f"worker-ab12-{index} 2222" for index in range(10000))
    )
    roles = "role worker-ab12- 10000 2222 job,service,listed"
    code, output = world.run(ROLES=roles, DECIDES="worker-ab12-0", WAIT="0")
    assert "ok      jobs: 10000 exist" in output
    assert "ok      names: 100 resolve" in output
    assert code == 0


def test_each_kit_has_only_the_tools_it_claims() -> None:
    """The Python kit has no nc, or the tests above would not show that Python alone is enough."""
    assert "nc" not in python_kit().programs
    assert "python3" not in busybox_kit().programs


def test_kubernetes_leaves_the_script_as_it_is() -> None:
    """In args Kubernetes turns two dollar signs into one and expands variables as in $(THIS)."""
    script = resources.text("charts/job/files/test.sh")
    assert "$$" not in script
    names = (
        "NAMESPACE",
        "ROLES",
        "DECIDES",
        "FILES",
        "CONFIG",
        "HOSTS",
        "TENSORBOARD",
        "SELECTOR",
        "DEVICES",
        "API",
    )
    assert not [name for name in names if f"$({name})" in script]
