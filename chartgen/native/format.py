"""What is known about a native format before a job is written in it."""

from chartgen.document import Path
from chartgen.startup.records import NamedTuple


class Format(NamedTuple):
    """A Kubernetes object is recognized by its kind, anything else by a pattern of its text."""

    framework: str
    about: str
    kind: str = ""  # in lower case
    title: str = ""  # the kind as its objects spell it
    beside: tuple[str, ...] = ()  # kinds of objects that complete one, in lower case
    key: str = ""  # if several formats have this kind, the key of spec that only this one has
    versions: str = ""  # of the API, or of the system that it belongs to
    text: str = ""  # a regular expression that the text of a job matches
    syntax: str = "chartgen.syntax.yaml.reader"  # the module that reads it: a Syntax
    suffix: str = ""  # of files that are in this format whatever their text is
    schema: str = ""  # the format whose schema it shares, if it has none of its own
    module: str = ""  # the module that adopts it: a Native, whose docstring is the manual page
    also: tuple[str, ...] = ()  # other frameworks that jobs in it may be of
    beside_name: Path = ()  # where a job names the object that completes it
