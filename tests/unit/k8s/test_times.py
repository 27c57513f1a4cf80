"""Times as Kubernetes writes them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chartgen.k8s.times import age, seconds, text


@given(st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)))
def test_a_time_is_what_pythons_own_reader_reads(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC)
    written = aware.isoformat().replace("+00:00", "Z")
    assert seconds(written) == pytest.approx(aware.timestamp(), abs=1e-3)


@given(st.datetimes(datetime(1970, 1, 1), datetime(9999, 1, 1)))
def test_a_time_is_written_as_python_writes_it(moment: datetime) -> None:
    whole = moment.replace(tzinfo=UTC, microsecond=0)
    assert text(whole.timestamp() + 0.5) == f"{whole:%Y-%m-%dT%H:%M:%SZ}"


def test_a_time_may_have_an_offset_and_nanoseconds() -> None:
    assert seconds("1970-01-01T01:00:00.500000000+01:00") == 0.5
    assert seconds("1969-12-31T23:00:00-01:00") == 0


@pytest.mark.parametrize(
    ("elapsed", "shown"),
    [(-1, "0s"), (12, "12s"), (200, "3m20s"), (3600, "1h"), (90_000, "1d1h"), (800_000, "9d")],
)
def test_an_age_is_short(elapsed: float, shown: str) -> None:
    assert age(elapsed) == shown
