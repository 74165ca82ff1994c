"""Initial windows: how much of QUIC's lead is 0-RTT, and how much the larger first flight."""

from __future__ import annotations

import pandas as pd

from longlook.analysis.cells import newest_of
from longlook.book.data import COLUMNS, PaperData
from longlook.figure import style
from longlook.figure.table import html_table

VARIANTS = (("window-default", "quic"), ("window-quic10", "quic"), ("window-default", "tcp"), ("window-tcp32", "tcp"))
"""Figure and protocol of each column: QUIC with 32 and 10 packets, TCP with 10 and 32."""
PAGE = ["bandwidth_mbps", "workload_size_kb"]


def window_table(data: PaperData) -> str:
    """Mean PLT (ms) of each page with each initial window, and QUIC's lead as it is and with equal windows of 10 and of 32."""
    rows = []
    for _, role, title in COLUMNS:
        means = {key: _means(data, *key, role) for key in VARIANTS}
        if any(found.empty for found in means.values()):
            continue
        for page in means[VARIANTS[0]].index:
            quic32, quic10, tcp10, tcp32 = (means[key].get(page, float("nan")) for key in VARIANTS)
            leads = [
                style.signed_pct((tcp - quic) / quic * 100)
                for quic, tcp in ((quic32, tcp10), (quic10, tcp10), (quic32, tcp32))
            ]
            numbers = [f"{mean:.0f}" for mean in (quic32, quic10, tcp10, tcp32)]
            rows.append([title, f"{page[0]:g}", style.size_label(page[1]), *numbers, *leads])
    head = [
        "column",
        "Mbit/s",
        "object",
        "QUIC, 32",
        "QUIC, 10",
        "TCP, 10",
        "TCP, 32",
        "lead as it is, %",
        "both 10, %",
        "both 32, %",
    ]
    return html_table(head, rows, numeric=set(range(3, 10))) if rows else style.NOTHING_YET


def _means(data: PaperData, figure: str, protocol: str, role: str) -> pd.Series:
    rows = newest_of(data.cells, figure, role)
    return rows.set_index(PAGE)[f"{protocol}_mean_ms"].sort_index()
