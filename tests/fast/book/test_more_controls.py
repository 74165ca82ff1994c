"""The control of every kind of arm: what it vouches for, and what becomes of its predictions."""

import pandas as pd
import pytest
from book_sample import PUBLISHED, write_sample

from longlook.book import data as book_data
from longlook.book import more_controls
from longlook.figure import style


def with_a_test(quiet=10, rough=10, told=(4.0, 15.0), coloured=0, wide=0):
    """Squares with a test: so many of each kind with the least differences `told`, in %, of which so many quiet ones
    tell 12 % and more only."""
    rows = [
        {"loss_pct": loss, "jitter_ms": 0.0, "told_pct": 12.0 if not loss and number < wide else pct, "verdict": "none"}
        for loss, count, pct in ((0.0, quiet, told[0]), (1.0, rough, told[1]))
        for number in range(count)
    ]
    frame = pd.DataFrame(rows)
    frame.loc[: coloured - 1, "verdict"] = "left"
    return frame


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, [True, True, True]),
        ({"coloured": 2}, [True, True, True]),
        ({"coloured": 3}, [False, True, True]),
        ({"quiet": 19}, [False, True, True]),
        ({"told": (5.1, 15.0)}, [True, False, True]),
        ({"wide": 2}, [True, True, True]),
        ({"wide": 3}, [True, False, True]),
        ({"told": (4.0, 10.0)}, [True, True, False]),
        ({"quiet": 0, "rough": 57}, [True, None, True]),
    ],
)
def test_what_was_predicted_of_pages(how, expected):
    known = {"quiet": 20, "rough": 37} | how
    assert [one.holds for one in more_controls.of_pages(with_a_test(**known))] == expected


def test_what_was_predicted_of_downloads():
    white, quiet = more_controls.of_downloads(with_a_test(11, 11, coloured=1))
    assert (white.holds, white.found, quiet.holds) == (True, "22 measured, 1 coloured", True)
    assert quiet.found == "4.0 % by the median, of 11 squares"
    white, quiet = more_controls.of_downloads(with_a_test(11, 11, told=(5.5, 9.0), coloured=2))
    assert (white.holds, quiet.holds) == (False, False)


def test_a_control_vouches_for_what_it_is_like(tmp_path):
    """That of the sample has one object without loss, over QUIC and over TCP; table B.2 has pages of many, too."""
    write_sample(tmp_path, figures=["4.6a", "4.6d", "4.6b"])
    data = book_data.read(PUBLISHED, tmp_path / "data" / "processed")
    rows = more_controls.covers(data).data.split("<tr>")[2:]
    found = {
        cells[1]: (cells[2], int(cells[3]))
        for row in rows
        for cells in [[cell.partition(">")[2].partition("<")[0] for cell in row.split("<td")[1:]]]
    }
    assert found == {"B.1": ("2 of 2", 40), "B.2": ("2 of 4", 40), "B.3": ("0 of 2", 0)}


def test_without_a_campaign_nothing_is_said(tmp_path):
    data = book_data.read(PUBLISHED, tmp_path)
    assert more_controls.covers(data).data == more_controls.predictions(data).data == style.NOTHING_YET


def test_tables_stand_in_their_order():
    names = [("a", "x"), ("muthuraj2024", "B.10"), ("muthuraj2024", "B.2"), ("muthuraj2024", "4.1"), ("a", "b-c")]
    found = sorted(names, key=more_controls._place)
    assert [table for _, table in found] == ["B.2", "B.10", "4.1", "b-c", "x"]
