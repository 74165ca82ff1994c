"""Early data of TLS 1.3 over TCP in 2026, as a table."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.figure.versus import Versus
from longlook.record.parquet import records

SERIES = "today-early"
LATE, EARLY = Versus("quic-0rtt", "tcp-1rtt", PLT), Versus("quic-0rtt", "tcp-0rtt", PLT)
"""QUIC against TCP that waits for TLS, and against TCP that does not."""
SQUARE = ["workload", "bandwidth_mbps", "rtt_ms"]


def squares(data: BookData) -> pd.DataFrame:
    """A row per square with both comparisons, the second one's columns with `_early`; `saved_ms` of TCP's mean,
    `median_saved_ms` of its median, `saved_rounds` and `left_rounds` in round trips of the link: what early data take
    away, and what QUIC still leads by."""
    late, early = (data.squares(STUDY, SERIES, REFERENCE, versus) for versus in (LATE, EARLY))
    if late.empty or early.empty:
        return pd.DataFrame()
    told = [*SQUARE, "right_mean", "right_median", "verdict", "pct_diff"]
    both = late.merge(early[told], on=SQUARE, suffixes=("", "_early"), validate="one_to_one")
    both["saved_ms"] = both["right_mean"] - both["right_mean_early"]
    both["median_saved_ms"] = both["right_median"] - both["right_median_early"]
    both["saved_rounds"] = both["saved_ms"] / both["rtt_ms"]
    both["left_rounds"] = (both["right_mean_early"] - both["left_mean"]) / both["rtt_ms"]
    return both.sort_values(["object_count", "object_bytes", "rtt_ms", "bandwidth_mbps"])


def table(data: BookData | None = None) -> HTML:
    """A row per page and link: three means, what early data save, and QUIC's lead without and with them."""
    found = squares(data or book_data.load())
    if found.empty:
        return HTML(style.NOTHING_YET)
    head = ["page", "link", "Mbit/s", "QUIC, ms", "TCP, ms", "with early data, ms"]
    head += ["saved, round trips", "QUIC's lead, %", "with early data, %"]
    rows = [
        [
            style.page_label(row),
            style.link_label(row["rtt_ms"], None),
            f"{row['bandwidth_mbps']:g}",
            *(f"{row[name]:,.0f}" for name in ("left_mean", "right_mean", "right_mean_early")),
            f"{row['saved_rounds']:.2f}".replace("-", style.MINUS),
            _lead(row["pct_diff"], row["verdict"]),
            _lead(row["pct_diff_early"], row["verdict_early"]),
        ]
        for row in records(found)
    ]
    return HTML(html_table(head, rows, numeric=set(range(2, len(head)))))


def _lead(pct: float, verdict: str) -> str:
    """In brackets where it cannot be told from none."""
    text = style.signed_pct(pct)
    return f"({text})" if verdict == "none" else text
