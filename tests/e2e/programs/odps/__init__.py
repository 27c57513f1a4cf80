"""What ElasticDL imports to read tables of MaxCompute, which the tests do not use."""

ODPS = None
