"""The floor model: hand calculations, a brute-force sender that must never beat it, the published tables."""

import pandas as pd
import pytest

from longlook import paths
from longlook.analysis.agreement import published_as_cells
from longlook.analysis.cells import cell_of
from longlook.analysis.floor import CREDIT_BYTES, MTU_BYTES, QUIC_0RTT, TCP, floor
from longlook.scenario import Cell, Link, Workload


def make_cell(size_kb=5, count=1, **link):
    link = {"bandwidth_mbps": 10, "rtt_ms": 36} | link
    return Cell(figure="x", stack="quicv1", workload=Workload(size_kb=size_kb, count=count), link=Link(**link))


def test_a_small_object_over_quic_takes_two_round_trips():
    """5 KB, 10 Mbit/s, 36 ms: page 36, image 36; 5120 bytes in packets of 1456 in 1500: 5274.7 bytes = 4.22 ms."""
    found = floor(make_cell(), "quic")
    assert (found.handshake_ms, found.requests_ms, found.slow_start_ms) == (0, 72, 0)
    assert found.serialisation_ms == pytest.approx(5120 * 1500 / 1456 * 8 / 10e3)
    assert found.total_ms == pytest.approx(76.22, abs=0.01)


def test_a_small_object_over_tcp_takes_four_round_trips():
    """As above, with TCP's and TLS's round trips and packets of 1460 in 1500: 4.21 ms."""
    found = floor(make_cell(), "tcp")
    assert (found.handshake_ms, found.requests_ms, found.slow_start_ms) == (72, 72, 0)
    assert found.total_ms == pytest.approx(148.21, abs=0.01)


def test_a_cold_quic_load_takes_one_round_trip_more():
    cell = make_cell()
    assert floor(cell, "quic", zero_rtt=False).total_ms - floor(cell, "quic").total_ms == pytest.approx(36)
    assert floor(cell, "tcp", zero_rtt=False) == floor(cell, "tcp")


def test_slow_start_of_tcp_by_hand():
    """1 MB at 1 Gbit/s, 100 ms. Window at the images: 10 + 8 control + 2 page packets = 20 segments of 1460.

    29 200, then 58 400, 116 800, 233 600, 467 200: 905 200 bytes in five windows, the rest with the sixth,
    five round trips after the first: 500 ms and 94 800 bytes * 1500 / 1460 at 125 000 bytes/ms = 0.779 ms.
    """
    found = floor(make_cell(1000, bandwidth_mbps=1000, rtt_ms=100), "tcp")
    assert found.slow_start_ms + found.serialisation_ms == pytest.approx(500 + 94_800 * 1500 / 1460 / 125_000)
    assert found.serialisation_ms == pytest.approx(1_000_000 * 1500 / 1460 / 125_000)
    assert found.total_ms == pytest.approx(400 + 500.779, abs=0.001)


def test_a_long_transfer_is_bound_by_the_link():
    """10 MB at 10 Mbit/s: 10 000 000 * 1500 / 1460 * 8 / 10 000 = 8219.2 ms; slow start idles the link 12 ms.

    The first window of 29 200 bytes takes 24 ms to serialise, then the link waits to 36 ms.
    """
    found = floor(make_cell(10_000), "tcp")
    assert found.serialisation_ms == pytest.approx(8219.18, abs=0.01)
    assert found.slow_start_ms == pytest.approx(12.0)
    assert floor(make_cell(10_000), "quic").slow_start_ms == 0  # 32 packets outlast the round trip


def test_a_smaller_initial_window_costs_round_trips():
    cell = make_cell(200, bandwidth_mbps=100)
    assert floor(cell, "quic", initial_window_packets=10).total_ms > floor(cell, "quic").total_ms


def test_loss_does_not_lower_the_floor_and_jitter_does():
    """Jitter of 50 ms may shorten a round trip of 112 ms to 62 ms."""
    assert floor(make_cell(loss_pct=1), "tcp") == floor(make_cell(), "tcp")
    found = floor(make_cell(rtt_ms=112, jitter_ms=50), "tcp")
    assert (found.handshake_ms, found.requests_ms) == (124, 124)
    assert floor(make_cell(rtt_ms=50, jitter_ms=50), "tcp").requests_ms == 0


def test_an_unknown_protocol_is_refused():
    with pytest.raises(ValueError, match="sctp"):
        floor(make_cell(), "sctp")


def send(total_bytes, window, payload, growth_bytes, rtt_ms, packets_per_ms):
    """A sender packet by packet: window, line rate, one acknowledgement per packet after a round trip; ms to the end."""
    now = free = 0.0
    in_flight, sent = [], 0
    while sent < total_bytes:
        while in_flight and in_flight[0] <= now:
            in_flight.pop(0)
            window += growth_bytes
        if len(in_flight) * payload >= window:
            now = in_flight[0]
            continue
        free = max(now, free) + 1 / packets_per_ms
        in_flight.append(free + rtt_ms)
        sent += payload
    return free


@pytest.mark.parametrize("protocol", ["tcp", "quic"])
@pytest.mark.parametrize("size_kb", [5, 100, 500, 1000])
@pytest.mark.parametrize(("mbps", "rtt_ms"), [(10, 36), (50, 112), (100, 36), (1000, 112)])
def test_no_sender_that_keeps_the_rules_beats_the_floor(protocol, size_kb, mbps, rtt_ms):
    """The best sender: starts with the floor's own window, no pacing, an instant browser, full packets."""
    cell = make_cell(size_kb, bandwidth_mbps=mbps, rtt_ms=rtt_ms)
    found = floor(cell, protocol)
    transport = TCP if protocol == "tcp" else QUIC_0RTT
    window = (transport.initial_window_packets + 8 + 2) * CREDIT_BYTES
    payload = transport.payload_bytes if protocol == "tcp" else 1250
    rate = mbps * 1e3 / 8 / MTU_BYTES
    best = send(cell.workload.object_bytes, window, payload, CREDIT_BYTES, rtt_ms, rate)
    assert best >= found.slow_start_ms + found.serialisation_ms - 1 / rate  # the last packet may be a part


def published():
    return published_as_cells(pd.read_csv(paths.PUBLISHED / "muthuraj2024_appendix_b.csv"))


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{row['table']}-{n}") for n, row in enumerate(published().to_dict("records"))]
)
def test_every_published_mean_is_at_or_above_its_floor(row):
    for protocol in ("quic", "tcp"):
        assert row[f"{protocol}_mean_ms"] >= floor(cell_of(row), protocol).total_ms


def test_the_floor_is_tight_enough_to_mean_something():
    """Without loss and jitter, half of the published means of QUIC v1 and TCP are within 25 % of their floors."""
    rows = published()
    rows = rows[(rows["stack"] == "quicv1") & (rows["loss_pct"] == 0) & (rows["jitter_ms"] == 0)].to_dict("records")
    assert len(rows) == 78
    ratios = [row[f"{arm}_mean_ms"] / floor(cell_of(row), arm).total_ms for row in rows for arm in ("quic", "tcp")]
    assert pd.Series(ratios).median() < 1.25


def test_a_larger_initial_window_of_tcp_lowers_its_floor_and_nobody_elses():
    cell = Cell.parse(
        {"figure": "w", "stack": "quicv1", "workload": {"size_kb": 100}, "link": {"bandwidth_mbps": 100, "rtt_ms": 36}}
    )
    larger = cell.model_copy(update={"tcp_initial_window": 32})
    assert floor(larger, "tcp").total_ms < floor(cell, "tcp").total_ms - 36 / 2
    assert floor(larger, "quic") == floor(cell, "quic")
