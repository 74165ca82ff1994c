"""Envoy over TCP: the oracle accepts it, rejects it where it is wrong, and TLS's sessions are resumed where asked."""

import subprocess
import sys

import arms
import pytest
from arms import arm_on, verdicts

from longlook.client.base import Request
from longlook.plan.workload import WebPage
from longlook.probe.capture import capture
from longlook.server.apache import Apache
from longlook.server.envoy_tcp import EnvoyTcp

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(300)]
PRE_SHARED_KEY = "41"
"""TLS's extension: of a ClientHello that offers a session, of a ServerHello that resumes it (RFC 8446, 4.2.11)."""


SAYS_ORDER_OFTEN = """
import socket, ssl, sys
context = ssl._create_unverified_context()
context.set_alpn_protocols(["h2"])
frame = lambda kind, stream, body: len(body).to_bytes(3, "big") + bytes([kind, 0]) + stream.to_bytes(4, "big") + body
with context.wrap_socket(socket.create_connection((sys.argv[1], 443), 10)) as own:
    own.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + frame(4, 0, b""))
    own.sendall(frame(2, 1, bytes(5)) * 20_000 + frame(6, 0, b"answered"))
    got = b""
    while b"answered" not in got:
        got += own.recv(65536) or sys.exit("closed")
"""
"""Of HTTP/2's frames (RFC 9113): SETTINGS 4, PRIORITY 2, PING 6."""


def test_a_browser_that_says_often_what_comes_first_keeps_its_connection(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, EnvoyTcp, "quicv1") as on:
        on.bed.run("client", [sys.executable, "-c", SAYS_ORDER_OFTEN, on.side.server.address], timeout_s=60)


def test_a_right_page_is_accepted(testbed_name, tmp_path):
    with arm_on(testbed_name, tmp_path, EnvoyTcp, "quicv1") as on:
        assert verdicts(on, loads=3) == [(True, None)] * 3
        assert on.side.server.version().startswith("1.")


WRONG = {
    "serves HTTP/1.1": ({"faults": {"protocols": "http/1.1"}}, "protocol"),
    "has another controller": ({"server_cca": "reno"}, "cca"),
    "truncates an object": ({"spoil": arms.shorten_image}, "object_size"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_one_is_rejected_for_its_own_reason(testbed_name, tmp_path, fault):
    how, reason = WRONG[fault]
    with arm_on(testbed_name, tmp_path, EnvoyTcp, "quicv1", **how) as on:
        assert verdicts(on) == [(False, reason)] * 2


@pytest.mark.parametrize("server", [Apache, EnvoyTcp])
@pytest.mark.parametrize("handshake", ["1rtt", "resumed"])
def test_a_page_that_is_looked_at_resumes_tls_where_its_arm_does(testbed_name, tmp_path, server, handshake):
    looked_at = WebPage(size_bytes=100_000, resources=10)
    with arm_on(testbed_name, tmp_path, server, "todaypages", workload=looked_at, handshake=handshake) as on:
        pcap = tmp_path / "hellos.pcap"
        with capture(on.bed, "server", pcap, "tcp port 443"):
            for _ in range(2):
                on.side.client.fetch(Request(on.site.start, 60, fresh=False))
                on.side.client.drop_connections()
    told = subprocess.run(
        ["tshark", "-r", pcap, "-Y", "tls.handshake.type <= 2", "-T", "fields", "-e", "tls.handshake.type",
         "-e", "tls.handshake.extension.type"],
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    resumed = [PRE_SHARED_KEY in types.split(",") for kind, types in map(str.split, told.splitlines()) if kind == "2"]
    assert resumed == [False, handshake == "resumed"]
