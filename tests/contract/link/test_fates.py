"""Calibration of links with netem's parameters: right ones pass, wrong ones are told with their numbers."""

import pytest

from longlook.link.calibrate import calibrate
from longlook.link.fates import fate_problems, measure_fates
from longlook.link.linkpipe import LinkPipe
from longlook.plan.link import GEMODEL, Link
from longlook.testbed.netns import NetnsTestbed

PLAIN = {"bandwidth_mbps": 10, "rtt_ms": 100}
MODEL = dict(zip(GEMODEL, (1, 50, 100, 0), strict=True))
LINK = Link.parse(PLAIN | MODEL | {"corrupt_pct": 2, "duplicate_pct": 3, "jitter_sd_ms": 5})
COUNTED = {"packets_in": 20_005, "dropped_loss": 392, "dropped_queue": 0, "corrupted": 400, "duplicated": 600}
WAY = {
    "sent": 20_000,
    "arrived": 19_808,
    "distinct": 19_230,
    "mean_ms": 50.1,
    "std_ms": 5.0,
    "endings_lost": 0,
    "endings": 5,
    "counted": COUNTED,
}
BOTH = {"server_to_client": WAY, "client_to_server": WAY}


def test_fates_as_they_are_set_are_no_problem():
    assert fate_problems(LINK, BOTH) == []


@pytest.mark.parametrize("way", BOTH)
@pytest.mark.parametrize(
    ("changes", "counted", "words"),
    [
        ({}, {"dropped_loss": 800, "corrupted": 400 - 408}, "800 of 20005 packets lost"),
        ({"arrived": 19_808 + 200}, {"corrupted": 200}, "200 of 20005 packets corrupted"),
        ({"arrived": 19_808 - 300}, {"duplicated": 300}, "300 of 20005 packets doubled"),
        ({"arrived": 19_807}, {}, "19812 packets arrived whole, by the emulator's counters 19813"),
        ({"mean_ms": 51.5}, {}, "mean delay 51.50 ms, 50.00 ms expected"),
        ({"std_ms": 7.0}, {}, "standard deviation of the delay 7.00 ms, 5.00 ms expected"),
    ],
)
def test_each_fate_is_told_with_its_numbers_and_direction(way, changes, counted, words):
    wrong = WAY | changes | {"counted": COUNTED | counted}
    found = fate_problems(LINK, BOTH | {way: wrong})
    assert any(one.startswith(f"{way}: ") and words in one for one in found), found


def test_clocks_that_differ_leave_the_spread():
    far = WAY | {"mean_ms": 1e9}
    assert fate_problems(LINK, BOTH | {"server_to_client": far}, one_clock=False) == []


RIGHT = [
    LINK,
    Link.parse(PLAIN | {"corrupt_pct": 20, "corrupt_correlation_pct": 25, "duplicate_pct": 20}),
]


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(300)
@pytest.mark.parametrize("link", RIGHT)
def test_a_real_link_with_netems_parameters_is_what_was_set(testbed_name, link):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(link, seed=1)
        record = calibrate(bed, driver, link)
        assert driver.changed() is None
    assert record["within_tolerance"] and record["set"] == link.model_dump() | {
        "queue_bytes": link.effective_queue_bytes
    }


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("corrupt_pct", 4, "corrupted"),
        ("duplicate_pct", 1, "doubled"),
        ("gemodel_p_pct", 3, "lost"),
        ("jitter_sd_ms", 8, "standard deviation"),
    ],
)
def test_another_link_is_noticed(testbed_name, name, value, words):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(LINK.model_copy(update={name: value}), seed=1)
        found = fate_problems(LINK, measure_fates(bed, driver, LINK))
    assert len([one for one in found if words in one]) == 2, found
