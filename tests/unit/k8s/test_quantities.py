"""quantities: what Kubernetes accepts as a quantity, how much it is, and a job's total."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.k8s.quantities import Containers, amount, in_words, suggestion, sums

# The grammar of k8s.io/apimachinery/pkg/api/resource, Quantity: a signed number, then a suffix
# or an exponent.
_SUFFIXES = {
    "": Fraction(1),
    **{unit: Fraction(1, 1000**power) for power, unit in enumerate("mun", 1)},
    **{unit: Fraction(1000**power) for power, unit in enumerate("kMGTPE", 1)},
    **{unit + "i": Fraction(1024**power) for power, unit in enumerate("KMGTPE", 1)},
}
_DIGITS = st.text("0123456789", min_size=1, max_size=8)
_NUMBER = st.one_of(
    _DIGITS,
    st.builds("{}.".format, _DIGITS),
    st.builds("{}.{}".format, _DIGITS, _DIGITS),
    st.builds(".{}".format, _DIGITS),
)
_SIGN = st.sampled_from(["", "+", "-"])
_EXPONENT = st.builds("{}{}{}".format, st.sampled_from("eE"), _SIGN, st.integers(0, 30).map(str))


def _cut_off(value: Fraction) -> float:
    return max(-(2.0**63), min(float(value), 2.0**63))


@given(_SIGN, _NUMBER, st.sampled_from(sorted(_SUFFIXES)))
def test_a_number_with_a_suffix_is_a_quantity(sign: str, number: str, suffix: str) -> None:
    expected = Fraction(f"{sign}{number}") * _SUFFIXES[suffix]
    value = amount(f"{sign}{number}{suffix}")
    assert value is not None
    assert math.isclose(value, _cut_off(expected), rel_tol=1e-12)


@given(_SIGN, _NUMBER, _EXPONENT)
def test_a_number_with_an_exponent_is_a_quantity(sign: str, number: str, exponent: str) -> None:
    value = amount(f"{sign}{number}{exponent}")
    assert value is not None
    expected = Fraction(f"{sign}{number}") * Fraction(10) ** int(exponent[1:])
    assert math.isclose(value, _cut_off(expected), rel_tol=1e-12)


_REFUSED = (
    *("", " ", "1 Gi", "16GB", "1ki", "1K", "1mi", "1gi", "1MI", "1iK", "1Kim", "1mm", "four"),
    *("0x10", "1,5", "1_0", "١"),
    *("1e", "1e+", "1e5.5", "1eE5", "1e5Ki", "1Ke5", "e5", "1e--5", "--1", "+-1", "1.2.3", "1-"),
    *("1\n", " 1", "1 ", "inf", "nan"),
    # By an oversight Kubernetes' own parser reads these as 0; nobody means that.
    *(".", "+", "-", "Gi", "m", ".Ki"),
)


@pytest.mark.parametrize("text", _REFUSED)
def test_any_other_text_is_not_a_quantity(text: str) -> None:
    assert amount(text) is None


def test_yaml_numbers_are_quantities() -> None:
    assert [amount(number) for number in (4, 0.5, 1.5e-7)] == [4.0, 0.5, 1.5e-7]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *[
            ("16GB", "16G"),
            ("16 GiB", "16Gi"),
            ("16gib", "16Gi"),
            ("16GIB", "16Gi"),
            ("10KB", "10k"),
            ("1ki", "1Ki"),
        ],
        *[
            ("1,000", "1000"),
            ("1,234,567", "1234567"),
            ("1,5Gi", "1.5Gi"),
            ("2_000", "2000"),
            ("5 m", "5m"),
            ("5mb", "5M"),
        ],
        *[("four", ""), ("4 cores", ""), ("1e", ""), ("", "")],
    ],
)
def test_a_refused_quantity_suggests_what_was_meant(written: str, meant: str) -> None:
    assert suggestion(written) == meant


@given(st.text(max_size=10))
def test_a_suggestion_is_always_a_quantity(text: str) -> None:
    assert suggestion(text) == "" or amount(suggestion(text)) is not None


def test_a_limit_counts_as_the_request_where_there_is_none() -> None:
    container = {
        "resources": {
            "limits": {"cpu": 4, "nvidia.com/gpu": 1},
            "requests": {"cpu": "500m", "memory": "1Gi"},
        }
    }
    assert sums([(3, Containers([container, {}])), (2, Containers([{}]))]) == {
        "pods": 5,
        "cpu": 1.5,
        "memory": 3 * 2**30,
        "nvidia.com/gpu": 3,
    }


@pytest.mark.parametrize(
    ("total", "words"),
    [
        ({"pods": 6.0}, "6 pods"),
        ({"pods": 1.0, "cpu": 1.0}, "1 pod, 1 CPU"),
        ({"pods": 0.0, "cpu": 0.5}, "0 pods, 0.5 CPUs"),
        ({"pods": 6.0, "cpu": 12.0, "memory": 48.0 * 2**30}, "6 pods, 12 CPUs, 48 GiB memory"),
        ({"pods": 1000000.0, "cpu": 1234567.125}, "1000000 pods, 1234567.125 CPUs"),
        (
            {"pods": 2.0, "memory": 1e9, "b/x": 1.0, "a/x": 0.5},
            "2 pods, 0.93 GiB memory, 0.5 a/x, 1 b/x",
        ),
    ],
)
def test_totals_are_given_in_words(total: dict[str, float], words: str) -> None:
    assert in_words(total) == words


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ([], 2),
        ([{"cpu": 1}], 2),
        ([{"cpu": 3}], 3),
        ([{"cpu": 3}, {"cpu": 5}], 5),
        ([{"cpu": 1, "lasts": True}], 3),
        ([{"cpu": 1, "lasts": True}, {"cpu": 5}], 6),
        ([{"cpu": 5}, {"cpu": 1, "lasts": True}], 5),
    ],
)
def test_an_init_container_counts_if_it_requests_more(
    before: list[dict[str, Any]], asked: float
) -> None:
    """As in Kubernetes: it and earlier sidecars, or all that runs later, whichever is more."""
    policy = {"restartPolicy": "Always"}
    inits = [
        {"resources": {"limits": {"cpu": init["cpu"]}}, **(policy if "lasts" in init else {})}
        for init in before
    ]
    main = {"resources": {"limits": {"cpu": 2}}}
    assert sums([(2, Containers([main], inits))]) == {"pods": 2, "cpu": 2 * asked}
