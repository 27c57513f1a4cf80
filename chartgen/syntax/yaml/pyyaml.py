"""PyYAML, imported without compiling its regular expressions: a fifteenth of a cold start."""

from chartgen.startup.patterns import compile_late

with compile_late():
    import yaml
    from yaml import MappingNode, Node, ScalarNode, SequenceNode

__all__ = ["MappingNode", "Node", "ScalarNode", "SequenceNode", "yaml"]
