"""Packages and charts of others, opened without trust."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from chartgen.errors import InputError
from chartgen.sources import SourceOptions
from chartgen.verify import source

CHART = b"apiVersion: v2\nname: own\nversion: 1.0.0\n"


def package(member: tarfile.TarInfo, content: bytes = CHART) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(member, io.BytesIO(content))
    return gzip.compress(stream.getvalue())


def chart_file(**headers: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo("own/Chart.yaml")
    member.size, member.pax_headers = len(CHART), headers
    return member


def rules(content: bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        list(source.read_package(content, "own.tgz"))
    return [problem.rule for problem in caught.value.problems]


def test_a_package_is_read() -> None:
    assert list(source.read_package(package(chart_file()), "own.tgz")) == [
        ("own/Chart.yaml", CHART)
    ]


@pytest.mark.parametrize("headers", [{"GNU.sparse.map": "a,b"}, {"size": "-512"}])
def test_a_package_with_numbers_that_are_none(headers: dict[str, str]) -> None:
    assert rules(package(chart_file(**headers))) == ["chart-package-invalid"]


@pytest.mark.parametrize("size", [3_000, 500])
def test_neither_files_nor_headers_of_a_package_can_be_of_any_size(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header of ten gigabytes takes ten megabytes in a package."""
    monkeypatch.setattr(source, "LARGEST", size)
    content = b"x" * 1_000 if size == 500 else CHART
    member = chart_file(comment="x" * 10_000 if size == 3_000 else "")
    member.size = len(content)
    assert rules(package(member, content)) == ["file-too-large"]


def test_a_dependency_is_not_copied_to_anywhere(tmp_path: Path) -> None:
    for name in ("own", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Chart.yaml").write_bytes(CHART)
    with (tmp_path / "own/Chart.yaml").open("ab") as file:
        file.write(
            b"dependencies: [{name: ../../evil, version: 1.0.0, repository: 'file://../other'}]\n"
        )
    with pytest.raises(InputError) as caught:
        list(source.open_charts(str(tmp_path / "own"), str(tmp_path / "w"), SourceOptions(), None))
    assert [problem.rule for problem in caught.value.problems] == ["chart-field-malformed"]
    assert not list(tmp_path.rglob("evil"))
