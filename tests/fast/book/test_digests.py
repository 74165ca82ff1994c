"""Digests of rows of tables: those of one series change with it, and with nothing else."""

import numpy as np
import pandas as pd
import pytest

from longlook import paths
from longlook.book.data import read
from longlook.book.digests import Contents, TableRows
from longlook.dataset.tables import columns, read_table, typed_frame, write_tables
from longlook.errors import LonglookError


def row(study, series, cell, loads=20, label=None):
    nothing = dict.fromkeys(columns("cells"))
    return nothing | {
        "campaign": f"reference-{series}-20260101T000000", "study": study, "series": series, "cell_id": cell,
        "control": False, "complete": True, "loads": loads, "label": label,
    }  # fmt: skip


ROWS = [row("a", "1", "x"), row("a", "2", "x"), row("b", "1", "x"), row("a", "1", "y")]
OF = {
    "whole": (),
    "study a": (("study", "a"),),
    "a 1": (("study", "a"), ("series", "1")),
    "a 2": (("study", "a"), ("series", "2")),
    "a 3": (("study", "a"), ("series", "3")),
}


@pytest.fixture
def digests(tmp_path):
    def of(rows):
        table = TableRows(tmp_path / "none", Contents(), lambda _name, _where: typed_frame("cells", rows))
        return {name: table.of(("cells", where)) for name, where in OF.items()}

    return of


@pytest.mark.parametrize(
    ("rows", "changed"),
    [
        (ROWS, set()),
        ([*ROWS, row("b", "2", "z")], {"whole"}),
        ([*ROWS, row("a", "3", "z")], {"whole", "study a", "a 3"}),
        ([row("a", "1", "x", label="other"), *ROWS[1:]], {"whole", "study a", "a 1"}),
        ([row("a", "1", "x", label="None"), *ROWS[1:]], {"whole", "study a", "a 1"}),
        ([ROWS[0], ROWS[2], ROWS[3]], {"whole", "study a", "a 2"}),
        ([ROWS[3], *ROWS[1:3], ROWS[0]], {"whole", "study a", "a 1"}),
        ([ROWS[2], ROWS[0], ROWS[1], ROWS[3]], {"whole"}),
        ([*ROWS, row("b", "2", "z", loads=np.nan)], set(OF)),
    ],
    ids=[
        "same",
        "another study",
        "another series",
        "a text",
        "none",
        "one less",
        "their order",
        "others' order",
        "type",
    ],
)
def test_a_change_is_seen_by_those_who_read_it(digests, rows, changed):
    before, after = digests(ROWS), digests(rows)
    assert {name for name in OF if before[name] != after[name]} == changed


def test_of_a_table_that_is_the_same_nothing_is_read(tmp_path):
    def never(name):
        raise AssertionError(name)

    write_tables(tmp_path, {"cells": ROWS})
    first = TableRows(tmp_path, Contents(), lambda name, _where: read_table(tmp_path, name))
    digest = first.of(("cells", OF["a 1"]))
    known = first.to_json()
    assert TableRows(tmp_path, Contents(), never, known).of(("cells", OF["a 1"])) == digest
    write_tables(tmp_path, {"cells": ROWS[:1]})
    later = TableRows(tmp_path, Contents(), lambda name, _where: read_table(tmp_path, name), known)
    assert later.of(("cells", OF["a 1"])) != digest


def test_a_table_that_changes_during_the_build_is_an_error(tmp_path):
    write_tables(tmp_path, {"cells": ROWS})
    table = TableRows(tmp_path, Contents(), lambda name, where: pd.DataFrame())
    write_tables(tmp_path, {"cells": ROWS[:1]})
    with pytest.raises(LonglookError, match=r"cells\.csv changed while the book was built"):
        table.to_json()


def test_a_table_that_is_read_by_series_has_the_rows_of_the_whole_one():
    whole, data = read_table(paths.PROCESSED, "timelines"), read(paths.PUBLISHED, paths.PROCESSED)
    pairs = whole[["study", "series"]].drop_duplicates().groupby("study")["series"].agg(list)
    for study, series in pairs.items():
        own = whole[(whole["study"] == study) & whole["series"].isin(series[:2])].reset_index(drop=True)
        pd.testing.assert_frame_equal(data.of("timelines", study, series[:2]), own)
    assert "timelines" not in data._tables and len(pairs) > 2
    assert data.of("timelines", "muthuraj2024", "no such series").empty
