"""Stand-ins for CUDA's libraries: PyTorch from PyPI is linked to them, and runs without on a CPU.

The real ones have several gigabytes. Every function of a stand-in returns an error, so PyTorch
finds no device.
"""

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.e2e import debian
from tests.e2e.process import run

# The functions are in a library of a name of its own: if a library has the name of one of CUDA's,
# the loader also expects the versions of its functions.
FUNCTIONS = "libcuda_stand_in.so"
_NEEDED = re.compile(r"\(NEEDED\).*\[(lib(?:cu|nccl|nv)[^]]*)\]")
_SYMBOL = re.compile(r"^(_*(?:cu|nccl|nv)\w*)", re.ASCII)


def stand_in(library: Path) -> None:
    """Add to PyTorch's folder of libraries what those name and the folder lacks."""
    debian.ensure_compiler()
    objects = sorted(library.glob("*.so*"))
    missing = [name for name in _named(objects) if not (library / name).exists()]
    if not missing:
        return
    source = "".join(f"int {name}(void) {{ return 999; }}\n" for name in _undefined(objects))
    _compile(source, library / FUNCTIONS)
    for name in missing:
        options = (f"-Wl,-soname,{name}", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN")
        _compile("", library / name, *options, f"-L{library}", f"-l:{FUNCTIONS}")


def _named(objects: Iterable[Path]) -> list[str]:
    """The libraries of CUDA that these need."""
    return sorted(set(_NEEDED.findall(run("readelf", "--dynamic", "--wide", *objects))))


def _undefined(objects: Iterable[Path]) -> list[str]:
    """The functions of CUDA that these call."""
    options = ("--dynamic", "--undefined-only", "--format=just-symbols", "--quiet")
    lines = run("nm", *options, *objects).splitlines()
    return sorted({symbol[1] for line in lines if (symbol := _SYMBOL.match(line))})


def _compile(source: str, target: Path, *options: str) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(source)
        file.flush()
        flags = ("-w", "-shared", "-fPIC", "-fno-builtin", "-nostdlib")
        run("gcc", *flags, file.name, "-o", target, *options)
