"""Loads in a browser context of their own take a full handshake, in either stack; later loads of the same browser resume."""

import pytest

from arms import arm_on, verdicts
from longlook.server import SERVERS
from longlook.stack import open_stack

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser]


@pytest.mark.parametrize("stack", ["quicv1", "gquic37"])
def test_every_cold_load_takes_a_full_handshake(stack, tmp_path, testbed_name):
    server = SERVERS[open_stack(stack).server("quic")]
    with arm_on(testbed_name, tmp_path, server, stack, cold=True) as on:
        assert verdicts(on, loads=3) == [(True, None)] * 3
        row = on.arm.load(3)
    assert row["zero_rtt"] is False and len(row["connection_ids"]) == 1


def test_a_cold_load_takes_a_round_trip_more(tmp_path, testbed_name):
    from longlook.scenario import Link

    link, times = Link(bandwidth_mbps=50, rtt_ms=100), {}
    for cold in (True, False):
        folder = tmp_path / str(cold)
        folder.mkdir()
        with arm_on(testbed_name, folder, SERVERS["envoy"], "quicv1", link=link, cold=cold) as on:
            times[cold] = sorted(on.arm.load(index)["plt_ms"] for index in range(4))[1:]
    assert 60 < times[True][1] - times[False][0] < 160
