"""Packages: equal bytes, what is in them, the index and the OCI layout."""

import gzip
import io
import json
import re
import tarfile
from hashlib import sha256

import pytest

from chartgen.gitops import package
from chartgen.syntax.yaml import reader as yaml_reader
from chartgen.world import archives
from tests.support.command_line import Typist


@pytest.fixture
def packed(typed: Typist) -> Typist:
    typed.job()
    assert typed("render", "mnist.yaml", "-o", "charts", "-q").code == 0
    assert typed("package", "charts/mnist", "-o", "packages", "-q").code == 0
    return typed


def test_all_that_could_differ_is_fixed(packed: Typist) -> None:
    content = (packed.folder / "packages/mnist-0.1.0.tgz").read_bytes()
    assert content[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = archive.getmembers()
    assert {
        (member.mtime, member.uid, member.gid, member.mode, member.uname) for member in members
    } == {(0, 0, 0, 0o644, "")}
    names = [member.name for member in members]
    assert names[0] == "mnist/Chart.yaml"
    assert names[1:] == sorted(names[1:])
    assert "mnist/.chartgen" not in names
    assert "mnist/.gitattributes" not in names


def test_the_order_of_files_on_disk_does_not_matter() -> None:
    files = package.select_files(["b", "a", "Chart.yaml"], "")
    assert files == package.select_files(["Chart.yaml", "a", "b"], "") == ["Chart.yaml", "a", "b"]
    assert archives.pack("x", {"a": b"1"}) == archives.pack("x", {"a": b"1"})
    assert gzip.decompress(archives.pack("x", {"a": b"1"}))[:3] == b"x/a"


@pytest.mark.parametrize(
    ("rule", "gone"),
    [
        ("*.bak", {"a.bak", "deep/a.bak"}),
        ("ci/", {"ci/x.yaml"}),
        ("deep/a.bak", {"deep/a.bak"}),
        ("/a.bak", {"a.bak"}),
        ("# a.bak", set()),
        ("*.bak\n!deep/a.bak", {"a.bak"}),
        ("Chart.yaml", set()),
    ],
)
def test_helmignore(rule: str, gone: set[str]) -> None:
    paths = ["Chart.yaml", "a.bak", "deep/a.bak", "ci/x.yaml", "ci.yaml"]
    assert set(paths) - set(package.select_files(paths, rule)) == gone


def test_a_published_version_is_not_overwritten(packed: Typist) -> None:
    assert packed("package", "charts/mnist", "-o", "packages").code == 0
    values = packed.folder / "charts/mnist/values.yaml"
    values.write_text(values.read_text("utf-8") + "# a remark\n", "utf-8")
    done = packed("package", "charts/mnist", "-o", "packages")
    assert done.code == 1
    assert "packages/mnist-0.1.0.tgz exists with other content" in done.err
    assert packed("package", "charts/mnist", "-o", "packages", "--force").code == 0


def test_the_index_lists_all_packages_newest_first(packed: Typist) -> None:
    text = (packed.folder / "mnist.yaml").read_text("utf-8")
    for version in ("0.1.10", "0.1.9", "0.2.0-rc.1", "0.2.0"):
        packed.job(text=f"{text}version: {version}\n")
        assert packed("package", "mnist.yaml", "-o", "packages", "-q").code == 0
    url = "https://charts.example.com/"
    assert packed("package", "mnist.yaml", "-o", "packages", "--index", url).code == 0
    content = (packed.folder / "packages/index.yaml").read_bytes()
    entries = yaml_reader.read(content, "index.yaml")[0].data["entries"]["mnist"]
    versions = [entry["version"] for entry in entries]
    assert versions == ["0.2.0", "0.2.0-rc.1", "0.1.10", "0.1.9", "0.1.0"]
    assert entries[0]["urls"] == ["https://charts.example.com/mnist-0.2.0.tgz"]
    file = (packed.folder / "packages/mnist-0.2.0.tgz").read_bytes()
    assert entries[0]["digest"] == sha256(file).hexdigest()
    assert {entry["created"] for entry in entries} == {"1970-01-01T00:00:00Z"}


def test_the_oci_layout_refers_to_what_is_in_it(packed: Typist) -> None:
    packed("package", "charts/mnist", "-o", "packages", "--oci", "layouts", "-q")
    text = (packed.folder / "mnist.yaml").read_text("utf-8")
    packed.job(text=f"{text}version: 0.2.0+build.1\n")
    packed("package", "mnist.yaml", "-o", "packages", "--oci", "layouts", "-q")
    folder = packed.folder / "layouts/mnist"
    assert json.loads((folder / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
    listed = json.loads((folder / "index.json").read_text())["manifests"]
    tags = [entry["annotations"]["org.opencontainers.image.ref.name"] for entry in listed]
    assert tags == ["0.1.0", "0.2.0_build.1"]
    for entry in listed:
        manifest = json.loads(blob(packed, entry))
        blob(packed, manifest["config"])
        (layer,) = manifest["layers"]
        assert layer["mediaType"] == "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
        assert blob(packed, layer)[:2] == b"\x1f\x8b"
    assert json.loads(blob(packed, manifest["config"]))["name"] == "mnist"


def blob(typed: Typist, entry: dict[str, str]) -> bytes:
    digest = entry["digest"].removeprefix("sha256:")
    content = (typed.folder / "layouts/mnist/blobs/sha256" / digest).read_bytes()
    assert sha256(content).hexdigest() == digest
    assert len(content) == int(entry["size"])
    return content


def test_all_charts_of_a_project(typed: Typist) -> None:
    typed("init", "--repo")
    assert typed("package", "-o", "packages").code == 2  # nothing is rendered yet
    typed("render", "-q")
    assert typed("package", "-o", "packages").out.startswith("packages/example-0.1.0.tgz  sha256:")
    (typed.folder / "chartgen.yaml").write_text("format: manifests\n")
    done = typed("package", "-o", "packages")
    assert done.code == 2
    assert "this project has no charts: charts is for manifests" in done.err


def test_a_thin_chart_brings_its_library(typed: Typist) -> None:
    typed.job()
    typed("render", "mnist.yaml", "-o", "charts", "--layout", "thin", "-q")
    assert typed("package", "charts/mnist", "-o", "packages", "-q").code == 0
    with tarfile.open(typed.folder / "packages/mnist-0.1.0.tgz") as archive:
        assert "mnist/charts/chartgen-library/Chart.yaml" in archive.getnames()


def test_a_write_that_fails_leaves_nothing_behind(
    packed: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        archives.write("packages", {"index.yaml": b"{}"})
    assert [path.name for path in (packed.folder / "packages").iterdir()] == ["mnist-0.1.0.tgz"]


def test_a_package_is_not_packaged(packed: Typist) -> None:
    assert packed("package", "packages/mnist-0.1.0.tgz", "-o", "again").code == 2


def test_without_gpg_or_key_the_message_says_how_to_get_them(packed: Typist) -> None:
    words = ("package", "charts/mnist", "-o", "signed", "--key", "nobody@example.com")
    done = packed(*words, "--gpg", "no-such-gpg")
    assert done.code == 3
    assert "no-such-gpg was not found" in done.err
    assert "gpg --quick-generate-key" in done.err


@pytest.mark.parametrize("option", ["--gpg", "--passphrase-file"])
def test_what_is_for_signing_needs_a_key(packed: Typist, option: str) -> None:
    done = packed("package", "charts/mnist", "-o", "signed", option, "file")
    assert done.code == 2
    assert f"{option} is for signing; name the key: --key KEY" in done.err


def test_a_job_of_a_project_is_packaged_with_what_the_project_adds(packed: Typist) -> None:
    (packed.folder / "chartgen.yaml").write_text(
        "sources: [mnist.yaml]\ndefaults: {commonLabels: {team: vision}}\n"
    )
    assert packed("package", "mnist.yaml", "-o", "other", "-q").code == 0
    with tarfile.open(packed.folder / "other/mnist-0.1.0.tgz") as archive:
        values = archive.extractfile("mnist/values.yaml")
        assert values
        assert b"\n  team: vision\n" in values.read()


@pytest.mark.parametrize(
    ("field", "word"), [("name", "../mnist"), ("name", ".."), ("version", "1/../../x")]
)
def test_no_field_of_a_chart_leads_out_of_the_directory(
    packed: Typist, field: str, word: str
) -> None:
    file = packed.folder / "charts/mnist/Chart.yaml"
    file.write_text(re.sub(f"(?m)^{field}: .*", f'{field}: "{word}"', file.read_text()))
    done = packed("package", "charts/mnist", "-o", "deep/er")
    assert (done.code, done.out) == (1, "")
    assert f"{word!r} cannot be part of a file's name; expected the chart's {field}" in done.err
    assert "(chart-field-malformed)" in done.err
    assert not [*packed.folder.glob("**/*x.tgz"), *packed.folder.glob("*.tgz")]


def test_a_helmignore_in_another_encoding(packed: Typist) -> None:
    chart = packed.folder / "charts/mnist"
    (chart / ".helmignore").write_bytes(b"# caf\xe9\n*.orig\ncaf\xe9\n")
    (chart / "a.orig").touch()
    assert packed("package", "charts/mnist", "-o", "others", "-q").code == 0
    with tarfile.open(packed.folder / "others/mnist-0.1.0.tgz") as archive:
        assert "mnist/a.orig" not in archive.getnames()


def test_a_path_that_is_too_long_for_the_usual_format(packed: Typist) -> None:
    name = "a" * 150
    (packed.folder / "charts/mnist" / name).touch()
    assert packed("package", "charts/mnist", "-o", "others", "-q").code == 0
    with tarfile.open(packed.folder / "others/mnist-0.1.0.tgz") as archive:
        assert f"mnist/{name}" in archive.getnames()


def test_the_index_does_not_list_what_is_no_chart(packed: Typist) -> None:
    (packed.folder / "packages/x.tgz").write_bytes(archives.pack("x", {"Chart.yaml": b"a: 1\n"}))
    done = packed("package", "charts/mnist", "-o", "packages", "--index", "https://example.com")
    assert done.code == 1
    assert "x.tgz:x/Chart.yaml:1:1: it has no 'name'; expected the chart's name" in done.err


def test_what_other_tools_have_put_into_a_layout_stays(packed: Typist) -> None:
    folder = packed.folder / "layouts/mnist"
    folder.mkdir(parents=True)
    (folder / "index.json").write_text('{"manifests": [{"digest": "sha256:0"}]}')
    words = ("package", "charts/mnist", "-o", "packages", "--oci", "layouts", "-q")
    for _ in range(2):
        assert packed(*words).code == 0
        first, second = json.loads((folder / "index.json").read_text())["manifests"]
        assert first == {"digest": "sha256:0"}
        assert second["annotations"] == {"org.opencontainers.image.ref.name": "0.1.0"}


@pytest.mark.parametrize("text", ["{", "[]", '{"manifests": 1}', '{"manifests": [1]}'])
def test_an_index_of_a_layout_that_cannot_be_read(packed: Typist, text: str) -> None:
    folder = packed.folder / "layouts/mnist"
    folder.mkdir(parents=True)
    (folder / "index.json").write_text(text)
    done = packed("package", "charts/mnist", "-o", "packages", "--oci", "layouts")
    assert done.code == 1
    assert "layouts/mnist/index.json is not the index of an OCI layout" in done.err
    assert (folder / "index.json").read_text() == text
