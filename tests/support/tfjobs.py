"""TfJobs of the corpus, and the descriptions they mean."""

import json
from typing import Any

from chartgen import native, pipeline
from chartgen.document import Document
from chartgen.native.draft import Adopted
from chartgen.syntax.yaml import reader as yaml_reader
from tests.support.paths import CORPUS

HERE = CORPUS / "native/tfjob"
CASES = sorted(HERE.glob("*/tfjob.*"))
Object = dict[str, Any]


def case(name: str) -> Object:
    """A fresh copy of a case's object."""
    (path,) = HERE.glob(f"{name}-*/tfjob.*")
    data: Object = yaml_reader.read(path.read_bytes(), "x")[0].data
    return data


def read(data: Object) -> Document:
    (document,) = pipeline.read(json.dumps(data, indent=1).encode(), "tfjob.json")
    return document


def adopt(data: Object) -> Adopted:
    return native.adopt(read(data))


def described(data: Object) -> Object:
    """The description a TfJob means; it may have warnings but no problems."""
    document, _, problems, _ = adopt(data)
    assert document is not None
    assert [problem for problem in problems if problem.severity == "error"] == []
    description: Object = document.data
    return description
