"""Appendix B tables: published beside re-measured."""

import re

import pandas as pd
from cells import cell

from longlook.figure.heatmap import QUIC_TCP
from longlook.figure.table import compared_table, html_table, published_table, verdicts


def test_ratio_and_verdict_stand_beside_the_values():
    published = pd.DataFrame([cell(), cell(size=10, pct=-2.0, p=0.5, verdict="none")])
    measured = pd.DataFrame([cell(campaign="c") | {"left_mean": 105.0}, cell(size=10, campaign="c")])
    text = compared_table(published, measured, "Re-measured", QUIC_TCP)
    assert "<td class=num>1.05</td>" in text
    assert "✓</span> QUIC" in text and re.search(r"✗</span> none \(\d\.\d %\) → QUIC", text)


def test_only_measured_cells_are_compared():
    published = pd.DataFrame([cell(), cell(size=10)])
    lost = cell(size=10, campaign="c") | {"left_mean": None, "pct_diff": None, "p_value": None}
    text = compared_table(published, pd.DataFrame([cell(campaign="c"), lost]), "Re-measured", QUIC_TCP)
    assert "5 KB" in text and "10 KB" not in text


def test_a_new_bandwidth_begins_with_a_line():
    text = published_table(
        pd.DataFrame([cell(bandwidth=50.0), cell(bandwidth=10.0), cell(bandwidth=10.0, size=10)]), QUIC_TCP
    )
    assert text.count("ll-row-start") == 1


def test_text_is_escaped():
    assert "&lt;b&gt;" in html_table(["x"], [["<b>"]])


def test_verdict_marks():
    assert "✓" in verdicts("QUIC", "QUIC") and "QUIC → TCP" in verdicts("QUIC", "TCP")
    assert verdicts("none", "none", "12 %", "3.1 %").endswith("none (12 %, 3.1 %)")
    assert verdicts("none", "TCP", "12 %").endswith("none (12 %) → TCP")
