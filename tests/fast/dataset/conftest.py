"""Folders that the tests of tables share."""

import pytest
from campaigns import (
    STACK_DIGEST,
    believed,
    make_sweep,
    write_cell,
)

from longlook.dataset.process import process
from longlook.dataset.tables import read_table
from longlook.record.campaigns import open_campaign


@pytest.fixture
def data(tmp_path):
    """Folders of raw and processed data."""

    class Data:
        raw, processed = tmp_path / "raw", tmp_path / "processed"

        def process(self, check=believed):
            done = process(self.raw, self.processed, check=check)
            self.left_out = done.left_out
            return {name: rows for name, rows in done.rows.items() if rows}

        def table(self, name):
            return read_table(self.processed, name)

        def one_cell(self, samples_of, sweep=None):
            """A campaign with one cell: its samples are what `samples_of(campaign id, cell)` gives."""
            campaign = open_campaign(self.raw, sweep or make_sweep(), "local", STACK_DIGEST)
            cell = campaign.missing_cells()[0]
            write_cell(campaign, cell, samples_of(campaign.id, cell))
            return campaign, cell

        def arms(self):
            """Name -> row, of a single cell in its first metric."""
            return {row["arm"]: row for row in self.table("arms").to_dict("records")}

        def contrast(self):
            (row,) = self.table("contrasts").to_dict("records")
            return row

    return Data()
