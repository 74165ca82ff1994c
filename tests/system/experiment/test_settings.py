"""The network's settings at a cell's end are those of its beginning, or it does not count and says what changed."""

import contextlib
import os

import pytest
from plans import cell

from longlook.errors import LonglookError
from longlook.experiment.interleaved import run_interleaved
from longlook.experiment.linkcheck import held_to
from longlook.experiment.settings import OF_SLOW_START, changed, parse, read_settings, set_by_the_run
from longlook.link.linkpipe import LinkPipe
from longlook.record.campaign import CELL_NAME
from longlook.record.samples import SAMPLES_NAME
from longlook.testbed.netns import NetnsTestbed

SAID = """
== file
net/ipv4/tcp_rmem:4096\t131072\t33554432
net/ipv4/tcp_allowed_congestion_control:reno cubic
/sys/class/net/eth0/carrier_changes:2
== link/eth0
[{"ifname":"eth0","mtu":1500,"flags":["UP","PROMISC"],"promiscuity":1,"linkinfo":{"info_kind":"veth"}}]
== address/eth0
[{},{"ifname":"eth0","addr_info":[{"local":"10.77.0.1","valid_life_time":4294967295}]}]
== route/eth0
[{"type":"unicast","dst":"10.77.0.0/24","metrics":[{"initcwnd":32}]}]
== offload/eth0
Features for eth0:
rx-checksumming: off [fixed]
\ttx-checksum-ipv4: off
== firewall
"""


def test_what_a_host_tells_has_names():
    assert parse(SAID) == {
        "sysctl net.ipv4.tcp_rmem": "4096 131072 33554432",
        "link eth0 ifname": "eth0",
        "link eth0 mtu": "1500",
        "link eth0 flags": '["UP"]',
        "link eth0 linkinfo": '{"info_kind": "veth"}',
        "/sys/class/net/eth0/carrier_changes": "2",
        "address eth0 addresses": '[{"local": "10.77.0.1"}]',
        "route eth0 unicast 10.77.0.0/24 type": "unicast",
        "route eth0 unicast 10.77.0.0/24 dst": "10.77.0.0/24",
        "route eth0 unicast 10.77.0.0/24 metrics": '[{"initcwnd": 32}]',
        "offload eth0 rx-checksumming": "off [fixed]",
        "offload eth0 tx-checksum-ipv4": "off",
    }


def test_a_change_is_told_by_name_unless_the_run_makes_it():
    before, after = {"server: a": "1", "server: b": "2"}, {"server: a": "1", "server: b": "3", "client: c": "4"}
    assert changed(before, dict(before)) == []
    assert changed(before, after) == [
        "client: c: none at the beginning, 4 at the end",
        "server: b: 2 at the beginning, 3 at the end",
    ]
    assert changed(before, after, ("client: ", "server: b")) == []


def test_routes_change_only_where_arms_begin_differently():
    small, large = ({"protocol": "tcp", "initial_window": window} for window in (10, 32))
    assert set(OF_SLOW_START) <= set(set_by_the_run(cell(small, large)))
    assert not set(OF_SLOW_START) & set(set_by_the_run(cell(small)))


CHANGES = {
    "receive buffer": ("server", "sysctl -qw net.ipv4.tcp_rmem='4096 4096 4096'", "sysctl net.ipv4.tcp_rmem"),
    "send buffer": ("client", "sysctl -qw net.ipv4.tcp_wmem='4096 4096 4096'", "sysctl net.ipv4.tcp_wmem"),
    "SACK": ("server", "sysctl -qw net.ipv4.tcp_sack=0", "sysctl net.ipv4.tcp_sack"),
    "window scaling": ("client", "sysctl -qw net.ipv4.tcp_window_scaling=0", "sysctl net.ipv4.tcp_window_scaling"),
    "controller of a client": (
        "client",
        "sysctl -qw net.ipv4.tcp_congestion_control=reno",
        "sysctl net.ipv4.tcp_congestion_control",
    ),
    "MTU": ("client", "ip link set eth0 mtu 1400", "link eth0 mtu: 1500 at the beginning, 1400 at the end"),
    "MTU of the bridge": ("bridge", "ip link set brg_c mtu 1400", "link brg_c mtu"),
    "initial window": (
        "server",
        "ip route change 10.77.0.0/24 dev eth0 src 10.77.0.1 initcwnd 4",
        "route eth0 unicast 10.77.0.0/24 main metrics",
    ),
    "route": ("client", "ip route add 192.0.2.0/24 dev eth0", "route eth0 unicast 192.0.2.0/24"),
    "offload": ("server", "ethtool -K eth0 tso on", "offload eth0 tcp-segmentation-offload: off"),
    "queueing discipline": ("server", "tc qdisc replace dev eth0 root pfifo limit 3", "qdisc eth0 pfifo"),
    "queue of the bridge": ("bridge", "tc qdisc replace dev brg_s root pfifo limit 3", "qdisc brg_s pfifo"),
    "address": ("client", "ip addr add 10.77.0.9/24 dev eth0", "address eth0 addresses"),
    "neighbour": (
        "client",
        "ip neigh replace 10.77.0.1 lladdr 02:00:00:00:00:09 dev eth0 nud permanent",
        "neighbour eth0 10.77.0.1 lladdr",
    ),
    "interface that was down": (
        "client",
        "ip link set eth0 down; ip link set eth0 up",
        "/sys/class/net/brg_c/carrier_changes",
    ),
}


@pytest.fixture(scope="module")
def link():
    """Of a testbed that each change leaves as it has made it."""
    with NetnsTestbed(f"t{os.getpid() % 100000}s") as bed, LinkPipe(bed) as driver:
        driver.configure(cell().link, seed=1)
        yield driver


def told(link, role, change):
    """What is said of a change within a cell."""
    with (
        pytest.raises(LonglookError, match="set otherwise while the cell was measured") as caught,
        held_to(link, cell()),
    ):
        link.testbed.run(role, ["sh", "-c", change], timeout_s=5)
    return str(caught.value)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.parametrize("what", CHANGES)
def test_a_setting_that_is_changed_within_a_cell_is_named(link, what):
    role, change, named = CHANGES[what]
    said = told(link, role, change)
    assert f"{role}: {named}" in said or f"bridge: {named}" in said


NFTABLES = """
import socket, struct
def message(kind, flags, family, data=b"", number=0):  # nlmsghdr, nfgenmsg
    return struct.pack("=IHHIIBBH", 20 + len(data), kind, 1 | flags, 1, 0, family, 0, number) + data
own = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12)
for kind, flags in ((2560, 0x404), (2562, 4)):  # NFT_MSG_NEWTABLE, _DELTABLE
    table = message(kind, flags, socket.AF_INET, struct.pack("=HH4s", 6, 1, b"t"))
    own.send(message(16, 0, 0, number=socket.htons(10)) + table + message(17, 0, 0, number=socket.htons(10)))
    assert own.recv(4096)[16:20] == bytes(4)
"""
UNDONE = {
    "queueing discipline": (
        "client",
        "tc qdisc add dev eth0 root tbf rate 1mbit burst 3000 latency 1s; tc qdisc del dev eth0 root",
        "qdisc eth0",
    ),
    "MTU": ("server", "ip link set eth0 mtu 1400; ip link set eth0 mtu 1500", "link eth0"),
    "route": ("client", "ip route add 192.0.2.0/24 dev eth0; ip route del 192.0.2.0/24", "route eth0"),
    "rule": ("server", "ip rule add pref 9 blackhole; ip rule del pref 9", "rule"),
    "offload": ("client", "ethtool -K eth0 tso on; ethtool -K eth0 tso off", "link eth0"),
    "firewall": ("server", f"python3 -c '{NFTABLES}'", "firewall"),
}
"""Of what no change of CHANGES has left otherwise."""


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.parametrize("what", UNDONE)
def test_a_change_that_was_undone_is_named(link, what):
    role, change, named = UNDONE[what]
    assert f"measured: {role}: {named}: changed, and changed back" in told(link, role, change)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(120)
def test_a_whole_cell_in_which_the_receive_buffer_shrinks_does_not_count(testbed_name, tmp_path):
    @contextlib.contextmanager
    def shrunk(context):
        yield
        context.bed.run("client", ["sysctl", "-qw", "net.ipv4.tcp_rmem=4096 4096 4096"], timeout_s=5)

    own = cell({"protocol": "tcp"}, loads=3)
    with pytest.raises(LonglookError, match=r"client: sysctl net.ipv4.tcp_rmem: 4096 131072 \d+ at the beginning"):
        run_interleaved(own, tmp_path, "c", testbed_name, beside=shrunk)
    assert (tmp_path / SAMPLES_NAME).stat().st_size > 0 and not (tmp_path / CELL_NAME).exists()


@pytest.mark.root
@pytest.mark.netns
def test_what_is_captured_or_sent_meanwhile_changes_nothing(testbed_name, tmp_path):
    with NetnsTestbed(testbed_name) as bed, LinkPipe(bed) as driver:
        driver.configure(cell().link, seed=1)
        with held_to(driver, cell()), bed.capture("client", tmp_path / "seen.pcap", "icmp"):
            bed.run("client", ["ping", "-c", "3", "-i", "0.2", bed.hosts["server"].address], timeout_s=10)
            bed.set_cca("server", "reno")  # as the run does before a load
        assert len(read_settings(bed)) > 500
