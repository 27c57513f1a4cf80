"""json, imported without compiling the regular expressions that only its Python version uses."""

from chartgen.startup.patterns import compile_late

with compile_late():
    from json import JSONEncoder, dumps, loads
    from json.encoder import encode_basestring

__all__ = ["JSONEncoder", "dumps", "encode_basestring", "loads"]
