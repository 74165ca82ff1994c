"""Clients and servers without pages: real programs over an emulated link, every download judged by the oracle."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from arms import arm_on, is_right, verdicts

from longlook.client.artefact import observed
from longlook.client.base import LoadFailed, Request
from longlook.errors import NotSupported
from longlook.plan.link import Link
from longlook.plan.workload import Download
from longlook.server import SERVERS
from longlook.testbed import netns

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(120)]

LINK = Link(bandwidth_mbps=10, rtt_ms=40)
FILE = Download(size_bytes=200_000)
PAIRS = [
    ("aioquic", "aioquic"),
    ("ngtcp2", "ngtcp2"),
    ("aiohttp", "aiohttp"),
    ("lsquic", "lsquic"),
    ("aioquic", "ngtcp2"),
    ("ngtcp2", "aioquic"),
    ("aioquic", "lsquic"),
    ("lsquic", "aioquic"),
    ("ngtcp2", "lsquic"),
    ("lsquic", "ngtcp2"),
    ("ngtcp2", "curl"),
    ("apache", "curl"),
    ("apache", "systemcurl"),
    ("envoy", "aioquic"),
    ("envoy", "lsquic"),
    ("envoy", "ngtcp2"),
    ("envoy", "curl"),
    ("aioquic", "curl"),
    ("lsquic", "curl"),
    ("apache", "aiohttp"),
    ("nginx", "aiohttp"),
    ("envoy", "quicgo"),
    ("ngtcp2", "quicgo"),
    ("aioquic", "quicgo"),
    ("lsquic", "quicgo"),
    ("envoy", "chromium"),
    ("ngtcp2", "chromium"),
    ("lsquic", "chromium"),
    ("apache", "chromium"),
]
"""Server and client."""
OWN = PAIRS[:4]
EACH = [*OWN, ("quicgo", "quicgo")]
OF_QUICGO = [("quicgo", client) for client in ("quicgo", "aioquic", "ngtcp2", "lsquic", "curl")]
"""It has no CUBIC."""
HALME = {"aioquic", "lsquic", "ngtcp2", "aiohttp"}
BROWSER = ("ngtcp2", "chromium")
SYSTEM = ("apache", "systemcurl")
STACKS = {("ngtcp2", "curl"): "quicv1more", ("apache", "curl"): "quicv1more", ("nginx", "aiohttp"): "matrixnginx"}
STACKS |= {pair: "yu2021" for pair in PAIRS if "chromium" in pair} | {SYSTEM: "shreedhar2022openssl"}
"""Of some pairs; else `halme2021`, which has HALME, or `matrix`, which has others beside them."""


def download_on(testbed_name, tmp_path, server, client, **how):
    given = {"link": LINK, "workload": FILE, "handshake": "1rtt"} | how
    if server == "quicgo":
        given["cca"] = "reno"
    stack = STACKS.get((server, client), "halme2021" if {server, client} <= HALME else "matrix")
    return arm_on(testbed_name, tmp_path, SERVERS[server], stack, client=client, **given)


@pytest.mark.parametrize(("server", "client"), [*PAIRS, *OF_QUICGO])
def test_every_download_is_whole_and_on_a_connection_of_its_own(testbed_name, tmp_path, server, client):
    with download_on(testbed_name, tmp_path, server, client) as on:
        records = [on.side.load(index) for index in range(3)]
        programs = on.side.client, on.side.server
        versions, controllers = [one.version() for one in programs], on.side.server.cca_in_force()
    assert all(map(is_right, records)), [one["reject_detail"] for one in records]
    (path,) = on.site.files
    for one in records:
        (seen,) = observed(one["artefact"]).objects
        assert (seen.sha256, seen.size_bytes) == (on.site.files[path].sha256, FILE.size_bytes)
        assert one["opened_over_link"]["opened"] == len(one["connections"]) == 1
        times = one["metrics"]
        assert 2 * LINK.rtt_ms < times["ttlb_ms"] and times["connect_ms"] < times["ttfb_ms"] < times["ttlb_ms"]
        assert one["zero_rtt"] is not True
    assert len({one["connections"][0] for one in records}) == 3
    assert controllers == ("reno" if server == "quicgo" else "cubic") and all(
        version[0].isdigit() for version in versions
    )


@pytest.mark.parametrize(
    ("server", "client", "trips"),
    [
        ("aioquic", "aioquic", 1),
        ("ngtcp2", "ngtcp2", 1),
        ("aiohttp", "aiohttp", 2),
        ("lsquic", "lsquic", 1),
        ("envoy", "chromium", 1),
        ("apache", "chromium", 2),
        ("apache", "systemcurl", 2),
    ],
)
def test_a_handshake_takes_its_round_trips(testbed_name, tmp_path, server, client, trips):
    link = Link(bandwidth_mbps=50, rtt_ms=200)
    with download_on(testbed_name, tmp_path, server, client, link=link) as on:
        took = min(on.side.load(index)["metrics"]["connect_ms"] for index in range(3))
    assert 0 <= took / link.rtt_ms - trips < 0.75, "what programs compute is no round trip"


@pytest.mark.parametrize(("server", "client"), [*EACH, BROWSER, SYSTEM])
def test_a_changed_byte_and_a_short_file_are_rejected(testbed_name, tmp_path, server, client):
    def change(root):
        file = root / "file-000.bin"
        content = file.read_bytes()
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    def shorten(root):
        file = root / "file-000.bin"
        file.write_bytes(file.read_bytes()[:-100])

    for spoil, reason in ((change, "object_content"), (shorten, "object_size")):
        folder = tmp_path / reason
        folder.mkdir()
        with download_on(testbed_name, folder, server, client, spoil=spoil) as on:
            assert verdicts(on, loads=1) == [(False, reason)]


@pytest.mark.parametrize(("server", "client"), [*EACH, BROWSER, SYSTEM])
def test_a_missing_file_is_rejected_by_its_status(testbed_name, tmp_path, server, client):
    with download_on(testbed_name, tmp_path, server, client, spoil=lambda root: (root / "file-000.bin").unlink()) as on:
        assert verdicts(on, loads=1) == [(False, "status")]


@pytest.mark.parametrize(("server", "client"), OWN)
def test_a_controller_that_is_not_the_asked_for_is_rejected(testbed_name, tmp_path, server, client):
    with download_on(testbed_name, tmp_path, server, client, server_cca="reno") as on:
        assert verdicts(on, loads=1) == [(False, "cca")]
        assert on.side.server.cca_in_force() == "reno"


@pytest.mark.parametrize(("server", "client"), EACH)
def test_a_server_that_is_gone_and_a_time_out_are_failed_loads_and_no_more(testbed_name, tmp_path, server, client):
    with download_on(testbed_name, tmp_path, server, client) as on:
        path = on.site.start[0]
        with pytest.raises(LoadFailed, match=r"not finished within 0\.1 s"):
            on.side.client.fetch(Request((path,), timeout_s=0.1))
        after, next_one = verdicts(on, loads=2)
        assert after in ((True, None), (False, "several_connections")), "the one given up may still end its connection"
        assert next_one == (True, None)
        if not on.side.client.several:
            with pytest.raises(NotSupported, match="one file at a time, not 2"):
                on.side.client.fetch(Request((path, path), timeout_s=1))
        on.side.server.process.kill()
        on.side.server.process.wait()
        with pytest.raises(LoadFailed):
            on.side.client.fetch(Request((path,), timeout_s=3))


@pytest.mark.parametrize(("server", "client"), EACH)
def test_both_ends_use_some_cpu_and_it_only_grows(testbed_name, tmp_path, server, client):
    with download_on(testbed_name, tmp_path, server, client, workload=Download(size_bytes=1_000_000)) as on:
        found = [(on.side.client.cpu_seconds(), on.side.server.cpu_seconds())]
        for _ in range(3):
            on.side.load(0)
            found.append((on.side.client.cpu_seconds(), on.side.server.cpu_seconds()))
    for end in zip(*found, strict=True):
        assert list(end) == sorted(end) and end[-1] > end[0]


@pytest.mark.parametrize(("server", "client"), EACH)
def test_a_client_writes_its_secrets_where_it_is_told(testbed_name, tmp_path, server, client):
    with download_on(testbed_name, tmp_path, server, client) as on:
        own = on.side.client
        secrets = tmp_path / "secrets"
        settings = type(own.settings)(**vars(own.settings) | {"key_log": secrets})
        with type(own)(on.bed, own.stack, settings) as another:
            another.fetch(Request(on.site.start, timeout_s=10))
    assert "CLIENT_TRAFFIC_SECRET_0" in secrets.read_text()


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_download_may_take_longer_than_any_time_out_of_its_programs(testbed_name, tmp_path):
    """asyncio gives TLS 30 s to say good-bye, with all that has not been sent yet. All at once, each on a testbed of
    its own, since they only wait."""
    link, pairs = Link(bandwidth_mbps=0.2, rtt_ms=40, queue_packets=10), [*OWN, ("aioquic", "lsquic")]

    def fetched(place, pair):
        folder, name = tmp_path / str(place), f"{testbed_name}{place}"
        folder.mkdir()
        try:
            with download_on(name, folder, *pair, link=link, workload=Download(size_bytes=850_000)) as on:
                return on.side.client.fetch(Request(on.site.start, timeout_s=120))
        finally:
            netns.remove(name)

    with ThreadPoolExecutor(len(pairs)) as pool:
        found = dict(zip(pairs, pool.map(fetched, range(len(pairs)), pairs), strict=True))
    for pair, seen in found.items():
        assert seen.objects[0].size_bytes == 850_000, pair
        assert seen.metrics["ttlb_ms"] > 34_000, pair


@pytest.mark.parametrize(("assumed_ms", "least_s", "most_s"), [(None, 1.6, 4.5), (1000, 1.0, 1.6)])
def test_the_aioquic_of_then_takes_its_own_probe_for_a_loss_unless_it_knows_the_way(
    testbed_name, tmp_path, assumed_ms, least_s, most_s
):
    """30 KB are there in two flights after the handshake where the window begins with 10 packets and doubles, and in
    four where it begins with half of that and grows by one. 0.9.21 assumes 100 ms, so that both ends probe after
    200 ms, and either's probe is enough."""
    link = Link(bandwidth_mbps=10, rtt_ms=400)
    how = {"link": link, "workload": Download(size_bytes=30_000), "cca": "reno", "initial_rtt_ms": assumed_ms}
    how["client_initial_rtt_ms"] = assumed_ms
    arm = {"stack": "halme2021then", "client": "aioquic", "handshake": "1rtt"}
    with arm_on(testbed_name, tmp_path, SERVERS["aioquic"], **arm, **how) as on:
        loads = [on.side.load(index) for index in range(2)]
        assert on.side.server.version() == "0.9.21" and on.side.server.cca_in_force() == "reno"
    assert all(map(is_right, loads))
    took_s = min(one["metrics"]["ttlb_ms"] for one in loads) / 1e3
    assert least_s < took_s < most_s
