"""Calibration of a link with a trace, on arrivals that are made: what is believed, and what is noticed."""

import random

import pytest

from longlook.link.traced import AHEAD_PACKETS, phase, seen, trace_problems
from longlook.plan.link import Link
from longlook.plan.trace import opportunities_of, window, with_traces

LINK = Link.parse(with_traces({"trace": "markov.trace", "rtt_ms": 70}))
WHOLE = opportunities_of(LINK.trace)
FOUND = window(WHOLE, 19020, 6000)
DOWN, UP = "server_to_client", "client_to_server"


def told(down, up=None, first_ms=12.0):
    own = {DOWN: seen(FOUND, down, first_ms, 2.1), UP: seen(FOUND, up or down, first_ms, 2.1)}
    return trace_problems(LINK, own)


def late(by_ms, moments=FOUND):
    return [at + by_ms for at in moments]


def test_a_right_link_is_believed():
    draw = random.Random(1)
    assert told(FOUND) == []
    assert told([at + draw.uniform(-0.1, 1.5) for at in FOUND]) == []
    stalled = [max(at, 1812) if 1800 <= at < 1812 else at for at in FOUND]
    assert told(stalled) == []


def steady(mbps):
    gap = 12.112 / mbps
    return [number * gap for number in range(1, int(6000 / gap))]


@pytest.mark.parametrize(
    ("moments", "words"),
    [
        (late(-10), "other bytes passed than the file has"),
        (late(100), "other bytes passed than the file has"),
        (window(WHOLE, 0, 6000), "other bytes passed than the file has"),
        (steady(LINK.bandwidth_mbps), "other bytes passed than the file has"),
        (steady(len(FOUND) * 12.112 / 6000), "other bytes passed than the file has"),
        (steady(100), "full packets passed"),
        (FOUND[::2], "full packets passed"),
        ([at for at in FOUND if not 3000 < at < 3100], "3450 by the file"),
        ([], "0 full packets passed"),
    ],
)
def test_another_link_is_noticed_in_its_direction(moments, words):
    found = told(FOUND, moments or [9e9])
    assert found and all(one.startswith("client_to_server: trace markov.trace: ") for one in found)
    assert any(words in one for one in found), found


def test_a_stream_that_began_late_tells_nothing():
    (one, _) = told(FOUND, first_ms=4500.0)
    assert "was seen for 14 times 100 ms, 20 at the least" in one


def test_what_each_wrong_link_would_show_is_recorded():
    power = seen(FOUND, FOUND, 12.0, 2.1)["power"]
    assert set(power) == {"mean rate", "clock 10 ms late", "clock 100 ms late", "clock 1 s late"}
    assert all(share > 0.2 for share in power.values())
    flat = seen(range(1, 6000), range(1, 6000), 12.0, 2.1)["power"]
    assert set(flat.values()) == {0.0}  # and where nothing can be told, that is


@pytest.mark.parametrize("found", [FOUND, list(range(1, 6000)), [5999] * 1000, [1] * 500 + [5000] * 3, []])
def test_the_queue_is_never_empty(found):
    own = phase(found, 70)
    per_ms, began_ms = own["mbps"] / 12.112, 100
    missed = sum(at <= began_ms for at in found)
    for number, at in enumerate(found, 1):
        if at >= began_ms + 100:
            assert min(per_ms * (at - began_ms), own["count"]) >= number - missed
    assert own["count"] == len(found) + AHEAD_PACKETS
    assert own["settle_s"] * 1e3 + own["count"] / per_ms >= 6000 + 70
