"""The figure of a cost per request, by hand-made squares."""

from types import SimpleNamespace

import pandas as pd

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import request_cost
from longlook.book.muthuraj2024.request_cost import AXIS, CostSquare, _rows
from longlook.figure.live import offline_spec
from longlook.figure.steps import COLUMNS, LOADS, steps_chart

COSTS = (None, 100, 200, 400, 800, 1600)
PLAIN = [340.0, 350.0, 360.0] * 4


def loads(*early):
    """Twelve loads a cost, so many of them 500 ms slower; each with its work of 100 requests."""
    return {
        cost: [one + (cost or 0) / 10 + (500 if at < slow else 0) for at, one in enumerate(PLAIN)]
        for cost, slow in zip(COSTS, early, strict=True)
    }


def square(*early):
    return CostSquare("100 objects", Summary(727.0, 39.0, 20), loads(*early))


def test_the_figure_has_every_load_and_a_mean_for_each_cost():
    one = square(0, 1, 3, 5, 9, 12)
    frame = pd.DataFrame(list(_rows(one)))
    each = pd.DataFrame([("100 objects", "none", 340.0)], columns=LOADS)
    assert tuple(frame.columns) == COLUMNS and list(frame["step"]) == ["none", "100", "200", "400", "800", "1600"]
    assert "cost per request" in str(offline_spec(steps_chart(frame, AXIS, each)))


def test_nothing_measured_is_said(monkeypatch):
    monkeypatch.setattr(request_cost, "squares", lambda paper, series: [])
    assert "Not measured yet" in request_cost.figure(SimpleNamespace(), request_cost.QUICV1).data
