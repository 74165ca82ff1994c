"""The link's count of connections: what belongs to a load, and how many more a browser may open."""

import plans
import pytest

from longlook import paths
from longlook.client.observation import Observation
from longlook.dataset.results import read_results
from longlook.experiment.opened import OpenedConnections, opened_between, stood_before
from longlook.record.campaigns import find_campaign


def counts(**ports):
    """`tcp443=(2, 1)`: opened, packets of handshakes lost."""
    made = {"tcp": {}, "quic": {}}
    for name, (opened, lost) in ports.items():
        made[name.rstrip("0123456789")][name.lstrip("tcpqui")] = {"opened": opened, "handshake_lost": lost}
    return made


def test_only_what_is_new_counts():
    found = opened_between(counts(tcp443=(5, 2), quic443=(4, 0)), counts(tcp443=(6, 2), quic443=(4, 0)), "tcp", 443)
    assert found == OpenedConnections(1, 0, {}) and found.too_many(1) is None


def test_arms_beside_are_not_others():
    before, after = counts(), counts(tcp443=(1, 0), quic444=(1, 0), tcp80=(2, 0))
    assert opened_between(before, after, "tcp", 443).others == {"quic port 444": 1, "tcp port 80": 2}
    assert opened_between(before, after, "tcp", 443, beside={("quic", 444), ("tcp", 80)}).too_many(1) is None


@pytest.mark.parametrize(
    ("transport", "handshake_ms", "own", "lost", "right"),
    [
        ("tcp", 36, 1, 0, True),
        ("tcp", 36, 2, 0, False),
        ("tcp", 36, 2, 1, True),
        ("tcp", 600, 2, 0, True),
        ("tcp", 600, 3, 0, False),
        ("quic", 600, 2, 0, False),
    ],
)
def test_spare_connections_are_allowed_where_chromium_opens_them(transport, handshake_ms, own, lost, right):
    after = counts(**{f"{transport}443": (own, lost)})
    assert (opened_between(counts(), after, transport, 443, handshake_ms).too_many(1) is None) is right


@pytest.mark.parametrize(
    ("was", "now", "opened", "asked"),
    [
        ({}, {"RVCM": 1}, 1, (("RVCM",),)),
        ({"RVCM": 4, "TBBR,RVCM": 1}, {"RVCM": 4, "TBBR,RVCM": 2}, 1, (("TBBR", "RVCM"),)),
        ({"": 1}, {"": 2}, 1, ((),)),
        ({}, {"IW10": 1, "RVCM": 1}, 2, (("IW10",), ("RVCM",))),
        ({}, {"RVCM": 1}, 2, None),  # the hello of the other one could not be read
        ({"RVCM": 1}, {"RVCM": 1}, 1, None),
        ({}, {}, 0, None),
    ],
)
def test_what_a_loads_clients_asked_for(was, now, opened, asked):
    before = {"tcp": {}, "quic": {"443": {"opened": 5, "handshake_lost": 0, "asked": was}}}
    after = {"tcp": {}, "quic": {"443": {"opened": 5 + opened, "handshake_lost": 0, "asked": now}}}
    found = opened_between(before, after, "quic", 443)
    assert found.asked == asked
    assert found.record().get("asked") == (None if asked is None else [list(one) for one in asked])


def test_a_link_that_does_not_look_into_packets_tells_nothing():
    assert opened_between(None, None, "tcp", 443) is None


@pytest.mark.parametrize(
    ("arm", "connect_ms", "stood"),
    [
        ({}, None, True),
        ({}, 9.2, True),
        ({}, 37.1, True),
        ({}, 72.4, False),
        ({"handshake": "0rtt"}, 37.1, False),
        ({"protocol": "quic"}, None, False),
    ],
)
def test_a_tcp_connection_that_lacks_a_round_trip_stood_before(arm, connect_ms, stood):
    one = plans.cell(
        {"protocol": "tcp", **arm}, mode="together", link={"bandwidth_mbps": 10, "rtt_ms": 36, "loss_pct": 1}
    )
    assert stood_before(one.arms[0], one.link, Observation({"plt_ms": 200.0}, (), connect_ms)) is stood


def test_sealed_loads_on_a_connection_that_stood_count_in_no_table():
    campaign = find_campaign(paths.ROOT / "data" / "raw", "reference-figure-4.9b-20261122T134120")
    left_out = [
        (result.cell.workload.total_bytes, one.arm, one.index)
        for result in read_results(campaign)
        for one in result.samples
        if one.reject_reason == "connection_reused"
    ]
    assert left_out == [(5120, "tcp", 6), (512000, "tcp", 2)]
