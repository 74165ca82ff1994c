"""The figures of a cost per request and of a remembered threshold."""

from types import SimpleNamespace

from longlook.analysis.evidence import Column
from longlook.book.muthuraj2024 import steps
from longlook.figure.live import offline_spec
from longlook.plan.conditions import spelled
from longlook.stack.arms import open_sweep

PAPER = SimpleNamespace(data=None, study="muthuraj2024")


def columns_of(series, loads):
    """A column whose arms of a sweep all have these loads, and one with a published page."""
    rows = [{**row, "metric": "plt_ms", "n": len(loads)} for row in open_sweep(series).rows()]
    known = [spelled({**rows[0], "mean": 350.0, "sd": 10.0, "n": 20})]
    column = Column(lambda one: rows if one == series else [], lambda row: loads)
    nothing = Column(lambda one: [])
    return {"reference": column, "yours": nothing, "published": Column(lambda one: known if one == "4.6d" else [])}


def test_a_page_has_its_steps_in_order_and_the_figure_every_load(monkeypatch):
    monkeypatch.setattr(steps, "columns_of", lambda data, study: columns_of(steps.QUICV1, (340.0, 350.0, 360.0)))
    found = steps.pages(PAPER, steps.QUICV1)
    assert len(found) == 8 and list(found[0].loads) == ["none", "100", "200", "400", "800", "1600"]
    assert sum(one.published is not None for one in found) == 1
    chart = steps.figure(PAPER, steps.QUICV1)
    assert "cost per request" in (spec := str(offline_spec(chart.chart))) and "340" in spec


def test_without_a_threshold_is_the_last_step(monkeypatch):
    monkeypatch.setattr(steps, "columns_of", lambda data, study: columns_of(steps.REMEMBERED, (340.0, 350.0)))
    found = steps.pages(PAPER, steps.REMEMBERED)
    assert len(found) == 10 and list(found[0].loads) == ["2", "4", "7", "10", "15", "30", "none"]
    assert found[0].title.endswith("; 0.5 % loss each way") and found[-1].title.endswith("; no loss")
    assert "threshold, packets" in str(offline_spec(steps.figure(PAPER, steps.REMEMBERED).chart))


def test_what_is_measured_once_or_not_at_all_is_no_page(monkeypatch):
    monkeypatch.setattr(steps, "columns_of", lambda data, study: columns_of(steps.QUICV1, (340.0,)))
    assert steps.pages(PAPER, steps.QUICV1) == []
    assert "Not measured yet" in steps.figure(PAPER, steps.QUICV1).data
