"""The chapter on files by a browser and of up to 2 GB, of known times and without any."""

import re

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps
from table_rows import rows_of

from longlook.book import data as book_data
from longlook.book.evidence import StudyColumn
from longlook.book.judged import claim_columns
from longlook.book.shreedhar2022 import chart, store
from longlook.book.shreedhar2022.names import CLOUD, ENVOY, HUGE, HUGE_SIZES, LARGE, NEW, OLD, SLOW
from longlook.book.shreedhar2022.store import BROWSER
from longlook.book.value_role import numbers_of, value_of
from longlook.figure import style
from longlook.stack import load_stack
from longlook.stack.arms import open_sweep

PAGE = "book/shreedhar2022/store"
LOADS = 4
MS_PER_MB = {ENVOY: 86.5, SLOW + ENVOY: 87.3, OLD: 84.0, SLOW + OLD: 84.2, NEW: 84.0, SLOW + NEW: 84.0}
SLOW_BROWSER_MS_PER_MB = 112.0
CLIENT_S_PER_GB = {ENVOY: 29.0, SLOW + ENVOY: 21.5, OLD: 14.3, SLOW + OLD: 14.3, NEW: 14.0, SLOW + NEW: 14.0}
BROWSER_S_PER_GB = {ENVOY: 35.0, SLOW + ENVOY: 27.0, NEW: 22.0, SLOW + NEW: 20.0}
SERVER_S_PER_GB = {"quic": 25.0, "tcp": 2.0}
TRIPS = {"quic": 2, "tcp": 4}
"""Until the first byte."""


def result(campaign, experiment, cell):
    return interleaved(campaign, experiment, cell, metrics, LOADS)


def metrics(cell, arm, index):
    """Each download is longer than the one before by a hundredth of a per cent."""
    by_browser, size = cell.series == BROWSER, cell.workload.total_bytes
    slow = by_browser and arm.name == SLOW + ENVOY
    first = TRIPS[arm.protocol] * cell.link.rtt_ms
    last = first + size / 1e6 * (SLOW_BROWSER_MS_PER_MB if slow else MS_PER_MB.get(arm.name, 86.0))
    client = (BROWSER_S_PER_GB if by_browser else CLIENT_S_PER_GB).get(arm.name, 25.0)
    return {
        "ttlb_ms": last * (1 + index / 1e4), "connect_ms": first / 2, "ttfb_ms": first,
        "client_cpu_s": client * size / 1e9, "server_cpu_s": SERVER_S_PER_GB[arm.protocol] * size / 1e9,
    }  # fmt: skip


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_sweeps(processed, (BROWSER, HUGE, CLOUD, LARGE), "shreedhar2022", result)
    return book_data.read(PUBLISHED, processed)


@pytest.fixture(scope="module")
def found(data):
    return StudyColumn(data, "shreedhar2022")


def test_the_browser_has_the_same_servers_as_curl_has():
    for cell in open_sweep(BROWSER).cells():
        assert {arm.client for arm in cell.arms} == {"chromium"}
    by_browser, by_curl = load_stack("quicv1"), load_stack("shreedhar2022")
    for protocol, server in {"quic": "envoy", "tcp": "apache"}.items():
        assert getattr(by_browser.spec, protocol).server == getattr(by_curl.spec, protocol).server == server
    assert {part.digest for part in by_browser.parts} <= {part.digest for part in by_curl.parts}
    assert by_browser.spec.tcp.tls == by_curl.spec.tcp.tls == "1.3"


def test_files_by_a_browser(data):
    rows = {row[0]: row[1:] for row in rows_of(store.browser(data))}
    assert list(rows) == ["500 KB", "1 MB", "2 MB", "5 MB", "10 MB", "20 MB"]
    assert rows["20 MB"][:2] == ["11.43", "11.63"] and rows["20 MB"][2].startswith(f"{style.MINUS}1.7 %")
    assert rows["20 MB"][3] == "8.85" and rows["20 MB"][6:] == ["35.0", "22.0", "96", "93"]
    assert rows["2 MB"][6:] == [style.DASH] * 4


def test_the_largest_files_stand_beside_those_of_200_mb_and_the_printed_ones(data, found):
    rows = {row[0]: row[1:] for row in rows_of(store.largest(data))}
    assert list(rows) == ["200 MB", "500 MB", "1 GB", "2 GB"]
    assert rows["2 GB"][2:5] == ["4", "11.45", "11.87"]
    assert rows["2 GB"][6:] == ["0.02", "0.04", "0.964", "21.5", "14.3"]
    assert all(re.fullmatch(r"\d+\.\d\d", one) for row in rows.values() for one in row[:2])
    sizes = chart.ratios(found)
    assert sizes[sizes["line"] == "curl, slow"]["bytes"].max() == HUGE_SIZES[-1]


def test_claims_of_the_largest_files(data):
    columns = claim_columns("shreedhar2022", data, "connections")
    measured = [one.newest for one in columns["Re-measured (reference)"]]
    own = {one.criterion.id[-2:]: one for one in measured}
    assert len(own["04"].found) == own["04"].of and [one.holds for one in own["04"].found[-3:]] == [True] * 3
    assert own["08"].holds is True and columns["Published"][-1].newest.found[0].estimate.value == pytest.approx(
        0.97, abs=1e-3
    )


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}
    assert (texts["crossing-browser"], texts["crossing-browser-slow"]) == (
        "between 5 MB and 10 MB",
        "between 500 KB and 1 MB",
    )
    assert (texts["slow-part"], texts["slow-used"], texts["slow-cpu"]) == ("0.76 times", "96 %", "0.77 times")
    assert (texts["cpu-browser"], texts["cpu-curl"], texts["cpu-2gb"]) == ("1.6 times", "2.1 times", "1.5 times")
    assert (texts["part-2gb"], texts["part-200mb"]) == ("0.965 times", "0.966 times")
    assert texts["after-2gb"] == "0.964 times" and texts["first-byte-20mb"] == "20 ms"
    assert (texts["rate-quic"], texts["rate-tcp"], texts["seconds-2gb"]) == ("11.45 MB/s", "11.87 MB/s", "175 s")
