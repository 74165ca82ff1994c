"""The tables that both gates are held against, made once."""

import csv
import shutil
from pathlib import Path

import pytest

from longlook import paths
from longlook.dataset.process import process
from longlook.record.campaigns import read_campaigns

FROZEN = Path(__file__).parent / "frozen"


@pytest.fixture(scope="session")
def processed(tmp_path_factory):
    """A folder of tables made anew from the campaigns that the frozen tables were made of, and from no other."""
    wanted = set()
    for name in ("plt_cells", "aa_cells", "handshake_cells", "transfer_flows"):
        with (FROZEN / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
            wanted |= {row["campaign"] for row in csv.DictReader(stream)}
    raw, out = tmp_path_factory.mktemp("raw"), tmp_path_factory.mktemp("processed")
    for campaign in read_campaigns(paths.RAW):
        if campaign.id in wanted:
            shutil.copytree(campaign.path, raw / campaign.id)
    process(raw, out)
    return out
