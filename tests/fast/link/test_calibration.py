"""What a calibration measured is held against what was set: each deviation is told with its numbers."""

import json
from types import SimpleNamespace

import pytest
import wrong_links

from longlook.link import stream, streams
from longlook.link.binomial import bounds, packets_needed, power
from longlook.link.calibrate import Losses, Tolerance, problems
from longlook.link.jitter import changes, jitter_problems
from longlook.plan.link import Link

WAY = {
    "one_way_ms": 18.08,
    "mbps": 10.0,
    "queue_bytes": 89000.0,
    "filled": True,
    "reordered": 0,
    "duplicates": 0,
    "sent": 4500,
    "received": 4400,
    "counted": {"packets_in": 4505, "packets_out": 4405},  # something else crossed the link too
}
MEASURED = {"rtt_ms_median": 36.2, "server_to_client": WAY, "client_to_server": WAY}
NO_LOSSES = {"server_to_client": Losses(4000, 0), "client_to_server": Losses(4000, 0)}
LINK, LOSSY = wrong_links.LINK, wrong_links.LOSSY
DOWN, UP = wrong_links.S2C, wrong_links.C2S
ONE_WAY = {"down": (DOWN, UP), "up": (UP, DOWN)}
"""The direction that alone loses, and the other one."""


def one_way_link(direction):
    return Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=1, loss_direction=direction)


def test_inside_tolerance_there_is_no_problem():
    assert problems(LINK, MEASURED, Tolerance(), NO_LOSSES) == []


@pytest.mark.parametrize("way", ["server_to_client", "client_to_server"])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"one_way_ms": 18.4}, "delay 18 ms set, 18.40 ms measured"),
        ({"one_way_ms": None}, "delay 18 ms set, none measured"),
        ({"mbps": 9.94}, "10 Mbit/s set, 9.940 measured (tolerance 0.5 %)"),
        ({"queue_bytes": 45000.0}, "queue of 90000 bytes set, 45000 measured (tolerance 14768)"),
        ({"queue_bytes": 135000.0}, "queue of 90000 bytes set, 135000 measured"),
        ({"filled": False}, "the sender was too slow"),
        ({"reordered": 2}, "2 packets reordered"),
        ({"duplicates": 1}, "1 packets duplicates"),
        ({"received": 4399}, "4500 packets sent and 4399 received, the emulator counted 4505 and 4405"),
    ],
)
def test_each_deviation_is_told_with_its_numbers_and_direction(way, changes, words):
    (problem,) = problems(LINK, MEASURED | {way: WAY | changes}, Tolerance(), NO_LOSSES)
    assert problem.startswith(f"{way}: {words}")


@pytest.mark.parametrize(
    ("held", "right"), [(75.0, False), (56.4, False), (55.0, True), (49.4, True), (44.1, True), (43.6, False)]
)
def test_a_queue_in_packets_is_held_against_packets(held, right):
    link = wrong_links.SLOTS
    way = WAY | {"queue_bytes": held * 1442, "queue_packets": held}
    found = problems(link, MEASURED | {"client_to_server": way, "server_to_client": way}, Tolerance(), NO_LOSSES)
    said = f"queue of 50 packets set, {held} measured (tolerance 6.0)"
    assert found == ([] if right else [f"server_to_client: {said}", f"client_to_server: {said}"])


def test_a_queue_in_packets_is_offered_half_as_much_again_and_small_packets_never_fill_it():
    for slots, at_once in ((1, 1), (2, 1), (3, 1), (50, 25), (1000, 500)):
        _, *bursts, losses = streams.phases(Link(bandwidth_mbps=10, rtt_ms=36, queue_packets=slots), DOWN)
        assert [one["frame_bytes"] for one in bursts] == [1442] * 3 and losses["at_once"] == at_once
        assert bursts[0]["backlog_bytes"] == 1.5 * slots * 1442
    assert "at_once" not in streams.phases(LINK, DOWN)[-1] and "top_up" not in streams.phases(LOSSY, DOWN)[1]


def test_a_queue_in_packets_is_topped_up_for_what_the_burst_lost():
    link = Link(bandwidth_mbps=100, rtt_ms=36, loss_pct=1, queue_packets=50)
    assert streams.phases(link, DOWN)[1]["top_up"] == 21  # 1040 packets in 120 ms, 5 of them lost


@pytest.mark.parametrize(("at_once", "most"), [(None, 88), (25, 25), (1, 1)])
def test_a_paced_stream_sends_no_more_at_once_than_it_may(monkeypatch, at_once, most):
    """9 Mbit/s of 64 bytes: 17.6 packets in a millisecond; after a stall those of 5 ms."""
    clock, batches = iter([0.0, 0.001, 1.0, 1.001, *(1.001 + 0.001 * step for step in range(1, 10_000))]), [0]
    sender = SimpleNamespace(times=[])

    def send():
        sender.times.append(0)
        batches[-1] += 1

    sender.send = send
    time = SimpleNamespace(monotonic=lambda: next(clock), sleep=lambda _: batches.append(0))
    monkeypatch.setattr(stream, "time", time)
    stream.paced(sender, count=500, frame_bytes=64, mbps=9.0, at_once=at_once)
    assert len(sender.times) == sum(batches) == 500 and max(batches) == most


@pytest.mark.parametrize("rtt", [37.0, None])
def test_an_rtt_that_is_not_the_links(rtt):
    (problem,) = problems(LINK, MEASURED | {"rtt_ms_median": rtt}, Tolerance(), NO_LOSSES)
    assert f"RTT 36 ms set, {rtt} ms measured" in problem


@pytest.mark.parametrize(
    ("mbps", "rtt", "right"),
    [(1, 37.9, True), (1, 37.3, True), (1, 36.9, False), (1, 38.3, False), (5, 36.8, True), (100, 36.7, False)],
)
def test_an_echos_own_time_on_a_narrow_line_is_not_the_links_delay(mbps, rtt, right):
    link = Link(bandwidth_mbps=mbps, rtt_ms=36, queue_bytes=90_000)
    way = WAY | {"mbps": float(mbps)}
    seen = {"rtt_ms_median": rtt, "server_to_client": way, "client_to_server": way}
    assert (problems(link, seen, Tolerance(), NO_LOSSES) == []) is right


@pytest.mark.parametrize(
    ("lost", "right"), [(0, False), (83, False), (85, True), (125, True), (171, True), (630, False)]
)
def test_losses_are_held_against_their_bounds(lost, right):
    losses = NO_LOSSES | {"client_to_server": Losses(25000, lost), "server_to_client": Losses(25000, 125)}
    assert (problems(LOSSY, MEASURED, Tolerance(), losses) == []) is right


@pytest.mark.parametrize("direction", ONE_WAY)
@pytest.mark.parametrize(
    ("lost", "other", "right"), [(125, 0, True), (84, 0, True), (62, 0, False), (125, 1, False), (0, 125, False)]
)
def test_of_a_loss_in_one_direction_the_other_has_none(direction, lost, other, right):
    one, none = ONE_WAY[direction]
    losses = {one: Losses(12500, lost), none: Losses(4000, other)}
    assert (problems(one_way_link(direction), MEASURED, Tolerance(), losses) == []) is right


@pytest.mark.parametrize("direction", ONE_WAY)
def test_each_direction_is_sent_as_many_packets_as_its_own_loss_asks_for(direction):
    link = one_way_link(direction)
    assert [streams.phases(link, way)[-1]["count"] for way in ONE_WAY[direction]] == [12500, 4000]
    slots = Link(bandwidth_mbps=100, rtt_ms=36, loss_pct=0.5, loss_direction=direction, queue_packets=50)
    assert [streams.phases(slots, way)[1]["top_up"] for way in ONE_WAY[direction]] == [21, 1]


def test_each_direction_is_held_to_its_own_rate_and_queue():
    link = Link(bandwidth_mbps=10, upload_mbps=1, rtt_ms=36)
    up = {"mbps": 1.0, "queue_bytes": 9000.0}
    seen = MEASURED | {UP: WAY | up, "rtt_ms_median": 36.9}  # an echo takes 0.08 ms on the line down, 0.78 ms up
    assert problems(link, seen, Tolerance(), NO_LOSSES) == []
    assert [[one["mbps"] for one in streams.phases(link, way)[1:]] for way in (DOWN, UP)] == [
        [10] * 3 + [9],
        [1] * 3 + [0.9],
    ]
    for wrong, said in (
        (WAY, "1 Mbit/s set, 10.000"),
        (WAY | up | {"queue_bytes": 89000.0}, "queue of 9000 bytes set"),
    ):
        (problem,) = problems(link, seen | {UP: wrong}, Tolerance(), NO_LOSSES)
        assert problem.startswith(f"{UP}: {said}")


def test_clocks_that_differ_leave_the_delay_to_the_echoes():
    unknown = {"one_way_ms": None, "one_way_not_measured": "the hosts' clocks differ"}
    both = MEASURED | {"server_to_client": WAY | unknown, "client_to_server": WAY | unknown}
    assert problems(LINK, both, Tolerance(), NO_LOSSES) == []


def test_bounds_of_a_binomial_are_scipys():
    from scipy.stats import binom

    for n, share in ((25000, 0.005), (4000, 0.02), (300, 0.5), (1_000_000, 0.01), (100, 0.0)):
        low, high = bounds(n, share)
        assert binom.cdf(low - 1, n, share) <= 5e-5 < binom.cdf(low, n, share) or share == 0 == low == high
        assert share == 0 or binom.sf(high, n, share) <= 5e-5 < binom.sf(high - 1, n, share)


def test_the_packets_sent_are_enough_to_tell_half_and_twice_the_loss():
    for share in (0.005, 0.01, 0.02):
        n = packets_needed(share, 4000, 30000)
        assert power(n, share, share / 2) > 0.98 and power(n, share, 2 * share) > 0.9999
        assert power(n, share, 0) == power(n, share, 5 * share) == 1
        assert power(n, share, share) < 1.1e-4
    assert packets_needed(0, 4000, 30000) == 4000 and power(4000, 0, 0.001) > 0.98


def test_a_record_of_losses_says_what_they_would_have_told():
    told = Losses(25000, 120).against(0.005)
    assert (told["at_least"], told["at_most"]) == bounds(25000, 0.005)
    assert told["power"]["none"] == told["power"]["five times"] == 1 and told["power"]["half"] > 0.98
    assert set(Losses(4000, 0).against(0)["power"]) == {"0.1 %", "0.5 %"}


def burst(count, spacing_ns, late=()):
    return [1_000_000 + index * spacing_ns + (5_000_000 if index in late else 0) for index in range(count)]


def test_the_slope_of_a_burst_is_its_rate_whatever_single_packets_do():
    assert streams.slope_mbps(burst(100, 1_153_600), 1442) == pytest.approx(10, rel=1e-6)
    assert streams.slope_mbps(burst(1000, 115_360, late={0, 1, 998, 999}), 1442) == pytest.approx(100, rel=1e-4)
    assert streams.slope_mbps(burst(2, 1_000_000), 1442) == 0.0


def test_a_queue_is_what_arrived_beyond_what_was_served():
    times = [round(index * 1e5) for index in range(201)]  # 20 ms: 25000 bytes at 10 Mbit/s
    assert streams.held_bytes(80, times, 1442, 10.0) == pytest.approx(80 * 1442 - 25000)


def test_late_and_repeated_packets_are_told_apart():
    link = Link(bandwidth_mbps=10, rtt_ms=36)
    asked = [streams.spaced(3, 0.1), {"kind": "paced", "frame_bytes": 64}]
    sent = [{"times": [0, 1, 2], "filled": None}, {"times": [0, 1, 2, 3], "filled": None}]
    arrived = {0: [[0, 0, 18_080_000], [2, 0, 18_080_000], [1, 0, 19_080_000]], 1: [[0, 0, 1], [1, 0, 2], [1, 0, 3]]}
    seen = streams.reduced(link, asked, sent, arrived)
    assert (seen.one_way_ms, seen.reordered, seen.duplicates) == (pytest.approx(18.0), 1, 1)
    assert (seen.loss_sent, seen.loss_lost, seen.sent, seen.received) == (4, 2, 12, 10)


JITTERY = Link(bandwidth_mbps=10, rtt_ms=112, jitter_ms=50)
SPREAD = {
    "replies": 1500,
    "rtt_ms_mean": 117.1,
    "rtt_ms_std": 17.4,
    "rtt_ms_min": 68.8,
    "rtt_ms_max": 153.0,
    "reordered_pct": 7.5,
    "server_to_client": {"arrived": 1500, "min_ms": 31.5, "max_ms": 80.0, "std_ms": 14.0, "changes": 88},
    "client_to_server": {"arrived": 1500, "min_ms": 31.5, "max_ms": 80.0, "std_ms": 14.0, "changes": 88},
}


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("replies", 1400, "1400 of 1500 echo requests answered"),
        ("rtt_ms_mean", 130.0, "mean RTT 130.0 ms, about 116.2 ms expected"),
        ("rtt_ms_std", 2.0, "standard deviation of the RTT 2.0 ms, about 20.4 ms expected"),
        ("rtt_ms_max", 190.0, "RTT from 68.8 to 190.0 ms, 62 to 162 set"),
        ("reordered_pct", 0.0, "0.0 % of the echo replies reordered"),
    ],
)
def test_jitter_out_of_bounds_is_told_with_its_numbers(field, value, words):
    assert jitter_problems(JITTERY, SPREAD, 10.0) == []
    (problem,) = jitter_problems(JITTERY, SPREAD | {field: value}, 10.0)
    assert words in problem


def test_changes_of_a_delay_are_counted_and_stalls_are_none():
    levels = [20.0, 35.0, 27.0, 40.0, 31.0, 18.0]
    delays = [level for level in levels for _ in range(25)]
    assert changes(delays, 2.0, 100) == 5
    for at in (3, 30, 60, 130):  # a stall of 10 ms holds up three packets; a single one is late elsewhere
        for late, more in enumerate((10.0, 6.0, 2.0)):
            delays[at + late] += more
    delays[100] += 30
    assert changes(delays, 2.0, 100) == 5
    assert json.dumps(changes(delays, 2.0, 100)) == "5", "a number that a record may have"
    short = [level for level in levels for _ in range(3)]
    assert changes(short, 2.0, 12) == 5, "too few packets between two changes for any median"
    assert changes([], 2.0, 100) == 0


@pytest.mark.parametrize("way", ["server_to_client", "client_to_server"])
@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("arrived", 1400, "1400 of 1500 packets arrived"),
        ("min_ms", 25.0, "delays from 25.0 to 80.0 ms, 31 to 81 set"),
        ("max_ms", 50.0, "delays within 18.5 ms"),
        ("changes", 45, "the delay changed 45 times, about 90 expected (every 100 ms)"),
    ],
)
def test_jitter_of_one_direction_is_told_with_its_numbers(way, field, value, words):
    (problem,) = jitter_problems(JITTERY, SPREAD | {way: SPREAD[way] | {field: value}}, 10.0)
    assert problem.startswith(f"{way}: {words}")
