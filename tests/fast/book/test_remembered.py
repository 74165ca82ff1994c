"""The figure of a remembered threshold, by hand-made squares."""

from types import SimpleNamespace

import pandas as pd

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import remembered
from longlook.book.muthuraj2024.remembered import ThresholdSquare
from longlook.figure.live import offline_spec
from longlook.figure.steps import COLUMNS, steps_chart

MEANS = {2: 900, 4: 800, 7: 700, 10: 650, 15: 600, 30: 450, None: 400}


def square():
    own = {at: Summary(float(mean), 20.0, 12) for at, mean in MEANS.items()}
    return ThresholdSquare("a page", Summary(690.0, 40.0, 20), own)


def test_the_figure_has_a_mean_for_each_threshold_in_order_and_a_band():
    frame = pd.DataFrame(list(remembered._rows(square())))
    assert tuple(frame.columns) == COLUMNS
    assert list(frame["step"]) == ["2", "4", "7", "10", "15", "30", "none"]
    assert (frame["band_low"] < frame["published"]).all() and (frame["published"] < frame["band_high"]).all()
    assert "threshold, packets" in str(offline_spec(steps_chart(frame, remembered.AXIS)))


def test_nothing_measured_is_said(monkeypatch):
    monkeypatch.setattr(remembered, "squares", lambda paper, key="reference": [])
    paper = SimpleNamespace()
    assert "Not measured yet" in remembered.figure(paper).data
