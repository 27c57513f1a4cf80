"""Native formats: recognized by content, checked by their own schemas, read as Go reads them."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from chartgen import frameworks, native, pipeline, resources
from chartgen.document import Document
from chartgen.errors import InputError
from chartgen.native.draft import Draft
from chartgen.native.format import Format
from chartgen.native.operators.go_spelling import read_as_go
from chartgen.native.schemas import native_schema
from chartgen.syntax.yaml import reader as yaml_reader
from tests.support.command_line import environment
from tests.support.paths import CORPUS

CASES = CORPUS / "native"
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
        return _messages(error)
    return [message for document in documents for message in _refusals(document)]


def _refusals(document: Document) -> list[str]:
    try:
        pipeline.check(document)
    except InputError as error:
        return _messages(error)
    return []


def _messages(error: InputError) -> list[str]:
    return [f"{problem.mark}: {problem.message} ({problem.rule})" for problem in error.problems]


@pytest.mark.parametrize("name", native.FORMATS)
def test_every_format_is_complete(name: str) -> None:
    """A format has a line in the table, a module, a schema, and cases that show the result."""
    form = native.FORMATS[name]
    assert form.framework in frameworks.MODULES
    assert form.kind or form.text, "how is it recognized?"
    assert f"native/{form.schema or name}.schema.json" in resources.names("schemas")
    assert list((CASES / name).iterdir())


@pytest.mark.parametrize("name", native.FORMATS)
def test_a_format_is_recognized_whatever_an_editor_does_to_a_file(name: str) -> None:
    """A byte order mark and other line endings do not change what is read."""
    case = next(
        path for folder in sorted((CASES / name).iterdir()) for path in folder.glob(f"{name}.*")
    )
    plain = re.sub(rb"\A(#.*\n)*", b"", case.read_bytes())  # so that the mark comes before a word
    edited = b"\xef\xbb\xbf" + plain.replace(b"\n", b"\r\n")
    before, after = (pipeline.read(text, case.name) for text in (plain, edited))
    assert {document.form for document in [*before, *after]} == {name}
    assert [document.data for document in after] == [document.data for document in before]


def test_every_schema_and_every_case_belongs_to_a_format() -> None:
    schemas = [name for name in resources.names("schemas") if name.startswith("native/")]
    assert schemas == sorted(f"native/{name}.schema.json" for name in SCHEMAS)
    assert sorted(path.name for path in CASES.iterdir()) == sorted(native.FORMATS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_and_self_contained(name: str) -> None:
    """What it borrows from the job schema is inserted, and no name is defined twice."""
    whole = native_schema(name)
    Draft7Validator.check_schema(whole)
    own = resources.data(f"schemas/native/{name}.schema.json")["definitions"]
    borrowed = whole["definitions"].keys() - own.keys()
    assert borrowed <= resources.data("schemas/job.schema.json")["definitions"].keys()
    for reference in _references(whole):
        assert reference.removeprefix("#/definitions/") in whole["definitions"]
    for name_of_own in own.keys() & resources.data("schemas/job.schema.json")["definitions"].keys():
        assert f"job.schema.json#/definitions/{name_of_own}" not in resources.text(
            f"schemas/native/{name}.schema.json"
        )


def _references(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"]] if "$ref" in node else []
        return own + [reference for value in node.values() for reference in _references(value)]
    return (
        [reference for item in node for reference in _references(item)]
        if isinstance(node, list)
        else []
    )


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_of_a_schema_has_a_description(name: str) -> None:
    """Except what the cluster wrote, which nobody has to write."""
    own = resources.data(f"schemas/native/{name}.schema.json")
    for definition in (own, *own["definitions"].values()):
        assert definition["description"].endswith(".")
        for field, place in definition.get("properties", {}).items():
            assert place == {} or "$ref" in place or place["description"].endswith("."), field


def test_a_job_description_is_not_a_native_format() -> None:
    assert forms(JOB) == [""]


def test_a_tfjob_is_recognized_by_its_kind() -> None:
    assert forms(TFJOB) == ["tfjob"]


def test_a_stream_may_hold_both() -> None:
    assert forms(JOB + b"\n---\n" + TFJOB + b"---\n" + JOB) == ["", "tfjob", ""]


def test_each_object_of_a_list_is_a_job() -> None:
    """As `kubectl get tfjobs -o yaml` prints them; problems are reported at their place."""
    text = (
        b"kind: List\nitems:\n- kind: TfJob\n  spec: {RuntimeId: 1e3}\n- kind: TfJob\n  spec: []\n"
    )
    assert forms(text) == ["tfjob", "tfjob"]
    assert [
        problem.partition(": ")[0] + problem.rpartition(" ")[2] for problem in refusals(text)
    ] == [
        "job.yaml:3:3(key-missing)",
        "job.yaml:4:3(key-missing)",
        "job.yaml:4:21(yaml-quotes-needed)",
        "job.yaml:5:3(key-missing)",
        "job.yaml:6:9(value-wrong-type)",
    ]


def test_from_decides_where_recognition_cannot() -> None:
    """A TfJob without apiVersion and kind is read as one with --from tfjob."""
    bare = b"metadata: {name: mnist}\nspec: {replicaSpecs: [{tfReplicaType: PS}]}\n"
    assert refusals(bare)[0].startswith("job.yaml:1:1: missing 'framework'")
    assert forms(bare, "tfjob") == ["tfjob"]
    assert refusals(bare, "tfjob") == [
        "job.yaml:2:8: there is no MASTER; expected one, because the job ends when the MASTER does"
        " (tensorflow-chief-missing)",
    ]


@pytest.mark.parametrize("text", [b"[]", b"{}", b"image: a:1", b"a job"])
def test_from_always_wins(text: bytes) -> None:
    """Even something unlike a TfJob is checked as one, whatever its shape."""
    assert refusals(text, "tfjob")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"kind: Deployment\napiVersion: apps/v1", "an object of kind 'Deployment'"),
        (b"apiVersion: v1", "an object of 'v1' without a kind"),
        (b"python train.py", "this text"),
        (b"17", "this text"),
    ],
)
def test_an_unrecognized_file_is_answered_shortly(text: bytes, what: str) -> None:
    """Only a text that is no object at all is answered with all that is read."""
    (problem,) = refusals(text)
    assert f": {what} is not a job that chartgen reads" in problem
    for form in native.FORMATS.values():
        assert (form.about in problem) == what.startswith("this text")


def test_a_list_is_taken_for_a_job_description_with_too_many_dashes() -> None:
    assert refusals(b"- name: mnist") == [
        "job.yaml:1:1: expected a mapping with name, framework and roles, got a list"
        " (value-wrong-type)",
    ]


def test_a_format_that_is_not_an_object_is_recognized_by_its_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Command lines have a pattern, which is tried only where there is no job description."""
    line = Format("tensorflow", "a command line", text=r"^submit ")
    monkeypatch.setitem(native.FORMATS, "line", line)
    assert forms(b"submit --workers 3") == ["line"]
    with pytest.raises(
        InputError, match="a ':' is not allowed here"
    ):  # says the reader that the format names
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
def test_text_that_yaml_reads_as_a_mapping_is_still_recognized(text: bytes, form: str) -> None:
    assert forms(text) == [form]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (TFJOB, "tfjob"),
        (b"angel-submit -Dangel.job.name=lr\n", "angel-submit"),
        (b"angel.job.name=lr\nangel.deploy.mode=KUBERNETES\n", "angel-properties"),
        (JOB, ""),
    ],
)
def test_a_text_is_parsed_once(text: bytes, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recognition uses the documents of the YAML reader and never reads the text again."""
    calls = []
    read = yaml_reader.read

    def count(data: bytes, *arguments: Any) -> list[Document]:
        calls.append(data)
        return read(data, *arguments)

    monkeypatch.setattr(yaml_reader, "read", count)
    assert forms(text) == [form]
    assert calls == [text]


def test_a_broken_file_is_reported_once() -> None:
    assert refusals(b"a: 'open") == ["job.yaml:1:4: this quote is never closed (file-syntax)"]


def test_a_job_description_loads_no_native_format(tmp_path: Path) -> None:
    """Rendering it imports neither a native format nor the library that finds comments."""
    ask = (
        "import sys; from chartgen.cli import main; code = main(sys.argv[1:]);"
        " not_ours = ('chartgen.native', 'ruamel');"
        " print(code, [name for name in sys.modules if name.startswith(not_ours)])"
    )
    words = [
        "render",
        str(CORPUS.parent.parent / "values/jobs/mnist.yaml"),
        "-q",
        "-o",
        str(tmp_path),
    ]
    done = subprocess.run(
        [sys.executable, "-c", ask, *words], capture_output=True, text=True, env=environment()
    )
    assert done.stdout == "0 []\n"


# --- how Go reads objects

RULES: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "RuntimeId": {"type": "string", "minLength": 1},
                "note": {"type": "string"},
                "sets": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"tfPort": {"type": "integer"}}},
                },
                "labels": {"type": "object"},
            },
        }
    },
}


def go(text: str) -> tuple[Any, list[str], Any]:
    (document,) = yaml_reader.read(text.encode(), "x")
    read, problems = read_as_go(document, RULES, {"my_sets": "sets"})
    return (
        read.data,
        [f"{problem.mark}: {problem.severity}: {problem.message}" for problem in problems],
        read,
    )


def test_keys_are_read_in_any_case_with_a_warning() -> None:
    data, problems, read = go("SPEC:\n  runtimeID: x\n  sets:\n    - TFPORT: 1\n    - tfPort: 2\n")
    assert data == {"spec": {"RuntimeId": "x", "sets": [{"tfPort": 1}, {"tfPort": 2}]}}
    assert problems == [
        "x:1:1: warning: 'SPEC' is spelt 'spec'; the operator ignored the case of keys",
        "x:2:3: warning: 'runtimeID' is spelt 'RuntimeId'; the operator ignored the case of keys",
        "x:4:7: warning: 'TFPORT' is spelt 'tfPort'; the operator ignored the case of keys",
    ]
    assert str(read.mark(("spec", "sets", 0, "tfPort"))) == "x:4:15"
    assert str(read.mark(("spec", "sets", 1, "tfPort"))) == "x:5:15"
    assert str(read.mark(("spec", "RuntimeId"), key=True)) == "x:2:3"


def test_another_spelling_is_accepted_only_for_the_keys_it_belongs_to() -> None:
    data, problems, _ = go("spec:\n  my_sets: []\nmy_sets: 1")
    assert data == {"spec": {"sets": []}, "my_sets": 1}
    assert problems == [
        "x:2:3: warning: 'my_sets' is read as 'sets'; the operator ignored it and everything in it",
    ]


def test_user_defined_keys_keep_their_case() -> None:
    data, problems, _ = go("spec: {labels: {Spec: 1, RUNTIMEID: 2}}\nOther: {Spec: 1}")
    assert data == {"spec": {"labels": {"Spec": 1, "RUNTIMEID": 2}}, "Other": {"Spec": 1}}
    assert problems == []


def test_two_spellings_of_one_key_are_a_problem() -> None:
    data, problems, _ = go("spec: {note: a}\nSpec: {note: b}")
    assert data == {"spec": {"note": "a"}}
    assert problems == ["x:2:1: error: 'Spec' sets 'spec' a second time; expected it once"]


def test_null_is_absent_and_so_is_empty_text_where_text_must_not_be_empty() -> None:
    data, _, _ = go("spec: {RuntimeId: '', note: '', sets: [null], labels: null}\nother: ''")
    assert data == {"spec": {"note": "", "sets": [None]}, "other": ""}


def test_traps_are_found_under_the_right_spelling() -> None:
    _, _, read = go("SPEC:\n  runtimeid: 1e3\n  note: on\n")
    assert [trap.path for trap in read.traps] == [("spec", "RuntimeId"), ("spec", "note")]


# --- drafts


def test_a_draft_leads_back_to_what_it_was_taken_from() -> None:
    (source,) = yaml_reader.read(b"who: mnist\nsets:\n  - count: 3\n", "x")
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
