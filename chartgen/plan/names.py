"""Names of the objects that a chart makes."""

HASH = 8  # the runtime id, where the job gives none


def replica(prefix: str, role: str, runtime_id: str, index: int) -> str:
    """The name of a replica's Job and Service."""
    return f"{single(prefix, role, runtime_id)}-{index}"


def single(prefix: str, name: str, runtime_id: str) -> str:
    """The name of an object that exists once."""
    return f"{prefix}{name}-{runtime_id or '0' * HASH}"
