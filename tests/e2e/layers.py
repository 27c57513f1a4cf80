"""Layers of container images: the same content gives the same bytes; each is made once and kept."""

import hashlib
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.e2e import cache, cuda, debian, interpreters, maven
from tests.e2e.interpreters import Python
from tests.e2e.process import run

HERE = Path(__file__).parent
SITE = "opt/site-packages"  # where an image has its packages from PyPI
VERSION = "1"  # increase it when this code packs something else
# What the C library loads when Python ends its last threads; ldd cannot know it.
_LOADED_LATE = "libgcc_s.so.1"
_LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
# A requirements file may be a layer on those of another: "# Python 3.8, on NAME.txt: ..." or, for
# the Python that runs this, "# On NAME.txt: ..."
_ON = re.compile(r"# (?:Python [\d.]+, on|On) (\w+\.txt)\b")
_NOT_NEEDED = shutil.ignore_patterns(
    "__pycache__", "site-packages", "dist-packages", "config-*", "ensurepip", "idlelib", "lib2to3",
    "test", "tkinter",
    "_tkinter*", "turtledemo",
)  # fmt: skip


class Layer(NamedTuple):
    """A layer's tar, and the digest by which images name it."""

    path: Path
    digest: str


def busybox() -> Layer:
    """A shell and its tools, a place for temporary files, and a user who is not root."""
    return _layer("busybox", [debian.BUSYBOX_RELEASE], _busybox)


def python(own: Python) -> Layer:
    """An interpreter, with its library and the shared objects they need."""
    return _layer("python", [own.version, own.prefix, _LOADED_LATE], partial(_python, own))


def packages(requirements: Path) -> tuple[Layer, ...]:
    """The packages of a requirements file from PyPI, on the Python or the file they are for."""
    own, below = interpreters.needed(requirements), _ON.match(requirements.read_text())
    fill = partial(_packages, requirements, own)
    layer = _layer(requirements.stem, [own.version, requirements.read_bytes()], fill)
    on = packages(requirements.with_name(below[1])) if below else (python(own),)
    return (*on, layer)


def jars(name: str) -> Layer:
    """The jars of requirements/NAME.jars from Maven Central, in /opt/NAME/lib."""
    listed = HERE / "requirements" / f"{name}.jars"
    library = Path("opt") / name / "lib"
    return _layer(
        f"{name}-jars", [listed.read_bytes()], lambda root: maven.download(listed, root / library)
    )


def debs(name: str) -> Layer:
    """The packages of requirements/NAME.debs from Debian, with the libraries that they need."""
    listed = HERE / "requirements" / f"{name}.debs"
    return _layer("debs", [listed.read_bytes()], partial(_debs, listed))


def overlay(name: str) -> Layer:
    """The files of overlays/NAME, unchanged."""
    folder = HERE / "overlays" / name
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    key = [
        content for path in files for content in (str(path.relative_to(folder)), path.read_bytes())
    ]
    return _layer(f"{name}-files", key, lambda root: _overlay(folder, root))


def programs() -> Layer:
    """The programs that the tests run in pods, in /app; always made, because they often change."""
    folder = HERE / "programs"
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.parent.name != "__pycache__"
    )
    key = [
        content for path in files for content in (str(path.relative_to(folder)), path.read_bytes())
    ]
    return _layer("programs", key, _programs)


def _layer(name: str, key: Iterable[str | bytes], fill: Callable[[Path], None]) -> Layer:
    place = cache.make_once(
        f"layer-{name}", [VERSION, *debian.release(), *key], lambda folder: _pack(folder, fill)
    )
    return Layer(place / "layer.tar", (place / "digest").read_text())


def _pack(place: Path, fill: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory(prefix="root-", dir=place.parent) as folder:
        root = Path(folder)
        root.chmod(0o755)
        fill(root)
        with tarfile.open(place / "layer.tar", "w", format=tarfile.GNU_FORMAT) as archive:
            archive.add(root, arcname=".", filter=_plain)
    with (place / "layer.tar").open("rb") as file:
        (place / "digest").write_text(hashlib.file_digest(file, "sha256").hexdigest())


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry without what differs between machines."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    if entry.isdir() and entry.name != "./tmp":
        entry.mode = 0o755
    return entry


def _busybox(root: Path) -> None:
    for folder in ("bin", "etc"):
        (root / folder).mkdir()
    (root / "tmp").mkdir()
    (root / "tmp").chmod(0o1777)
    shutil.copy(next(debian.busybox().glob("**/bin/busybox")), root / "bin/busybox")
    for applet in run(root / "bin/busybox", "--list").split():
        if applet != "busybox":
            (root / "bin" / applet).symlink_to("busybox")
    (root / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nuser:x:1000:\n")


def _python(own: Python, root: Path) -> None:
    executable, library = Path(own.binary), Path(own.library)
    _copy(executable, root)
    shutil.copytree(library, _inside(root, library), ignore=_NOT_NEEDED, symlinks=True)
    _compile(own, _inside(root, library), root)
    _copy_libraries([executable, *library.glob("lib-dynload/*.so")], root)
    _copy(next(Path("/lib").glob(f"*/{_LOADED_LATE}")), root)
    programs = root / "usr/local/bin"
    programs.mkdir(parents=True, exist_ok=True)
    for name in ("python", "python3"):
        (programs / name).symlink_to(executable)


def _packages(requirements: Path, own: Python, root: Path) -> None:
    """Only the listed packages: pods do not need what a framework names for its compilers."""
    site = root / SITE
    pip = (own.command, "-m", "pip", "--quiet", "--disable-pip-version-check")
    listed = ("--no-deps", "--requirement", requirements)
    run(*pip, "install", "--no-compile", "--target", site, *listed)
    if (site / "bin/mpiexec").exists():
        with tempfile.TemporaryDirectory() as folder:
            run(*pip, "download", "--dest", folder, *listed)
            for wheel in Path(folder).glob("*.whl"):
                _put_libraries(wheel, site)
    for headers in site.glob("*/include"):
        shutil.rmtree(headers)
    for library in site.glob("torch/lib"):
        cuda.stand_in(library)
    _compile(own, site, root)
    _copy_libraries(site.rglob("*.so*"), root)


def _put_libraries(wheel: Path, site: Path) -> None:
    """The folder lib beside a wheel's programs, which pip leaves out if it is given a target."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, separator, path = name.partition(".data/data/lib/")
            if separator and path and not path.endswith("/"):
                target = site / "lib" / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
                target.chmod(0o755)


def _debs(listed: Path, root: Path) -> None:
    debian.unpack(root, listed.read_text().split())
    programs = [path for path in root.glob("usr/*bin/*") if path.is_file()]
    _copy_libraries([*programs, *root.rglob("*.so*")], root)


def _overlay(folder: Path, root: Path) -> None:
    shutil.copytree(folder, root, dirs_exist_ok=True)


def _programs(root: Path) -> None:
    shutil.copytree(HERE / "programs", root / "app", ignore=shutil.ignore_patterns("__pycache__"))
    (root / "model_zoo").symlink_to("app/model_zoo")  # where ElasticDL's client put models
    commands = root / "usr/local/bin"
    commands.mkdir(parents=True)
    for script in sorted((root / "app").glob("*.sh")):
        script.chmod(0o755)
        script.rename(commands / script.stem)


def _compile(own: Python, folder: Path, root: Path) -> None:
    """Byte code without time stamps: a layer's files have no times, and pods must start quickly."""
    mode = ("--invalidation-mode", "unchecked-hash", "-d", f"/{folder.relative_to(root)}")
    run(own.command, "-m", "compileall", "-qq", "-j0", *mode, folder, check=False)


def _copy_libraries(objects: Iterable[Path], root: Path) -> None:
    """The machine's shared objects that these need."""
    listed = run("ldd", *objects, check=False)
    for path in sorted(set(_LIBRARY.findall(listed))):
        if not path.startswith(str(root)):
            _copy(Path(path), root)


def _copy(path: Path, root: Path) -> None:
    target = _inside(root, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, target)


def _inside(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")
