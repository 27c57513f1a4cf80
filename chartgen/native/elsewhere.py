"""Formats that modules of other installed packages adopt: found, and blamed by name."""

from functools import cache

from chartgen import extensions
from chartgen.document import Document
from chartgen.extensions import FORMATS, blame, broken
from chartgen.native.draft import Adopted
from chartgen.native.format import Format
from chartgen.startup.typing import Any


@cache
def formats() -> dict[str, Format]:
    """The formats of all other packages, by their names."""
    by_name = {}
    for name, extension in extensions.installed(FORMATS).items():
        form = getattr(module(name), "FORMAT", None)
        if not isinstance(form, Format):
            raise broken(extension, f"is not a format: FORMAT is {form!r}; expected a Format")
        if not (form.kind or form.text or form.suffix):
            raise broken(extension, "cannot be recognized: FORMAT has no kind, text or suffix")
        by_name[name] = form._replace(module=extension.module)
    return by_name


def module(name: str) -> Any:
    """The module that adopts one of them."""
    extension = extensions.installed(FORMATS)[name]
    loaded = extensions.load(extension)
    if not callable(getattr(loaded, "adopt", None)):
        raise broken(extension, "is not a format: it has no function adopt")
    return loaded


def adopt(document: Document) -> Adopted:
    """The job description that a document in such a format means."""
    extension = extensions.installed(FORMATS)[document.form]
    with blame(extension, "failed to adopt a job"):
        adopted = module(document.form).adopt(document)
    if not isinstance(adopted, Adopted):
        raise broken(extension, f"adopts a {type(adopted).__name__}; expected an Adopted")
    return adopted
