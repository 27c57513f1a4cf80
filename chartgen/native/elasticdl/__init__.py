"""Command lines of ElasticDL's client."""
