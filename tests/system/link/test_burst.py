"""A link with a token bucket: what calibration makes of it, and that a real one passes its burst and then its rate."""

import pytest
import wrong_links

from longlook.errors import LonglookError
from longlook.link.burst import burst_problems, measure_burst, phase, seen
from longlook.link.calibrate import calibrate
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import Link
from longlook.testbed.netns import NetnsTestbed

LINK = wrong_links.BUCKET
TEN_SECONDS = Link(bandwidth_mbps=10, rtt_ms=15, queue_packets=50, burst_bytes=12_800_000)
"""So long it takes to fill again."""
DOWN, UP = wrong_links.S2C, wrong_links.C2S
FRAME = 1442


def rows(depth, rate_mbps, sent_mbps, seconds, late=0):
    """Arrivals of a stream through a bucket: at the rate at which they are sent while there are tokens, then at the
    link's."""
    found, now, tokens, last = [], 0.0, float(depth), 0.0
    per_packet = FRAME * 8e3 / sent_mbps
    for number in range(int(seconds * 1e9 / per_packet)):
        now = number * per_packet
        tokens = min(depth, tokens + (now - last) * rate_mbps / 8e3)
        last = now
        if tokens >= FRAME:
            tokens -= FRAME
            found.append([number, int(now), int(now) + late])
    return found


def measured(down, up=None):
    return {DOWN: seen(LINK, down), UP: seen(LINK, up or down)}


RIGHT = rows(2_000_000, 10, 100, 0.6)


def test_a_bucket_as_it_is_set_is_no_problem():
    own = seen(LINK, RIGHT)
    assert own["burst_bytes"] == pytest.approx(2_000_000, abs=2 * FRAME) and own["first_mbps"] == pytest.approx(100)
    assert burst_problems(LINK, measured(RIGHT), 0.5) == []
    assert burst_problems(LINK, measured(rows(2_000_000, 10, 100, 0.6, late=18_000_000)), 0.5) == []


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (rows(4_000_000, 10, 100, 0.6), "a burst of 2000000 bytes set, 399"),
        (rows(1_900_000, 10, 100, 0.6), "a burst of 2000000 bytes set, 189"),
        (rows(1500, 10, 100, 0.6), "a burst of 2000000 bytes set, 1"),
        (rows(1500, 10, 100, 0.6), "the burst passed at 10.00 Mbit/s, the link's rate is 10"),
        (rows(2_000_000, 10.1, 100, 0.6), "10 Mbit/s set, 10.1"),
        (rows(10**8, 10, 100, 0.6), "10 Mbit/s set, 100.000 measured after the burst"),
        ([], "0 packets of the stream for the burst arrived: too few"),
    ],
)
def test_each_deviation_is_told_with_its_direction(wrong, words):
    found = burst_problems(LINK, {DOWN: seen(LINK, RIGHT), UP: seen(LINK, wrong)}, 0.5)
    assert found and all(one.startswith("client_to_server: ") for one in found)
    assert any(words in one for one in found), found


@pytest.mark.parametrize("mbps", [0.2, 10, 500])
def test_the_stream_empties_the_bucket_and_goes_on(mbps):
    link = Link(bandwidth_mbps=mbps, rtt_ms=36, queue_packets=50, burst_bytes=100_000)
    own = phase(link)
    lasts_s = own["count"] * own["frame_bytes"] * 8 / (own["mbps"] * 1e6)
    passed = 100_000 + lasts_s * mbps * 1e6 / 8
    assert own["mbps"] >= 2 * mbps and own["count"] * own["frame_bytes"] > passed + 50 * FRAME


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.quiet
def test_a_real_bucket_is_full_again_with_every_seed(testbed_name):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(TEN_SECONDS, seed=1)
        first, again = measure_burst(bed, TEN_SECONDS), measure_burst(bed, TEN_SECONDS)
        driver.reseed(2)
        reseeded = measure_burst(bed, TEN_SECONDS)
    assert burst_problems(TEN_SECONDS, first, 1.0) == burst_problems(TEN_SECONDS, reseeded, 1.0) == []
    for way in (DOWN, UP):
        assert (
            first[way]["first_mbps"] > 2 * TEN_SECONDS.bandwidth_mbps
            and again[way]["burst_bytes"] < 0.8 * TEN_SECONDS.burst_bytes
        )


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.parametrize(
    ("way", "depth"),
    [(DOWN, 0), (UP, 4_000_000), (DOWN, 1_800_000)],
)
def test_a_wrong_bucket_of_a_direction_is_noticed(testbed_name, way, depth, monkeypatch):
    monkeypatch.setattr(wrong_links.module, "ATTEMPTS", 1)
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        configure = driver.configure

        def spoiled(link, seed):
            own = configure(link, seed)
            if link.burst_bytes is not None:
                driver._ask(op="configure", **{way: own[way] | {"burst_bytes": depth}})
            return own

        driver.configure = spoiled
        with pytest.raises(LonglookError, match=f"{way}: a burst of 2000000 bytes set"):
            calibrate(bed, driver, LINK)
