"""YAML: read with the place of every value, written as Go reads it."""
