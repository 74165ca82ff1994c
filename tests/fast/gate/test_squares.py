"""The gate of the redesign: every square of every heatmap is the one that it was before, to the last digit.

`frozen/squares.csv` holds what was drawn of the campaigns that it names. None that is newer counts, which may show
more.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd
import pytest
from left_out import LEFT_OUT

from longlook import paths
from longlook.analysis.newest import STUDY
from longlook.book.data import read
from longlook.experiment.metrics import PLT
from longlook.figure.squares import figure_squares
from longlook.figure.versus import Versus

pytestmark = pytest.mark.slow

MOVED = ("right_mean", "right_sd", "right_n", "pct_diff", "p_value")
"""By loads of the right arm that count no more."""
FROZEN = Path(__file__).parent / "frozen" / "squares.csv"


def frozen():
    with FROZEN.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture(scope="module")
def data(processed):
    return read(paths.PUBLISHED, processed)


FIGURES = sorted({row["figure"] for row in frozen()})


@pytest.mark.parametrize("figure", FIGURES)
def test_every_square_of_a_figure_is_the_same(data, figure):
    old = {(row["source"], row["square"]): row for row in frozen() if row["figure"] == figure}
    arms = {(row["left"], row["right"]) for row in old.values()}
    ((left, right),) = arms
    found = figure_squares(data.sources(STUDY, figure, Versus(left, right, PLT)))
    new = {(row["source"], row["square"]): row for row in found.to_dict("records")}
    assert set(new) == set(old)
    for key, row in old.items():
        same(new[key], row, {"left": left, "right": right, "none": "none"})


def same(new, old, words):
    """A row of today and one of the frozen file."""
    fewer = LEFT_OUT.get(old["cell_id"], 0)
    assert new["right_n"] == float(old["right_n"] or "nan") - fewer or old["right_n"] == ""
    for column in ("left_mean", "left_sd", "left_n", *(() if fewer else MOVED)):
        if old[column] == "":
            assert pd.isna(new[column]), column
        else:
            assert new[column] == float(old[column]), column
    assert (new["campaign"], new["cell_id"] if new["raw"] else "") == (old["campaign"], old["cell_id"])
    assert (words[new["verdict"]] if new["measured"] else "none") == old["verdict"]
    paired = new["pairs"] > 0  # drawn by these since; the frozen colours and marks are Welch's
    if not fewer and not paired:
        assert (new["label"], new["label_colour"]) == (old["label"], old["label_colour"])
    assert (new["x"], new["y"]) == (old["workload"], old["bandwidth"])
    lost = new["loss_pct"]  # a panel's title has since said what each direction has of a loss
    assert new["block"] == old["block"] + (f" ({lost / 2:g} % each way)" if lost else "")
    assert str(new["measured"]) == old["measured"]
    assert paired or str(new["significant"]) == old["significant"]
    assert new["raw"] == (f"data/raw/{old['campaign']}/{old['cell_id']}" if old["cell_id"] else "")


def test_all_of_them_are_there():
    assert len(frozen()) == 941 and len(FIGURES) == 43
