"""What --set, --define, --image and --matrix give may be a secret: no message repeats it."""

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen import cli, resources
from chartgen.errors import BUG, Mark, Problem
from chartgen.report.hidden import RUN, hide
from tests.support.command_line import Typist
from tests.support.paths import CORPUS

SCHEMA = resources.data("schemas/job.schema.json")
FIELDS = [*SCHEMA["properties"]]
ROLE_FIELDS = [*SCHEMA["definitions"]["role"]["properties"]]
DEEPER = (
    "nobody", "roles.nobody", "roles.worker.nobody", "roles.worker.env.A", "env.A", "x.y[0].z",
    "roles.worker.args[0]", "roles.worker.args[7]", "roles.worker.volumes[0].name",
    "roles.worker.volumes[0].nobody", "roles.worker.resources.limits.memory",
    "roles.worker.overrides.0.image", "roles.worker.overrides.a", "chart.version", "clouds.a.b",
)  # fmt: skip
KEYS = (*FIELDS, *(f"roles.worker.{field}" for field in ROLE_FIELDS), *DEEPER)
SHAPES = (
    "{}", "5{}", "-{}", "{{{0},{0}}}", "{0}:{0}", "{0}/x@sha256:1", "$({})", "%{{{}}}",
    "{{{{ {} }}}}", "{0},{0}", "\\{}", "{}\\,x", " {} ", "{}=x", "{{{}", "it's {}", "\n{}\t",
    "\u00e9{}\U0001f600", "C:\\{}", "{}e5", "a,{}=", "null{}",
)  # fmt: skip
COMMANDS = (
    ("validate",), ("validate", "--strict"), ("validate", "--output=json"),
    ("validate", "--output=github"), ("validate", "--output=junit"), ("convert",),
    ("convert", "--output=json"), ("render", "-o", "out"), ("render", "-o", "out", "--check"),
    ("gitops", "-o", "out"), ("validate", "--debug"), ("render", "--no-such-option"),
)  # fmt: skip
# As words, not as keys: what is before a `=` names what is set.
SECRETS = st.from_regex(r"[A-Za-z0-9]{3}[A-Za-z0-9_.-]{8,20}[A-Za-z0-9]{3}", fullmatch=True)


def _natives() -> Iterator[str]:
    for folder in sorted((CORPUS / "native").iterdir()):
        case = sorted(folder.iterdir())[0]
        for path in sorted(case.iterdir()):
            if path.stem not in ("job", "manifests"):
                yield str(path)


NATIVES = [*_natives()]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory to write to; one for all examples."""
    here = os.getcwd()
    folder = tmp_path_factory.mktemp("hidden")
    os.chdir(folder)
    yield folder
    os.chdir(here)


def _run(words: list[str]) -> tuple[int, str, str]:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(words)
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def _repeated(secret: str, said: str) -> list[str]:
    """The parts of a secret that were said."""
    parts = {secret[start : start + RUN].lower() for start in range(len(secret) - RUN + 1)}
    known = resources.text("schemas/job.schema.json").lower()
    return [part for part in parts if part in said.lower() and part not in known]


@pytest.mark.usefixtures("elsewhere")
@given(
    st.sampled_from(KEYS),
    st.sampled_from(SHAPES),
    SECRETS,
    st.sampled_from(COMMANDS),
    st.sampled_from(NATIVES),
)
def test_no_set_is_repeated(
    key: str, shape: str, secret: str, command: tuple[str, ...], native: str
) -> None:
    """Whatever the key, the wrong type, the command and the form of the report."""
    word = f"{key}={shape.format(secret)}"
    if shape.startswith("a,"):  # the second setting has the secret as its key
        word = f"{key}=a,{secret}"
    code, out, err = _run([*command, native, "--set", word])
    assert code != BUG
    # What was converted is the result; the directory that is named has the job's name.
    said = err if code == 0 and command[0] == "convert" else out + err
    if key not in ("name", "roles.worker.name") or code:
        assert not _repeated(secret, said), said


@pytest.mark.usefixtures("elsewhere")
@given(
    st.sampled_from(("--image={}", "--define=A={}", "--define={}", "--matrix={}", "--matrix=A={}")),
    st.sampled_from(SHAPES),
    SECRETS,
    st.sampled_from(COMMANDS),
    st.sampled_from(NATIVES),
)
def test_no_other_value_is_repeated(
    option: str, shape: str, secret: str, command: tuple[str, ...], native: str
) -> None:
    """The same for the other options that give values."""
    value = shape.format(secret)
    if "=A=" not in option and "=" in value:
        value = secret
    code, out, err = _run([*command, native, option.format(value)])
    assert code != BUG
    said = err if code == 0 and command[0] == "convert" else out + err
    assert not _repeated(secret, said), said


LINE = """\
elasticdl train --image_name=e:1 --model_zoo=zoo --model_def=m.m --training_data=/d \\
  --num_workers={} --job_name=j --distribution_strategy=ParameterServerStrategy
"""


def test_a_define_is_not_repeated(typed: Typist) -> None:
    """The place is that of `${N}` in the file, and its line is shown as it is written."""
    typed.job(text=LINE.format("${N}"), file="train.sh")
    done = typed("validate", "train.sh", "--define", "N=hunter2-swordfish")
    assert done.code == 1
    assert "train.sh:2:" in done.out
    assert "${N}" in done.out
    assert "swordfish" not in done.out + done.err


def test_a_template_s_values_are_not_repeated(typed: Typist) -> None:
    """Those of --define and --matrix in a description with parameters."""
    text = "name: j\nframework: jax\nimage: j:1\nroles: {worker: {replicas: <%= n %>}}\n"
    typed.job(text=text, file="job.yaml.j2")
    for option in ("--define", "--matrix"):
        done = typed("validate", "job.yaml.j2", option, "n=hunter2-swordfish")
        assert done.code == 1
        assert "swordfish" not in done.out + done.err


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("roles.worker.env.PASSWORD=abcdef,ghijkl", "--set ...: expected KEY=VALUE"),
        ("ghijkl", "--set ...: expected KEY=VALUE"),
        ("roles.worker", "--set roles.worker: expected KEY=VALUE"),
        ("=ghijkl", "--set =...: expected KEY=VALUE"),
    ],
)
def test_the_rest_of_a_value_is_not_taken_for_a_key(typed: Typist, word: str, shown: str) -> None:
    """A comma in a password begins another setting, which has no `=`."""
    done = typed("validate", NATIVES[0], "--set", word)
    assert done.code == 2
    assert shown in done.err
    assert "ghijkl" not in done.err
    assert (r"a comma in a value is written as \," in done.err) == ("," in word)


def test_an_unknown_option_is_named_without_its_value(typed: Typist) -> None:
    """`--sett=...` is a mistyped --set."""
    done = typed("validate", "x.yaml", "--sett=roles.worker.env.A=hunter2", "--bogus")
    assert done.code == 2
    assert "there is no option --sett --bogus; did you mean '--set'?" in done.err


def test_helm_repeats_no_value(typed: Typist, helm: str) -> None:
    """What Helm says about a value is passed on without it."""
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "charts").code == 0
    for command, setting in (
        (("render", "mnist.yaml", "--format=manifests", "-o", "out"), "image=hunter2 swordfish"),
        (("diff", "charts/mnist", "mnist.yaml"), "x=1,hunter2-swordfish"),
        (("test", "charts/mnist"), "image=hunter2 swordfish"),
        (("test", "charts/mnist", "--output=junit"), "cloud=hunter2-swordfish"),
    ):
        done = typed(*command, "--helm", helm, "--set", setting)
        assert done.code not in (0, BUG), (command, setting)
        assert not re.search("hunter2|swordfish", done.out + done.err), (command, setting)


def _conceal(message: str, *texts: str, known: str = "", file: str = "--set a=...") -> str:
    return hide(texts, known).conceal_problem(Problem(Mark(file), message, "rule")).message


@pytest.mark.parametrize(
    ("message", "texts", "left"),
    [
        ("got the text 'swordfish'", ("swordfish",), "got the text '...'"),
        ("got the text 'SWORDFISH'", ("swordfish",), "got the text '...'"),
        ("the tag 'dfish1' of 'swordfish1'", ("swordfish1",), "the tag '...' of '...'"),
        ("cut to 'swordf...'", ("swordfish",), "cut to '......'"),
        ("two\\nlines", ("two\nlines",), "..."),
        ("expected 'abc', got 'x'", ("x",), "expected 'abc', got '...'"),
        ("did you mean 'a-b'?", ("a b",), "did you mean '...'?"),
        ("got the number 7", ("7",), "got the number ..."),
        ("expected '-', got a text", ("x-y",), "expected '-', got a text"),
    ],
)
def test_what_is_hidden(message: str, texts: tuple[str, ...], left: str) -> None:
    """Long texts everywhere, in part too; short ones where they are quoted."""
    assert _conceal(message, *texts) == left


def test_what_everyone_may_read_stays() -> None:
    """Other problems of a file are told as ever, although a value has the same words."""
    message = "the role 'worker' has no command"
    known = "roles: {worker: {}}"
    assert _conceal(message, "/app/worker.py", known=known, file="j.yaml") == message
    assert _conceal(message, "/app/worker.py", file="j.yaml") == "the role '...' has no command"
