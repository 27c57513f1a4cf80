"""Phrases for people, each made in one place: alternatives, counts, and "did you mean"."""

from collections.abc import Iterable, Sequence


def count(number: int, noun: str) -> str:
    """A number of things: "1 file", "1,200 files"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def verdict(differ: int, total: int) -> str:
    """How many charts differ, as in "2 of 3 differ from their job descriptions"; "" for none."""
    if not differ:
        return ""
    single, several = "differs from its job description", "differ from their job descriptions"
    return f"{differ:,} of {total:,} {single if differ == 1 else several}"


def short(text: str, most: int = 60) -> str:
    """A text that is shortened if it is long, for a message."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def in_shell(path: str) -> str:
    """A word as it can be copied into a shell."""
    from shlex import quote  # only messages that print a command need it

    return quote(path)


def listed(words: Sequence[str], joint: str = "or") -> str:
    """Words as a sentence lists them: "a, b or c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joint} {words[-1]}"


def either(words: Iterable[str]) -> str:
    """Quoted alternatives: "'a', 'b' or 'c'"."""
    return listed([repr(word) for word in words])


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """The known word that differs least from a mistyped one, ignoring case, if any is close."""
    from difflib import get_close_matches  # only mistyped words pay for the import

    folded = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=likeness)
    return folded[close[0]] if close else None


def near(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known words that a mistyped one may mean: very like it, containing it, or like it."""
    from difflib import get_close_matches

    lower = word.lower()
    folded = {candidate.lower(): candidate for candidate in known}
    containing = [candidate for candidate in folded if len(lower) > 2 and lower in candidate]
    meant = (
        get_close_matches(lower, folded, most, 0.8)
        or containing[:most]
        or get_close_matches(lower, folded, most)
    )
    return [folded[candidate] for candidate in meant]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that was probably meant, or nothing."""
    meant = nearest(word, known)
    return f"did you mean {meant!r}?" if meant else ""


def did_you_mean_or_known(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that was probably meant; if none is close, all known words."""
    words = list(known)
    return did_you_mean(word, words) or f"known: {', '.join(words)}"
