"""`chartgen convert`: the description a native job means, with its comments and with notes."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.native import describe
from chartgen.native.draft import Note
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.syntax.yaml.comments import parts
from tests.support.command_line import Typist
from tests.support.paths import CORPUS

NATIVE = sorted(CORPUS.glob("native/*/*/*.*"))
CASES = [path for path in NATIVE if path.stem == path.parent.parent.name]
TFJOB = CORPUS / "native/tfjob/t02-defaults/tfjob.yaml"
WARNS = CORPUS / "native/tfjob/t12-gpu-requests/tfjob.yaml"


def converted(text: str, file: str = "job.yaml") -> str:
    """What a text of one job is converted to."""
    (document,) = pipeline.read(text.encode(), file)
    (comments,) = describe.comments(text, [document])
    described, notes = describe.adopt(document)
    return describe.description(described, notes, document, comments)


def chart(text: str, file: str = "job.yaml") -> dict[str, str]:
    (document,) = pipeline.read(text.encode(), file)
    return pipeline.render(pipeline.check(document))


def comments(text: str) -> list[str]:
    return sorted(comment.text for part in parts(text) for comment in part.comments)


def names(path: Path) -> str:
    return path.parent.name


@pytest.mark.parametrize("path", CASES, ids=names)
def test_golden_description(path: Path, bless: bool) -> None:
    """A native job is converted to the description beside it."""
    place = path.with_name("job.yaml")
    text = converted(path.read_text("utf-8"))
    if bless:
        place.write_text(text, "utf-8")
    assert text == place.read_text("utf-8")


@pytest.mark.unmeasured
@pytest.mark.parametrize("path", CASES, ids=names)
def test_a_native_job_and_its_conversion_give_the_same_chart(path: Path) -> None:
    """Byte for byte: the native job, and what it is converted to as YAML and as JSON."""
    text = path.read_text("utf-8")
    (document,) = pipeline.read(text.encode(), path.name)
    expected = chart(text, path.name)
    assert chart(converted(text)) == expected
    assert chart(json.dumps(describe.adopt(document)[0].data)) == expected


@pytest.mark.unmeasured
@pytest.mark.parametrize("path", CASES, ids=names)
def test_every_comment_is_kept(path: Path) -> None:
    text = path.read_text("utf-8")
    documents = pipeline.read(text.encode(), path.name)
    own = {comment.text for group in describe.comments(text, documents) for comment in group}
    assert not own - set(comments(converted(text)))


COMMENTED = """\
# above all
apiVersion: tensorflow.org/v1alpha1  # beside what is dropped
kind: TfJob  # beside the kind

# above metadata
metadata:
  # above the name
  name: commented  # beside the name
  namespace: research  # beside the namespace
  # behind the namespace
# above spec
spec:
      # first in spec, oddly indented
  replicaSpecs:  # beside replicaSpecs
  # above the master
  - tfReplicaType: MASTER  # beside the type
    # above replicas
    replicas: 1  # beside replicas
    # above template
    template:
      spec:
        containers:
        # above the container
        - name: tensorflow  # beside its name
          image: registry.example.com/mnist:1  # beside the image
          # above command
          command: [python,  # beside python
            # above train
            train.py]  # beside train
          env:
          # above LC_ALL
          - name: LC_ALL
            value: C.UTF-8  # beside C.UTF-8
          - {name: B, value: c}  # beside B
          # above args
          args:
          - |  # beside a bar
            text # none
        restartPolicy: Never
        # behind restartPolicy
  # above the ps
  - tfReplicaType: PS
# below all
"""

EXPECTED = """\
# above all
# beside what is dropped
# above metadata
# above the name
# beside the namespace
# metadata.namespace: a chart carries no namespace; choose it with: helm install -n research
name: commented  # beside the name
# behind the namespace
framework: tensorflow  # beside the kind
# above template
# above the container
image: "registry.example.com/mnist:1"  # beside the image
# above spec
# first in spec, oddly indented
roles:  # beside replicaSpecs
  # above the master
  # beside its name
  master:  # beside the type
    # above replicas
    replicas: 1  # beside replicas
    # above command
    # above train
    # beside train
    command: [python, train.py]  # beside python
    # above args
    args: ["text # none\\n"]  # beside a bar
    env:
      # above LC_ALL
      # beside C.UTF-8
      LC_ALL: C.UTF-8
      B: c  # beside B
    # the operator reported exit codes of 1 to 127 and OOM kills as final, but its Job retried them all,
    # as here; to give up after 1 to 127, write exitCodes: tfjob
    restartPolicy: Never
    # behind restartPolicy
  # above the ps
  ps:
    # TfJob's default for a PS without a template; there was no spec.tfImage
    image: "tensorflow/tensorflow:1.3.0"
# below all
"""  # noqa: E501


def test_a_comment_stays_beside_what_it_was_beside() -> None:
    assert converted(COMMENTED) == EXPECTED


OBJECTS = [path for path in CASES if path.suffix == ".yaml"]


@given(path=st.sampled_from(OBJECTS), data=st.data())
def test_comments_change_nothing_and_none_is_lost(path: Path, data: st.DataObject) -> None:
    """Wherever a person may put them, in a TrainJob's runtime too."""
    lines = path.read_text("utf-8").splitlines()
    for index in data.draw(
        st.lists(st.integers(0, len(lines) - 1), max_size=8, unique=True).map(sorted)
    )[::-1]:
        how = data.draw(st.sampled_from(("beside", "above")))
        if how == "beside":
            lines[index] += f"  # beside {index}"
        else:
            lines.insert(index, " " * data.draw(st.integers(0, 12)) + f"# above {index}")
    text = "\n".join(lines) + "\n"
    made = converted(text)
    assert (
        yaml_reader.read(made.encode(), "x")[0].data
        == yaml_reader.read(path.with_name("job.yaml").read_bytes(), "x")[0].data
    )
    assert not set(comments(text)) - set(comments(made))


def _document(text: str) -> Document:
    return yaml_reader.read(text.encode(), "x")[0]


def test_a_long_note_is_wrapped_and_put_above_what_it_is_about() -> None:
    document = _document("a: {b: [1, 2]}")
    text = describe.description(
        document, [Note(("a", "b", 1), "word " * 30), Note((), "top")], document, []
    )
    assert text == f"# top\na:\n  # {'word ' * 19}word\n  # {'word ' * 9}word\n  b: [1, 2]\n"


def test_two_comments_do_not_fit_beside_one_line() -> None:
    document = _document("a: [1, # one\n2] # two")
    (own,) = describe.comments("a: [1, # one\n2] # two", [document])
    assert describe.description(document, [], document, own) == "# two\na: [1, 2]  # one\n"


def test_comments_go_to_the_document_they_are_in() -> None:
    """Also in the items of a List; a document of comments alone is dropped with its comments."""
    text = "# one\na: 1\n---\n# none\n--- # two\nb: 1\n# two again\n---\n"
    text += "kind: List\nitems: # three\n- c: 1 # three\n- d: 1 # four\n"
    documents = native.read(text.encode(), "x", "tfjob")
    per_document = describe.comments(text, documents)
    assert [[comment.text for comment in own] for own in per_document] == [
        ["# one"],
        ["# two", "# two again"],
        ["# three", "# three"],
        ["# four"],
    ]


# --- the command


def test_the_description_is_printed_and_nothing_else(typed: Typist) -> None:
    done = typed("convert", str(TFJOB))
    assert (done.code, done.err) == (0, "")
    assert done.out == TFJOB.with_name("job.yaml").read_text("utf-8")


def test_warnings_are_shown_and_stop_with_strict(typed: Typist) -> None:
    done = typed("convert", str(WARNS))
    assert done.code == 0
    assert done.out == WARNS.with_name("job.yaml").read_text("utf-8")
    assert "warning: restartPolicy is missing" in done.err
    assert typed("convert", str(WARNS), "--quiet").err == ""
    strict = typed("convert", str(WARNS), "--strict")
    assert (strict.code, strict.out) == (1, "")
    assert "restartPolicy is missing" in strict.err


def test_a_job_with_problems_is_not_converted(typed: Typist) -> None:
    typed.job(text=TFJOB.read_text("utf-8").replace("name: tensorflow", "name: trainer"))
    done = typed("convert", "mnist.yaml")
    assert (done.code, done.out) == (1, "")
    assert "no container is named 'tensorflow'" in done.err


def test_standard_input_can_be_converted(typed: Typist) -> None:
    assert typed("convert", "-", stdin=TFJOB.read_text("utf-8")) == typed("convert", str(TFJOB))


def test_a_job_description_is_left_as_it_is(typed: Typist) -> None:
    """Comments, blank lines, quotes and all."""
    path = typed.job(
        text="# mine\n\nname:   'mnist'\nframework: tensorflow\nimage: a:1\nroles: {worker: }\n"
    )
    path.write_text(path.read_text("utf-8").replace("worker: ", "worker: {}"), "utf-8")
    done = typed("convert", "mnist.yaml")
    assert done == (
        0,
        path.read_text("utf-8"),
        "mnist.yaml: already a job description, left as it is\n",
    )
    assert typed("convert", "mnist.yaml", "-q").err == ""


def test_several_jobs_are_several_documents(typed: Typist) -> None:
    """From one file or from many; job descriptions among native jobs are printed too."""
    job = typed.job().read_text("utf-8")
    typed.job(file="both.yaml", text=f"# mine\n{job}---\n{TFJOB.read_text('utf-8')}")
    done = typed("convert", "both.yaml", str(WARNS), "-q")
    first, second, third = done.out.split("---\n")
    assert first.startswith("# mine\nname: mnist\n")
    assert second == TFJOB.with_name("job.yaml").read_text("utf-8")
    assert third == WARNS.with_name("job.yaml").read_text("utf-8")
    typed.job(file="all.yaml", text=done.out)
    assert typed("validate", "all.yaml").code == 0


def test_json_is_for_programs_and_notes_are_for_people(typed: Typist) -> None:
    path = CORPUS / "native/tfjob/t08-simple-job/tfjob.yaml"
    done = typed("convert", str(path), "--output", "json")
    assert (
        json.loads(done.out)
        == yaml_reader.read(path.with_name("job.yaml").read_bytes(), "x")[0].data
    )
    assert re.search(
        r"tfjob.yaml: metadata.namespace: .* helm install -n kubeflow-test\n", done.err
    )
    assert typed("convert", str(path), "--output", "json", "--quiet").err == ""
    typed.job()
    assert json.loads(typed("convert", "mnist.yaml", "--output", "json").out)["name"] == "mnist"


def test_from_must_name_a_format(typed: Typist) -> None:
    for command in ("convert", "validate"):
        done = typed(command, "x.yaml", "--from", "tfjop")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(
            "chartgen: there is no native format 'tfjop'; did you mean 'tfjob'?\n"
        )


def test_every_command_that_reads_jobs_has_from(typed: Typist) -> None:
    bare = "".join(TFJOB.read_text("utf-8").splitlines(keepends=True)[3:])
    typed.job(file="bare.yaml", text=bare)
    for words in (("convert",), ("validate",), ("render", "-o", "charts")):
        assert typed(*words, "bare.yaml", "--from", "tfjob").code == 0
        assert typed(*words, "bare.yaml").code == 1


def test_two_native_jobs_of_one_name_are_reported_at_their_names(typed: Typist) -> None:
    typed.job(file="two.yaml", text=TFJOB.read_text("utf-8") + "---\n" + TFJOB.read_text("utf-8"))
    done = typed("render", "two.yaml", "-o", "charts")
    assert done.code == 1
    assert "two.yaml:19:9: another job is named 'example-job-defaults', at two.yaml:5:9" in done.err


def test_formats_are_listed(typed: Typist) -> None:
    done = typed("list", "formats")
    for name, form in native.FORMATS.items():
        served = ",".join((form.framework, *form.also))
        cells = map(re.escape, (name, served, form.versions, form.about))
        assert form.versions
        assert re.search(rf"^{' +'.join(cells)}$", done.out, re.MULTILINE)
