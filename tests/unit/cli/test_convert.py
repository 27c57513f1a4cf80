"""`chartgen convert`: the description a native job means, with its comments, and with those that explain it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.native import describe as convert
from chartgen.native.draft import Note
from chartgen.syntax import yaml_reader as yaml
from chartgen.syntax.yaml_comments import parts
from tests.support.command_line import Typist

HERE = Path(__file__).parents[2]
NATIVE = sorted(HERE.glob("corpus/native/*/*/*.*"))
CASES = [path for path in NATIVE if path.stem == path.parent.parent.name]
TFJOB = HERE / "corpus/native/tfjob/t02-defaults/tfjob.yaml"
WARNS = HERE / "corpus/native/tfjob/t12-gpu-requests/tfjob.yaml"


def converted(text: str, file: str = "job.yaml") -> str:
    """What a text of one job is converted to."""
    (document,) = pipeline.read(text.encode(), file)
    (comments,) = convert.comments(text, [document])
    described, notes = convert.adopted(document)
    return convert.description(described, notes, document, comments)


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


@pytest.mark.parametrize("path", CASES, ids=names)
def test_both_give_the_same_chart(path: Path) -> None:
    """Byte by byte, whether the native job is rendered or what it was converted to, as YAML or as JSON."""
    text = path.read_text("utf-8")
    (document,) = pipeline.read(text.encode(), path.name)
    expected = chart(text, path.name)
    assert chart(converted(text)) == expected
    assert chart(json.dumps(convert.adopted(document)[0].data)) == expected


@pytest.mark.parametrize("path", CASES, ids=names)
def test_every_comment_is_kept(path: Path) -> None:
    text = path.read_text("utf-8")
    documents = pipeline.read(text.encode(), path.name)
    own = {comment.text for found in convert.comments(text, documents) for comment in found}
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
# metadata.namespace: a chart has none of its own; install it with: helm install -n research
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
    restartPolicy: Never
    # behind restartPolicy
  # above the ps
  ps:
    # TfJob's default for a PS without a template; there was no spec.tfImage
    image: "tensorflow/tensorflow:1.3.0"
# below all
"""


def test_a_comment_stands_by_what_it_stood_by() -> None:
    assert converted(COMMENTED) == EXPECTED


@given(path=st.sampled_from([path for path in CASES if path.suffix == ".yaml"]), data=st.data())
def test_comments_change_nothing_and_none_is_lost(path: Path, data: st.DataObject) -> None:
    """Wherever a person may have put them."""
    lines = path.read_text("utf-8").splitlines()
    for index in data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=8, unique=True).map(sorted))[::-1]:
        how = data.draw(st.sampled_from(("beside", "above")))
        if how == "beside":
            lines[index] += f"  # beside {index}"
        else:
            lines.insert(index, " " * data.draw(st.integers(0, 12)) + f"# above {index}")
    text = "\n".join(lines) + "\n"
    made = converted(text)
    assert yaml.read(made.encode(), "x")[0].data == yaml.read(path.with_name("job.yaml").read_bytes(), "x")[0].data
    assert not set(comments(text)) - set(comments(made))


def _document(text: str) -> Document:
    return yaml.read(text.encode(), "x")[0]


def test_a_long_note_is_wrapped_and_stands_above_what_it_is_about() -> None:
    document = _document("a: {b: [1, 2]}")
    text = convert.description(document, [Note(("a", "b", 1), "word " * 30), Note((), "top")], document, [])
    assert text == f"# top\na:\n  # {'word ' * 19}word\n  # {'word ' * 9}word\n  b: [1, 2]\n"


def test_two_comments_do_not_fit_beside_one_line() -> None:
    document = _document("a: [1, # one\n2] # two")
    (found,) = convert.comments("a: [1, # one\n2] # two", [document])
    assert convert.description(document, [], document, found) == "# two\na: [1, 2]  # one\n"


def test_comments_go_to_the_document_they_stand_in() -> None:
    """Also those of a List's objects; a document of comments alone is none, and takes its comments with it."""
    text = "# one\na: 1\n---\n# none\n--- # two\nb: 1\n# two again\n---\n"
    text += "kind: List\nitems: # three\n- c: 1 # three\n- d: 1 # four\n"
    documents = native.read(text.encode(), "x", "tfjob")
    found = convert.comments(text, documents)
    assert [[comment.text for comment in own] for own in found] == [
        ["# one"],
        ["# two", "# two again"],
        ["# three", "# three"],
        ["# four"],
    ]


# --- the command


def test_the_description_is_printed_and_is_all_that_is_printed(typed: Typist) -> None:
    done = typed("convert", str(TFJOB))
    assert (done.code, done.err) == (0, "")
    assert done.out == TFJOB.with_name("job.yaml").read_text("utf-8")


def test_warnings_are_told_and_strictly_they_stop(typed: Typist) -> None:
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
    path = typed.job(text="# mine\n\nname:   'mnist'\nframework: tensorflow\nimage: a:1\nroles: {worker: }\n")
    path.write_text(path.read_text("utf-8").replace("worker: ", "worker: {}"), "utf-8")
    done = typed("convert", "mnist.yaml")
    assert done == (0, path.read_text("utf-8"), "mnist.yaml: a job description already, left as it is\n")
    assert typed("convert", "mnist.yaml", "-q").err == ""


def test_several_jobs_are_several_documents(typed: Typist) -> None:
    """Of one file or of many; job descriptions among native jobs are printed, too."""
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
    path = HERE / "corpus/native/tfjob/t08-simple-job/tfjob.yaml"
    done = typed("convert", str(path), "--output", "json")
    assert json.loads(done.out) == yaml.read(path.with_name("job.yaml").read_bytes(), "x")[0].data
    assert re.search(r"tfjob.yaml: metadata.namespace: .* helm install -n kubeflow-test\n", done.err)
    assert typed("convert", str(path), "--output", "json", "--quiet").err == ""
    typed.job()
    assert json.loads(typed("convert", "mnist.yaml", "--output", "json").out)["name"] == "mnist"


def test_from_must_name_a_format(typed: Typist) -> None:
    for command in ("convert", "validate"):
        done = typed(command, "x.yaml", "--from", "tfjop")
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("chartgen: there is no native format 'tfjop'; did you mean 'tfjob'?\n")


def test_from_is_taken_by_all_that_read_jobs(typed: Typist) -> None:
    bare = "".join(TFJOB.read_text("utf-8").splitlines(keepends=True)[3:])
    typed.job(file="bare.yaml", text=bare)
    for words in (("convert",), ("validate",), ("render", "-o", "charts")):
        assert typed(*words, "bare.yaml", "--from", "tfjob").code == 0
        assert typed(*words, "bare.yaml").code == 1


def test_two_native_jobs_of_one_name_clash_where_their_names_stand(typed: Typist) -> None:
    typed.job(file="two.yaml", text=TFJOB.read_text("utf-8") + "---\n" + TFJOB.read_text("utf-8"))
    done = typed("render", "two.yaml", "-o", "charts")
    assert done.code == 1
    assert "two.yaml:19:9: a job named 'example-job-defaults' stands already at two.yaml:5:9" in done.err


def test_formats_are_listed(typed: Typist) -> None:
    done = typed("list", "formats")
    for name, form in native.FORMATS.items():
        assert re.search(rf"^{name} +{form.framework} +{re.escape(form.about)}$", done.out, re.M)
