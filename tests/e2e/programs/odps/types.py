"""The types that ElasticDL 0.2 has in a table."""

bigint, double, string = "bigint", "double", "string"
