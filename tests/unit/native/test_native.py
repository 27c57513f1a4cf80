"""Native formats: recognised by what they are, checked by schemas of their own, read as an operator in Go read them."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml as yaml_library
from jsonschema import Draft7Validator

from chartgen import frameworks, native, pipeline, resources
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.native.draft import Draft, rules
from chartgen.native.operators.go_spelling import as_go_reads
from chartgen.syntax import yaml_reader as yaml
from tests.support.charts import render, template
from tests.support.command_line import environment

CASES = Path(__file__).parents[2] / "corpus/native"
SCHEMAS = sorted({form.schema or name for name, form in native.FORMATS.items()})
TFJOB = (CASES / "tfjob/t02-defaults/tfjob.yaml").read_bytes()
JOB = b"{name: mnist, framework: tensorflow, image: 'a:1', roles: {worker: {}}}"


def forms(text: bytes, form: str = "") -> list[str]:
    return [document.form for document in pipeline.read(text, "job.yaml", form)]


def refusals(text: bytes, form: str = "") -> list[str]:
    """All problems of all documents of a text."""
    try:
        documents = pipeline.read(text, "job.yaml", form)
    except InputError as error:
        return _told(error)
    return [told for document in documents for told in _refusals(document)]


def _refusals(document: Document) -> list[str]:
    try:
        pipeline.check(document)
    except InputError as error:
        return _told(error)
    return []


def _told(error: InputError) -> list[str]:
    return [f"{problem.mark}: {problem.message} ({problem.rule})" for problem in error.problems]


@pytest.mark.parametrize("name", native.FORMATS)
def test_every_format_is_whole(name: str) -> None:
    """A format is a line in a table, a module, a schema, and cases that show what it becomes."""
    form = native.FORMATS[name]
    assert form.framework in frameworks.MODULES
    assert form.kind or form.text, "how is it recognised?"
    assert f"native/{form.schema or name}.schema.json" in resources.names("schemas")
    assert list((CASES / name).iterdir())


@pytest.mark.parametrize("name", native.FORMATS)
def test_a_format_is_recognised_whatever_an_editor_does_to_a_file(name: str) -> None:
    """A byte order mark before it and other ends of lines change nothing of what is read."""
    case = next(one for folder in sorted((CASES / name).iterdir()) for one in folder.glob(f"{name}.*"))
    plain = re.sub(rb"\A(#.*\n)*", b"", case.read_bytes())  # so that the mark stands before a word
    edited = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")
    before, after = (pipeline.read(text, case.name) for text in (plain, edited))
    assert [one.form for one in after] == [one.form for one in before] == [name] * len(before)
    assert [one.data for one in after] == [one.data for one in before]


def test_every_schema_and_every_case_belongs_to_a_format() -> None:
    schemas = [name for name in resources.names("schemas") if name.startswith("native/")]
    assert schemas == [f"native/{name}.schema.json" for name in SCHEMAS]
    assert sorted(path.name for path in CASES.iterdir()) == sorted(native.FORMATS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_good_and_in_one_piece(name: str) -> None:
    """What it borrows from the job description's schema is put into it, and no name stands for two things."""
    whole = rules(name)
    Draft7Validator.check_schema(whole)
    own = resources.data(f"schemas/native/{name}.schema.json")["definitions"]
    borrowed = whole["definitions"].keys() - own.keys()
    assert borrowed <= resources.data("schemas/job.schema.json")["definitions"].keys()
    for reference in _references(whole):
        assert reference.removeprefix("#/definitions/") in whole["definitions"]
    for name_of_own in own.keys() & resources.data("schemas/job.schema.json")["definitions"].keys():
        assert f"job.schema.json#/definitions/{name_of_own}" not in resources.text(f"schemas/native/{name}.schema.json")


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [reference for value in node.values() for reference in _references(value)]
    return [reference for item in node for reference in _references(item)] if isinstance(node, list) else []


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_of_a_schema_says_what_it_is(name: str) -> None:
    """But for what the cluster wrote, which nobody needs to know."""
    own = resources.data(f"schemas/native/{name}.schema.json")
    for definition in (own, *own["definitions"].values()):
        assert definition["description"].endswith(".")
        for field, place in definition.get("properties", {}).items():
            assert place == {} or "$ref" in place or place["description"].endswith("."), field


def test_a_job_description_is_none_of_them() -> None:
    assert forms(JOB) == [""]


def test_a_tfjob_is_known_by_its_kind() -> None:
    assert forms(TFJOB) == ["tfjob"]


def test_a_stream_may_hold_both() -> None:
    assert forms(JOB + b"\n---\n" + TFJOB + b"---\n" + JOB) == ["", "tfjob", ""]


def test_the_objects_of_a_list_are_jobs_of_their_own() -> None:
    """As `kubectl get tfjobs -o yaml` prints them; problems are found where they stand in the list."""
    text = b"kind: List\nitems:\n- kind: TfJob\n  spec: {RuntimeId: 1e3}\n- kind: TfJob\n  spec: []\n"
    assert forms(text) == ["tfjob", "tfjob"]
    assert [problem.partition(": ")[0] + problem.rpartition(" ")[2] for problem in refusals(text)] == [
        "job.yaml:3:3(required)",
        "job.yaml:4:3(required)",
        "job.yaml:4:21(quote)",
        "job.yaml:5:3(required)",
        "job.yaml:6:9(type)",
    ]


def test_from_settles_doubt() -> None:
    """A TfJob without apiVersion and kind is one if somebody says so."""
    bare = b"metadata: {name: mnist}\nspec: {replicaSpecs: [{tfReplicaType: PS}]}\n"
    assert refusals(bare)[0].startswith("job.yaml:1:1: missing 'framework'")
    assert forms(bare, "tfjob") == ["tfjob"]
    assert refusals(bare, "tfjob") == [
        "job.yaml:2:8: there is no MASTER, whose end is the end of the job (no-chief)",
    ]


@pytest.mark.parametrize("text", [b"[]", b"{}", b"image: a:1", b"a job"])
def test_from_is_believed(text: bytes) -> None:
    """What is no TfJob at all is judged as one, in whatever shape it is."""
    assert refusals(text, "tfjob")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"kind: Deployment\napiVersion: apps/v1", "an object of the kind 'Deployment'"),
        (b"apiVersion: v1", "an object of 'v1' without a kind"),
        (b"python train.py", "this text"),
        (b"17", "this text"),
    ],
)
def test_what_nothing_fits_is_answered_with_what_is_read(text: bytes, what: str) -> None:
    (problem,) = refusals(text)
    assert problem.startswith(f"job.yaml:1:1: {what} is no job that chartgen reads; expected a job description (")
    for form in native.FORMATS.values():
        assert form.about in problem


def test_a_list_is_taken_for_a_job_description_with_too_many_dashes() -> None:
    assert refusals(b"- name: mnist") == [
        "job.yaml:1:1: expected a mapping with name, framework and roles, got a list (type)",
    ]


def test_what_is_no_object_is_known_by_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Command lines and the like have a pattern; it is looked for only where there is no job description."""
    line = native.Format("tensorflow", "a command line", text=r"^submit ")
    monkeypatch.setitem(native.FORMATS, "line", line)
    assert forms(b"submit --workers 3") == ["line"]
    with pytest.raises(InputError, match="a ':' cannot stand here"):  # says the reader that the format names
        forms(b"submit a: b: c")
    assert forms(TFJOB + b"# submit ") == ["tfjob"]
    monkeypatch.setitem(native.FORMATS, "line", line._replace(text="submit "))
    assert forms(TFJOB + b"# submit ") == ["tfjob"]
    assert forms(JOB.replace(b"mnist", b"submit ")) == [""]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (b"def main():\n    with new_cluster(worker_num=3) as cluster:\n        pass\n", "mars"),
        (b"if True:\n    new_cluster()\n", "mars"),
        (b"elasticdl train --envs='A=b: c'\n", "elasticdl"),
        (b"angel-submit '-Dml.note=a: b'\n", "angel-submit"),
    ],
)
def test_what_yaml_takes_for_a_mapping_is_still_known_by_its_text(text: bytes, form: str) -> None:
    assert forms(text) == [form]


def test_a_broken_file_is_told_once() -> None:
    assert refusals(b"a: 'open") == ["job.yaml:1:4: this quote is never closed (syntax)"]


def test_a_job_description_pays_for_none_of_it(tmp_path: Path) -> None:
    """Rendering one imports no native format, and not the library that finds comments."""
    ask = (
        "import sys; from chartgen.cli import main; code = main(sys.argv[1:]); not_ours = ('chartgen.native', "
        "'ruamel'); print(code, [name for name in sys.modules if name.startswith(not_ours)])"
    )
    words = ["render", str(CASES.parents[2] / "values/jobs/mnist.yaml"), "-q", "-o", str(tmp_path)]
    done = subprocess.run([sys.executable, "-c", ask, *words], capture_output=True, text=True, env=environment())
    assert done.stdout == "0 []\n"


# --- what becomes of every case


def abridged(text: str) -> str:
    """Manifests with a few replicas of each role: the others differ from them in numbers alone."""
    parts = text.split("---\n# Source: ")
    numbers = [re.search(r"^kind: Job\nmetadata:\n  name: .*-([0-9]+)$", part, re.MULTILINE) for part in parts]
    kept = [part for part, number in zip(parts, numbers, strict=True) if not number or int(number[1]) < 3]
    return "---\n# Source: ".join(kept)


@pytest.mark.parametrize("job", sorted(CASES.glob("*/*/job.yaml")), ids=lambda path: path.parent.name)
def test_golden_manifests(job: Path, helm3: str, bless: bool, tmp_path: Path) -> None:
    """What Helm makes of a native job's chart has been read once, and is such as Kubernetes takes, old and new."""
    chart = render(job.read_text("utf-8"), tmp_path)
    made = abridged(template(helm3, chart))
    place = job.with_name("manifests.yaml")
    if bless:
        place.write_text(made, "utf-8")
    assert made == place.read_text("utf-8")
    for one in filter(None, yaml_library.safe_load_all(made)):
        for version in ("1.29", kubernetes_validate.latest_version()):
            kubernetes_validate.validate(one, version, strict=True)


# --- Go's way to read objects

RULES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "RuntimeId": {"type": "string", "minLength": 1},
                "note": {"type": "string"},
                "sets": {"type": "array", "items": {"type": "object", "properties": {"tfPort": {"type": "integer"}}}},
                "labels": {"type": "object"},
            },
        }
    },
}


def go(text: str) -> tuple[Any, list[str], Any]:
    (document,) = yaml.read(text.encode(), "x")
    read, problems = as_go_reads(document, RULES, {"my_sets": "sets"})
    return read.data, [f"{problem.mark}: {problem.severity}: {problem.message}" for problem in problems], read


def test_keys_are_read_in_any_case_with_a_warning() -> None:
    data, problems, read = go("SPEC:\n  runtimeID: x\n  sets:\n    - TFPORT: 1\n    - tfPort: 2\n")
    assert data == {"spec": {"RuntimeId": "x", "sets": [{"tfPort": 1}, {"tfPort": 2}]}}
    assert problems == [
        "x:1:1: warning: 'SPEC' is spelt 'spec'; the operator read keys in any case",
        "x:2:3: warning: 'runtimeID' is spelt 'RuntimeId'; the operator read keys in any case",
        "x:4:7: warning: 'TFPORT' is spelt 'tfPort'; the operator read keys in any case",
    ]
    assert str(read.mark(("spec", "sets", 0, "tfPort"))) == "x:4:15"
    assert str(read.mark(("spec", "sets", 1, "tfPort"))) == "x:5:15"
    assert str(read.mark(("spec", "RuntimeId"), key=True)) == "x:2:3"


def test_a_spelling_of_ones_own_is_read_as_meant_only_where_it_is_meant() -> None:
    data, problems, _ = go("spec:\n  my_sets: []\nmy_sets: 1")
    assert data == {"spec": {"sets": []}, "my_sets": 1}
    assert problems == [
        "x:2:3: warning: 'my_sets' is read as 'sets'; the operator knew no such key and left out all that it held",
    ]


def test_keys_that_are_anyones_keep_their_case() -> None:
    data, problems, _ = go("spec: {labels: {Spec: 1, RUNTIMEID: 2}}\nOther: {Spec: 1}")
    assert data == {"spec": {"labels": {"Spec": 1, "RUNTIMEID": 2}}, "Other": {"Spec": 1}}
    assert problems == []


def test_two_spellings_of_one_key_are_a_problem() -> None:
    data, problems, _ = go("spec: {note: a}\nSpec: {note: b}")
    assert data == {"spec": {"note": "a"}}
    assert problems == ["x:2:1: error: 'Spec' names 'spec' a second time; expected it once"]


def test_null_is_absent_and_so_is_empty_text_where_text_must_not_be_empty() -> None:
    data, _, _ = go("spec: {RuntimeId: '', note: '', sets: [null], labels: null}\nother: ''")
    assert data == {"spec": {"note": "", "sets": [None]}, "other": ""}


def test_traps_are_found_under_the_right_spelling() -> None:
    _, _, read = go("SPEC:\n  runtimeid: 1e3\n  note: on\n")
    assert [trap.path for trap in read.traps] == [("spec", "RuntimeId"), ("spec", "note")]


# --- a description in the making


def test_a_draft_leads_back_to_what_it_was_taken_from() -> None:
    (source,) = yaml.read(b"who: mnist\nsets:\n  - count: 3\n", "x")
    draft = Draft(source)
    draft.take(("roles",), {}, ("sets",))
    draft.take(("roles", "worker"), {"image": "a:1"}, ("sets", 0))
    draft.take(("roles", "worker", "replicas"), 3, ("sets", 0, "count"))
    draft.take(("name",), "mnist", ("who",))
    draft.problem(("who",), "wrong", "rule")
    draft.warning(("who",), "odd", "rule", key=True)
    draft.note(("name",), "why")
    made = draft.described()
    assert made.data == {"name": "mnist", "roles": {"worker": {"replicas": 3, "image": "a:1"}}}
    assert [*made.data["roles"]["worker"]] == ["replicas", "image"], "in the order of the schema"
    assert str(made.mark(("roles", "worker", "replicas"))) == "x:3:12"
    assert str(made.mark(("roles", "worker", "image"))) == "x:3:5"
    assert [(problem.severity, str(problem.mark)) for problem in draft.problems] == [
        ("error", "x:1:6"),
        ("warning", "x:1:1"),
    ]
    assert draft.notes == [(("name",), "why")]
