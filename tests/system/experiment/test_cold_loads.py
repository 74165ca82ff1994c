"""Loads in a browser context of their own take a full handshake, in either stack.

Later loads of the same browser resume.
"""

import pytest
from arms import arm_on, plt_ms, verdicts

from longlook.plan.link import Link
from longlook.server import SERVERS
from longlook.stack import open_stack

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser]


@pytest.mark.parametrize("stack", ["quicv1", "gquic37"])
def test_every_cold_load_takes_a_full_handshake(stack, tmp_path, testbed_name):
    server = SERVERS[open_stack(stack).server("quic")]
    with arm_on(testbed_name, tmp_path, server, stack, handshake="1rtt") as on:
        assert verdicts(on, loads=3) == [(True, None)] * 3
        record = on.side.load(3)
    assert record["zero_rtt"] is False and len(record["connections"]) == 1


@pytest.mark.quiet
def test_a_cold_load_takes_a_round_trip_more(tmp_path, testbed_name):
    link, times = Link(bandwidth_mbps=50, rtt_ms=200), {}
    for handshake in ("1rtt", "0rtt"):
        folder = tmp_path / handshake
        folder.mkdir()
        with arm_on(testbed_name, folder, SERVERS["envoy"], "quicv1", link=link, handshake=handshake) as on:
            times[handshake] = min(plt_ms(on.side.load(index)) for index in range(4))
    assert 100 < times["1rtt"] - times["0rtt"] < 300
