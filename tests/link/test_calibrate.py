"""The link is what was set, and calibration notices when it is not."""

import contextlib

import pytest

from longlook.errors import LonglookError
from longlook.link.calibrate import Tolerance, calibrate, jitter_problems, problems
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import Link
from longlook.testbed.netns import NetnsTestbed

MEASURED = {
    "rtt_ms_median": 36.2,
    "server_to_client_mbps": 10.0,
    "client_to_server_mbps": 9.95,
    "server_to_client_train_lost_pct": 0.0,
    "client_to_server_train_lost_pct": 0.0,
}
LINK = Link(bandwidth_mbps=10, rtt_ms=36)


def test_inside_tolerance_there_is_no_problem():
    assert problems(LINK, MEASURED, Tolerance()) == []


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("rtt_ms_median", 40.0, "RTT 36 ms set, 40.0 ms measured"),
        ("rtt_ms_median", None, "RTT 36 ms set, None"),
        ("server_to_client_mbps", 9.0, "server_to_client: 10 Mbit/s set, 9.00 measured"),
        ("client_to_server_train_lost_pct", 12.5, "client_to_server: 12.50 % of a train lost, 0 % set"),
    ],
)
def test_each_deviation_is_told_with_its_numbers(field, value, words):
    (problem,) = problems(LINK, MEASURED | {field: value}, Tolerance())
    assert words in problem


def patiently(bed, driver, link, tries=4):
    """The record, at the latest of the last try.

    A virtual machine that is held up for seconds shifts what is measured; a link that is wrong is wrong every time.
    """
    for _ in range(tries - 1):
        with contextlib.suppress(LonglookError):
            return calibrate(bed, driver, link)
    return calibrate(bed, driver, link)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.quiet
@pytest.mark.parametrize(
    "link", [LINK, Link(bandwidth_mbps=100, rtt_ms=36, loss_pct=1), Link(bandwidth_mbps=50, rtt_ms=112)]
)
def test_a_real_link_is_what_was_set(testbed_name, link):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(link, seed=1)
        record = patiently(bed, driver, link)
    assert record["within_tolerance"]
    assert record["set"]["queue_bytes"] == link.effective_queue_bytes


@pytest.mark.root
@pytest.mark.netns
def test_a_link_changed_behind_our_back_is_noticed(testbed_name):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(Link(bandwidth_mbps=10, rtt_ms=56), seed=1)
        with pytest.raises(LonglookError, match="out of tolerance after 3 attempts: RTT 36 ms set"):
            calibrate(bed, driver, LINK)


@pytest.mark.root
@pytest.mark.netns
def test_equal_seeds_give_packets_the_same_fate(testbed_name):
    lossy = Link(bandwidth_mbps=100, rtt_ms=2, loss_pct=40)
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(lossy, seed=1)
        lost = []
        for seed in (5, 5, 6):
            driver.reseed(seed)
            out = bed.run(
                "client",
                ["ping", "-n", "-c", "60", "-i", "0.01", "-W", "1", bed.hosts["server"].address],
                20,
                check=False,
            )
            lost.append({line.split("icmp_seq=")[1].split()[0] for line in out.splitlines() if "icmp_seq=" in line})
    assert lost[0] == lost[1] != lost[2]


@pytest.mark.root
@pytest.mark.netns
def test_a_killed_emulator_is_reported_and_the_next_one_starts(testbed_name):
    with NetnsTestbed(testbed_name) as bed:
        with LinkPipe(bed) as driver:
            driver._process.kill()
            driver._process.wait()
            with pytest.raises(LonglookError, match="linkpipe does not answer"):
                driver.counters()
        with LinkPipe(bed) as driver:
            driver.configure(LINK, seed=1)
            assert driver.counters()["server_to_client"]["packets_in"] >= 0


JITTERY = Link(bandwidth_mbps=10, rtt_ms=112, jitter_ms=50)
SPREAD = {
    "replies": 1500,
    "rtt_ms_mean": 117.1,
    "rtt_ms_std": 17.4,
    "rtt_ms_min": 68.8,
    "rtt_ms_max": 153.0,
    "reordered_pct": 7.5,
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
    assert jitter_problems(JITTERY, SPREAD, Tolerance()) == []
    (problem,) = jitter_problems(JITTERY, SPREAD | {field: value}, Tolerance())
    assert words in problem


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.quiet
def test_jitter_reorders_and_leaves_the_next_condition_alone(testbed_name):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        record = patiently(bed, driver, JITTERY)
        assert record["measured"]["jitter"]["reordered_pct"] > 1
        driver.configure(LINK, seed=1)
        record = patiently(bed, driver, LINK)
        assert "jitter" not in record["measured"] and record["measured"]["rtt_ms_max"] < 46
