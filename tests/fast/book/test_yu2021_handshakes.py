"""The chapter on handshakes: groups that are refused and certificates that are checked, of known times."""

import re

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps
from table_rows import rows_of

from longlook.analysis.estimate import Estimate
from longlook.book import data as book_data
from longlook.book.registry import predicted
from longlook.book.times import trips_text
from longlook.book.value_role import numbers_of, value_of
from longlook.book.yu2021 import handshakes
from longlook.book.yu2021.handshakes import GROUP, PACE, PAIRS_OF, VERIFY, HandshakePair, later
from longlook.book.yu2021.names import newest

PAGE = "book/yu2021/handshakes"
SWEEPS = (GROUP, PACE, VERIFY)
LOADS = 8
TRIPS = {"quic": 1, "tcp": 2}
MORE_MS = {"p256": 1.5, "verified": 0.5}
"""Beyond the round trip that a refused group costs."""
BYTES_MS = 90.0


def connect_ms(arm, rtt_ms):
    protocol, done, *_ = arm.split()
    return (TRIPS[protocol] + (done == "p256")) * rtt_ms + MORE_MS.get(done, 0.0)


def times_of(arm, rtt_ms, index):
    """Each load is 0.01 ms longer than the one before."""
    connect = connect_ms(arm, rtt_ms) + index / 100
    return {"connect_ms": connect, "ttfb_ms": connect + rtt_ms, "ttlb_ms": connect + rtt_ms + BYTES_MS}


def metrics(cell, arm, index):
    return times_of(arm.name, cell.link.rtt_ms, index) | {"client_cpu_s": 0.01, "server_cpu_s": 0.01}


def result(campaign, experiment, cell):
    return interleaved(campaign, experiment, cell, metrics, LOADS)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_sweeps(processed, SWEEPS, "yu2021", result)
    return book_data.read(PUBLISHED, processed)


def test_what_a_refused_group_costs_is_found_in_the_tables(data):
    own = newest(data, GROUP)
    for pair in PAIRS_OF[GROUP]:
        found = own.one(**later(pair))
        assert found.value == pytest.approx(pair.condition.rtt_ms + 1.5) and found.low < found.value < found.high
        assert own.one(**later(pair, "ttlb_ms")).value == pytest.approx(found.value)
    assert own.one(**later(HandshakePair(VERIFY, "quic"))).value == pytest.approx(0.5)


def test_round_trips_in_words():
    assert trips_text(Estimate(1.1)) == "1.10 round trips"
    assert trips_text(Estimate(-0.2, -0.4, 1.0)) == "−0.20 round trips (−0.40 to 1.00)"


def test_tables_of_the_sample(data):
    rows = rows_of(handshakes.groups(data))
    assert [row[0] for row in rows] == ["HTTP/3, 15 ms", "HTTP/3, 115 ms", "HTTP/2, 15 ms", "HTTP/2, 115 ms"]
    assert rows[1][1].startswith("115.0<br>(") and rows[1][2].startswith("231.5<br>(")
    assert re.fullmatch(r"16\.5 ms \(16\.\d to 16\.\d\)<br>1\.10 round trips \(1\.10 to 1\.10\)", rows[0][3])
    checked = rows_of(handshakes.checks(data))
    assert [row[0] for row in checked] == ["HTTP/3", "HTTP/2"] and checked[0][4].startswith("0.5 ms (")
    assert "8 of 9 predictions hold" in predicted(*SWEEPS, data=data).data
    paced = rows_of(handshakes.paced(data))
    assert [row[0] for row in paced] == ["333 ms assumed", "15 ms assumed"] and "1.10 round trips" in paced[1][3]


def test_numbers_of_the_text(data):
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}
    assert (texts["group-h3"], texts["group-h2-far"], texts["check-h3"]) == ("16.5 ms", "116.5 ms", "0.5 ms")
    assert (texts["claim-group"], texts["claim-check"]) == ("holds", "does not hold")
    assert texts["resolved"] == "0.0 ms" and "data/raw/" in value_of("resolved", PAGE, data).origin
