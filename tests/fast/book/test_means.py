"""Means side by side: a row for each page and link that has every one of them."""

from types import SimpleNamespace

from longlook.analysis.evidence import Column
from longlook.book.muthuraj2024 import means
from longlook.plan.conditions import spelled
from longlook.stack.arms import open_sweep

PAPER = SimpleNamespace(data=None, study="muthuraj2024")


def shown(monkeypatch, without=()):
    """By a column in which QUIC takes 500 ms and TCP 400, however the browser is held."""
    own = [row for row in open_sweep(means.STOPPED).rows() if row["arm"] not in without]
    rows = [spelled({**row, "metric": "plt_ms", "n": 20, "sd": 10.0, "mean": 500.0}) for row in own]
    rows = [{**row, "mean": 400.0} if row["protocol"] == "tcp" else row for row in rows]
    column = Column(lambda one: [row for row in rows if row["series"] == one])
    monkeypatch.setattr(means, "columns_of", lambda data, study: {"reference": column})
    return means.stopped(PAPER).data


def test_a_lead_is_told_of_each_way_to_hold_the_browser(monkeypatch):
    text = shown(monkeypatch)
    assert text.count("500 ± 10") == text.count("\N{MINUS SIGN}25") == 12 and text.count("period") == 2


def test_a_page_that_lacks_a_mean_is_left_out(monkeypatch):
    assert "Not measured yet" in shown(monkeypatch, without=["tcp-client-full"])
