"""Every server serves a site's tree as it is: odd paths, byte for byte, over its own protocol; and nothing else."""

import json
import random
from pathlib import Path

import arms
import pytest
import stated_servers

from longlook.server import SERVERS
from longlook.server.envoy import routes
from longlook.site.tree import Site, described

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.timeout(120)]

SCRIPT = Path(__file__).with_name("hashes.js")
STACK_OF = {
    "aiohttp": "halme2021",
    "aioquic": "halme2021",
    "apache": "quicv1",
    "apache-wsgi": "quicv1wsgi",
    "by-file": "quicv1",
    "by-file-tcp": "quicv1",
    "envoy": "quicv1",
    "envoy-425": "quicv1",
    "envoy-tcp": "quicv1",
    "gquicd": "gquic37",
    "lsquic": "halme2021",
    "nginx": "baxter2018",
    "ngtcp2": "quicv1more",
    "quicgo": "matrix",
}
BROWSER_OF = {"halme2021": "quicv1"}
"""Where a stack has none."""
SPOKEN = {
    "aiohttp": "http/1.1",
    "aioquic": "h3",
    "apache": "h2",
    "apache-wsgi": "h2",
    "by-file": "h3",
    "by-file-tcp": "h2",
    "envoy": "h3",
    "envoy-425": "h3",
    "envoy-tcp": "h2",
    "gquicd": "hq",
    "lsquic": "h3",
    "nginx": "h2",
    "ngtcp2": "h3",
    "quicgo": "h3",
}
"""By the browser's `nextHopProtocol`; Chromium 64 has no other name for Google QUIC there."""
BY_FILE = {"by-file": ("quic", stated_servers.aioquic), "by-file-tcp": ("tcp", stated_servers.nginx)}
SAYS_NOTHING_OF_CACHES = {"ngtcp2"}
KINDS = {".html": "text/html", ".jpg": "image/jpeg", ".bin": "application/octet-stream"}
ODD = {
    "/index.html": b"<!DOCTYPE html><title>tree</title><link rel='icon' href='data:,'>",
    "/img/000.jpg": b"not the image of any page",
    "/img/index.html": b"a page in another folder",
    "/file-000.bin": bytes(range(256)) * 5,
    "/de/ep/er/than/usual/a.jpg": b"deep",
    "/with space/and+plus&more=1;2,3.bin": b"\x00\xff",
    "/\u00fcml\u00e4ut/\u65e5\u672c.bin": b"unicode",
    "/100%25.bin": b"a name that looks encoded",
    "/UPPER.bin": b"case matters",
    "/upper.bin": b"and here it is the other",
    "/a..b/c..bin": b"dots",
    "/(a)!$'@~.bin": b"what a URL may hold as it is",
    "/large.bin": random.Random(1).randbytes(3_000_000),
}


def tree(root):
    for path, body in ODD.items():
        file = root / path[1:]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    for one in (root, *root.rglob("*")):
        one.chmod(0o755 if one.is_dir() else 0o644)
    return Site(root, {path: described(body, KINDS[Path(path).suffix]) for path, body in ODD.items()}, ("/index.html",))


def answers(on, paths):
    """Of every path what a real browser got: status, hash of the body, headers, protocol."""
    client = on.side.client
    page, modules = f"https://{client.settings.origin}/index.html", str(client.stack.node_modules)
    argv = ["node", str(SCRIPT), str(client._port), modules, page, *paths]
    return json.loads(on.bed.run("client", argv, timeout_s=60))


def test_no_server_lacks_its_place_here():
    assert set(STACK_OF) == set(SPOKEN) == set(SERVERS)


@pytest.mark.parametrize("server", STACK_OF)
def test_a_tree_of_odd_paths_is_served_byte_for_byte(testbed_name, tmp_path, server):
    absent, folder = ["/img/001.jpg", "/image.jpg", "/100%.bin"], "/de/ep"
    never = {"gquicd": {"requests-per-page": 0}, "envoy": {"requests_per_connection": 1000}}.get(server)
    kind = SERVERS[server]
    how = {"site": tree, "faults": never, "handshake": kind.offer.handshakes[0]}
    if server in BY_FILE:
        protocol, text = BY_FILE[server]
        how |= stated_servers.arm(tmp_path, text(), protocol)
    stack = STACK_OF[server]
    with arms.arm_on(testbed_name, tmp_path, kind, stack, browser=BROWSER_OF.get(stack), **how) as on:
        found = answers(on, [*ODD, *absent, folder])
    cache = None if server in SAYS_NOTHING_OF_CACHES else "no-store,no-cache"
    for path, one in on.site.files.items():
        got = found[path]
        assert (got["status"], got["sha256"]) == (200, one.sha256), path
        assert (got["kind"], got["protocol"]) == (one.content_type, SPOKEN[server]), path
        assert (got["cache"], got["encoding"]) == (cache, None), path
    assert [found[path]["status"] for path in absent] == [404] * len(absent)
    assert found[folder]["status"] in (404, 403, 0)  # nginx lists no folder, ngtcp2 ends the connection


def test_envoys_routes_are_the_paths_as_they_stand_in_a_request(tmp_path):
    made = routes(tree(tmp_path))
    assert "/with%20space/and+plus&more=1;2,3.bin" in made and "/100%2525.bin" in made
    assert len(made) == len(ODD)
