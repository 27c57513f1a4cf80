"""Golden charts: what chartgen writes, reviewed by a person once and compared since."""

import ast
import re
import textwrap
from collections.abc import Set

import pytest
import yaml

from chartgen import pipeline, resources
from chartgen.chart import skeleton
from tests.support.golden import compare, refer_to_scripts, script_digests, shipped_scripts
from tests.support.paths import CORPUS, ROOT

GOLDEN = CORPUS / "golden"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
ELSEWHERE = (
    "values.schema.json",
    "files/clouds.yaml",
    "files/clouds.txt",
    ".gitattributes",
)  # what is alike in all cases and looked at once
# Programs that help: their text is in no hash that names a replica's Job.
HELPERS = {f"files/{name}.py" for name in ("any", "api", "cleanup", "keys", "strays")}
MARK = re.compile(r"/\* (only|without|end) (\w+) \*/")  # of what only some jobs need
# A named template where it is defined or used, as in `include "chartgen.names"`.
TEMPLATE_NAME = re.compile(
    r'(?P<use>\b(?:define|include|template"?) (?:\(printf )?")(?P<prefix>[^".]+)\.'
)


def chart_files(case: str) -> dict[str, str]:
    """The chart of a case; a case's job.yaml is named as its own directory sees it."""
    (document,) = pipeline.read((GOLDEN / case / "job.yaml").read_bytes(), "job.yaml")
    return pipeline.render(pipeline.check(document))


def is_part(lines: list[str], whole: list[str]) -> bool:
    """Whether a text has these lines, in their order."""
    rest = iter(whole)
    return all(line in rest for line in lines)


def lines_of(source: list[str], having: Set[str] | None) -> list[str]:
    """The lines of a template for jobs with these features; with None, those of every job."""
    lines: list[str] = []
    around: list[bool] = []
    for line in source:
        mark = MARK.search(line)
        if not mark:
            lines += [line] if all(around) else []
        elif mark[1] == "end":
            around.pop()
        else:
            present = mark[2] in (having or ())
            around.append(having is not None and present == (mark[1] == "only"))
    return lines


def fixed(path: str) -> bool:
    """Whether a file is part of the skeleton, the same in every chart except for its names."""
    return path in resources.names("charts/job") and path != "README.md"


@pytest.mark.parametrize("case", CASES)
def test_golden_chart(case: str, bless: bool) -> None:
    """A chart's own files are what the golden case holds, and no file is missing or new."""
    files = chart_files(case)
    compare(GOLDEN / case / "files.txt", "".join(f"{path}\n" for path in files), bless)
    for path, text in files.items():
        if not fixed(path) and path not in ELSEWHERE:
            compare(GOLDEN / case / path, text, bless)


@pytest.mark.parametrize("case", CASES)
def test_golden_skeleton(case: str) -> None:
    """Templates have the chart's name in front, and all of the skeleton but parts of some jobs."""
    files = chart_files(case)
    name = yaml.safe_load(files["Chart.yaml"])["name"]
    paths = [path for path in files if fixed(path)]
    assert "templates/jobs.yaml" in paths
    for path in paths:
        prefixes = {match["prefix"] for match in TEMPLATE_NAME.finditer(files[path])}
        assert prefixes <= {name}
        lines = TEMPLATE_NAME.sub(r"\g<use>", files[path]).split("\n")
        ours = TEMPLATE_NAME.sub(r"\g<use>", skeleton.shipped(path)).split("\n")
        assert not [line for line in lines if MARK.search(line)], path
        assert is_part(lines, ours), path
        assert is_part(lines_of(ours, None), lines), path


@pytest.mark.parametrize(
    "path", [path for path in skeleton.paths() if MARK.search(skeleton.shipped(path))]
)
def test_a_template_has_the_blocks_of_its_features(path: str) -> None:
    """A block is there if its feature is, or is not, as its mark says, and all blocks around it."""
    source = skeleton.shipped(path)
    every = {mark[2] for mark in MARK.finditer(source)}
    for name in every:
        for having in (frozenset({name}), frozenset(every - {name})):
            made = skeleton.template(path, having)
            assert made.split("\n") == lines_of(source.split("\n"), having)


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ("mnist", "peers"),
        ("gemma", "all clouds many meets numbered options peers totals"),
        ("resnet", "all clouds lists many meets numbered options peers ranks replicaTotal totals"),
    ],
)
def test_a_chart_has_the_features_that_its_job_needs(example: str, expected: str) -> None:
    """A job such as mnist has hardly any of the blocks that only some jobs need."""
    text = (ROOT / f"values/jobs/{example}.yaml").read_bytes()
    (document,) = pipeline.read(text, "job.yaml")
    checked = pipeline.check(document)
    file = pipeline.render(checked)[f"templates/_{checked.job.framework}.tpl"]
    features = skeleton.features(
        checked.job,
        checked.plan,
        TEMPLATE_NAME.sub(r"\g<use>chartgen.", file),
        clouds=checked.pods.needs_clouds,
    )
    assert features == {*expected.split()}


def test_helpers_say_what_they_do_and_the_rest_is_said_once() -> None:
    """Charts have the first sentence of each comment, and all code, as charts/job has it."""
    comment = re.compile(r"\{\{/\*.*?\*/\}\}", re.S)
    for path in skeleton.paths():
        source, shipped = resources.text(f"charts/job/{path}"), skeleton.shipped(path)
        if path.startswith("templates/lib/"):
            assert comment.sub("", shipped) == comment.sub("", source), path
            for full, short in zip(comment.findall(source), comment.findall(shipped), strict=True):
                start = short.removesuffix("*/}}").rstrip()
                assert " ".join(full.split()).startswith(" ".join(start.split())), path
                assert max(map(len, short.split("\n"))) <= 100, path
        elif path == "files/test.sh":
            first, *lines = source.split("\n")
            code = [line for line in lines if not line.startswith("#")]
            assert shipped.split("\n") == [first, *code]
        elif path in HELPERS:
            whole, short = ast.parse(source), ast.parse(shipped)
            assert ast.get_docstring(short) == (ast.get_docstring(whole) or "").partition("\n")[0]
            assert [*map(ast.dump, short.body[1:])] == [*map(ast.dump, whole.body[1:])]
        else:
            assert shipped == source, "which may be part of the hash that names Jobs"


def test_golden_scripts(bless: bool) -> None:
    """Manifests only refer to scripts; their texts are compared once, by their digests."""
    compare(GOLDEN / "scripts.sha256", script_digests(), bless)


@pytest.mark.parametrize("blank", ["", "    ", "        "])
def test_a_manifest_refers_to_a_script_only_if_it_has_the_whole_text(blank: str) -> None:
    """A changed character, a missing line and an added line all show."""
    script = "".join(
        f"        {line}\n" if line else f"{blank}\n"
        for line in shipped_scripts()["files/test.sh"].splitlines()
    )
    before, after = "spec:\n  args:\n    - |\n", "    image: busybox\n"
    reference = before.replace("|", "<files/test.sh>") + after
    assert refer_to_scripts(before + script + after) == reference
    for changed in (script.replace("set -u", "set -e"), script.rpartition("        ")[0]):
        assert refer_to_scripts(before + changed + after) == before + changed + after
    added = "        exit 0\n"
    assert added in refer_to_scripts(before + script + added + after)


def test_a_manifest_refers_to_scripts_that_share_a_text() -> None:
    """One stands after a line of the chart, others after api.py, which they then do not import."""
    scripts = shipped_scripts()
    keys = scripts["files/keys.py"].replace("from api import ask, say\n", "")
    for parts, reference in (
        (("HOSTS=a\n", scripts["files/wait.sh"]), "    HOSTS=a\n    <files/wait.sh>\n"),
        ((scripts["files/api.py"], "\n\n", keys), "\n\n    <files/keys.py>\n"),
    ):
        text = "- |\n" + textwrap.indent("".join(parts), "    ")
        assert refer_to_scripts(text).endswith(reference)
        assert "import" not in refer_to_scripts(text)
        changed = text.replace("exit 1", "exit 2").replace("KIND", "SORT")
        assert refer_to_scripts(changed).count("\n") > 50


def test_golden_values_schema(bless: bool) -> None:
    """One schema in full is enough: others differ only in roles, which other tests check."""
    compare(
        GOLDEN / "parameter-servers" / "values.schema.json",
        chart_files("parameter-servers")["values.schema.json"],
        bless,
    )
