"""Names of objects: what they are made of, and how long Kubernetes lets them be."""

from collections.abc import Iterable

LABEL = 63  # a Service's and a Job's name is a DNS label; a Job's also becomes a label of its pods
HASH = 8  # the runtime id, where the job gives none


def replica(prefix: str, role: str, runtime_id: str, index: int) -> str:
    """The name of a replica's Job and Service."""
    return f"{single(prefix, role, runtime_id)}-{index}"


def single(prefix: str, name: str, runtime_id: str) -> str:
    """The name of an object that exists once."""
    return f"{prefix}{name}-{runtime_id or '0' * HASH}"


def cleanup(prefix: str, runtime_id: str) -> str:
    """The name of the Job that cleans up, which has a hash of its own."""
    return f"{single(prefix, 'cleanup', runtime_id)}-{'0' * HASH}"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that a person probably meant, or nothing."""
    from difflib import get_close_matches  # only a job with a problem pays for it

    near = get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]!r}?" if near else ""


def either(words: Iterable[str]) -> str:
    """Words as a sentence offers them: 'a', 'b' or 'c'."""
    *others, last = map(repr, words)
    return f"{', '.join(others)} or {last}" if others else last
