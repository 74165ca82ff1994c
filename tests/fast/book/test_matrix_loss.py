"""Files by Chromium with loss: the table."""

import re

from book_sample import PUBLISHED

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.matrix import files_loss
from longlook.book.matrix.files import SERVERS
from longlook.book.matrix.pairs import BROWSERS
from longlook.figure import style
from longlook.stack.arms import open_sweep

BBR = ("envoy", "ngtcp2", "lsquic", "apache", "nginx")
ARMS = [(server, browser) for server in SERVERS for browser in BROWSERS if (server, browser) != ("nginx", "153")]
FILES = {("other", server, browser): 12e3 if server in ("apache", "nginx") else 8e3 for server, browser in ARMS}
FILES |= {("bbr", server, browser): 1200.0 for server, browser in ARMS if server in BBR}


def files():
    return {place: Summary(mean, mean / 500, 5) for place, mean in FILES.items()}


def test_the_sweep_has_the_arms_that_the_table_looks_for():
    others, bbr = open_sweep(files_loss.SERIES).cells()
    assert [tuple(arm.name.split()) for arm in others.arms] == ARMS
    assert [tuple(arm.name.split()) for arm in bbr.arms] == [one for one in ARMS if one[0] in BBR]
    assert {arm.cca for arm in bbr.arms} == {"bbr"} and "bbr" not in {arm.cca for arm in others.arms}
    assert all(arm.name.split()[0] == arm.server for cell in (others, bbr) for arm in cell.arms)


def test_the_table_has_a_row_for_each_server_and_a_dash_where_nothing_counts(monkeypatch, tmp_path):
    nothing = book_data.read(PUBLISHED, tmp_path)
    assert "Not measured yet" in files_loss.table(nothing).data
    monkeypatch.setattr(files_loss, "measured", lambda *_: files())
    rows = re.findall(r"<tr>(.*?)</tr>", files_loss.table(nothing).data, re.S)
    found = {row[0]: row[1:] for row in (re.findall(r"<td[^>]*>(.*?)</td>", one) for one in rows) if len(row) > 1}
    assert len(found) == len(SERVERS)
    assert found["quic-go (QUIC)"][2:] == [style.DASH] * 2 and found["Envoy (QUIC)"][0].startswith("10.0")
    assert found["nginx (TCP)"][1] == found["nginx (TCP)"][3] == style.DASH
