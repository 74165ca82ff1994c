"""Which packets a linkpipe loses, known beforehand: the same that committed campaigns lost."""

from itertools import islice, takewhile

import pytest

from longlook import paths
from longlook.experiment.schedule import seed_of
from longlook.link.drawn import lost_packets, splitmix64
from longlook.plan.cell import Cell
from longlook.plan.link import Link
from longlook.record.campaign import CELL_NAME
from longlook.record.durable import read_json
from longlook.record.samples import read_records

CAMPAIGN = "reference-halme-table-3-*"
"""4 % of loss, half of it each way."""
WAYS = ("server_to_client", "client_to_server")


def test_the_generator_is_the_published_one():
    assert splitmix64(0) == 0xE220A8397B1DCDAF


def test_of_every_load_as_many_packets_were_lost_as_are_drawn():
    (folder,) = [path.parent for path in paths.RAW.glob(f"{CAMPAIGN}/*/{CELL_NAME}")]
    cell = Cell.parse(read_json(folder / CELL_NAME)["cell"])
    counted = 0
    for record in read_records(folder):
        for way in WAYS:
            seen, seed = record["link"][way], seed_of(cell.seed, record["index"], record.get("draw", record["attempt"]))
            drawn = list(takewhile(seen["packets_in"].__ge__, lost_packets(cell.link, way, seed)))
            assert len(drawn) == seen["dropped_loss"], (record["arm"], record["index"], way)
            counted += len(drawn)
    assert counted > 1000


@pytest.mark.parametrize(("way", "share"), [("server_to_client", 0.01), ("client_to_server", 0.0)])
def test_loss_in_one_direction_takes_its_share_there_alone(way, share):
    link = Link.parse({"bandwidth_mbps": 10, "rtt_ms": 15, "loss_pct": 1, "loss_direction": "down"})
    if not share:
        assert list(lost_packets(link, way, 1)) == []
        return
    found = list(islice(lost_packets(link, way, 1), 1000))
    assert found == sorted(set(found)) and found[0] >= 1
    assert 1000 / found[-1] == pytest.approx(share, rel=0.15)
    assert list(islice(lost_packets(link, way, 2), 3)) != found[:3]
