"""Fates of packets on links with netem's parameters: right ones pass, wrong ones are told with their numbers."""

import pytest
from wrong_links import FATES as LINK

from longlook.link.fates import fate_problems

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
