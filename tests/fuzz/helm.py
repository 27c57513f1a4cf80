"""Charts of accepted inputs through Helm: what chartgen accepts, Helm and Kubernetes take too."""

import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from jsonschema import ValidationError

from chartgen.chart.files import Files
from chartgen.world import helm
from tests.fuzz.inputs import WORDS, Input
from tests.support.kubernetes_schemas import VERSIONS, validate

Accepted = tuple[Input, str, Files]
# How Helm reports what a schema or a template refuses; a broken template is reported otherwise.
SENTENCES = ("meet the specifications of the schema", "Error: execution error at (")
KEYS = (
    "image", "cloud", "runtimeId", "namePrefix", "podSecurity", "rbac", "cleanup", "tests", "roles",
    "env", "env.A", "commonLabels.a", "extraObjects", "roles.worker", "roles.worker.replicas",
    "roles.worker.image", "roles.worker.args", "roles.worker.env.A", "roles.worker.gpu",
    "roles.worker.resources.limits.memory", "roles.worker.volumes", "roles.worker.labels.a",
)  # fmt: skip


def refused_charts(
    accepted: Sequence[Accepted], seed: int, count: int
) -> tuple[int, list[tuple[Input, str]]]:
    """How many charts were rendered, and those that were refused, with the reason."""
    chance = random.Random(seed)
    chosen = chance.sample(accepted, min(count, len(accepted)))
    refused = []
    for given, name, files in chosen:
        with tempfile.TemporaryDirectory() as folder:
            chart = Path(folder, name)
            for path, text in files.items():
                (chart / path).parent.mkdir(parents=True, exist_ok=True)
                (chart / path).write_text(text, "utf-8")
            refused += [(given, why) for why in _judge(chart, chance)]
    return len(chosen), refused


def _judge(chart: Path, chance: random.Random) -> Iterator[str]:
    """Why a chart is refused as it is, or a value at install is refused without a sentence."""
    done = _template(chart)
    if done.returncode:
        yield done.stderr[-600:]
        return
    try:
        for manifest in yaml.safe_load_all(done.stdout):
            if manifest:
                validate(manifest, VERSIONS[-1])
    except ValidationError as error:
        yield f"{error.json_path}: {error.message[:300]}"
    except yaml.constructor.ConstructorError:
        pass  # `<<` as a text, which Go reads and PyYAML does not
    key, word = chance.choice(KEYS), chance.choice((*WORDS, "null", "null"))
    done = _template(chart, "--set", f"{key}={word}".replace("\x00", ""))
    # The last is Helm's own syntax of values.
    known = any(sentence in done.stderr for sentence in (*SENTENCES, "failed parsing --set"))
    if done.returncode and not known:
        yield f"--set {key}={word[:40]!r}: {done.stderr[-500:]}"


def _template(chart: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [helm.find().path, "template", "demo", str(chart), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)
