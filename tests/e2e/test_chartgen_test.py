"""`chartgen test --cluster` tests a chart on a real cluster, says why it fails, leaves nothing."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from tests.e2e.frameworks import FIRST
from tests.e2e.jobs import Framework, probes
from tests.e2e.releases import LOCAL, Namespace, Values, merged
from tests.e2e.test_end import FAILS
from tests.e2e.waiting import until

ROOT = Path(__file__).parent.parent.parent


class Done(NamedTuple):
    """How it ended, and the stages of its report by name."""

    code: int
    stages: dict[str, Any]

    def results(self) -> dict[str, str]:
        return {name: stage["result"] for name, stage in self.stages.items()}


class Run:
    """A run of `chartgen test` in the cluster's network, started as by a person."""

    def __init__(
        self, namespace: Namespace, helm: str, chart: Path, values: Values, *options: str
    ) -> None:
        file = namespace.folder / "values.json"
        file.write_text(json.dumps(merged(LOCAL, values)))
        words = (
            "test",
            str(chart),
            "--cluster",
            "--output=json",
            f"--namespace={namespace.name}",
            f"--values={file}",
        )
        self.process = subprocess.Popen(
            [
                *("nsenter", f"--net={namespace.cluster.namespace}"),
                *(
                    sys.executable,
                    "-m",
                    "chartgen",
                    *words,
                    f"--helm={helm}",
                    "--timeout=3m",
                    *options,
                ),
            ],
            env={**os.environ, **namespace.cluster.env, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def done(self) -> Done:
        out, err = self.process.communicate(timeout=600)
        assert "Traceback" not in err
        (chart,) = json.loads(out)["charts"]
        return Done(self.process.returncode, {stage["name"]: stage for stage in chart["stages"]})


@FIRST
def test_a_healthy_job_passes_every_stage_and_leaves_nothing(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    done = Run(namespace, helm, chart, probes(framework)).done()
    assert {*done.results().values()} == {"passed"}, done.stages
    assert done.code == 0
    # The replicas, and the Job that cleans up.
    assert done.stages["wait"]["about"] == f"{sum(framework.roles.values()) + 1} healthy"
    assert "ok      jobs: " in done.stages["test"]["log"]
    assert namespace.everything() == set()


@FIRST
def test_a_description_is_rendered_installed_and_removed(
    helm3: str, framework: Framework, namespace: Namespace
) -> None:
    """From a job file; with --keep, the release is there afterwards, as the report names it."""
    done = Run(namespace, helm3, framework.job, probes(framework), "--keep").done()
    assert (done.code, done.results()["uninstall"]) == (0, "skipped"), done.stages
    release = namespace.release(helm3, done.stages["install"]["about"].partition(" ")[0])
    assert len(release.running(sum(framework.roles.values()))) == sum(framework.roles.values())
    release.uninstall()


@FIRST
def test_a_job_that_fails_is_reported_with_its_log_and_removed(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    values = merged(probes(framework), {"roles": {framework.grows: FAILS}})
    done = Run(namespace, helm, chart, values).done()
    assert done.code == 1
    assert done.results()["wait"] == "failed"
    assert done.results()["uninstall"] == "passed", done.stages["uninstall"]
    wait = done.stages["wait"]
    assert "BackoffLimitExceeded" in wait["problems"][0]["message"]
    assert "no data" in wait["log"]
    assert namespace.everything() == set()


@FIRST
def test_a_missing_image_is_named(
    helm3: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    done = Run(namespace, helm3, chart, probes(framework, "local/nobody:1"), "--timeout=30s").done()
    assert (done.code, done.results()["wait"]) == (1, "failed"), done.stages
    assert "local/nobody:1" in done.stages["wait"]["log"]
    assert namespace.everything() == set()


@FIRST
def test_an_interrupt_removes_what_was_installed(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """Ctrl-C while the pods start: nothing is left when chartgen has ended."""
    run = Run(namespace, helm, chart, probes(framework, "local/nobody:1"))
    until(lambda: namespace.objects("pods"), "the first pod")
    run.process.send_signal(signal.SIGINT)
    done = run.done()
    assert (done.code, done.results()["uninstall"]) == (130, "passed"), done.stages
    assert namespace.everything() == set()


@FIRST
def test_what_a_killed_run_left_is_found_and_removed(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    """By the labels of Helm's own record, whichever Helm wrote it; the next test then passes."""
    run = Run(namespace, helm, chart, probes(framework, "local/nobody:1"))
    until(lambda: namespace.objects("pods"), "the first pod")
    run.process.kill()
    run.process.communicate(timeout=60)
    assert namespace.everything() != set()
    words = [sys.executable, "-m", "chartgen", "test", "--clean-up", f"--helm={helm}"]
    done = subprocess.run(
        [
            *("nsenter", f"--net={namespace.cluster.namespace}"),
            *(*words, f"--namespace={namespace.name}", "--timeout=3m"),
        ],
        env={**os.environ, **namespace.cluster.env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"removed \S+-test-[0-9a-f]{6}, which a killed run had left\n", done.stdout)
    until(lambda: namespace.everything() == set(), "everything to be gone")


@FIRST
def test_a_missing_namespace_is_not_judged(
    helm: str, framework: Framework, chart: Path, namespace: Namespace
) -> None:
    nowhere = namespace._replace(name=f"{namespace.name}-not")
    done = Run(nowhere, helm, chart, probes(framework)).done()
    assert (done.code, done.results()["install"]) == (3, "not judged"), done.stages
