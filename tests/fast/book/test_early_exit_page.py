"""The two rules against pages whose loads are known: what each is right about, and how it is shown."""

from types import SimpleNamespace

import pytest

from longlook.analysis.early_exit import RULES
from longlook.book.muthuraj2024 import early_exit
from longlook.book.muthuraj2024.early_exit import EarlyExitPage, right
from longlook.figure.live import offline_spec

ALL, BEYOND = RULES


def page(cost_us, early, rtt_ms=36.0, seen=False, stack="gQUIC"):
    return EarlyExitPage(stack, "a page", 100, float(cost_us), rtt_ms, early, 20, seen)


@pytest.mark.parametrize(
    ("cost_us", "early", "by_all", "by_beyond"),
    [(0, 0, True, True), (200, 0, False, True), (200, 20, True, False), (500, 20, True, True), (500, 10, False, False)],
)
def test_a_rule_is_right_where_it_tells_what_most_loads_did(cost_us, early, by_all, by_beyond):
    one = page(cost_us, early)
    assert (one.is_right(ALL), one.is_right(BEYOND)) == (by_all, by_beyond)


def test_right_ones_are_counted():
    assert right([page(200, 0), page(500, 20), page(500, 0)], BEYOND) == "2 of 3"


@pytest.fixture
def paper(monkeypatch):
    found = [page(200, 0, seen=True), page(500, 20), page(500, 0, 112.0, stack="QUIC v1")]
    monkeypatch.setattr(early_exit, "pages", lambda paper: found)
    return SimpleNamespace()


def test_the_counts_have_what_was_seen_and_what_was_not(paper):
    counts = early_exit.counts(paper).data
    assert (
        counts.count("<tr>") == 4
        and "0 of 1" in counts
        and "right by “never”" in counts
        and "request-cost" in counts
        and "one-cost" in counts
    )


def test_the_figure_says_its_result(paper):
    chart = early_exit.figure(paper)
    assert f"by {ALL} 1 of 3 pages are as predicted; by {BEYOND} 3 of 3" in chart.alt_text
    spec = str(offline_spec(chart.chart))
    assert "gQUIC, one-cost" in spec and "gQUIC, request-cost" in spec
