"""Reading inputs: files, standard input, and what cannot be read."""

import io
import os
import threading
from pathlib import Path
from typing import BinaryIO

import pytest

from chartgen.errors import InputError, Problem
from chartgen.world.files.inputs import STDIN, read


def problem(path: object, limit: int = 100, stdin: BinaryIO | None = None) -> Problem:
    """The one problem with reading an input, which is at its beginning."""
    with pytest.raises(InputError) as caught:
        read(str(path), limit, stdin)
    (refused,) = caught.value.problems
    assert (refused.mark.line, refused.mark.column) == (1, 1)
    return refused


def test_a_file_is_read_as_it_is_up_to_the_limit(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes(b"\xff\r\n")
    assert read(f"{tmp_path}/job.yaml", 3) == b"\xff\r\n"


def test_a_dash_is_standard_input_and_anything_else_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read("-", 100, io.BytesIO(b"name: x\n")) == b"name: x\n"
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a file\n")
    assert read("-", 100) == b"a file\n"


def test_a_missing_file_suggests_the_nearest_name_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mnist.yaml").write_text("")
    refused = problem(f"{tmp_path}/minst.yml")
    assert (refused.mark.file, refused.message, refused.rule) == (
        f"{tmp_path}/minst.yml",
        "no such file",
        "file-missing",
    )
    assert refused.hint == f"did you mean '{tmp_path}/mnist.yaml'?"
    monkeypatch.chdir(tmp_path)
    assert problem("mnist").hint == "did you mean 'mnist.yaml'?"
    assert problem("resnet").hint == ""


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (f"{tmp_path}/jobs", f"{tmp_path}/file"):
        refused = problem(f"{folder}/mnist.yaml")
        assert (refused.rule, refused.hint) == ("file-missing", f"no directory '{folder}'")


def test_a_directory_is_refused_as_input(tmp_path: Path) -> None:
    refused = problem(tmp_path)
    assert (refused.rule, refused.message, refused.hint) == (
        "file-is-directory",
        "a directory, not a file",
        "name the files in it",
    )


def test_a_stream_that_cannot_be_read_is_named_as_the_stream() -> None:
    with io.FileIO(os.open(os.devnull, os.O_WRONLY), "r") as closed:
        refused = problem("-", stdin=io.BufferedReader(closed))
    assert (refused.mark.file, refused.rule) == (STDIN, "file-unreadable")
    assert refused.message == "the file cannot be read: Bad file descriptor"


def test_a_file_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    refused = problem(tmp_path / "loop")
    assert (refused.rule, refused.message) == (
        "file-unreadable",
        "the file cannot be read: Too many levels of symbolic links",
    )


def test_a_large_file_is_refused_by_its_size_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "huge.yaml").open("wb") as stream:
        stream.truncate(1 << 40)
    refused = problem(tmp_path / "huge.yaml", 10 << 20)
    assert refused.rule == "file-too-large"
    assert refused.message == (
        "the file has 1,099,511,627,776 bytes, more than the limit of 10,485,760 bytes (10 MiB)"
    )


def test_streams_are_limited_too(tmp_path: Path) -> None:
    expected = "the input is longer than the limit of 524,288 bytes (0.5 MiB)"
    assert problem("/dev/zero", 1 << 19)[1:3] == (expected, "file-too-large")
    refused = problem("-", 1 << 19, io.BytesIO(bytes((1 << 19) + 1)))
    assert (refused.mark.file, refused.message, refused.rule) == (STDIN, expected, "file-too-large")


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[b"x" * 100_000])
    writer.start()
    assert read(str(pipe), 100_000) == b"x" * 100_000
    writer.join()
