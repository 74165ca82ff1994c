"""Tables 4.1 and 4.2 beside what was measured."""

import pandas as pd

from longlook.audit.fairness import fairness, lines_of, median_error
from longlook.paths import PUBLISHED

PUBLISHED_SHARES = pd.read_csv(PUBLISHED / "muthuraj2024_fairness.csv", dtype={"table": str})


def flows(quic, tcp, runs=5):
    rows = [
        ("reference-table-4.1-1", "table-4.1", "QUIC vs TCP", name, protocol, rate + run / 100, True)
        for run in range(runs)
        for name, protocol, rate in (("quic1", "quic", quic), ("tcp1", "tcp", tcp))
    ]
    return pd.DataFrame(rows, columns=["campaign", "figure", "scenario", "flow", "protocol", "mean_mbps", "accepted"])


def test_the_same_winner_agrees():
    (one,) = fairness(PUBLISHED_SHARES, flows(3.6, 1.3))
    assert one.agrees and one.table == "4.1" and one.campaign == "reference-table-4.1-1"
    text = "\n".join(lines_of([one]))
    assert "QUIC vs TCP: agrees" in text and "3.74 (0.14)" in text and "5 runs" in text


def test_another_outcome_does_not():
    (one,) = fairness(PUBLISHED_SHARES, flows(2.5, 2.5))
    assert not one.agrees and "published quic, here fair" in "\n".join(lines_of([one]))


def test_the_error_is_relative_to_the_published_means():
    assert median_error(fairness(PUBLISHED_SHARES, flows(3.74, 1.24))) < 0.02


def test_nothing_measured_is_no_scenario():
    assert fairness(PUBLISHED_SHARES, flows(1, 1).iloc[:0]) == ()
