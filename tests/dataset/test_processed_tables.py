"""data/processed: exact numbers, fixed columns, equal bytes, schemas that Frictionless accepts and that can fail."""

import json
import math
import os
import statistics

import frictionless
import pandas as pd
import pytest
from campaigns import STACK_DIGEST, loads_of, make_campaign, make_run, make_sweep, write_cell
from scipy.stats import ttest_ind

from longlook.dataset.process import process
from longlook.dataset.tables import TABLES, check_tables, resource
from longlook.errors import LonglookError
from longlook.record.campaigns import open_campaign

RUN_COLUMNS = [
    "campaign",
    "stack",
    "figure",
    "workload_size_kb",
    "workload_count",
    "bandwidth_mbps",
    "rtt_ms",
    "loss_pct",
    "jitter_ms",
    "protocol",
    "cca",
    "emulated_connections",
    "load_index",
    "zero_rtt",
    "accepted",
    "reject_reason",
    "plt_ms",
]
CELL_COLUMNS = [
    "campaign",
    "stack",
    "figure",
    "workload_size_kb",
    "workload_count",
    "bandwidth_mbps",
    "rtt_ms",
    "loss_pct",
    "jitter_ms",
    "cca",
    "emulated_connections",
    "quic_mean_ms",
    "quic_std_ms",
    "quic_n",
    "tcp_mean_ms",
    "tcp_std_ms",
    "tcp_n",
    "pct_diff",
    "p_value",
    "verdict",
]
AA_GRID = {
    "figure": "aa",
    "protocols": ["tcp", "tcp"],
    "workloads": [{"size_kb": 5}],
    "bandwidth_mbps": [10],
    "rtt_ms": [36],
}
AA = {"name": "aa", "grid": [AA_GRID]}


@pytest.fixture
def folders(tmp_path):
    return tmp_path / "raw", tmp_path / "processed"


def one_cell(raw, runs_of):
    """A campaign whose first cell has the loads that `runs_of(campaign id, cell)` gives; the second is missing."""
    campaign = open_campaign(raw, make_sweep(), "local", STACK_DIGEST)
    cell = campaign.missing_cells()[0]
    write_cell(campaign, cell, runs_of(campaign.id, cell))
    return campaign, cell


def test_the_fixed_columns_come_first_and_in_order(folders):
    raw, processed = folders
    make_campaign(raw)
    process(raw, processed)
    assert list(pd.read_parquet(processed / "plt_runs.parquet").columns[: len(RUN_COLUMNS)]) == RUN_COLUMNS
    assert list(pd.read_csv(processed / "plt_cells.csv").columns[: len(CELL_COLUMNS)]) == CELL_COLUMNS


def filled(counts):
    """The tables that have rows."""
    return {name: rows for name, rows in counts.items() if rows}


def test_numbers_of_a_cell_by_hand(folders):
    raw, processed = folders
    left, right = [100.0, 102.0, 107.0], [180.0, 190.0, 200.0]
    one_cell(raw, lambda name, cell: loads_of(name, cell, left, right, cold_ms=5000.0))
    assert filled(process(raw, processed)) == {"plt_runs": 8, "plt_cells": 1, "campaigns": 1}
    row = pd.read_csv(processed / "plt_cells.csv").iloc[0]
    assert row.quic_mean_ms == 103.0 and row.tcp_mean_ms == 190.0  # the cold loads are not averaged
    assert row.quic_std_ms == pytest.approx(math.sqrt((9 + 1 + 16) / 2)) and row.tcp_std_ms == 10.0
    assert (row.quic_n, row.tcp_n) == (3, 3)
    assert row.pct_diff == pytest.approx(87 / 103 * 100)
    assert row.p_value == pytest.approx(ttest_ind(left, right, equal_var=False).pvalue) and row.verdict == "quic"


def test_rejected_loads_are_kept_and_never_averaged(folders):
    raw, processed = folders

    def runs(name, cell):
        good = loads_of(name, cell, [100.0, 101.0, 102.0], [180.0, 181.0, 182.0])
        bad = [
            make_run(name, cell, "quic", 2, 8, 9999.0, accepted=False, reject_reason="disturbed"),
            make_run(name, cell, "tcp", 2, 9, None, accepted=False, reject_reason="load_failed", attempt=1),
            make_run(name, cell, "tcp", 2, 10, 9999.0, accepted=False, reject_reason="status", disturbed=True),
        ]
        return good + bad

    one_cell(raw, runs)
    process(raw, processed)
    row = pd.read_csv(processed / "plt_cells.csv").iloc[0]
    assert (row.quic_mean_ms, row.quic_n, row.tcp_mean_ms, row.tcp_n) == (101.0, 3, 181.0, 3)
    loads = pd.read_parquet(processed / "plt_runs.parquet")
    assert len(loads) == 11 and (~loads.accepted).sum() == 3
    assert list(loads[~loads.accepted].sort_values("order").disturbed) == [True, False, True]
    assert loads.set_index("order").loc[9, "attempt"] == 1
    assert math.isnan(loads.set_index("order").loc[9, "plt_ms"])


def test_an_arm_without_accepted_loads_gives_no_verdict(folders):
    raw, processed = folders

    def runs(name, cell):
        found = loads_of(name, cell, [100.0, 101.0, 102.0], [180.0, 181.0, 182.0])
        return [run | {"accepted": False, "reject_reason": "cca"} if run["arm"] == "tcp" else run for run in found]

    one_cell(raw, runs)
    process(raw, processed)
    row = pd.read_csv(processed / "plt_cells.csv").iloc[0]
    assert row.tcp_n == 0 and math.isnan(row.tcp_mean_ms) and math.isnan(row.p_value) and row.verdict == "none"


def test_aa_cells_have_tables_of_their_own(folders):
    raw, processed = folders
    make_campaign(raw, make_sweep(**AA), left=[100.0, 101.0, 102.0], right=[100.0, 101.0, 102.0])
    assert filled(process(raw, processed)) == {"aa_runs": 8, "aa_cells": 1, "campaigns": 1}
    row = pd.read_csv(processed / "aa_cells.csv").iloc[0]
    assert (row.protocol, row.a_mean_ms, row.b_mean_ms, row.pct_diff, row.p_value, row.verdict) == (
        "tcp",
        101,
        101,
        0,
        1,
        "none",
    )
    assert set(pd.read_parquet(processed / "aa_runs.parquet").arm) == {"a", "b"}


def test_interrupted_cells_and_cells_in_progress_are_never_read(folders):
    raw, processed = folders
    campaign, _cell = one_cell(raw, lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    other = campaign.missing_cells()[0]
    partial = campaign.begin_cell(other)
    (partial / "runs.jsonl.zst").write_bytes(b"garbage")
    campaign.begin_cell(other)
    assert process(raw, processed)["plt_cells"] == 1


def test_the_same_raw_records_give_the_same_bytes(folders, tmp_path):
    raw, processed = folders
    make_campaign(raw)
    make_campaign(raw, role="reference")
    process(raw, processed)
    first = {path.name: path.read_bytes() for path in processed.iterdir()}
    process(raw, processed)
    process(raw, tmp_path / "again")
    assert {path.name: path.read_bytes() for path in processed.iterdir()} == first
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == first


def test_numbers_survive_the_csv_exactly(folders):
    raw, processed = folders
    plts = [100.1, 100.2, 100.4]
    one_cell(raw, lambda name, cell: loads_of(name, cell, plts, [180.1, 180.3, 180.7]))
    process(raw, processed)
    row = pd.read_csv(processed / "plt_cells.csv").iloc[0]
    assert row.quic_mean_ms == statistics.fmean(plts) and row.quic_std_ms == statistics.stdev(plts)


def test_a_damaged_record_is_named_and_the_tables_stay(folders):
    raw, processed = folders
    campaign, cell = one_cell(raw, lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    process(raw, processed)
    before = {path.name: path.read_bytes() for path in processed.iterdir()}
    runs = campaign.path / cell.cell_id / "runs.jsonl.zst"
    runs.write_bytes(runs.read_bytes()[:-3])
    with pytest.raises(LonglookError, match=cell.cell_id):
        process(raw, processed)
    assert {path.name: path.read_bytes() for path in processed.iterdir()} == before


def test_a_cell_kept_under_another_name_is_refused(folders):
    raw, processed = folders
    campaign, cell = one_cell(raw, lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    path = campaign.path / cell.cell_id / "cell.json"
    record = json.loads(path.read_text())
    record["cell"]["link"]["rtt_ms"] = 112
    path.write_text(json.dumps(record))
    with pytest.raises(LonglookError, match="it is kept as"):
        process(raw, processed)


def validate(folder):
    here = os.getcwd()
    os.chdir(folder)  # Frictionless reads tables only below the working directory
    try:
        return frictionless.validate("datapackage.json")
    finally:
        os.chdir(here)


@pytest.mark.parametrize("filled", [True, False])
def test_frictionless_accepts_the_data_package(folders, filled):
    raw, processed = folders
    raw.mkdir()
    if filled:
        make_campaign(raw)
        make_campaign(raw, make_sweep(**AA))
    process(raw, processed)
    report = validate(processed)
    assert report.valid, report.flatten(["name", "type", "note"])
    assert [task.name for task in report.tasks] == list(TABLES)
    assert check_tables(processed) == []


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (",quic,", ",quick,", "constraint-error"),
        ("36.0", "fast", "type-error"),
        (",rtt_ms", ",rtt_s", "incorrect-label"),
        (",107.0,", ",108.0,", "hash-count"),
    ],
)
def test_frictionless_and_the_hashes_notice_a_changed_table(folders, old, new, error):
    raw, processed = folders
    make_campaign(raw)
    process(raw, processed)
    path = processed / "plt_cells.csv"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    report = validate(processed)
    assert not report.valid and error in {row[0] for row in report.flatten(["type"])}
    assert len(check_tables(processed)) == 1 and "plt_cells.csv" in check_tables(processed)[0]


def test_a_changed_parquet_table_is_noticed(folders):
    raw, processed = folders
    make_campaign(raw)
    process(raw, processed)
    path = processed / "plt_runs.parquet"
    frame = pd.read_parquet(path)
    frame.loc[0, "plt_ms"] += 1
    frame.to_parquet(path)
    assert len(check_tables(processed)) == 1 and "plt_runs.parquet" in check_tables(processed)[0]
    path.unlink()
    assert "is missing" in check_tables(processed)[0]


def test_every_column_is_described():
    for name in TABLES:
        fields = resource(name)["schema"]["fields"]
        assert len({field["name"] for field in fields}) == len(fields)
        assert all(len(field["description"]) > 8 for field in fields)


def test_campaigns_table_has_machine_and_date(folders):
    raw, processed = folders
    campaign = make_campaign(raw)
    process(raw, processed)
    row = pd.read_csv(processed / "campaigns.csv").iloc[0]
    assert (row.campaign, row.role, row.cells, row.cells_measured, row.wall_s) == (campaign.id, "local", 2, 2, 4.0)
    assert row.stack_digest == STACK_DIGEST and row.created.endswith("Z") and row.kernel == os.uname().release
