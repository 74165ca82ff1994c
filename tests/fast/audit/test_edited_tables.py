"""A table that was edited together with its hash in the data package is found: the audit makes every table anew."""

import hashlib
import json
import shutil

import pandas as pd
import pytest
from campaigns import shared_sweep
from truthful import change_samples, forged, truthful

from longlook import paths
from longlook.audit import check_integrity, run_audit
from longlook.dataset.process import process
from longlook.dataset.tables import TABLES, check_tables, resource


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Raw and processed data of three campaigns."""
    folder = tmp_path_factory.mktemp("measured")
    truthful(folder / "raw", role="reference", seed=1)
    truthful(folder / "raw", seed=2)
    truthful(folder / "raw", shared_sweep(), seed=3)
    assert process(folder / "raw", folder / "processed").left_out == {}
    return folder


@pytest.fixture
def data(measured, tmp_path):
    """A copy of them, to be edited."""
    shutil.copytree(measured, tmp_path, dirs_exist_ok=True)

    class Data:
        raw, processed = tmp_path / "raw", tmp_path / "processed"

        def problems(self):
            return check_integrity(self.raw, self.processed, paths.PUBLISHED).problems

        def write(self, name, content):
            """A table, and its hash where hashes are."""
            path = self.processed / resource(name)["path"]
            path.write_bytes(content)
            package = json.loads((self.processed / "datapackage.json").read_text())
            item = next(one for one in package["resources"] if one["path"] == path.name)
            digest = hashlib.sha256(content).hexdigest()
            item |= {"hash": f"sha256:{digest}", "bytes": len(content)}
            (self.processed / "datapackage.json").write_text(json.dumps(package))

        def edit(self, name, change):
            path = self.processed / resource(name)["path"]
            if path.suffix == ".csv":
                frame = pd.read_csv(path, dtype=str, keep_default_na=False)
                return self.write(name, change(frame).to_csv(index=False, lineterminator="\n").encode())
            return self.write(name, change(pd.read_parquet(path)).to_parquet())

    return Data()


EDITED = {
    "samples": ("value", lambda value: value + 1),
    "objects": ("ended_ms", lambda value: value + 1),
    "arms": ("mean", lambda value: "107.5"),
    "contrasts": ("verdict", lambda value: "right"),
    "agreement_means": ("published_mean", lambda value: "1.0"),
    "agreement_verdicts": ("agree", lambda value: {"True": "False"}.get(value, "True")),
    "timelines": ("rtt_ms", lambda value: value + 1),
    "throughput": ("bytes", lambda value: value + 1),
    "cells": ("complete", lambda value: "False"),
    "campaigns": ("kernel", lambda value: "9.9"),
}


def test_the_list_below_has_every_table():
    assert set(EDITED) == set(TABLES)


def test_what_nobody_edited_has_no_problem(data):
    assert data.problems() == ()


@pytest.mark.parametrize("name", EDITED)
def test_an_edited_table_is_found_whatever_its_hash_says(data, name):
    column, change = EDITED[name]

    def edit(frame):
        frame.loc[0, column] = change(frame.loc[0, column])
        return frame

    data.edit(name, edit)
    assert check_tables(data.processed) == []
    (line,) = data.problems()
    assert f"table {name} is not what the raw records give: {column} is" in line and "longlook process" in line


def test_a_row_less_or_more_is_found(data):
    data.edit("arms", lambda frame: frame.iloc[1:])
    assert "made anew" in data.problems()[0]
    data.edit("arms", lambda frame: pd.concat([frame, frame]))
    assert "rows" in data.problems()[0]


def test_the_last_digits_of_a_number_may_differ(data):
    def edit(frame):
        frame["mean"] = [str(float(one) * (1 + 1e-13)) for one in frame["mean"]]
        return frame

    data.edit("arms", edit)
    assert data.problems() == ()


def test_a_table_that_was_edited_with_its_raw_records_is_left_out_and_named(data):
    campaign = next(data.raw.glob("figure-4.6a-*"))
    cell = next(path for path in campaign.iterdir() if path.is_dir())
    with forged(campaign):
        change_samples(cell, lambda records: [one | {"metrics": one["metrics"] | {"plt_ms": 50.0}} for one in records])
    process(data.raw, data.processed)
    (line,) = data.problems()
    assert line.startswith(f"{campaign.name}: left out: ") and "plt_ms is 50.0" in line
    report = run_audit(raw_root=data.raw, processed_root=data.processed, published_root=paths.PUBLISHED)
    assert not report.ok and any(campaign.name in one for one in report.failures)


@pytest.mark.parametrize("text", ["{}", "[]", '{"resources": 3}', '{"resources": [3]}', "nonsense"])
def test_a_data_package_that_says_nothing(data, text):
    (data.processed / "datapackage.json").write_text(text)
    try:
        assert len(check_tables(data.processed)) == len(TABLES)
    except Exception as error:
        assert "could not be read as JSON" in str(error)
