"""The tables as a data package: Frictionless accepts them, their hashes and types hold, and a broken one is told."""

import errno
import os

import frictionless
import pandas as pd
import pytest
from campaigns import (
    STACK_DIGEST,
    control_sweep,
    make_campaign,
    shared_sweep,
)
from truthful import truthful

from longlook import paths
from longlook.dataset.checks.check import check_campaign
from longlook.dataset.tables import TABLES, check_tables, columns, read_table, resource
from longlook.errors import LonglookError


def write_truthful(raw):
    """Campaigns with everything that a table can be made of, the objects of their loads among it."""
    truthful(raw)
    truthful(raw, control_sweep())
    truthful(raw, shared_sweep())


def validate(folder):
    here = os.getcwd()
    os.chdir(folder)  # Frictionless reads tables only below the working directory
    try:
        return frictionless.validate("datapackage.json")
    finally:
        os.chdir(here)


@pytest.mark.parametrize("filled", [True, False])
def test_frictionless_accepts_the_data_package(data, filled):
    data.raw.mkdir()
    if filled:
        write_truthful(data.raw)
    counts = data.process(check_campaign)
    report = validate(data.processed)
    assert report.valid, report.flatten(["name", "type", "note"])
    assert [task.name.replace("-", "_") for task in report.tasks] == list(TABLES)
    assert set(counts) == (set(TABLES) if filled else set())
    assert check_tables(data.processed) == []


@pytest.mark.parametrize(
    ("name", "old", "new", "error"),
    [
        ("contrasts", ",left,0.5", ",lefty,0.5", "constraint-error"),
        ("arms", "36.0", "fast", "type-error"),
        ("arms", ",rtt_ms", ",rtt_s", "incorrect-label"),
        ("arms", ",107.0,", ",108.0,", "hash-count"),
        ("contrasts", ",plt_ms,", ",,", "constraint-error"),
    ],
)
def test_frictionless_and_the_hashes_notice_a_changed_table(data, name, old, new, error):
    make_campaign(data.raw)
    data.process()
    path = data.processed / f"{name}.csv"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    report = validate(data.processed)
    assert not report.valid and error in {row[0] for row in report.flatten(["type"])}
    assert len(check_tables(data.processed)) == 1 and f"{name}.csv" in check_tables(data.processed)[0]


def test_a_changed_parquet_table_is_noticed(data):
    make_campaign(data.raw)
    data.process()
    path = data.processed / "samples.parquet"
    frame = pd.read_parquet(path)
    frame.loc[0, "value"] += 1
    frame.to_parquet(path)
    assert "hash-count" in {row[0] for row in validate(data.processed).flatten(["type"])}
    assert len(check_tables(data.processed)) == 1 and "samples.parquet" in check_tables(data.processed)[0]
    path.unlink()
    assert "is missing" in check_tables(data.processed)[0]


def test_every_column_is_described():
    for name in TABLES:
        fields = resource(name)["schema"]["fields"]
        assert len({field["name"] for field in fields}) == len(fields)
        assert all(len(field["description"]) > 8 for field in fields)


def test_campaigns_table_has_machine_and_date(data):
    campaign = make_campaign(data.raw)
    data.process()
    row = data.table("campaigns").iloc[0]
    assert (row.campaign, row.role, row.cells, row.cells_measured, row.wall_s) == (campaign.id, "local", 2, 2, 4.0)
    assert (row.study, row.experiment) == ("muthuraj2024", "plt")
    assert row.stack_digest == STACK_DIGEST and row.created.endswith("Z") and row.kernel == os.uname().release


def test_every_column_has_the_type_of_its_schema_whether_filled_or_empty(data):
    write_truthful(data.raw)
    data.process(check_campaign)
    kinds = {"integer": ("i", "f"), "number": ("f",), "boolean": ("b", "O"), "string": ("O",)}
    for name in TABLES:
        filled, nothing = data.table(name), read_table(data.processed / "nowhere", name)
        assert list(filled.columns) == list(nothing.columns) == columns(name) and nothing.empty and len(filled)
        for field in resource(name)["schema"]["fields"]:
            column = filled[field["name"]]
            assert column.dtype.kind in kinds[field["type"]], (name, field["name"])
            assert nothing[field["name"]].dtype.kind == kinds[field["type"]][0], (name, field["name"])
            if field.get("constraints", {}).get("required") and field["type"] in ("integer", "boolean"):
                assert column.dtype.kind == kinds[field["type"]][0], (name, field["name"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace(",36.0,", ",fast,", 1), r"holds what its schema does not allow: .*fast"),
        (lambda text: text.replace(",False,", ",perhaps,", 1), r"holds what its schema does not allow: .*perhaps"),
        (lambda text: text.replace("rtt_ms", "rtt_s", 1), "lacks the columns rtt_ms"),
        (lambda text: "", "cannot be read"),
    ],
)
def test_a_table_that_was_not_written_here_is_one_clear_error(data, change, words):
    make_campaign(data.raw)
    data.process()
    path = data.processed / "arms.csv"
    path.write_text(change(path.read_text()))
    with pytest.raises(LonglookError, match=rf"{words}.*longlook process"):
        data.table("arms")


def test_a_full_disk_is_explained(data, monkeypatch):
    make_campaign(data.raw)

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LonglookError, match=r"could not write .*: the disk that holds .* is full"):
        data.process()


@pytest.mark.parametrize("name", TABLES)
def test_the_kept_tables_have_what_their_schemas_require(name):
    """Also in Parquet, of which Frictionless checks the hash: what a made table never lacks and a kept one did."""
    fields = resource(name)["schema"]["fields"]
    required = [field["name"] for field in fields if field.get("constraints", {}).get("required")]
    file = paths.PROCESSED / resource(name)["path"]
    if file.suffix == ".parquet":
        kept = pd.read_parquet(file, columns=required)
    else:
        kept = pd.read_csv(file, usecols=required, dtype=str, keep_default_na=False)
    lacking = {column: int((kept[column].isna() | (kept[column].astype(str) == "")).sum()) for column in required}
    assert not any(lacking.values()), lacking
