"""Loads whose objects are right and whose link, hosts or connection are not: each is rejected by its own reason.

Real browser, servers, kernels; somebody else has a hand in it.
"""

import subprocess
import sys
import time

import arms
import pytest

from longlook.experiment.carried import ON_THE_WAY
from longlook.plan.link import Link
from longlook.plan.workload import Page
from longlook.server.apache import Apache
from longlook.server.envoy import Envoy

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]

PAGE = Page.parse({"size_kb": 3000, "count": 1})
LINK = Link(bandwidth_mbps=20, rtt_ms=20)
QUIC, TCP = pytest.param(Envoy, id="quic"), pytest.param(Apache, id="tcp")


def loaded(on, meddle=lambda _on: None, loads=2):
    """Records of some right loads, and then of one beside which `meddle` had its way."""
    seen = []
    for index in range(loads):
        if index == loads - 1:  # after a cold load that was right
            meddle(on)
        seen.append(on.side.load(index))
        on.side.client.drop_connections()
    assert all(map(arms.is_right, seen[:-1])), seen[0]["reject_detail"]
    return seen[-1]


def ip(on, role, *arguments):
    on.bed.run(role, ["ip", *arguments], timeout_s=5)


def sysctl(name, value):
    def set_it(on, roles=("server", "client")):
        for role in roles:
            path = f"/proc/sys/net/ipv4/{name}"
            on.bed.run(role, ["sh", "-c", 'echo "$1" > "$2"', "sh", value, path], timeout_s=5)

    return set_it


def a_second_forwarder(on):
    ip(on, "bridge", "link", "add", "beside", "type", "bridge")
    for name in ("brg_s", "brg_c", "beside"):
        ip(on, "bridge", "link", "set", name, *(["up"] if name == "beside" else ["master", "beside"]))


SEND = """
import socket, sys, time
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        out.sendto(bytes(1400), (sys.argv[1], 9))
        time.sleep(0.0014)
"""


def other_traffic(on):
    """About 8 Mbit/s."""
    on.bed.popen("server", [sys.executable, "-c", SEND, on.bed.hosts["client"].address])
    time.sleep(0.3)


DOUBLE = """
import random, socket, sys
heard, way = (socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) for _ in range(2))
heard.bind((sys.argv[1], 0))
way.bind((sys.argv[2], 0))
print("ready", flush=True)
own = set()
while True:
    frame, where = heard.recvfrom(2000)
    if frame in own or (where[2] == socket.PACKET_OUTGOING) != (sys.argv[1] == sys.argv[2]):
        own.discard(frame)
    elif random.random() < 0.3:
        if sys.argv[1] == sys.argv[2]:
            own.add(frame)
        way.send(frame)
"""


def doubled(role, heard, way):
    """Three in ten packets from the server pass another way too."""

    def begin(on):
        child = on.bed.popen(role, [sys.executable, "-c", DOUBLE, heard, way], stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"

    return begin


CUT_SHORT = {"load_failed", "unanswered", "cut_short", "object_size", "object_count", "status"}
"""What else becomes of a load whose browser learns of it."""


DOWN = """
import subprocess, sys, time
watched, name, neighbour = sys.argv[1:]
def received():
    rows = dict(line.split(":") for line in open("/proc/net/dev") if ":" in line)
    return int({key.strip(): row for key, row in rows.items()}[watched].split()[0])
before = received()
print("ready", flush=True)
while received() < before + 500_000:
    time.sleep(0.005)
subprocess.run(["ip", "link", "set", name, "down"], check=True)
time.sleep(0.1)
subprocess.run(["ip", "link", "set", name, "up"], check=True)
if neighbour:
    subprocess.run(["ip", "neigh", "replace", *neighbour.split()], check=True)
"""


def interface_down(role, watched, name):
    """For 100 ms, after half a megabyte."""

    def begin(on):
        other = f"{on.bed.hosts['server'].address} lladdr 02:6c:6c:00:00:01 dev eth0 nud permanent"
        command = [sys.executable, "-c", DOWN, watched, name, other if role == "client" else ""]
        child = on.bed.popen(role, command, stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"

    return begin


@pytest.mark.parametrize("server", [QUIC, TCP])
@pytest.mark.parametrize(
    ("meddle", "reasons"),
    [
        (a_second_forwarder, {"bypassed"}),
        (other_traffic, {"other_traffic"}),
        pytest.param(doubled("bridge", "brg_s", "brg_c"), {"bypassed"}, id="doubled past the link"),
        pytest.param(doubled("server", "eth0", "eth0"), {"bypassed"}, id="doubled by the server's host"),
        pytest.param(interface_down("client", "eth0", "eth0"), {"bypassed", *CUT_SHORT}, id="down"),
        pytest.param(interface_down("bridge", "brg_s", "brg_c"), {"bypassed", *CUT_SHORT}, id="cable out"),
    ],
)
def test_what_did_not_cross_the_link_alone_is_rejected(testbed_name, tmp_path, server, meddle, reasons):
    cold = {"handshake": "1rtt"} if server is Envoy else {}
    with arms.arm_on(testbed_name, tmp_path, server, "quicv1", link=LINK, workload=PAGE, **cold) as on:
        record = loaded(on, meddle)
    assert record["reject_reason"] in reasons, record["reject_detail"]


def initial_window(segments):
    def set_it(on):
        route = ["10.77.0.0/24", "dev", "eth0", "src", "10.77.0.1", "initcwnd", str(segments)]
        ip(on, "server", "route", "replace", *route)

    return set_it


def smaller_mtu(on):
    for role in ("server", "client"):
        ip(on, role, "link", "set", "eth0", "mtu", "1400")


@pytest.mark.parametrize(
    ("meddle", "reason", "said"),
    [
        (initial_window(40), "initial_window", "packets in flight at the beginning, an initial window of 10"),
        (sysctl("tcp_sack", "0"), "tcp_options", "without sack"),
        (sysctl("tcp_window_scaling", "0"), "tcp_options", "without window_scaling"),
        (sysctl("tcp_timestamps", "0"), "tcp_options", "without timestamps"),
        (sysctl("tcp_wmem", "4096 16384 16384"), "tcp_options", "a send buffer of 16384 bytes"),
        (sysctl("tcp_wmem", "4096 65536 65536"), "tcp_options", "a send buffer of 65536 bytes after"),
        (smaller_mtu, "tcp_options", "an MTU of 1400"),
    ],
)
def test_another_connection_than_the_testbeds_is_rejected(testbed_name, tmp_path, meddle, reason, said):
    link = Link(bandwidth_mbps=50, rtt_ms=40)
    with arms.arm_on(testbed_name, tmp_path, Apache, "quicv1", link=link, workload=PAGE) as on:
        record = loaded(on, meddle)
    assert record["reject_reason"] == reason and said in record["reject_detail"], record


def test_an_initial_window_that_the_arm_states_is_right(testbed_name, tmp_path):
    link = Link(bandwidth_mbps=50, rtt_ms=40)
    with arms.arm_on(testbed_name, tmp_path, Apache, "quicv1", link=link, workload=PAGE, initial_window=40) as on:
        on.bed.set_slow_start("server", 40, None)
        record = loaded(on)
    assert arms.is_right(record) and 40 <= record["opened_over_link"]["window_packets"] <= 40 + ON_THE_WAY


def test_a_handshake_that_begins_anew_is_rejected(testbed_name, tmp_path):
    faults = {"extra": "SSLOpenSSLConfCmd Groups P-384"}
    with arms.arm_on(testbed_name, tmp_path, Apache, "quicv1", link=LINK, workload=PAGE, faults=faults) as on:
        record = on.side.load(0)
    assert (record["reject_reason"], record["opened_over_link"]["retries"]) == ("handshake", 1)
