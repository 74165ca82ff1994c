"""A cell of downloads over an emulated link: each has the connection that the capture beside the server saw."""

import os

import pandas as pd
import pytest

from longlook.experiment import connected
from longlook.experiment.connected import CONNECTIONS, read_downloads, recheck_downloads
from longlook.experiment.downloads import run_downloads
from longlook.plan.cell import Cell
from longlook.stack.arms import complete_arm
from longlook.testbed import netns

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.quiet, pytest.mark.timeout(180)]

RTT_MS = 60
ARMS = (
    {"name": "ngtcp2", "protocol": "quic", "server": "ngtcp2", "client": "ngtcp2", "handshake": "1rtt"},
    {"name": "tcp", "protocol": "tcp"},
)
CELL = Cell.parse(
    {
        "study": "s",
        "series": "s",
        "experiment": "download",
        "arms": [complete_arm(arm, "halme2021") for arm in ARMS],
        "workload": {"kind": "download", "size_bytes": 20_000},
        "link": {"bandwidth_mbps": 10, "rtt_ms": RTT_MS},
        "loads": 2,
        "seed": 5,
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of a measured cell."""
    made = tmp_path_factory.mktemp("campaign") / CELL.id
    made.mkdir()
    name = f"d{os.getpid() % 100000}"
    try:
        run_downloads(CELL, made, made.parent.name, name)
    finally:
        netns.remove(name)
    return made


@pytest.fixture
def kept(folder):
    """Its connections, put back afterwards."""
    path = folder / CONNECTIONS
    before = path.read_bytes()
    yield pd.read_parquet(path)
    path.write_bytes(before)


def test_every_download_has_a_connection_that_lasts_as_long_as_the_link_makes_it(folder):
    samples = read_downloads(CELL, folder)
    assert {one.arm for one in samples if one.accepted} == {"ngtcp2", "tcp"}
    for one in samples:
        if one.accepted:
            told = one.metrics
            assert told["duration_ms"] >= 0.9 * told["ttlb_ms"] - RTT_MS
            assert told["packets"] > told["packets_up"] > 3
            assert told["bytes_down"] > 20_000 > told["bytes_up"]
    assert recheck_downloads(CELL, folder).problems == []


def test_tcp_ends_its_connection_with_a_round_trip_more(folder):
    """The file is there; both ends' FINs and their acknowledgements are still to come."""
    more = [
        one.metrics["duration_ms"] - one.metrics["ttlb_ms"] for one in read_downloads(CELL, folder) if one.arm == "tcp"
    ]
    assert min(more) > 0.8 * RTT_MS - 5


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda table: table.iloc[:0], "lacks its connection"),  # of whichever loads were accepted
        (lambda table: table.assign(bytes_down=1000), "bytes came down"),
        (lambda table: table.assign(duration_ms=1.0), "its connection took 1 ms"),
        (lambda table: table.assign(index=table["index"] + 70), "loads that there are not"),
    ],
)
def test_connections_that_are_not_those_of_the_downloads_are_noticed(folder, kept, change, says):
    change(kept).to_parquet(folder / CONNECTIONS)
    assert says in " ".join(recheck_downloads(CELL, folder).problems)


def test_a_client_that_does_not_say_which_port_was_its_own_needs_no_connection(folder, kept, monkeypatch):
    monkeypatch.setattr(connected, "client_port", lambda record: None)
    kept.iloc[1:].to_parquet(folder / CONNECTIONS)
    assert recheck_downloads(CELL, folder).problems == []


def test_an_end_that_the_machine_held_up_gives_no_duration(folder, kept):
    held = kept.assign(duration_ms=kept["duration_ms"].where(kept["arm"] != "tcp", 9000.0))
    held.to_parquet(folder / CONNECTIONS)
    durations = {one.arm: one.metrics.get("duration_ms") for one in read_downloads(CELL, folder) if one.accepted}
    assert durations["tcp"] is None and durations["ngtcp2"] is not None
    assert recheck_downloads(CELL, folder).problems == []


def test_a_record_without_connections_is_read_as_the_first_ones_were(folder, kept):
    (folder / CONNECTIONS).unlink()
    assert all("duration_ms" not in one.metrics for one in read_downloads(CELL, folder))
    assert recheck_downloads(CELL, folder).problems == []
