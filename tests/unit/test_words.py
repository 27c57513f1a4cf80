"""words: phrases for people."""

import pytest

from chartgen import words


@pytest.mark.parametrize(
    ("word", "hint"),
    [("wroker", "did you mean 'worker'?"), ("cheif", "did you mean 'chief'?"), ("driver", "")],
)
def test_the_nearest_word_is_suggested_only_if_it_is_near(word: str, hint: str) -> None:
    assert words.did_you_mean(word, ["chief", "worker", "ps"]) == hint


@pytest.mark.parametrize(
    ("alternatives", "text"),
    [(["a"], "'a'"), (["a", "b"], "'a' or 'b'"), (["a", "b", "c"], "'a', 'b' or 'c'")],
)
def test_suggestions_are_joined_as_in_a_sentence(alternatives: list[str], text: str) -> None:
    assert words.either(alternatives) == text


def test_suggestions_ignore_case() -> None:
    assert words.did_you_mean("REPLICAS", ["replicas"]) == "did you mean 'replicas'?"


def test_where_nothing_is_near_all_known_words_are_listed() -> None:
    assert words.did_you_mean_or_known("zebra", ["gke", "azure"]) == "known: gke, azure"
    assert words.did_you_mean_or_known("azur", ["gke", "azure"]) == "did you mean 'azure'?"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1200, "1,200 files")]
)
def test_counts_have_the_right_plural(number: int, text: str) -> None:
    assert words.count(number, "file") == text
