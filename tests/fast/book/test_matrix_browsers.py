"""Two browsers with every server of QUIC: the table."""

from __future__ import annotations

import re

import pandas as pd

from longlook.analysis.welch import Summary
from longlook.book.matrix import browsers
from longlook.book.matrix.pairs import BROWSERS
from longlook.stack.arms import open_sweep

GOOD = {
    (loss, server, browser): 1200.0
    for loss in browsers.LOSSES_PCT
    for server in browsers.SERVERS
    for browser in BROWSERS
    if not (loss and server == browsers.SLOW)
}
GOOD |= {(0.0, browsers.SLOW, browser): 2400.0 for browser in BROWSERS}
GOOD |= {(1.0, "envoy", browser): 1000.0 for browser in BROWSERS}


def test_the_sweep_has_the_arms_that_the_chapter_looks_for():
    cells = open_sweep(browsers.SERIES).cells()
    found = {(cell.link.loss_pct, *arm.name.split()) for cell in cells for arm in cell.arms}
    assert found == GOOD.keys()
    named = {(arm.name.split()[0], arm.server) for cell in cells for arm in cell.arms}
    assert {name for name, _ in named} == {server for _, server in named} and len(named) == len(browsers.SERVERS)
    assert {cell.workload.total_bytes for cell in cells} == {browsers.BYTES}


def test_the_table_has_a_row_for_each_server_and_a_dash_where_nothing_counts(monkeypatch):
    monkeypatch.setattr(
        browsers, "measured", lambda *_: {place: Summary(mean, mean / 500, 4) for place, mean in GOOD.items()}
    )
    monkeypatch.setattr(browsers, "newest", lambda *_: pd.Series({"key": "reference"}))
    rows = re.findall(r"<tr>(.*?)</tr>", browsers.table(object()).data, re.S)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    found = {row[0]: row[1:] for row in cells if len(row) > 1}
    assert len(found) == len(browsers.SERVERS)
    assert found["Envoy (QUIC)"] == ["1,200 ± 2 (67)"] * 2 + ["1,000 ± 2 (80)"] * 2
    assert found["aioquic (QUIC)"][2:] == ["–"] * 2 or found["aioquic (QUIC)"][2:] == ["—"] * 2
