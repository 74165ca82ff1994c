"""Means side by side: a row for each page and link that has every one of them."""

from types import SimpleNamespace

from longlook.analysis.evidence import Column
from longlook.book.muthuraj2024 import means
from longlook.plan.conditions import spelled
from longlook.stack.arms import open_sweep

PAPER = SimpleNamespace(data=None, study="muthuraj2024")


def shown(monkeypatch, series, printed_mean=500.0, without=()):
    """By a column in which a sweep's QUIC takes 500 ms and TCP 400, without and with what it is asked for; the figures'
    published means are of QUIC."""
    own = [row for name in (series, "figure-4.6d", "figure-4.6f") for row in open_sweep(name).rows()]
    rows = [spelled({**row, "metric": "plt_ms", "n": 20, "sd": 10.0, "mean": 500.0}) for row in own]
    rows = [{**row, "mean": 400.0} if row["protocol"] == "tcp" else row for row in rows]
    measured = [row for row in rows if row["workload"] not in without]
    printed = [{**row, "mean": printed_mean} if row["protocol"] == "quic" else row for row in rows]
    columns = {key: Column(lambda one, own=own: [row for row in own if row["series"] == one]) for key, own in
               (("reference", measured), ("published", printed))}  # fmt: skip
    monkeypatch.setattr(means, "columns_of", lambda data, study: columns)
    return means.stopped(PAPER).data if series == means.STOPPED else means.one_cost(PAPER, series).data


def test_a_lead_is_told_of_each_way_to_hold_the_browser(monkeypatch):
    text = shown(monkeypatch, means.STOPPED)
    assert text.count("500 ± 10") == text.count("\N{MINUS SIGN}25") == 12 and text.count("period") == 2


def test_what_meets_the_published_mean_is_marked_and_a_page_that_lacks_one_left_out(monkeypatch):
    assert shown(monkeypatch, means.QUICV1).count("✓") == 8 * 3
    assert "✓" not in shown(monkeypatch, means.QUICV1, 900.0)
    assert shown(monkeypatch, means.QUICV1, without=["5kb-x200"]).count("✓") == 4 * 3
