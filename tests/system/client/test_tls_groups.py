"""TLS as arms ask for it, as it is on the wire: groups that a server refuses, and certificates that nobody checks."""

import pytest
from arms import arm_on

from longlook.client.base import LoadFailed, Request
from longlook.plan.link import Link
from longlook.plan.workload import Download
from longlook.probe.capture import capture, fields
from longlook.server import SERVERS
from longlook.site.certificate import make_certificate

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(120)]

STACK, CLIENT = "yu2021nginx", "curl"
BOTH = pytest.mark.parametrize("server", ["ngtcp2", "nginx"])
RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"
"""What a ServerHello that is a HelloRetryRequest has for its random (RFC 8446, 4.1.3)."""
CLIENT_HELLO, SERVER_HELLO = "1", "2"
NUMBERS = {"x25519": "29", "secp256r1": "23", "secp384r1": "24"}
"""Of groups, as tshark prints them."""
SHARE = "tls.handshake.extensions_key_share"
SEEN = ("tls.handshake.type", "tls.handshake.random", f"{SHARE}_group", f"{SHARE}_selected_group")


def curl_from(testbed_name, tmp_path, server, link=None, **arm):
    how = {"link": link or Link(bandwidth_mbps=10, rtt_ms=40), "workload": Download(size_bytes=50_000)}
    return arm_on(testbed_name, tmp_path, SERVERS[server], STACK, client=CLIENT, handshake="1rtt", **how, **arm)


def another_client(on, **changed):
    """A second client of the same arm, with other settings."""
    own = on.side.client
    return type(own)(on.bed, own.stack, type(own.settings)(**vars(own.settings) | changed))


def hellos(pcap, keys):
    """(type, random, groups of its key shares or the one that it asks for) of each hello, in the order seen."""
    found = []
    for kinds, randoms, shared, selected in fields(pcap, SEEN, ["-o", f"tls.keylog_file:{keys}"]):
        of_hellos = [kind for kind in kinds.split(",") if kind in (CLIENT_HELLO, SERVER_HELLO)]
        if of_hellos:
            assert len(of_hellos) == 1
            found.append((*of_hellos, randoms.split(",")[0].replace(":", ""), (shared or selected).split(",")))
    return found


@BOTH
@pytest.mark.parametrize(
    ("offered", "shares"),
    [
        (["secp256r1", "x25519"], ["secp256r1", "x25519", "x25519", "x25519"]),
        (["secp384r1", "secp256r1", "x25519"], ["secp384r1", "x25519", "x25519", "x25519"]),
        (["x25519", "secp256r1"], ["x25519", "x25519"]),
    ],
    ids="-".join,
)
def test_a_server_that_refuses_the_first_group_asks_for_another(testbed_name, tmp_path, server, offered, shares):
    pcap, keys = tmp_path / "seen.pcap", tmp_path / "keys"
    with (
        curl_from(testbed_name, tmp_path, server, client_groups=offered, server_groups=["x25519"]) as on,
        another_client(on, key_log=keys) as client,
        capture(on.bed, "server", pcap, "port 443"),
    ):
        seen = client.fetch(Request(on.site.start, timeout_s=10))
    assert [one.status for one in seen.objects] == [200] and "CLIENT_TRAFFIC_SECRET_0" in keys.read_text()
    found = hellos(pcap, keys)
    assert [kind for kind, _, _ in found] == [CLIENT_HELLO, SERVER_HELLO] * (len(shares) // 2)
    assert [groups for _, _, groups in found] == [[NUMBERS[one]] for one in shares]
    retries = [random == RETRY for kind, random, _ in found if kind == SERVER_HELLO]
    assert retries == ([True, False] if len(shares) == 4 else [False])


@BOTH
@pytest.mark.parametrize("taken", [["secp384r1"], ["secp256r1", "secp384r1"]], ids="-".join)
def test_a_server_takes_the_groups_that_it_is_told_and_no_other(testbed_name, tmp_path, server, taken):
    with curl_from(testbed_name, tmp_path, server, client_groups=["x25519", taken[0]], server_groups=taken) as on:
        assert on.side.client.fetch(Request(on.site.start, timeout_s=10)).objects[0].status == 200
        arm = on.side.client.settings.arm.model_copy(update={"client_groups": ("x25519",)})
        with another_client(on, arm=arm) as other, pytest.raises(LoadFailed):
            other.fetch(Request(on.site.start, timeout_s=3))


@BOTH
@pytest.mark.parametrize("wrong", ["key", "name"])
def test_a_wrong_certificate_is_taken_only_where_nobody_checks(testbed_name, tmp_path, server, wrong):
    other = make_certificate(tmp_path / "other").certificate
    changed = {"certificate": other} if wrong == "key" else {"origin": "other.test"}
    with curl_from(testbed_name, tmp_path, server) as on:
        request = Request(on.site.start, timeout_s=5)
        with another_client(on, **changed) as client, pytest.raises(LoadFailed, match=r"(?i)certificate|SSL|peer"):
            client.fetch(request)
        unverified = on.side.client.settings.arm.model_copy(update={"verify": False})
        with another_client(on, arm=unverified, **changed) as client:
            assert client.fetch(request).objects[0].size_bytes == 50_000


@BOTH
def test_a_refused_group_costs_a_round_trip(testbed_name, tmp_path, server):
    link, took = Link(bandwidth_mbps=50, rtt_ms=200), {}
    with curl_from(testbed_name, tmp_path, server, link, server_groups=["x25519"]) as on:
        for offered in (("x25519", "secp256r1"), ("secp256r1", "x25519")):
            arm = on.side.client.settings.arm.model_copy(update={"client_groups": offered})
            with another_client(on, arm=arm) as client:
                request = Request(on.site.start, timeout_s=10)
                took[offered[0]] = min(client.fetch(request).metrics["connect_ms"] for _ in range(3))
    assert abs(took["secp256r1"] - took["x25519"] - link.rtt_ms) < link.rtt_ms / 2
