"""The shares of two flows at the beginning and the end of their ten seconds, from bytes that are known."""

from types import SimpleNamespace

import pandas as pd
import pytest

from longlook.book.shreedhar2022.tables import PAIR, parts_over_time

COLUMNS = ["label", "arm", "time_s", "bytes"]


def of(*rows):
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return SimpleNamespace(rows=lambda table, *_: frame if table == "throughput" else None)


def test_the_first_and_the_last_two_seconds_count():
    quic = [(PAIR, "quic1", 0.0, 10), (PAIR, "quic1", 5.0, 500), (PAIR, "quic1", 9.75, 60), (PAIR, "quic1", 10.0, 900)]
    tcp = [(PAIR, "tcp1", 1.75, 30), (PAIR, "tcp1", 8.0, 40), ("2 TCP", "tcp1", 0.0, 999)]
    assert parts_over_time(of(*quic, *tcp), "reference") == pytest.approx((0.25, 0.6))


def test_nothing_measured_has_no_share():
    assert parts_over_time(of(("2 QUIC", "quic1", 0.0, 1)), "reference") is None
