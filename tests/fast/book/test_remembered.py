"""What became of the predictions about a remembered threshold, by hand-made squares; and the figure of them."""

from types import SimpleNamespace

import pandas as pd
import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import remembered
from longlook.book.muthuraj2024.remembered import ThresholdSquare
from longlook.figure.live import offline_spec
from longlook.figure.steps import COLUMNS, steps_chart

MEANS = {2: 900, 4: 800, 7: 700, 10: 650, 15: 600, 30: 450, None: 400}


def square(means=MEANS, published=690.0, lossy=True, sd=20.0, without_sd=100.0):
    known = Summary(published, 40.0, 20)
    own = {at: Summary(float(mean), without_sd if at is None else sd, 12) for at, mean in means.items()}
    return ThresholdSquare("a page", lossy, known, own)


def test_a_mean_that_falls_with_every_step_is_as_predicted_and_one_that_rises_once_is_not():
    found = remembered._falls([square()] * 2)
    assert found.found == "12 of 12 steps to the next threshold fall; from the lowest to none 2 of 2" and found.holds
    assert not remembered._falls([square(), square(MEANS | {7: 810})]).holds


def test_loads_scatter_less_or_not():
    found = remembered._steadier([square()])
    assert found.found == "4 of 4 means with 4 to 15 packets scatter less" and found.holds
    assert not remembered._steadier([square(), square(sd=300.0)]).holds


def test_one_threshold_must_meet_enough_squares_and_none_of_it_few():
    met, missed = square(), square(published=2000.0)
    assert remembered._one_threshold([met] * 6 + [missed] * 2).holds
    assert not remembered._one_threshold([met] * 5 + [missed] * 3).holds
    unneeded = square(published=400.0)  # met without a threshold
    assert not remembered._one_threshold([met] * 5 + [unneeded] * 3).holds


def test_different_thresholds_for_different_squares_are_not_one():
    others = [square(published=float(MEANS[at])) for at in (7, 10, 15, 7, 10, 15, 7, 10)]
    assert not remembered._one_threshold(others).holds


@pytest.mark.parametrize(
    ("published", "holds"), [(400.0, True), (690.0, False), (2000.0, False)], ids=["none", "few", "neither"]
)
def test_without_loss_few_packets_must_miss(published, holds):
    assert remembered._not_without_loss([square(published=published, lossy=False)]).holds is holds


def test_a_square_that_is_not_published_is_never_inside():
    assert not ThresholdSquare("a page", True, None, {None: Summary(1.0, 1.0, 12)}).inside(None)
    assert not square().inside(99)


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
    assert remembered.predictions(paper) == ()
