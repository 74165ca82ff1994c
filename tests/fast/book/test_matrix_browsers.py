"""Two browsers with every server of QUIC: the table, and that each prediction can fail."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from longlook.analysis.welch import Summary
from longlook.book.matrix import browsers
from longlook.stack.arms import open_sweep

GOOD = {
    (loss, server, browser): 1200.0
    for loss in browsers.LOSSES_PCT
    for server in browsers.SERVERS
    for browser in browsers.BROWSERS
    if not (loss and server == browsers.SLOW)
}
GOOD |= {(0.0, browsers.SLOW, browser): 2400.0 for browser in browsers.BROWSERS}
GOOD |= {(1.0, browsers.TWO, browser): 1000.0 for browser in browsers.BROWSERS}


def of(changed):
    return {place: Summary(mean, mean / 500, 4) for place, mean in (GOOD | changed).items()}


def test_the_sweep_has_the_arms_that_the_chapter_looks_for():
    cells = open_sweep(browsers.SERIES).cells()
    found = {(cell.link.loss_pct, *arm.name.split()) for cell in cells for arm in cell.arms}
    assert found == GOOD.keys()
    named = {(arm.name.split()[0], arm.server) for cell in cells for arm in cell.arms}
    assert {name for name, _ in named} == {server for _, server in named} and len(named) == len(browsers.SERVERS)
    assert {cell.workload.total_bytes for cell in cells} == {browsers.BYTES}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [True] * 5),
        ({(0.0, "lsquic", "153"): 1320.0}, [None, True, None, True, True]),
        ({(0.0, "lsquic", "153"): 1400.0}, [False, True, False, True, True]),
        ({(0.0, "aioquic", "111"): 1500.0}, [True, False, True, True, True]),
        ({(1.0, "quicgo", "111"): 900.0}, [True, True, True, False, None]),
        ({(1.0, "quicgo", "111"): 2000.0}, [True, True, True, True, False]),
    ],
)
def test_each_prediction_can_fail(changed, expected):
    assert [one.holds for one in browsers.judged(of(changed))] == expected


def test_nothing_is_judged_before_all_are_measured():
    assert browsers.judged({place: one for place, one in of({}).items() if place != (1.0, "ngtcp2", "111")}) == []
    assert browsers.judged({}) == []


def test_the_table_has_a_row_for_each_server_and_a_dash_where_nothing_counts(monkeypatch):
    monkeypatch.setattr(browsers, "measured", lambda *_: of({}))
    monkeypatch.setattr(browsers, "newest", lambda *_: pd.Series({"key": "reference"}))
    rows = re.findall(r"<tr>(.*?)</tr>", browsers.table(object()).data, re.S)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    found = {row[0]: row[1:] for row in cells if len(row) > 1}
    assert len(found) == len(browsers.SERVERS)
    assert found["Envoy (QUIC)"] == ["1,200 ± 2 (67)"] * 2 + ["1,000 ± 2 (80)"] * 2
    assert found["aioquic (QUIC)"][2:] == ["–"] * 2 or found["aioquic (QUIC)"][2:] == ["—"] * 2
