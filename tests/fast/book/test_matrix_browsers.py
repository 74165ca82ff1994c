"""Two browsers with the servers of the matrix: the tables of the page and of the files."""

from __future__ import annotations

import re

import pytest
from book_sample import PUBLISHED

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.matrix.browsers import (
    BBR,
    BYTES,
    FILES,
    LOSSY,
    OTHERS,
    PAGE,
    SERVERS,
    SLOW,
    SMALL,
    TCP,
    BrowserTable,
)
from longlook.book.matrix.pairs import BROWSERS
from longlook.experiment.metrics import CONNECT, PLT, TTLB
from longlook.figure import style

OF_PAGE = {
    (PLT.name, loss, server, browser): 2400.0 if server == SLOW else 1000.0 if loss and server == "envoy" else 1200.0
    for loss in (0.0, 1.0)
    for server in PAGE.servers
    for browser in BROWSERS
    if not (loss and server == SLOW)
}
ARMS = [(server, browser) for server in SERVERS for browser in BROWSERS if (server, browser) != ("nginx", "153")]
OF_FILES = {(BYTES, TTLB.name, *arm): 3200.0 if arm[0] == SLOW else 1200.0 for arm in ARMS}
OF_FILES |= {(SMALL, CONNECT.name, *arm): 75.0 if arm[0] in TCP else 40.0 for arm in ARMS}
OF_FILES |= {(SMALL, TTLB.name, *arm): 80.0 for arm in ARMS}
BY_BBR = ("envoy", "ngtcp2", "lsquic", *TCP)
OF_LOSSY = {(TTLB.name, OTHERS, *arm): 12e3 if arm[0] in TCP else 8e3 for arm in ARMS}
OF_LOSSY |= {(TTLB.name, BBR, *arm): 1200.0 for arm in ARMS if arm[0] in BY_BBR}


@pytest.fixture
def shown(monkeypatch, tmp_path):
    """Server -> the cells of a table of these means."""
    nothing = book_data.read(PUBLISHED, tmp_path)

    def table(one, means):
        assert "Not measured yet" in one.table(nothing).data
        own = {place: Summary(mean, mean / 500, 5) for place, mean in means.items()}
        monkeypatch.setattr(BrowserTable, "measured", lambda *_: own)
        rows = re.findall(r"<tr>(.*?)</tr>", one.table(nothing).data, re.S)
        cells = (re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows)
        found = {row[0]: row[1:] for row in cells if len(row) > 1}
        assert len(found) == len(one.servers)
        return found

    return table


def test_a_page_has_its_time_and_its_goodput_and_a_dash_where_nothing_counts(shown):
    found = shown(PAGE, OF_PAGE)
    assert found["Envoy (QUIC)"] == ["1,200 ± 2 (67)"] * 2 + ["1,000 ± 2 (80)"] * 2
    assert found["aioquic (QUIC)"][2:] == [style.DASH] * 2


def test_files_have_their_goodput_handshake_and_last_byte(shown):
    found = shown(FILES, OF_FILES)
    assert found["Envoy (QUIC)"][:2] == ["66.7", "66.7"] and found["Envoy (QUIC)"][2].startswith("40.0")
    assert found["nginx (TCP)"][1::2] == [style.DASH] * 3


def test_files_with_loss_have_their_goodput_by_bbr_and_by_what_else_there_is(shown):
    found = shown(LOSSY, OF_LOSSY)
    assert found["quic-go (QUIC)"][2:] == [style.DASH] * 2 and found["Envoy (QUIC)"][0].startswith("10.0")
    assert found["nginx (TCP)"][1] == found["nginx (TCP)"][3] == style.DASH
