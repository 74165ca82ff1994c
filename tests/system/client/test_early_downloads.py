"""Early data: real clients resume with real servers over an emulated link, every download judged by the oracle."""

import contextlib

import pytest
from arms import arm_on

from longlook.client.artefact import observed
from longlook.plan.link import Link
from longlook.plan.workload import Download
from longlook.server import SERVERS

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(120)]

LINK = Link(bandwidth_mbps=50, rtt_ms=100)
FILE = Download(size_bytes=1000)
"""It fits into what a server may send before it has validated the client's address."""
QUIC_SERVERS = ("envoy", "ngtcp2", "lsquic", "aioquic", "quicgo")
CLIENTS = ("ngtcp2", "lsquic", "aioquic", "quicgo")
PAIRS = [(server, client) for server in QUIC_SERVERS for client in CLIENTS]
EACH = [("envoy", "aioquic"), ("ngtcp2", "ngtcp2"), ("lsquic", "lsquic"), ("aioquic", "aioquic"), ("quicgo", "quicgo")]
ALWAYS_FAIR = ("disturbed",)


@contextlib.contextmanager
def resuming(testbed_name, tmp_path, server, client, **how):
    given = {"link": LINK, "workload": FILE, "handshake": "0rtt"} | how
    if server == "quicgo":
        given["cca"] = "reno"
    with arm_on(testbed_name, tmp_path, SERVERS[server], "matrix", client=client, **given) as on:
        yield on


def fair(record):
    """Nothing wrong with it but what the machine did."""
    return record["accepted"] or record["reject_reason"] in ALWAYS_FAIR


@pytest.mark.parametrize(("server", "client"), PAIRS)
def test_every_download_but_the_first_is_early_data(testbed_name, tmp_path, server, client):
    with resuming(testbed_name, tmp_path, server, client) as on:
        first, *others = (on.side.load(index) for index in range(4))
    assert fair(first) and first["zero_rtt"] is not True, (first["reject_reason"], first["reject_detail"])
    assert 2 * LINK.rtt_ms < first["metrics"]["ttfb_ms"]
    for one in others:
        assert fair(one) and one["zero_rtt"] is True, (one["reject_reason"], one["reject_detail"])
        assert observed(one["artefact"]).early_data is True and LINK.rtt_ms < one["metrics"]["ttfb_ms"]
    # A machine that is held up makes no download quicker: the quickest of three tells.
    assert min(observed(one["artefact"]).connect_ms for one in others) < LINK.rtt_ms / 2
    assert min(one["metrics"]["ttfb_ms"] for one in others) < 2 * LINK.rtt_ms


@pytest.mark.parametrize(("server", "client"), EACH)
def test_a_server_that_has_forgotten_its_keys_is_rejected(testbed_name, tmp_path, server, client):
    with resuming(testbed_name, tmp_path, server, client) as on:
        assert all(fair(on.side.load(index)) for index in range(2))
        on.side.server.__exit__(None, None, None)
        on.side.server.__enter__()
        forgotten = on.side.load(2)
        again = on.side.load(3)
    assert forgotten["reject_reason"] == "zero_rtt_rejected", forgotten["reject_detail"]
    assert fair(again) and again["zero_rtt"] is True, (again["reject_reason"], again["reject_detail"])


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_that_takes_no_early_data_is_rejected(testbed_name, tmp_path, client):
    with resuming(testbed_name, tmp_path, "envoy", client, faults={"early_data": "false"}) as on:
        first, second = (on.side.load(index) for index in range(2))
    assert fair(first) and second["reject_reason"] == "zero_rtt_rejected", second["reject_detail"]


@pytest.mark.parametrize(("server", "client"), EACH)
def test_a_cold_download_resumes_nothing(testbed_name, tmp_path, server, client):
    with resuming(testbed_name, tmp_path, server, client, handshake="1rtt") as on:
        loads = [on.side.load(index) for index in range(3)]
    assert all(fair(one) and one["zero_rtt"] is False for one in loads), [one["reject_detail"] for one in loads]
    assert all(2 * LINK.rtt_ms < one["metrics"]["ttfb_ms"] for one in loads)
