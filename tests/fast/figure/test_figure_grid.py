"""A number for every pair: its shade, its words, and pairs that have none."""

import math

import pandas as pd
import pytest

from longlook.figure import style
from longlook.figure.grid import DARK, GRID, PALE, PHONE, Scale, grid_chart, told

NONE = math.nan


def rows(*squares):
    """(block, panel, down, across, value) of each."""
    return pd.DataFrame(
        [
            (*place, value, style.DASH if math.isnan(value) else f"{value:.0f}", "what was found")
            for *place, value in squares
        ],
        columns=list(GRID),
    )


FRAME = rows(
    ("CUBIC", "QUIC", "a", "x", 10.0),
    ("CUBIC", "QUIC", "a", "y", 80.0),
    ("CUBIC", "QUIC", "b", "x", NONE),
    ("CUBIC", "TCP", "c", "z", 70.0),
    ("RENO", "QUIC", "a", "x", NONE),
)


def data_of(chart):
    return [row for own in chart.to_dict()["datasets"].values() for row in own]


def test_the_greatest_is_the_darkest_and_what_has_no_number_is_grey_with_a_dash():
    scale = Scale.of(FRAME["value"])
    assert (scale.low, scale.high) == (0.0, 80.0)
    found = {(row["down"], row["across"]): row for row in data_of(grid_chart(FRAME, ("server", "client"), scale))}
    assert found["a", "y"]["colour"] == DARK and found["a", "y"]["ink"] == "#ffffff"
    assert (found["b", "x"]["colour"], found["b", "x"]["label"]) == (style.NOT_MEASURED, style.DASH)
    assert found["b", "x"]["ink"] == "#000000"


@pytest.mark.parametrize(
    ("scale", "value", "share"),
    [
        (Scale(0, 80), 20, 0.25),
        (Scale(1, 100, logarithmic=True), 10, 0.5),
        (Scale(0, 80), 90, 1.0),
        (Scale(5, 5), 5, 0.0),
    ],
)
def test_shades_are_by_the_number_or_by_its_logarithm(scale, value, share):
    assert scale.share(value) == pytest.approx(share)
    assert scale.colour(NONE) == style.NOT_MEASURED and Scale(0, 1).colour(0.0) == PALE


def test_without_any_number_there_is_a_scale_all_the_same():
    assert Scale.of(pd.Series([NONE, NONE])) == Scale(0.0, 1.0)


def test_blocks_are_rows_of_panels_and_stand_below_each_other_on_a_phone():
    first, second = grid_chart(FRAME, ("server", "client"), Scale(0, 80)).to_dict()["vconcat"]
    assert [panel["title"]["text"] for panel in first["hconcat"]] == ["QUIC", "TCP"]
    assert first["title"]["text"] == "CUBIC" and len(second["hconcat"]) == 1
    narrow = grid_chart(FRAME, ("server", "client"), Scale(0, 80), PHONE).to_dict()["vconcat"]
    assert [len(row["vconcat"]) for row in narrow] == [2, 1]
    assert first["hconcat"][0]["width"] > narrow[0]["vconcat"][0]["width"]


def test_the_result_in_words():
    assert told(FRAME, "Mbit/s") == (
        "CUBIC, QUIC: 2 of 3 pairs, from 10 Mbit/s (a with x) to 80 Mbit/s (a with y). "
        "CUBIC, TCP: 1 of 1 pairs, from 70 Mbit/s (c with z) to 70 Mbit/s (c with z). "
        "RENO, QUIC: none of 1 pairs has a number."
    )
