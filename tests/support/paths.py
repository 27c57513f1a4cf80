"""Where things are: the repository, and the corpora of the tests."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
