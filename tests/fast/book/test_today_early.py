"""Early data over TCP as the chapter tells of them, of known means."""

from __future__ import annotations

import pandas as pd

from longlook.book.years import today

PAGES = {"5kb-x1": 5120, "100kb-x1": 102_400, "10kb-x100": 10_240}


class Told:
    """Squares of both comparisons: QUIC one round trip, TCP three, and `saved` of them less with early data."""

    def __init__(self, saved=1.0, verdict_early="left"):
        self.saved, self.verdict_early = saved, verdict_early

    def squares(self, _study, _series, _key, versus):
        with_early = versus == today.EARLY
        rows = [
            {
                "workload": page, "object_bytes": size, "object_count": 1, "bandwidth_mbps": mbps, "rtt_ms": rtt,
                "left_mean": rtt, "right_mean": rtt * (3 - self.saved * with_early), "pct_diff": 100.0,
                "right_median": rtt * (3 - self.saved * with_early),
                "verdict": self.verdict_early if with_early and page == "100kb-x1" else "left",
            }
            for page, size in PAGES.items()
            for mbps in (10.0, 100.0)
            for rtt in (36.0, 112.0)
        ]  # fmt: skip
        return pd.DataFrame(rows)


def test_the_table_has_a_row_per_square_and_its_saving_in_round_trips():
    shown = today.early_table(Told(saved=0.5, verdict_early="none")).data
    assert shown.count("<tr") == 1 + 12 and "0.50" in shown and "(+100)" in shown
