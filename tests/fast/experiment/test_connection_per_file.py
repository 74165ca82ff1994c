"""A client that opens a connection for each file: what its records say of them, and what is expected."""

import json

import pytest

from longlook.client import downloaded
from longlook.client.artefact import observed
from longlook.experiment.connected import client_port, used_again
from longlook.experiment.recheck_parts import times
from longlook.experiment.told import expectation
from longlook.plan.arm import Arm
from longlook.plan.link import Link
from longlook.site.tree import SiteFile

FILES = {f"/file-00{number}.bin": SiteFile(10, "ab" * 32, "") for number in range(3)}
TIMES = {"connect_ms": 90.0, "ttfb_ms": 110.0, "ttlb_ms": 120.0}
SHARED = {"status": 200, "protocol": "http/1.1", "size": 10, "sha256": "ab" * 32}


def arm_of(client):
    return Arm.parse(
        {
            "name": "tcp",
            "stack": "matrix",
            "protocol": "tcp",
            "server": "aiohttp",
            "client": client,
            "handshake": "1rtt",
        }
    )


def told(ports):
    files = [SHARED | {"path": path, "ttlb_ms": 120.0, "port": port} for path, port in zip(FILES, ports, strict=True)]
    return TIMES | {"files": files} | ({"port": ports[0]} if len({*ports}) == 1 else {})


@pytest.mark.parametrize(
    ("ports", "connections", "port"),
    [((51001, 51002, 51003), ("4:51001", "4:51002", "4:51003"), None), ((51001,) * 3, ("4:51001",), 51001)],
)
def test_a_capture_is_asked_for_one_connection_or_none(ports, connections, port):
    seen = downloaded.observation("/file-000.bin", 4, told(ports))
    assert observed(json.loads(json.dumps(seen.artefact))) == seen and len(seen.objects) == 3
    assert (seen.connections, client_port({"artefact": seen.artefact})) == (connections, port)


def test_a_port_that_a_later_load_used_again_tells_nothing_of_the_load_before():
    loads = [(51001,) * 3, (51002,) * 3, (51003, 51001, 51004), (51004,) * 3]
    records = [
        {"arm": "a", "index": index, "attempt": 0, "artefact": downloaded.observation("/", 1, told(ports)).artefact}
        for index, ports in enumerate(loads)
    ]
    assert used_again(records) == {("a", 0, 0)}


def test_of_the_clients_one_opens_as_many_as_there_are_files():
    found = [
        expectation(arm_of(client), 0, FILES, "http/1.1", 36).connections
        for client in ("aiohttp", "aiohttp-connections")
    ]
    assert found == [1, 3]


@pytest.mark.parametrize(
    ("client", "changes", "right"),
    [
        ("aiohttp", {}, True),
        ("aiohttp", {"connect_ms": 115.0}, False),
        ("aiohttp-connections", {"connect_ms": 115.0}, True),  # the first file came before the last connection stood
        ("aiohttp-connections", {"connect_ms": 121.0}, False),
        ("aiohttp-connections", {"ttfb_ms": 121.0}, False),
        ("aiohttp-connections", {"connect_ms": 60.0}, False),
    ],
)
def test_moments_of_a_client_follow_each_other(client, changes, right):
    link = Link(bandwidth_mbps=10, rtt_ms=36)
    assert (list(times(arm_of(client), link, 0, 30, TIMES | changes)) == []) is right
