"""How a job ends, as its chart says it: the clean-up's policy, exit codes, and marks on Jobs."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.charts import Objects, env, named, read_objects, refusal, render, run

JOB = """
name: mnist
framework: tensorflow
image: registry.example.com/mnist:1.4
imagePullPolicy: Always
roles:
  chief: {}
  worker: {replicas: 2}
  ps: {}
"""
DISRUPTED = {
    "action": "Ignore",
    "onPodConditions": [
        {"type": kind, "status": "True"} for kind in ("DisruptionTarget", "TerminationTarget")
    ],
}
HEALTH = "argocd.argoproj.io/ignore-healthcheck"


@pytest.fixture(scope="module")
def chart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return render(JOB, tmp_path_factory.mktemp("charts"))


def cleanup(objects: Objects) -> dict[str, Any]:
    (job,) = named(objects, "Job", "cleanup-")
    pod: dict[str, Any] = job["spec"]["template"]
    return pod


def job(objects: Objects, role: str) -> dict[str, Any]:
    return next(
        job
        for job in named(objects, "Job")
        if job["metadata"]["labels"].get("chartgen/role") == role
    )


def test_the_cleanup_is_on_where_a_role_would_serve_forever(helm: str, tmp_path: Path) -> None:
    """In the job's own image; a job whose replicas all end by themselves has none."""
    objects = read_objects(helm, render(JOB, tmp_path))
    pod = cleanup(objects)
    assert (env(pod)["POLICY"], env(pod)["SERVES"]) == ("suspend", "ps")
    container = pod["spec"]["containers"][0]
    assert container["image"] == "registry.example.com/mnist:1.4"
    assert container["imagePullPolicy"] == "Always"
    alone = JOB.replace("  ps: {}\n", "").replace("name: mnist", "name: alone")
    assert named(read_objects(helm, render(alone, tmp_path)), "Job", "cleanup-") == []


@pytest.mark.parametrize(
    ("setting", "policy"),
    [
        ("cleanup=delete", "delete"),
        ("cleanup.policy=delete", "delete"),
        ("cleanup=none", ""),
        ("cleanup.policy=none", ""),
        ("cleanup.enabled=false", ""),
        ("cleanup.enabled=true", "suspend"),
        ("cleanup.enabled=true,cleanup.policy=delete", "delete"),
        ("cleanup.enabled=true,cleanup.policy=none", "suspend"),
    ],
)
def test_the_policy_at_install(setting: str, policy: str, helm: str, chart: Path) -> None:
    """A bare word is the policy, and what earlier charts had goes on working."""
    objects = read_objects(helm, chart, "--set", setting)
    assert [
        env(job["spec"]["template"])["POLICY"] for job in named(objects, "Job", "cleanup-")
    ] == ([policy] if policy else [])
    verbs = [rule["verbs"] for role in named(objects, "Role", "cleanup-") for rule in role["rules"]]
    needed = {"suspend": [["list"], ["patch"]], "delete": [["list"], ["delete"]], "": []}
    assert verbs == needed[policy]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_cleanup_may_change_the_jobs_of_its_release_and_no_others(
    count: int, helm: str, chart: Path
) -> None:
    """Listing cannot be limited by names; all else is, also where a role has no replicas."""
    setting = f"namePrefix=e3-,roles.worker.replicas={count}"
    objects = read_objects(helm, chart, "--set", setting)
    (role,) = named(objects, "Role", "e3-cleanup-")
    _, changes = role["rules"]
    (id_label,) = {manifest["metadata"]["labels"]["chartgen/runtime-id"] for manifest in objects}
    every = {job["metadata"]["name"] for job in named(objects, "Job")}
    assert {*changes["resourceNames"]} == {
        name for name in every if not name.startswith("e3-cleanup-")
    }
    assert f"e3-worker-{id_label}-{count}" not in changes["resourceNames"]


@pytest.mark.parametrize("said", ["none", "{policy: none}", "{enabled: false}"])
def test_the_policy_in_a_description(said: str, helm3: str, tmp_path: Path) -> None:
    objects = read_objects(helm3, render(f"{JOB}cleanup: {said}\n", tmp_path))
    assert named(objects, "Job", "cleanup-") == []


def test_an_image_of_ones_own_for_the_cleanup(helm3: str, chart: Path) -> None:
    objects = read_objects(helm3, chart, "--set", "cleanup.image=python:3.13-alpine")
    container = cleanup(objects)["spec"]["containers"][0]
    assert (container["image"], "imagePullPolicy" in container) == ("python:3.13-alpine", False)


def test_jobs_are_marked_by_their_part_in_the_end(helm3: str, chart: Path) -> None:
    """Argo CD waits for those that decide and for workers, and not for servers."""
    objects = read_objects(helm3, chart)
    marks = {
        role: job(objects, role)["metadata"].get("annotations")
        for role in ("chief", "worker", "ps")
    }
    assert marks == {"chief": {"chartgen/decides": "first"}, "worker": None, "ps": {HEALTH: "true"}}
    own = read_objects(
        helm3, chart, "--set-string", f"job.annotations.{HEALTH.replace('.', chr(92) + '.')}=false"
    )
    assert job(own, "ps")["metadata"]["annotations"] == {HEALTH: "false"}


@pytest.mark.parametrize(
    ("codes", "rule"),
    [
        ("none", None),
        ("tfjob", ("In", [*range(1, 128)])),
        ("tf-operator", ("NotIn", [130, 137, 138, 143])),
        ("{permanent: [126, 2, 2, 1]}", ("In", [1, 2, 126])),
        ("{retryable: [137]}", ("NotIn", [137])),
    ],
)
def test_exit_codes(codes: str, rule: Any, helm3: str, tmp_path: Path) -> None:
    """Kubernetes wants the codes in order; side-cars do not count; drained pods never do."""
    text = f"{JOB}restartPolicy: Never\nexitCodes: {codes}\n"
    objects = read_objects(helm3, render(text, tmp_path))
    expected: list[dict[str, Any]] = [DISRUPTED]
    if rule:
        code = {"containerName": "tensorflow", "operator": rule[0], "values": rule[1]}
        expected.append({"action": "FailJob", "onExitCodes": code})
    for role in ("chief", "worker", "ps"):
        assert job(objects, role)["spec"]["podFailurePolicy"] == {"rules": expected}


def test_exit_codes_per_role_and_the_policy_of_later_operators(helm3: str, tmp_path: Path) -> None:
    text = JOB.replace("chief: {}", "chief: {restartPolicy: ExitCode, backoffLimit: 3}")
    objects = read_objects(helm3, render(text, tmp_path))
    chief = job(objects, "chief")["spec"]
    assert chief["template"]["spec"]["restartPolicy"] == "Never"
    assert (chief["backoffLimit"], chief["podFailurePolicy"]["rules"][1]["action"]) == (
        3,
        "FailJob",
    )
    assert "podFailurePolicy" not in job(objects, "worker")["spec"]


def test_exit_codes_need_new_pods(helm3: str, chart: Path) -> None:
    refused = run(helm3, "template", "demo", chart, "--set", "exitCodes=tfjob")
    assert "roles.chief: exitCodes needs restartPolicy: Never" in refused.stderr
    never = "exitCodes=tfjob,restartPolicy=Never"
    assert read_objects(helm3, chart, "--set", never)
    early = "job.podReplacementPolicy=TerminatingOrFailed"
    assert "can only be Failed" in refusal(helm3, chart, "--set", f"{never},{early}")
    assert read_objects(helm3, chart, "--set", early)


def test_a_policy_that_cannot_be_added_in_place_makes_new_jobs(helm3: str, chart: Path) -> None:
    """The policy is immutable: with other codes Kubernetes would refuse the Jobs of before."""
    never = "restartPolicy=Never,exitCodes="
    names = set()
    for codes in ("none", "tfjob", "tf-operator"):
        names.add(
            job(read_objects(helm3, chart, "--set", never + codes), "chief")["metadata"]["name"]
        )
    assert len(names) == 3


def test_ones_own_policy_wins(helm3: str, tmp_path: Path) -> None:
    rules = "[{action: Count, onPodConditions: [{type: DisruptionTarget}]}]"
    own = f"{{restartPolicy: Never, job: {{podFailurePolicy: {{rules: {rules}}}}}}}"
    objects = read_objects(helm3, render(JOB.replace("chief: {}", f"chief: {own}"), tmp_path))
    (rule,) = job(objects, "chief")["spec"]["podFailurePolicy"]["rules"]
    assert rule["action"] == "Count"


def test_the_fields_of_jobs_are_values(helm3: str, chart: Path) -> None:
    settings = "backoffLimit=3,activeDeadlineSeconds=60,ttlSecondsAfterFinished=10,suspend=true"
    spec = job(read_objects(helm3, chart, "--set", settings), "ps")["spec"]
    del spec["template"]
    assert spec == {
        "backoffLimit": 3,
        "activeDeadlineSeconds": 60,
        "ttlSecondsAfterFinished": 10,
        "suspend": True,
    }


def test_notes_name_commands_that_end(helm4: str, chart: Path) -> None:
    done = run(
        helm4, "install", "demo", chart, "--dry-run=client", "--set", "cleanup.policy=delete"
    )
    notes = done.stdout.partition("NOTES:\n")[2]
    assert "chartgen status demo -n default --wait\n" in notes
    assert "timeout=-1s" not in notes
    assert "released (cleanup.policy is delete)" in notes
    assert "Argo CD and Flux would bring deleted Jobs back." in notes
    assert "  chartgen stop demo -n default\n  chartgen start demo -n default\n" in notes


def test_the_readme_says_what_to_do_without_the_right_to_create_roles(chart: Path) -> None:
    """Who lacks it never sees the notes, because the install fails."""
    readme = " ".join((chart / "README.md").read_text("utf-8").split())
    assert "creates a Role; if you may not install one, set `cleanup=none`, or `rbac." in readme
