"""The waterfall of a square: which loads, their times packed without loss of what can be seen, a chart for them."""

import pandas as pd
import pytest
import vl_convert

from longlook.figure.heatmap import QUIC_TCP
from longlook.figure.live import VEGALITE
from longlook.figure.waterfall import loads_of, payload, waterfall

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


@pytest.mark.parametrize("bars", [1, 3])
def test_the_chart_draws_what_the_script_gives_it(bars):
    parts = [
        {"x": 0, "x2": 9, "y": 20 + one, "y2": 21 + one, "side": "left", "phase": "waits", "what": "w", "told": "t"}
        for one in range(bars)
    ]
    spec = waterfall(QUIC_TCP).to_dict() | {
        "height": 60,
        "datasets": {
            "parts": parts,
            "ends": [{"x": 9, "y": 20, "y2": 24}],
            "titles": [{"y": 10, "text": "QUIC, load 7"}],
        },
    }
    drawn = vl_convert.vegalite_to_svg(spec, vl_version=VEGALITE)
    assert drawn.count("M0,") >= bars and "QUIC, load 7" in drawn
