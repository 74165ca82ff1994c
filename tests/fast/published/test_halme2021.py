"""Halme's printed numbers: read whole, consistent with themselves, and the cells of our sweeps."""

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.published import halme2021
from longlook.stack.arms import open_sweep

TABLES = {one.table: one for one in halme2021.tables()}


def test_every_table_has_its_four_implementations():
    assert list(TABLES) == ["2", "3", "4", "5"]
    for one in TABLES.values():
        assert set(one.printed) == {"aioquic", "lsquic", "ngtcp2", "tcp"}
        assert set(one.cell.arm_names) == set(one.printed)
        for printed in one.printed.values():
            assert printed.time_min_s <= printed.time_avg_s <= printed.time_max_s and printed.n == 10
    links = [(one.cell.link.rtt_ms, one.cell.link.loss_pct) for one in TABLES.values()]
    assert links == [(20, 0), (100, 4), (400, 0), (400, 10)]


@pytest.mark.parametrize("table", TABLES)
def test_a_sweep_measures_what_a_table_printed(table):
    (cell,) = open_sweep(f"halme-table-{table}").cells()
    one = TABLES[table].cell
    assert (cell.series, cell.key) == (one.series, one.key)
    assert cell.loads >= one.loads


@pytest.mark.parametrize("table", TABLES)
def test_no_time_is_below_what_the_bandwidth_allows(table):
    one = TABLES[table]
    least_s = one.cell.workload.total_bytes * 8 / (one.cell.link.bandwidth_mbps * 1e6)
    assert all(printed.time_min_s > least_s for printed in one.printed.values())


def test_remarks_keep_their_conditions_and_their_basis():
    found = halme2021.remarks()
    assert len(found) == 53 and {one.basis for one in found} == {"printed", "derived by us"}
    trips = {one.implementation: one.value for one in found if one.metric == "handshake_round_trips_count"}
    for name, slope in trips.items():
        narrow, wide = (TABLES[table].printed[name].handshake_s for table in ("2", "4"))
        assert (wide - narrow) / 0.38 == pytest.approx(slope, abs=0.006)
    assert all("size_bytes" in one.conditions for one in found if one.metric == "average_time_faster_ms")


def test_the_scenarios_are_three():
    assert [one["delay_ms"] for one in halme2021.scenarios()] == ["10", "50 200", "50"]


def test_a_mistake_is_told_with_its_file_and_line(tmp_path):
    folder = tmp_path / halme2021.STUDY
    folder.mkdir()
    text = (paths.PUBLISHED / halme2021.STUDY / "tables.csv").read_text()
    (folder / "tables.csv").write_text(text.replace("8.560", "soon", 1))
    with pytest.raises(LonglookError, match=r"tables\.csv, line 2: .*soon"):
        halme2021.tables(tmp_path)
