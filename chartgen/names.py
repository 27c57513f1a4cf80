"""Names of objects: what they are made of, and how long Kubernetes lets them be."""

LABEL = 63  # a Service's and a Job's name is a DNS label; a Job's also becomes a label of its pods
HASH = 8  # the runtime id, where the job gives none


def replica(prefix: str, role: str, runtime_id: str, index: int) -> str:
    """The name of a replica's Job and Service."""
    return f"{prefix}{role}-{runtime_id or '0' * HASH}-{index}"


def nearest(word: str, known: list[str]) -> str:
    """The known word a person probably meant, as a hint; all of them if none is near."""
    from difflib import get_close_matches  # only a job with a problem pays for it

    near = get_close_matches(word, known, 1)
    return f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}"
