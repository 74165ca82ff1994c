"""Tests read the reference campaigns and no others, whatever lies beside them."""

import shutil

import pandas as pd
import pyarrow.parquet as pq
import reference

from longlook import paths
from longlook.dataset.tables import read_table

FEW = ("campaigns.csv", "cells.csv", "throughput.parquet")
"""Tables of each kind."""


def test_what_tests_read_has_no_campaign_of_a_readers_own():
    assert not reference.has_others(paths.RAW, paths.PROCESSED)


def test_a_readers_own_campaigns_are_left_out_of_the_copy(tmp_path, monkeypatch):
    monkeypatch.delenv(reference.GIVEN, raising=False)
    raw, processed = tmp_path / "raw", tmp_path / "processed"
    small = min(paths.RAW.glob("reference-*"), key=lambda one: sum(file.stat().st_size for file in one.rglob("*")))
    for name in (small.name, "quick-20260101T000000", ".quick-20260101T000000.1.partial"):
        shutil.copytree(small, raw / name)
    shutil.copy(paths.RAW / "INDEX.sha256", raw)
    shutil.copytree(paths.PROCESSED, processed, ignore=lambda _, names: set(names) - set(FEW))
    with reference.only(raw, processed) as folder:
        assert folder is not None and sorted(one.name for one in (folder / "raw").iterdir()) == [
            "INDEX.sha256",
            small.name,
        ]
        shutil.rmtree(raw / "quick-20260101T000000")
        shutil.rmtree(raw / ".quick-20260101T000000.1.partial")
    with reference.only(raw, processed) as folder:
        assert folder is None
    _double(processed)
    with reference.only(raw, processed) as folder:
        for file in FEW:
            name = file.partition(".")[0]
            assert read_table(folder / "processed", name).equals(read_table(paths.PROCESSED, name)), name


def _double(processed):
    """Every row once more, as a reader's own campaign's."""
    for path in processed.glob("*.csv"):
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        own = rows.assign(campaign=rows["campaign"].str.replace("reference-", ""))
        pd.concat([own, rows]).to_csv(path, index=False)
    path = processed / "throughput.parquet"
    rows = pq.read_table(path).to_pandas()
    own = rows.assign(campaign=rows["campaign"].astype(str).str.replace("reference-", ""))
    pd.concat([own, rows.astype({"campaign": str})]).to_parquet(path, index=False)
