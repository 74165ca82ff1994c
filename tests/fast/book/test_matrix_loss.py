"""The matrix with loss, what came later: Reno, aioquic, and files by Chromium. That each prediction can fail."""

import re

import pytest
from book_sample import PUBLISHED
from matrix_sample import of

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.matrix import files_loss, loss_rest
from longlook.book.matrix.files import SERVERS
from longlook.book.matrix.pairs import BROWSERS
from longlook.figure import style
from longlook.stack.arms import open_sweep

REST = {
    "ngtcp2_curl_cubic": 8.5, "ngtcp2_aioquic_cubic": 8.2, "ngtcp2_curl_reno": 6.0, "ngtcp2_aioquic_reno": 6.1,
    "envoy_aioquic_bbr": 25.0, "ngtcp2_aioquic_bbr": 20.0, "aioquic_curl_reno": 4.0, "aioquic_lsquic_reno": 4.1,
    "apache_aiohttp_reno": 5.0, "nginx_aiohttp_reno": 4.9,
}  # fmt: skip


def rest(changed):
    return of(**REST | changed)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [True] * 4),
        ({"ngtcp2_aioquic_cubic": 6.0}, [False, True, True, True]),
        ({"aioquic_lsquic_reno": 5.34}, [None, True, True, True]),
        ({"envoy_aioquic_bbr": 51.0}, [True, False, True, True]),
        ({"ngtcp2_aioquic_bbr": 14.0}, [True, False, True, True]),
        ({"ngtcp2_curl_cubic": 5.9, "ngtcp2_aioquic_cubic": 5.9}, [True, True, False, True]),
        ({"nginx_aiohttp_reno": 6.2}, [True, True, True, False]),
    ],
)
def test_each_prediction_of_the_rest_can_fail(changed, expected):
    assert [one.holds for one in loss_rest.judged(rest(changed))] == expected


def test_nothing_is_judged_of_the_rest_before_reno_is_measured():
    assert loss_rest.judged({pair: one for pair, one in rest({}).items() if pair.cca != "reno"}) == []


BBR = ("envoy", "ngtcp2", "lsquic", "apache", "nginx")
ARMS = [(server, browser) for server in SERVERS for browser in BROWSERS if (server, browser) != ("nginx", "153")]
FILES = {("other", server, browser): 12e3 if server in ("apache", "nginx") else 8e3 for server, browser in ARMS}
FILES |= {("bbr", server, browser): 1200.0 for server, browser in ARMS if server in BBR}


def files(changed=()):
    return {place: Summary(mean, mean / 500, 5) for place, mean in (FILES | dict(changed)).items()}


def test_the_sweep_has_the_arms_that_the_table_looks_for():
    others, bbr = open_sweep(files_loss.SERIES).cells()
    assert [tuple(arm.name.split()) for arm in others.arms] == ARMS
    assert [tuple(arm.name.split()) for arm in bbr.arms] == [one for one in ARMS if one[0] in BBR]
    assert {arm.cca for arm in bbr.arms} == {"bbr"} and "bbr" not in {arm.cca for arm in others.arms}
    assert all(arm.name.split()[0] == arm.server for cell in (others, bbr) for arm in cell.arms)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [True] * 4),
        ({("other", "quicgo", "153"): 12e3}, [False, True, True, True]),
        ({("bbr", "nginx", "111"): 7e3}, [True, False, False, True]),
        ({("bbr", "lsquic", "153"): 1500.0}, [True, True, False, True]),
        ({("other", "apache", "111"): 7.5e3, ("other", "apache", "153"): 7.5e3}, [True, True, True, False]),
    ],
)
def test_each_prediction_of_files_can_fail(changed, expected):
    assert [one.holds for one in files_loss.judged(files(changed))] == expected


def test_nothing_is_judged_of_files_before_both_cells_are_measured():
    assert files_loss.judged({}) == []
    assert files_loss.judged({place: one for place, one in files().items() if place[0] == "other"}) == []


def test_the_table_has_a_row_for_each_server_and_a_dash_where_nothing_counts(monkeypatch, tmp_path):
    nothing = book_data.read(PUBLISHED, tmp_path)
    assert all("Not measured yet" in shown(nothing).data for shown in (files_loss.table, files_loss.predictions))
    monkeypatch.setattr(files_loss, "measured", lambda *_: files())
    rows = re.findall(r"<tr>(.*?)</tr>", files_loss.table(nothing).data, re.S)
    found = {row[0]: row[1:] for row in (re.findall(r"<td[^>]*>(.*?)</td>", one) for one in rows) if len(row) > 1}
    assert len(found) == len(SERVERS)
    assert found["quic-go (QUIC)"][2:] == [style.DASH] * 2 and found["Envoy (QUIC)"][0].startswith("10.0")
    assert found["nginx (TCP)"][1] == found["nginx (TCP)"][3] == style.DASH
