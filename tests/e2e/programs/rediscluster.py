"""What ElasticDL 0.1 imports for its embedding service, which the tests do not use."""


class RedisCluster:
    """Never made."""
