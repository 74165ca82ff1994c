"""What link and hosts count of the same packets, held together."""

import pytest

from longlook.experiment.carried import OTHER_BYTES, Crossed, bypassed, other_traffic, span, wrong_tcp, wrong_window
from longlook.experiment.opened import OpenedConnections, opened_between
from longlook.host.interfaces import parsed
from longlook.plan.link import Link

DEVICE = """Inter-|   Receive                                       |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier compressed
    lo:  9000  9 0 0 0 0 0 0 9000 9 0 0 0 0 0 0
  eth0: 101400 100 0 0 0 0 0 0 50700 50 0 0 0 0 0 0
"""
NETWORK = """TcpExt: SyncookiesSent
TcpExt: 0
IpExt: InNoRoutes InOctets OutOctets
IpExt: 0 109000 58000
"""


def test_an_interface_and_its_network_layer_count_the_same_bytes():
    counts = parsed(DEVICE, NETWORK, "eth0")
    assert (counts["in_packets"], counts["in_bytes"], counts["ip_in_bytes"]) == (100, 100_000, 100_000)
    assert (counts["out_packets"], counts["out_bytes"], counts["ip_out_bytes"]) == (50, 50_000, 49_000)
    assert parsed(DEVICE, NETWORK, "eth7") is None


def host(in_packets, out_packets, **changes):
    told = {"in_packets": in_packets, "out_packets": out_packets}
    for way, count in (("in", in_packets), ("out", out_packets)):
        told |= {f"{way}_bytes": 1000 * count, f"ip_{way}_bytes": 1000 * count}
    return {name: (value, value) for name, value in (told | changes).items()}


LINK = {
    "server_to_client": {"packets_in": 1000, "packets_out": 990, "bytes_out": 990_000},
    "client_to_server": {"packets_in": 300, "packets_out": 300},
}
CONNECTION = {"options": ("timestamps", "sack", "window_scaling"), "mss_bytes": 1448, "mtu_bytes": 1500}
RIGHT = {"server": host(300, 1000), "client": host(990, 300)}


@pytest.mark.parametrize(
    ("send_buffer_bytes", "object_bytes", "right"),
    [(65_536, 5_000, True), (65_535, 5_000, False), (65_536, 10**6, False), (262_144, 10**6, True)],
)
def test_a_send_buffer_that_may_grow_has_grown(send_buffer_bytes, object_bytes, right):
    assert (wrong_tcp([CONNECTION | {"send_buffer_bytes": send_buffer_bytes}], object_bytes) is None) is right


@pytest.mark.parametrize(
    ("buffers", "right"), [((285_696, 65_536), True), ((65_536, 65_536), False), ((285_696, 4_096), False)]
)
def test_the_buffer_of_a_spare_connection_has_nothing_to_grow_for(buffers, right):
    assert (wrong_tcp([CONNECTION | {"send_buffer_bytes": one} for one in buffers], 1_000_166) is None) is right


def test_ecn_is_negotiated_where_the_link_asks_for_it_and_nowhere_else():
    for options, ecn, words in (
        ((), True, "a connection without ECN"), (("ecn",), True, None), (("ecn",), False, "a connection with ECN"),
        ((), False, None),
    ):  # fmt: skip
        told = CONNECTION | {"options": (*CONNECTION["options"], *options), "send_buffer_bytes": 65_536}
        assert wrong_tcp([told], 5000, ecn) == words


def test_packets_that_the_link_lost_are_missing_at_the_client_and_nothing_else():
    assert bypassed(LINK, 900_000, RIGHT) is None
    assert bypassed(LINK, 900_000) is None  # hosts on other machines


@pytest.mark.parametrize(
    ("who", "counts", "said"),
    [
        ("client", host(1300, 300), "the client received 1300 packets, the link sent 990"),
        ("client", host(950, 300), "the client received 950 packets, the link sent 990"),
        ("server", host(310, 1000), "the server received 310 packets, the link sent 300"),
        ("server", host(300, 1100), "the server sent 1100 packets, the link took in 1000"),
        ("server", host(300, 1000, ip_out_bytes=770_000), "its network layer 770000"),
        ("client", host(990, 300, ip_in_bytes=980_000), "its network layer 980000"),
    ],
)
def test_what_passed_beside_the_link_or_was_added_is_told(who, counts, said):
    assert said in bypassed(LINK, 900_000, RIGHT | {who: counts})


def test_segments_have_a_header_each():
    assert bypassed(LINK, 900_000, RIGHT | {"server": host(300, 1000, ip_out_bytes=965_000)}) is None


@pytest.mark.parametrize("count", ["send_errors", "memory_drops", "oversize_drops"])
def test_what_the_link_could_not_deliver_is_told(count):
    broken = LINK | {"server_to_client": LINK["server_to_client"] | {count: 4}}
    assert bypassed(broken, 900_000, RIGHT) == f"the link counts 4 {count}"


def test_a_load_that_ends_while_packets_travel_has_that_much_room():
    before, after = {"client": {"in_packets": 100}}, {"client": {"in_packets": 500}}
    again = {"client": {"in_packets": 520}}
    assert span((before, {}, before), (after, {}, again)) == {"client": {"in_packets": (400, 420)}}
    assert span((before, {}, {}), (after, {}, again)) == {}


def test_flows_beside_a_load_have_packets_on_their_way():
    beside = Crossed.of(Link(bandwidth_mbps=12, rtt_ms=20, cross_flows=1)).packets
    assert (beside, Crossed.of(Link(bandwidth_mbps=12, rtt_ms=20)).packets) == (10, 0)
    late = LINK | {"server_to_client": LINK["server_to_client"] | {"packets_in": 1000 - beside - 3}}
    assert bypassed(late, 900_000, RIGHT, beside) is None
    assert "the link took in 987" in bypassed(late, 900_000, RIGHT, beside - 1)


def counts(port, total, opened=0, **more):
    return {port: {"opened": opened, "handshake_lost": 0, "retries": 0, "frames": 0, "bytes": total} | more}


def test_bytes_of_other_ports_are_other_traffic():
    before = {"tcp": counts("443", 1000, 3), "quic": counts("443", 500), "other": {}}
    after = {"tcp": counts("443", 90_000, 4, window_packets=10), "quic": counts("443", 900), "other": counts("0", 50)}
    found = opened_between(before, after, "tcp", 443)
    assert (found.own, found.other_bytes, found.window_packets, found.retries) == (1, 450, 10, 0)
    assert opened_between(before, after, "tcp", 443, beside={("quic", 443)}).other_bytes == 50
    assert opened_between(before, after, "quic", 443).window_packets is None
    assert (
        other_traffic(found) is None
        and other_traffic(None) is None
        and other_traffic(OpenedConnections(1, 0, {})) is None
    )
    assert other_traffic(OpenedConnections(1, 0, {}, other_bytes=OTHER_BYTES + 1))


@pytest.mark.parametrize(
    ("packets", "stated", "right"),
    [
        (10, None, True),
        (13, None, True),  # acknowledged at the link, and not yet at the server
        (14, None, False),
        (8, None, True),  # a server that is slow to write, or has no more to send
        (0, None, True),  # nothing was followed
        (40, 40, True),
        (7, 3, True),  # the handshake let it grow
        (40, 10, False),
    ],
)
def test_an_initial_window_is_no_larger_than_is_stated(packets, stated, right):
    assert (wrong_window(OpenedConnections(1, 0, {}, window_packets=packets), stated) is None) is right


def test_of_several_connections_the_largest_window_counts():
    seen = OpenedConnections(2, 0, {}, window_packets=14)
    assert wrong_window(seen, None, connections=2) and wrong_window(seen, 14, connections=2) is None
    assert wrong_window(seen, None) is None, "the second one is a spare one, which the link may have followed"


def test_bbr_grows_by_what_is_acknowledged():
    seen = OpenedConnections(1, 0, {}, window_packets=16)
    assert wrong_window(seen, None) and wrong_window(seen, None, "bbr") is None
