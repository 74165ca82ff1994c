"""What nobody can do is refused before anything starts, by the names of the cell, the arm and what cannot do it."""

import functools

import pytest

from longlook.client import CLIENTS
from longlook.errors import NotSupported
from longlook.experiment.refusals import refusals, require_possible
from longlook.plan.arm import BY_FILE, Arm
from longlook.plan.cell import Cell
from longlook.server import SERVERS
from longlook.stack import load_stack
from longlook.stack.arms import open_sweep, sweep_files

QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium", "emulated_connections": 2}
TCP = {"stack": "quicv1", "protocol": "tcp", "server": "apache", "client": "chromium"}
GQUIC = QUIC | {"stack": "gquic37", "server": "gquicd"}
AIOQUIC = {"stack": "halme2021", "protocol": "quic", "server": "aioquic", "client": "aioquic", "handshake": "1rtt"}
AIOHTTP = {"stack": "halme2021", "protocol": "tcp", "server": "aiohttp", "client": "aiohttp"}
MATRIX = AIOQUIC | {"stack": "matrix"}
MATRIX_TCP = AIOHTTP | {"stack": "matrix"}
CURL = {
    "stack": "yu2021nginx",
    "client": "curl",
    "client_groups": ["secp256r1", "x25519"],
    "server_groups": ["x25519"],
}
DOWNLOAD = {"experiment": "download", "workload": {"kind": "download", "size_kb": 1000}}


def cell(*arms, **changes):
    base = {
        "study": "s",
        "series": "s",
        "experiment": "plt",
        "arms": arms,
        "workload": {"size_kb": 5},
        "link": {"bandwidth_mbps": 10, "rtt_ms": 36},
    }
    return Cell.parse(base | changes)


@pytest.mark.parametrize(
    "arm",
    [
        QUIC,
        QUIC | {"handshake": "1rtt", "emulated_connections": 1, "quic_options": ["ILD0", "IW10"]},
        QUIC | {"cca": "bbr", "emulated_connections": None, "server_cpu_pct": 20},
        TCP | {"cca": "bbr", "paced": True, "initial_window": 32},
        TCP | {"cca": "reno", "client_cpu_pct": 50},
        GQUIC | {"emulated_connections": 1, "request_cost_us": 50},
        GQUIC | {"reordering_threshold": 1000},
        TCP | {"stack": "baxter2018", "server": "nginx", "handshake": "warm"},
        QUIC | {"request_cost_us": 0},
        TCP | {"send_cost_us": 50},
    ],
)
def test_what_can_be_done_is_not_refused(arm):
    assert refusals(cell(arm)) == []
    require_possible(cell(arm))


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (QUIC | {"server": "apache"}, "server apache speaks tcp, not quic"),
        (TCP | {"server": "envoy"}, "server envoy speaks quic, not tcp"),
        (
            QUIC | {"cca": "reno", "emulated_connections": None},
            "server envoy offers the controllers cubic, bbr, not reno",
        ),
        (GQUIC | {"cca": "bbr", "emulated_connections": None}, "server gquicd offers the controllers cubic, not bbr"),
        (TCP | {"stack": "gquic37", "cca": "bbr"}, "stack gquic37 offers cubic for tcp, not bbr"),
        (TCP | {"handshake": "0rtt"}, "server apache does 1rtt, resumed, not 0rtt"),
        (
            QUIC | {"quic_options": ["IW10", "XYZZ"]},
            "server envoy knows no connection option XYZZ .*known: .*ILD0.*IW10",
        ),
        (GQUIC | {"quic_options": ["IW10"]}, "server gquicd knows no connection option IW10 .known: none"),
        (GQUIC | {"stack": "quicv1"}, "server gquicd speaks Q037, Q039, Q043, not v1 of stack quicv1"),
        (QUIC | {"quic_options": ["NCON"]}, "server envoy knows no connection option NCON"),
        (
            QUIC | {"stack": "quicv1more", "client": "ngtcp2", "handshake": "1rtt", "quic_options": ["IW10"]},
            "client ngtcp2 has no setting for connection options",
        ),
        (TCP | {"request_cost_us": 50}, "server apache cannot be given a cost per request"),
        (
            QUIC
            | {"stack": "quicv1more", "server": "ngtcp2", "handshake": "1rtt", "emulated_connections": None}
            | {"request_cost_us": 0},
            "server ngtcp2 cannot be given a cost per request",
        ),
        (TCP | {"handshake": "warm"}, "server apache does 1rtt, resumed, not warm"),
        (QUIC | {"reordering_threshold": 9}, "server envoy has no setting for a reordering threshold"),
        (QUIC | {"server_groups": ["x25519"]}, "server envoy has no setting for TLS groups"),
        (TCP | {"client_groups": ["x25519"]}, "client chromium has no setting for TLS groups"),
        (GQUIC | {"discovery": "alt-svc"}, "gquicd knows no discovery by Alt-Svc"),
        (TCP | {"verify": False}, "client chromium has no setting that leaves the certificate unchecked"),
        (
            QUIC | {"server": "lighttpd"},
            "no server 'lighttpd' .known: aiohttp, aioquic, apache, apache-wsgi, by-file, by-file-tcp, envoy",
        ),
        (QUIC | {"client": "lynx"}, "no client 'lynx' .known: aiohttp, aiohttp-connections, aioquic, chromium, curl"),
        (
            QUIC | {"stack": "todayfifo", "server": "ngtcp2", "handshake": "1rtt", "emulated_connections": None},
            "server ngtcp2 has no flags, which stack todayfifo sets",
        ),
        (QUIC | {"stack": "todaymute", "client": "curl"}, "client curl cannot be changed as stack todaymute asks"),
        (QUIC | {"stack": "quicv9"}, "no stack 'quicv9'.*known stacks: .*quicv1"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(arm, words):
    wanted = cell(TCP | {"initial_window": 10}, arm | {"name": "odd"}, series="figure-7")
    with pytest.raises(NotSupported, match=words) as refused:
        require_possible(wanted)
    assert "cell figure-7_" in str(refused.value) and "arm odd (" in str(refused.value)


def test_arms_that_run_together_are_not_warm():
    warm = TCP | {"stack": "baxter2018", "server": "nginx", "handshake": "warm"}
    wanted = cell(warm, TCP, mode="together", experiment="fairness", workload={"size_kb": 1000}, duration_s=10)
    assert [text.partition(": ")[2] for text in refusals(wanted)] == [
        "arms that run together begin with connections of their own, none is warm"
    ]


def test_a_browser_fetches_files_too():
    assert refusals(cell(QUIC | {"handshake": "1rtt"}, TCP, workload={"kind": "download", "size_kb": 1000})) == []


@pytest.mark.parametrize(
    "arm",
    [
        AIOQUIC,
        AIOQUIC | {"cca": "reno", "client_cpu_pct": 50},
        AIOQUIC | {"server": "ngtcp2", "client": "ngtcp2", "cca": "bbr"},
        AIOQUIC | {"server": "ngtcp2"},
        AIOQUIC | {"server": "lsquic", "client": "lsquic", "cca": "bbr"},
        AIOHTTP | {"cca": "bbr", "initial_window": 32},
        MATRIX | {"server": "envoy", "client": "lsquic", "emulated_connections": 2},
        MATRIX | {"client": "curl", "cca": "reno"},
        MATRIX | {"server": "quicgo", "client": "quicgo", "cca": "reno"},
        MATRIX | {"server": "quicgo", "client": "aioquic", "cca": "reno", "handshake": "0rtt"},
        MATRIX | {"server": "envoy", "client": "ngtcp2", "emulated_connections": 2, "handshake": "0rtt"},
        MATRIX | {"server": "envoy", "client": "chromium", "emulated_connections": 2, "handshake": "0rtt"},
        CURL | {"server": "ngtcp2", "protocol": "quic", "handshake": "1rtt"},
        CURL | {"server": "nginx", "protocol": "tcp", "verify": False},
        MATRIX_TCP | {"server": "apache"},
        MATRIX_TCP | {"stack": "matrixnginx", "server": "nginx"},
    ],
)
def test_downloads_that_can_be_done_are_not_refused(arm):
    assert refusals(cell(arm, AIOHTTP | {"cca": "reno", "name": "beside"}, **DOWNLOAD)) == []


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (AIOQUIC | {"cca": "bbr"}, "server aioquic offers the controllers cubic, reno, not bbr"),
        (AIOQUIC | {"emulated_connections": 1}, "server aioquic emulates N = none, not 1"),
        (AIOQUIC | {"quic_options": ["IW10"]}, "server aioquic knows no connection option IW10"),
        (MATRIX | {"server": "lsquic", "client": "curl", "handshake": "0rtt"}, "client curl does 1rtt, not 0rtt"),
        (
            MATRIX | {"server": "lsquic", "client": "chromium", "handshake": "0rtt"},
            "neither server lsquic nor client chromium ends a connection with its load: none would be resumed",
        ),
        (AIOQUIC | {"client": "aiohttp"}, "client aiohttp speaks tcp, not quic"),
        (AIOHTTP | {"server": "aioquic"}, "server aioquic speaks quic, not tcp"),
        (AIOHTTP | {"client": "ngtcp2"}, "client ngtcp2 speaks quic, not tcp"),
        (
            AIOQUIC | {"server": "ngtcp2", "client": "ngtcp2", "client_groups": ["x25519"]},
            "client ngtcp2 has no setting for TLS",
        ),
        (AIOHTTP | {"verify": False}, "client aiohttp has no setting that leaves the certificate unchecked"),
        (AIOHTTP | {"paced": True}, "server aiohttp cannot have its segments paced by the kernel"),
        (AIOHTTP | {"send_cost_us": 5}, "client aiohttp cannot be given a cost per send"),
        (AIOHTTP | {"request_cost_us": 5}, "server aiohttp cannot be given a cost per request"),
        (AIOQUIC | {"client": "lsquic", "client_initial_rtt_ms": 5}, "client lsquic has no setting for an initial"),
        (AIOQUIC | {"server": "lsquic", "initial_rtt_ms": 5}, "server lsquic has no setting for an initial round trip"),
        (MATRIX | {"server": "envoy", "cca": "reno"}, "server envoy offers the controllers cubic, bbr, not reno"),
        (MATRIX | {"cca": "bbr", "client": "curl"}, "server aioquic offers the controllers cubic, reno, not bbr"),
        (MATRIX | {"server": "quicgo"}, "server quicgo offers the controllers reno, not cubic"),
        (MATRIX_TCP | {"client": "curl"}, r"client curl speaks h2, not http/1\.1 of stack matrix"),
        (AIOHTTP | {"stack": "quicv1more", "client": "curl", "server": "envoy"}, "server envoy speaks quic, not tcp"),
    ],
)
def test_downloads_that_cannot_be_done_are_refused_by_name(arm, words):
    with pytest.raises(NotSupported, match=words):
        require_possible(cell(arm, AIOHTTP | {"cca": "reno", "name": "beside"}, **DOWNLOAD))


@pytest.mark.parametrize("client", ["aiohttp", "aioquic", "lsquic", "ngtcp2", "quicgo"])
def test_a_client_of_files_loads_no_pages(client):
    arm = (AIOHTTP if client == "aiohttp" else MATRIX) | {"client": client}
    (text,) = refusals(cell(arm))
    assert f"client {client} loads download, not page" in text


def test_arms_that_run_together_share_a_route():
    windows = (TCP | {"initial_window": 10}, TCP | {"initial_window": 32})
    assert refusals(cell(*windows)) == []
    (why,) = refusals(cell(*windows, mode="together"))
    assert "one initial_window, not 10, 32" in why
    assert refusals(cell(windows[1], windows[1], QUIC, mode="together")) == []


@pytest.mark.parametrize("adapter", [*SERVERS.values(), *CLIENTS.values()])
def test_every_adapter_says_what_it_offers(adapter):
    offer = adapter.offer
    assert set(offer.protocols) <= {"quic", "tcp"} and offer.protocols and offer.handshakes
    if adapter in SERVERS.values():
        assert len(offer.protocols) == 1
        for cca in offer.ccas:
            stated = {"server_file": "0" * 64} if adapter.name in BY_FILE else {}
            Arm(stack="x", protocol=offer.protocols[0], server=adapter.name, client="chromium", cca=cca, **stated)


def test_every_sweep_of_this_repository_can_be_measured():
    """Each stack is read once, and not for each arm."""
    look = functools.cache(load_stack)
    for name in sweep_files():
        for one in open_sweep(name).cells():
            assert refusals(one, look) == [], one.id


def test_a_controller_that_a_server_takes_and_does_not_heed_is_for_sealed_arms_alone():
    """LSQUIC has no Reno: sweeps that asked for it before that was known are read, and not measured again."""
    asked = cell(MATRIX | {"server": "lsquic", "client": "quicgo", "cca": "reno"}, **DOWNLOAD)
    assert refusals(asked) == []
    with pytest.raises(NotSupported, match="server lsquic takes the name reno, and its connections have cubic"):
        require_possible(asked)
    require_possible(cell(MATRIX | {"server": "lsquic", "client": "quicgo"}, **DOWNLOAD))
