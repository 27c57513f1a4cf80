"""Late values in texts of a job, as they are read before the chart reads them."""

import pytest

from chartgen.plan.notation import Reader, read

READER = Reader("work", {"lead": False, "work": True})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("%{count * 010}", "%{count * 010} multiplies by '010'"),
        (
            "%{count * 1000 * 1000}",
            "%{count * 1000 * 1000} multiplies by too much; expected at most 999,999",
        ),
        (
            "%{count * devices * devices}",
            "%{count * devices * devices} multiplies by devices twice",
        ),
        ("%{count work * 2 *}", "%{count work * 2 *} ends with *"),
        ("%{host work 08}", "%{host work 08} does not end with an index"),
        ("%{host\u00a0work}", "%{host\u00a0work} is not a late value"),
        ("%{'}", "%{ is not closed"),
    ],
)
def test_what_the_chart_would_read_otherwise_is_refused(text: str, message: str) -> None:
    """Go reads 010 as 8, has no other white space than ASCII's, and numbers of 64 bits."""
    (problem,) = read(text, READER)[1]
    assert problem.message.startswith(message)
