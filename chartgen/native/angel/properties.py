"""angel-properties: the properties of a job of Angel in a file, as Java writes them."""

from chartgen.document import Document
from chartgen.native.angel import job as angel
from chartgen.native.draft import Adopted


def adopt(document: Document) -> Adopted:
    """The job description that the properties mean."""
    return angel.adopt(document, {})
