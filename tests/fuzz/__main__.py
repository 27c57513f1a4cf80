"""Judge many inputs, keep those that break something, and print one line of figures."""

import sys
import time
from collections import Counter

from tests.fuzz.folders import judge_folders
from tests.fuzz.helm import refused_charts
from tests.fuzz.inputs import Input, inputs
from tests.fuzz.judge import Verdict, judge
from tests.fuzz.words import judge_words
from tests.support.paths import ROOT

KEPT = ROOT / "build" / "fuzz"
KINDS = ("crash", "hang", "memory", "place", "message", "refused")


def main(count: int, seed: int) -> int:
    """Inputs, command lines, directories, and charts of what was accepted; 1 if anything broke."""
    start = time.monotonic()
    counts: Counter[str] = Counter()
    accepted = []
    for number, given in enumerate(inputs(seed, count)):
        verdict = judge(given.data, given.name, {"A": "x", "NAME": "y z"})
        if verdict.kind:
            counts[verdict.kind] += 1
            _keep(given, verdict, f"{seed}-{number}")
        accepted += [(given, *chart) for chart in verdict.charts]
    for number, (words, verdict) in enumerate(judge_words(seed, count // 10)):
        counts[verdict.kind] += 1
        _keep(Input("words.txt", repr(words).encode()), verdict, f"{seed}-w{number}")
    for number, (given, words, verdict) in enumerate(judge_folders(seed, count // 25)):
        counts[verdict.kind] += 1
        named = verdict._replace(why=f"{' '.join(words)}: {verdict.why}")
        _keep(given, named, f"{seed}-d{number}")
    tried, refused = refused_charts(accepted, seed, count // 100)
    for number, (given, why) in enumerate(refused):
        counts["refused"] += 1
        _keep(given, Verdict("refused", why), f"{seed}-h{number}")
    figures = ", ".join(f"{kind} {counts[kind]}" for kind in KINDS)
    print(
        f"fuzz: seed {seed}, {count:,} inputs, {len(accepted):,} jobs accepted, "
        f"{count // 10:,} command lines, {count // 25:,} directories, "
        f"{tried:,} charts through Helm, "
        f"{time.monotonic() - start:.0f} s: {figures}"
    )
    return 1 if counts else 0


def _keep(given: Input, verdict: Verdict, name: str) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{verdict.kind}-{name}{given.name[given.name.rindex('.') :]}"
    path.write_bytes(given.data)
    print(f"{path}: {verdict.why[:300]}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
