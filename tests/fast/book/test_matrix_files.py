"""Chromium as a client of files in the matrix: the table."""

import re

from book_sample import PUBLISHED

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.matrix import files
from longlook.book.matrix.browsers import BYTES
from longlook.book.matrix.pairs import BROWSERS
from longlook.experiment.metrics import CONNECT, TTLB
from longlook.figure import style
from longlook.stack.arms import open_sweep

ARMS = [(server, browser) for server in files.SERVERS for browser in BROWSERS if (server, browser) != ("nginx", "153")]
LARGE = (BYTES, TTLB.name)
HANDSHAKE = (files.SMALL, CONNECT.name)
GOOD = {(*LARGE, server, browser): 3200.0 if server == "aioquic" else 1200.0 for server, browser in ARMS}
GOOD |= {(*HANDSHAKE, server, browser): 75.0 if server in files.TCP else 40.0 for server, browser in ARMS}
GOOD |= {(files.SMALL, TTLB.name, server, browser): 80.0 for server, browser in ARMS}
GOOD |= {(BYTES, CONNECT.name, *place[2:]): one for place, one in GOOD.items() if place[:2] == HANDSHAKE}


def of(changed=()):
    return {place: Summary(mean, mean / 500, 5) for place, mean in (GOOD | dict(changed)).items()}


def test_the_sweep_has_the_arms_that_the_chapter_looks_for():
    cells = open_sweep(files.SERIES).cells()
    assert sorted({cell.workload.total_bytes for cell in cells}) == [files.SMALL, BYTES]
    for cell in cells:
        assert [tuple(arm.name.split()) for arm in cell.arms if arm.client == "chromium"] == ARMS
        assert all(arm.name.split()[0] == arm.server for arm in cell.arms)


def test_the_table_has_a_row_for_each_server_and_a_dash_where_nothing_counts(monkeypatch, tmp_path):
    nothing = book_data.read(PUBLISHED, tmp_path)
    assert "Not measured yet" in files.table(nothing).data
    monkeypatch.setattr(files, "measured", lambda *_: of())
    rows = re.findall(r"<tr>(.*?)</tr>", files.table(nothing).data, re.S)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    found = {row[0]: row[1:] for row in cells if len(row) > 1}
    assert len(found) == len(files.SERVERS)
    assert found["Envoy (QUIC)"][:2] == ["66.7", "66.7"] and found["Envoy (QUIC)"][2].startswith("40.0")
    assert found["nginx (TCP)"][1::2] == [style.DASH] * 3
