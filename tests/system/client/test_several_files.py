"""Several files at once, by quic-go on a stream for each or on one, by AIOHTTP on a connection for each or on one: real
programs over an emulated link."""

from itertools import pairwise

import pytest
from arms import arm_on, is_right, verdicts

from longlook.client.artefact import observed
from longlook.plan.link import Link
from longlook.plan.workload import Download
from longlook.server import SERVERS

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.timeout(120)]

FILES = Download(size_bytes=10_240, count=40)
CLIENTS = {"quicgo": 1, "quicgo-one-stream": 1, "aiohttp": 1, "aiohttp-connections": FILES.count}
"""And how many connections each opens."""
LINK = {"bandwidth_mbps": 10, "rtt_ms": 36, "queue_bytes": 1_000_000}
"""With room for what forty connections send at once."""


def files_on(testbed_name, tmp_path, client, **how):
    given = {"link": Link(**LINK), "workload": FILES, "handshake": "1rtt", "cca": "reno"} | how
    return arm_on(testbed_name, tmp_path, SERVERS[client.partition("-")[0]], "matrix", client=client, **given)


def times_ms(record):
    """Of each file, in the order in which they were asked for."""
    return [one.ended_ms for one in sorted(observed(record["artefact"]).objects, key=lambda one: one.path)]


@pytest.mark.parametrize("client", CLIENTS)
def test_all_files_come_one_after_the_other_on_as_many_connections(testbed_name, tmp_path, client):
    with files_on(testbed_name, tmp_path, client) as on:
        records = [on.side.load(index) for index in range(2)]
    for one in records:
        assert is_right(one), one["reject_detail"]
        came = times_ms(one)
        assert len(came) == FILES.count
        assert one["opened_over_link"]["opened"] == len(one["connections"]) == CLIENTS[client]
        least_ms = 8 * FILES.size_bytes / 10e6 * 1e3
        gaps = [later - earlier for earlier, later in pairwise(sorted(came))]
        # The first ones may be late; by turns all would come within the time of a few.
        assert sum(gaps) > 0.4 * least_ms * len(gaps), "they came together, as if by turns"
        assert one["metrics"]["file_mean_ms"] == pytest.approx(sum(came) / len(came), abs=0.001)
        assert one["metrics"]["ttlb_ms"] == max(came)


@pytest.mark.parametrize(("together", "apart"), [("quicgo-one-stream", "quicgo"), ("aiohttp", "aiohttp-connections")])
def test_a_lost_packet_holds_up_others_on_one_stream_alone(testbed_name, tmp_path, together, apart):
    lossy = Link(**LINK, loss_pct=3, loss_direction="down")
    overtaken = {}
    for client in (together, apart):
        (tmp_path / client).mkdir()
        with files_on(testbed_name, tmp_path / client, client, link=lossy) as on:
            loads = [times_ms(on.side.load(index)) for index in range(4)]
        overtaken[client] = sum(later < earlier for came in loads for earlier, later in pairwise(came))
    assert overtaken[together] == 0 < overtaken[apart]


@pytest.mark.parametrize("client", CLIENTS)
def test_each_of_the_files_is_judged(testbed_name, tmp_path, client):
    def change(root):
        file = root / "file-007.bin"
        content = file.read_bytes()
        file.unlink()  # files of one content are one on the disk
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    def shorten(root):
        file = root / "file-007.bin"
        content = file.read_bytes()
        file.unlink()
        file.write_bytes(content[:-100])

    def remove(root):
        (root / "file-007.bin").unlink()

    for spoil, reason in ((change, "object_content"), (shorten, "object_size"), (remove, "status")):
        folder = tmp_path / reason
        folder.mkdir()
        with files_on(testbed_name, folder, client, spoil=spoil) as on:
            assert verdicts(on, loads=1) == [(False, reason)]
