"""Kits through the real Helm: the shipped one on every example, and texts that want to run."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from chartgen.chart.metadata import LIBRARY
from chartgen.manual import examples, guides
from chartgen.syntax.yaml.writer import scalar
from tests.support.charts import named, read_objects, run
from tests.support.command_line import Typist
from tests.support.kits import CONFIG_MAP, JOB, KIT, QUEUE, write
from tests.support.paths import ROOT

pytestmark = pytest.mark.usefixtures("resident_helm")

# Ten thousand replicas take minutes, and a kit's objects are not made for each replica.
FEW = {"large": ("--set", "roles.worker.replicas=20,roles.ps.replicas=2")}
HOSTILE = (
    '{{ fail "ran" }}',
    '"}} {{ fail "ran" }} {{ "',
    "<%= 1 / 0 %>",
    "a: b\n---\nkind: Secret",
    "`{{ .Values }}`",
    "{{- /* ",
    "%s%!d(x)",
    "' | tpl $ | '",
)


def with_kit(typed: Typist, name: str, layout: str) -> Path:
    """The chart of an example with the shipped kit."""
    job = str(ROOT / f"values/jobs/{name}.yaml")
    done = typed("render", job, "-o", layout, "--layout", layout, "--kit", "baseline")
    assert done.code == 0, done.err
    (chart,) = (path for path in (typed.folder / layout).iterdir() if path.name != LIBRARY)
    return chart


def identity(manifest: dict[str, Any]) -> tuple[str, str]:
    return manifest["kind"], manifest["metadata"]["name"]


@pytest.mark.parametrize("name", examples.names())
def test_the_shipped_kit_on_every_example(typed: Typist, helm3: str, name: str) -> None:
    """All stages pass; with the thin layout the objects are the same."""
    few = FEW.get(name, ())
    full, thin = with_kit(typed, name, "full"), with_kit(typed, name, "thin")
    done = typed("test", str(full), "--helm", helm3, *few)
    assert done.code == 0, done.out + done.err
    shutil.copytree(thin.parent / LIBRARY, thin / "charts" / LIBRARY)
    same = (sorted(read_objects(helm3, chart, *few), key=identity) for chart in (full, thin))
    assert next(same) == next(same)


@pytest.mark.parametrize("name", ["gpu", "mnist"])
def test_a_thin_chart_with_the_shipped_kit_passes(typed: Typist, helm3: str, name: str) -> None:
    done = typed("test", str(with_kit(typed, name, "thin")), "--helm", helm3)
    assert done.code == 0, done.out + done.err


@pytest.mark.parametrize("layout", ["full", "thin"])
def test_a_kit_follows_its_values_at_install(typed: Typist, helm: str, layout: str) -> None:
    typed.job()
    words = ("render", "mnist.yaml", "-o", "charts", "--layout", layout, "--kit", "baseline")
    assert typed(*words).code == 0
    chart = typed.folder / "charts/mnist"
    if layout == "thin":
        assert run(helm, "dependency", "build", chart).returncode == 0
    sets = ("baseline.team=vision", "baseline.isolate=false", "roles.worker.replicas=7")
    objects = read_objects(
        helm, chart, "--set", ",".join((*sets, "image.tag=2", "image.repository=i"))
    )
    (owner,) = named(objects, "ConfigMap", "demo-owner")
    assert owner["data"]["team"] == "vision"
    assert owner["data"]["image"] == "i:2"
    assert owner["data"]["worker"] == "7 replicas"
    assert owner["metadata"]["labels"]["app.kubernetes.io/part-of"] == "training"
    assert named(objects, "NetworkPolicy") == []
    (policy,) = named(read_objects(helm, chart), "NetworkPolicy")
    labels = policy["spec"]["podSelector"]["matchLabels"]
    for job in named(read_objects(helm, chart), "Job"):
        assert labels.items() <= job["spec"]["template"]["metadata"]["labels"].items()
    for value in ("baseline.team=A_B", "baseline=null", "baseline.teem=x"):
        assert "baseline" in run(helm, "template", "x", chart, "--set", value).stderr


@pytest.mark.parametrize("layout", ["full", "thin"])
def test_no_text_runs_in_a_chart(typed: Typist, helm: str, tmp_path: Path, layout: str) -> None:
    """Whatever a job or a kit's value holds, at rendering or at install, comes out as it is."""
    queues = "".join(
        f"  q{index}: {{type: string, description: A text., default: {scalar(text)}}}\n"
        for index, text in enumerate(HOSTILE)
    )
    lines = "".join(
        f"  q{index}: <%= values.platform.q{index} %>\n"
        f"  t{index}: <%= text('a', values.platform.q{index}) %>\n"
        f"  e{index}: <%= values.env.E{index} %>\n"
        for index, _ in enumerate(HOSTILE)
    )
    notes = "".join(f"<%= values.platform.q{index} %>\n" for index, _ in enumerate(HOSTILE))
    files = {"templates/facts.yaml.j2": CONFIG_MAP + lines, "notes.txt.j2": notes}
    write(tmp_path / "platform", {"kit.yaml": KIT + "values:\n" + queues, **files})
    env = "".join(f"  E{index}: {scalar(text)}\n" for index, text in enumerate(HOSTILE))
    typed.job("mnist", f"{JOB}env:\n{env}")
    kit = str(tmp_path / "platform")
    done = typed("render", "mnist.yaml", "-o", "charts", "--layout", layout, "--kit", kit)
    assert done.code == 0, done.err
    chart = typed.folder / "charts/mnist"
    if layout == "thin":
        assert run(helm, "dependency", "build", chart).returncode == 0
    again = {f"q{index}": f"again {text}" for index, text in enumerate(HOSTILE)}
    values = tmp_path / "values.yaml"
    values.write_text(yaml.safe_dump({"platform": again}))
    at_install: dict[str, list[str]] = {"": [], "again ": ["-f", str(values)]}
    for prefix, given in at_install.items():
        (facts,) = named(read_objects(helm, chart, *given), "ConfigMap", "demo-facts")
        for index, text in enumerate(HOSTILE):
            assert facts["data"][f"q{index}"] == prefix + text
            assert facts["data"][f"t{index}"] == f"a{prefix}{text}"
            assert facts["data"][f"e{index}"] == text


def test_an_image_of_a_kit_comes_from_the_registry_of_all_images(
    typed: Typist, helm: str, tmp_path: Path
) -> None:
    value = "  agent: {type: image, description: The agent., default: 'agent:1'}\n"
    text = CONFIG_MAP + "  agent: <%= values.platform.agent %>\n"
    files = {"kit.yaml": KIT + QUEUE + value, "templates/facts.yaml.j2": text}
    kit = write(tmp_path / "platform", files)
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "charts", "--kit", str(kit)).code == 0
    chart = typed.folder / "charts/mnist"
    objects = read_objects(helm, chart, "--set", "global.imageRegistry=mirror.example.com")
    (facts,) = named(objects, "ConfigMap", "demo-facts")
    assert facts["data"]["agent"] == "mirror.example.com/agent:1"
    objects = read_objects(helm, chart, "--set-json", 'platform.agent={"repository":"o","tag":"2"}')
    assert named(objects, "ConfigMap", "demo-facts")[0]["data"]["agent"] == "o:2"


def test_the_commands_of_the_manual_work(
    typed: Typist, helm3: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHARTGEN_HELM", helm3)
    example = "".join(f"{line}\n" for line in examples.page("mnist"))
    typed.job(text=example, file="mnist.yaml")
    sweep = JOB.replace("train.py", "train.py, --lr, '<%= lr %>', '<%= batch | default(8) %>'")
    typed.job(text=sweep.replace("mnist", "sweep"), file="sweep.yaml.j2")
    write(typed.folder / "platform", {"kit.yaml": KIT + QUEUE})
    shown = re.findall(r"^  chartgen (.*)$", "\n".join(guides.page("kits")), re.MULTILINE)
    assert len(shown) == 8
    for command in shown:
        done = typed(*re.split(r" {2,}", command)[0].split())
        assert done.code == 0, f"{command}\n{done.out}{done.err}"
    assert {path.name for path in (typed.folder / "charts").iterdir()} == {
        *("mnist", "sweep", "sweep-lr-0-1-batch-32", "sweep-lr-0-1-batch-64"),
        *("sweep-lr-0-01-batch-32", "sweep-lr-0-01-batch-64"),
    }
