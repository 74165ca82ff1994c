"""The waterfall of a square: which loads, their times packed without loss of what can be seen, a chart for them."""

import re
from itertools import pairwise

import pandas as pd
import pytest

from longlook.figure.heatmap import QUIC_TCP
from longlook.figure.live import svg
from longlook.figure.style import SIDE_COLOURS
from longlook.figure.waterfall import BAR_PX, MOST_NAMED, NAMED_PX, DrawnLoad, loads_of, payload, picture

PLACE = {"campaign": "c", "cell_id": "cell"}
SQUARES = pd.DataFrame([PLACE | {"square": "s", "raw": "data/raw/c/cell", "source_title": "Re-measured"}])
OBJECTS = pd.DataFrame(
    [
        PLACE | {"arm": arm, "index": index, "started_ms": start, "answered_ms": start + 40.04, "ended_ms": end}
        for arm, index, start, end in (("quic", 7, 0.0, 42.7), ("quic", 7, 47.0, 94.28), ("tcp", 3, 0.0, 120.0))
    ]
)
SAMPLES = pd.DataFrame(
    [
        PLACE | {"arm": arm, "index": index, "metric": "plt_ms", "accepted": accepted, "value": value}
        for arm, index, accepted, value in (
            ("quic", 7, False, 999.0), ("quic", 7, True, 95.123), ("tcp", 3, True, 121.0)
        )
    ]
)  # fmt: skip


def test_each_side_has_its_load_in_tenths_of_a_millisecond():
    both = loads_of(OBJECTS, SAMPLES, SQUARES, QUIC_TCP)["s"]
    assert both["left"] == {
        "index": 7, "value": 95.1, "source": "Re-measured", "times": [0, 400, 27, 470, 400, 73]
    }  # fmt: skip
    assert both["right"]["times"] == [0, 400, 800]


def test_a_square_that_lacks_a_side_or_its_times_has_no_waterfall():
    assert loads_of(OBJECTS[OBJECTS["arm"] == "quic"], SAMPLES, SQUARES, QUIC_TCP) == {}
    assert payload(OBJECTS.assign(answered_ms=float("nan")), SAMPLES, SQUARES, QUIC_TCP) is None
    assert payload(OBJECTS, SAMPLES, SQUARES.assign(raw=""), QUIC_TCP) is None


def drawn(name, side, number, path="/img/{}.jpg"):
    """Objects that are asked for 10 ms after each other, wait 40 ms, arrive in 20."""
    rows = [
        {"path": path.format(one), "started_ms": 10 * one, "answered_ms": 10 * one + 40, "ended_ms": 10 * one + 60}
        for one in range(number)
    ]
    return DrawnLoad(name, side, 10 * number + 60, rows)


BAR = re.compile(r'<path d="M([\d.]+),([\d.]+)h([\d.]+)v([\d.]+)h-[^"]*" fill="(#\w+)"(?: opacity="([\d.]+)")?')


@pytest.mark.parametrize("number", [3, MOST_NAMED + 1])
def test_each_load_has_its_bars_in_their_order_and_its_name_above_them(number):
    spec = picture([drawn("QUIC, load 7: 95 ms", "left", number), drawn("TCP, load 3: 121 ms", "right", number)], 340)
    shown = svg(spec)
    bars = [(*(float(part or 1) for part in (*one[:4], one[5])), one[4]) for one in BAR.findall(shown)]
    for place, colour in enumerate(SIDE_COLOURS.values()):
        pale, full = ([one for one in bars if one[5] == colour and (one[4] < 1) == waits] for waits in (True, False))
        assert len(pale) == len(full) == number, (place, shown[:500])
        assert {round(one[2] / pale[0][2], 2) for one in pale} == {1}
        assert {round(one[2] / pale[0][2], 2) for one in full} == {0.5}, "it waits twice as long as it arrives"
        for waits, arrives in zip(pale, full, strict=True):
            assert waits[0] + waits[2] == pytest.approx(arrives[0], abs=0.01)
            assert waits[1] == arrives[1]
        steps = {round(after[1] - before[1], 2) for before, after in pairwise(full)}
        assert steps == {NAMED_PX if number <= MOST_NAMED else round(BAR_PX["all"] / number, 2)}
    assert shown.index("QUIC, load 7: 95 ms") < shown.index("TCP, load 3: 121 ms")
    assert shown.count("2. 1.jpg") == (2 if number <= MOST_NAMED else 0)


def test_loads_stand_in_their_order_whatever_they_are_called():
    shown = svg(picture([drawn("z", "left", 2), drawn("load a", "right", 3)], 340))
    left, right = (
        [float(one[1]) for one in BAR.findall(shown) if one[4] == colour] for colour in SIDE_COLOURS.values()
    )
    assert (len(left), len(right)) == (4, 6) and shown.index(">z<") < shown.index(">load a<")


def test_objects_of_one_name_have_a_bar_each_and_a_name_is_text():
    shown = svg(picture([drawn("a <b> load", "left", 3, path="/x{}/<script>")], 340))
    assert "<script" not in shown and "&lt;script&gt;" in shown and "<b>" not in shown
    assert len(BAR.findall(shown)) == 6
