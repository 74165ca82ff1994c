"""Every column of every Parquet file, and every value of every JSON record, replaced by what it may not be.

Nothing ends `process`, `verify`, `compare` or `audit`; a campaign whose tables would hold another number is left out.
Without LONGLOOK_FUZZ each place gets one of the values.
"""

import json
import os
import shutil
from unittest.mock import patch

import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from fuzzing import HUGE, INPUTS, rows_of, within
from kept import kept
from truthful import change_json, forged, write_samples

from longlook import paths
from longlook.cli import cli
from longlook.dataset.process import make_tables, process
from longlook.errors import LonglookError, plain
from longlook.experiment.connected import COLUMNS as CONNECTED
from longlook.experiment.connected import CONNECTIONS
from longlook.experiment.reading import COLUMNS, THROUGHPUT, TIMELINE
from longlook.experiment.sessions import COLUMNS as PLAYED
from longlook.experiment.sessions import SESSIONS
from longlook.record.parquet import read_columns
from longlook.record.samples import read_records

FILES = {
    CONNECTIONS: ("downloads", CONNECTED),
    SESSIONS: ("films", PLAYED),
    TIMELINE: ("windows", COLUMNS[TIMELINE]),
    THROUGHPUT: ("shares", COLUMNS[THROUGHPUT]),
}
PLACES = [(name, column) for name, (_, columns) in FILES.items() for column in columns]
EVERY = "every gap"
VALUES = [
    *(float("nan"), float("inf"), float("-inf"), 1e308, -1, -1e-9, 1e19, 2**63 - 1, None, EVERY),
    *("", "x", "1", True, [1.0], {"a": 1.0}),
]
JSON_VALUES = [None, 1e308, -1, -1e308, 2**63, HUGE, "", "x", "1", True, [], {}, [1], 0.5]
UNCHECKED = {"connect_ms", "response_ms_median", "response_ms_max"}
"""Of flows: nothing else in a record tells them (SECURITY.md)."""
FEW = 25
"""Places of each JSON record."""


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    """Nothing here has to survive the machine."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Kind -> a campaign that nobody changed, and what was measured by its tables."""
    found = {}

    def get(kind):
        if kind not in found:
            campaign = kept(kind, tmp_path_factory.mktemp("whole"))
            made = make_tables(campaign.parent)
            assert made.left_out == {} and made.tables["samples"]
            found[kind] = campaign, measured(made)
        return found[kind]

    return get


def measured(made):
    return repr([rows_of(made.tables[name]) for name in made.tables if name not in ("campaigns", "cells")])


def cell_of(campaign):
    return next(one for one in campaign.iterdir() if one.is_dir())


def left_out(raw, numbers):
    """Why the only campaign is left out; None where its tables are those of one that nobody changed."""
    with within():
        made = make_tables(raw)
    for name, why in made.left_out.items():
        assert plain(f"{name}{why}") == f"{name}{why}" and 0 < len(why) <= 400
        return why
    assert measured(made) == numbers, "other numbers"
    return None


def with_value(table, column, value):
    """A Parquet table with another value in the first row of a column, or in all where its type does not take it; None
    where no file holds that."""
    values = table.column(column).to_pylist()
    for changed in ([None if value is EVERY else value, *values[1:]], [value] * len(values)):
        array = [None] * len(values) if value is EVERY else changed
        try:
            new = pyarrow.array(array, from_pandas=False)
        except (pyarrow.ArrowException, TypeError, OverflowError):
            continue
        return table.set_column(table.column_names.index(column), column, new)
    return None


def is_gap(value):
    return value is None or value is EVERY or value != value


@pytest.mark.parametrize(("name", "column"), PLACES)
def test_no_column_is_read_with_a_value_that_it_may_not_hold(whole, tmp_path, name, column):
    kind, columns = FILES[name]
    table = pyarrow.parquet.read_table(cell_of(whole(kind)[0]) / name)
    path, what = tmp_path / name, columns[column]
    for value in VALUES:
        changed = with_value(table, column, value)
        if changed is None or (what.kind == "text" and isinstance(value, str) and value is not EVERY):
            continue
        pyarrow.parquet.write_table(changed, path)
        if what.gaps and is_gap(value):
            read_columns(path, columns)
            continue
        with pytest.raises(LonglookError, match=f"{column}|could not be read"):
            read_columns(path, columns)


@pytest.mark.parametrize(("place", "name", "column"), [(place, *one) for place, one in enumerate(PLACES)])
def test_a_campaign_with_such_a_column_is_left_out(whole, tmp_path, place, name, column):
    kind, _ = FILES[name]
    campaign, numbers = whole(kind)
    copy = shutil.copytree(campaign, tmp_path / "raw" / campaign.name)
    path = cell_of(copy) / name
    table = pyarrow.parquet.read_table(path)
    own = VALUES if INPUTS else VALUES[place % 8 :: 8]
    for value in own:
        changed = with_value(table, column, value)
        first = column in ("rtt_ms", "ssthresh_bytes") and (value is None or value != value)  # may come later
        none = is_gap(value) and table.column(column).to_pandas().isna().all()
        if changed is None or first or none or (column == "phase" and is_gap(value)):
            continue
        with forged(copy):
            pyarrow.parquet.write_table(changed, path)
        assert left_out(copy.parent, numbers) is not None, value


def places_of(tree, way=()):
    keys = range(len(tree)) if isinstance(tree, list) else list(tree) if isinstance(tree, dict) else ()
    for key in keys:
        yield (*way, key)
        yield from places_of(tree[key], (*way, key))


def put(tree, way, value):
    for key in way[:-1]:
        tree = tree[key]
    tree[way[-1]] = value


@pytest.mark.parametrize("record", ["campaign.json", "cell.json", "environment.json", "samples"])
@pytest.mark.parametrize("kind", ["page loads", "old page loads", "downloads", "films", "shares", "old shares"])
def test_values_of_json(whole, tmp_path, kind, record):
    campaign, numbers = whole(kind)
    copy = shutil.copytree(campaign, tmp_path / "raw" / campaign.name)
    cell = cell_of(copy)
    if record == "samples" and kind.startswith("old"):
        pytest.skip("of the same layout as it was: its samples are not written anew")
    path = copy / record if record == "campaign.json" else cell / record
    before = list(read_records(cell)) if record == "samples" else json.loads(path.read_text())
    ways = list(places_of(before[:3] if record == "samples" else before))
    ways = [way for way in ways if not {*way} & UNCHECKED]
    step = 1 if INPUTS else max(1, len(ways) // FEW)
    for number, way in enumerate(ways[::step]):
        for value in JSON_VALUES if INPUTS else [JSON_VALUES[number % len(JSON_VALUES)]]:
            with forged(copy):
                if record == "samples":
                    write_samples(cell, _changed(before, way, value))
                else:
                    path.write_text(json.dumps(_changed(before, way, value)))
            left_out(copy.parent, numbers)
    assert copy.exists()


def _changed(before, way, value):
    tree = json.loads(json.dumps(before))
    put(tree, way, value)
    return tree


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308, -1, "x"])
def test_every_command_says_so(whole, tmp_path, value):
    """And makes the others' tables all the same."""
    raw = tmp_path / "raw"
    wrong, right = (shutil.copytree(whole(kind)[0], raw / whole(kind)[0].name) for kind in ("shares", "downloads"))
    other = shutil.copytree(wrong, raw / wrong.name.replace("741", "742"))
    with forged(other):
        change_json(other / "campaign.json", lambda data: data.update(campaign=other.name))
    path = cell_of(wrong) / THROUGHPUT
    with forged(wrong):
        pyarrow.parquet.write_table(with_value(pyarrow.parquet.read_table(path), "bytes", value), path)
    done = process(raw, tmp_path / "processed")
    assert "bytes" in done.left_out[wrong.name] and right.name not in done.left_out and done.rows["samples"] > 0
    with (
        patch.object(paths, "RAW", raw),
        patch.object(paths, "DATA", tmp_path),
        patch.object(paths, "PROCESSED", tmp_path / "processed"),
    ):
        for argv in (["verify"], ["audit"], ["compare", wrong.name, other.name], ["process"]):
            told = CliRunner().invoke(cli, argv)
            assert isinstance(told.exception, SystemExit | LonglookError | None), (argv, told.exception)
            if argv != ["verify"]:
                assert wrong.name in f"{told.output}{told.exception}", argv
