"""The hypothesis about initial windows, by hand-made cells."""

import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024.leads import WindowLeads


def lead(ms, sd=2.0):
    return (1.0, Summary(100.0 + ms, sd, 10)), (-1.0, Summary(100.0, sd, 10))


@pytest.mark.parametrize(
    ("small", "large", "stays", "falls", "as_small"),
    [
        (72, 73, True, True, True),  # as predicted
        (60, 60, False, True, True),  # the lead with 5 KB falls too
        (72, 57, True, True, False),  # that with 100 KB falls below it
        (70, 125, True, False, False),  # nothing changes
    ],
)
def test_what_was_predicted_of_a_cell(small, large, stays, falls, as_small):
    one = WindowLeads(10.0, "window-quic10", lead(small), lead(large), lead(70), lead(125))
    assert one.small_changes.contains_zero is stays
    assert (one.large_changes.high < 0) is falls
    assert one.large_above_small.contains_zero is as_small
    assert one.small_changes.value == pytest.approx(small - 70)
