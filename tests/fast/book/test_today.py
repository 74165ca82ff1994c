"""The claims of the thesis by year, and what becomes of the predictions of 2026."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from longlook import paths
from longlook.analysis.fairness import ratio_of_runs
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.claimed import ClaimPart
from longlook.book.flows import Contest, Share
from longlook.book.value import NOT_YET
from longlook.book.years import conclusions, early, today_predicted, today_shown
from longlook.book.years.conclusions import OLD, TODAY, YEARS, Row, planned
from longlook.experiment.flights import Flight
from longlook.figure import style
from longlook.stack.arms import open_sweep


def squares_of_sweep(figure):
    return {(cell.workload.id_part, cell.link.bandwidth_mbps) for cell in open_sweep(f"figure-{figure}").cells()}


@pytest.mark.parametrize("figure", list(TODAY))
def test_every_square_of_2026_is_one_of_the_thesis_s_figure(figure):
    series, _ = TODAY[figure]
    assert planned()[series] <= squares_of_sweep(figure)
    if figure in OLD:
        assert planned()[series] <= squares_of_sweep(OLD[figure])


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    return book_data.read(paths.PUBLISHED, tmp_path_factory.mktemp("empty"))


def test_without_campaigns_nothing_is_decided(empty):
    for row in conclusions.rows(empty):
        assert all(isinstance(own, str) or not own for own in row.parts.values()), row.text
        assert {row.said(year) for year in YEARS} <= {
            NOT_YET,
            "what the others are held against",
            "its server has a static one only",
            "its server has no BBR",
        }
    assert NOT_YET in conclusions.table(empty).data
    assert "Not measured yet" in today_shown.lead_table(empty).data
    assert "Not measured yet" in today_predicted.table(empty).data
    assert "Not measured yet" in early.table(empty).data


def test_the_campaigns_of_this_copy_decide_for_2017_and_2024():
    found = conclusions.rows(book_data.load())
    for year, reasons in (("2017", 4), ("2024", 1)):
        told = [row for row in found if not isinstance(row.parts[year], str)]
        assert len(told) == len(found) - reasons
        assert all(len(row.parts[year]) == row.of for row in told), year
    added = found[0].parts["2024"]
    assert [part.name for part in added] == ["4.6b", "4.6c", "4.6e", "4.6f"]
    assert added[1].numbers == "QUIC faster in 7 of 7, TCP in 0"


def test_a_verdict_says_how_many_parts_are_missing():
    row = Row("", "", {"2026": [ClaimPart("4.6b", "", True)]}, 4)
    assert row.said("2026") == "holds (1 of 4 parts)"


def frame(*verdicts, lead=100.0, bandwidths=(10.0, 100.0), page="5kb-x1"):
    """A square per verdict, each of another page or bandwidth."""
    places = [(f"{page}{'' if index < 2 else index}", bandwidths[index % 2]) for index in range(len(verdicts))]
    return pd.DataFrame(
        {
            "workload": [workload for workload, _ in places], "bandwidth_mbps": [mbps for _, mbps in places],
            "verdict": list(verdicts), "left_mean": 100.0, "right_mean": 100.0 + lead, "p_value": 0.001,
            "object_bytes": 10_000_000, "pct_diff": lead,
        }
    )  # fmt: skip


def squares(**figures):
    """`a=...` is figure 4.6a, `x14a` 4.14a, `x11b` 4.11b; the others are empty."""
    named = {(f"4.{name[1:]}" if name.startswith("x") else f"4.6{name}"): own for name, own in figures.items()}
    return lambda figure: named.get(figure, frame())


def verdicts(found):
    return [one.holds for one in found]


LEFT, NONE, RIGHT = ["left"], ["none"], ["right"]


@pytest.mark.parametrize(
    ("now", "holds"),
    [(LEFT * 7, True), (LEFT * 5 + NONE * 2, True), (LEFT * 4 + NONE * 3, False), (LEFT * 6 + RIGHT, False)],
)
def test_verdicts_as_in_2024(now, holds):
    then = squares(a=frame(*LEFT * 7), d=frame(*LEFT * 6))
    unasked = {"a": frame(*LEFT * 7), "d": frame(*LEFT * 6)}
    found = today_predicted.of_near(squares(a=frame(*now), d=frame(*LEFT * 6)), then, unasked)
    assert verdicts(found) == [holds, True]


def test_one_square_of_tcp_is_enough_against_an_untouched_server():
    both = squares(a=frame(*LEFT * 7), d=frame(*LEFT * 6))
    unasked = {"a": frame(*LEFT * 6 + RIGHT), "d": frame(*LEFT * 6)}
    assert verdicts(today_predicted.of_near(both, both, unasked)) == [True, False]


def with_100_kb(lead, lead_of_100_kb):
    return pd.concat([frame(*LEFT * 2, lead=lead), frame(*LEFT * 2, lead=lead_of_100_kb, page="100kb-x1")])


@pytest.mark.parametrize(
    ("smallest", "small", "holds"), [(220.0, 400.0, True), (180.0, 400.0, False), (220.0, 210.0, False)]
)
def test_a_lead_grows_by_two_round_trips(smallest, small, holds):
    now = squares(a=with_100_kb(70.0, 120.0), c=with_100_kb(smallest, small), f=frame(*LEFT * 6))
    assert verdicts(today_predicted.of_far(now)) == [True, holds]


def test_under_loss_what_scatters_is_not_expected_to_be_significant():
    bbr = {"x14b": frame(*LEFT * 6), "x14e": frame(*LEFT * 6)}
    found = today_predicted.of_loss(squares(b=frame(*LEFT * 6), e=frame(*LEFT + NONE * 5), **bbr))
    assert verdicts(found) == [True, True, True]
    found = today_predicted.of_loss(squares(b=frame(*NONE * 6), e=frame(*LEFT * 6), **bbr))
    assert verdicts(found) == [False, False, True]


def test_under_jitter():
    large = {"bandwidths": (100.0, 100.0), "page": "10000kb-x1"}
    kinds = frame(*LEFT, lead=60.0)
    bbr = {"x15b": frame(*LEFT * 6), "x15d": frame(*LEFT * 3 + NONE)}
    now = squares(x11b=frame(*RIGHT, lead=-40.0, **large), **bbr)
    old = squares(x11b=frame(*RIGHT, lead=-70.0, **large))
    assert verdicts(today_predicted.of_jitter(now, old, kinds)) == [True] * 3
    assert verdicts(today_predicted.of_jitter(old, now, frame(*NONE))) == [False, False]


def contest(label, quic, tcp):
    shares = (Share("quic1", "quic", Summary(quic, 0.01, 5)), Share("tcp1", "tcp", Summary(tcp, 0.01, 5)))
    return Contest(label, shares, ratio_of_runs([(quic * factor, tcp) for factor in (0.99, 1.0, 1.01)]))


def test_shares_with_two_connections_and_with_one():
    two, one = contest("QUIC vs TCP", 3.7, 1.2), contest("QUIC (N=1) vs TCP", 2.5, 2.4)
    assert verdicts(today_predicted.of_share([two, one])) == [True, True]
    assert verdicts(today_predicted.of_share([two, contest("QUIC (N=1) vs TCP", 3.6, 1.3)])) == [True, False]
    assert verdicts(today_predicted.of_share([two])) == [True] and today_predicted.of_share([]) == []


def test_leads_stand_in_per_cent_and_ms_and_in_brackets_where_they_are_not_told(monkeypatch, empty):
    places = {"rtt_ms": 36.0, "loss_pct": 1.0, "object_count": 1, "object_bytes": 5120, "cell_id": ["a", "b"]}
    found = frame("left", "none", lead=71.0).assign(**places)
    monkeypatch.setattr(today_shown, "leads", lambda _data, versus: found if versus != conclusions.BBR else found[:1])
    table = today_shown.lead_table(empty).data
    assert table.count("+71 %, 71 ms") == 5 and table.count("(+71 %, 71 ms)") == 2
    assert "loss 1 % (0.5 % each way)" in table and style.DASH in table


def test_first_flights_stand_beside_the_times(monkeypatch, empty):
    asked = [Flight("c119", "119.0.6045.0", 1, 1250, 517), Flight("c133x25519", "133.0.6943.0", 2, 2500, 1787)]
    monkeypatch.setattr(today_shown, "read", lambda _path: asked)
    table = today_shown.flight_table(empty).data
    assert "Chromium 133, without a post-quantum key share" in table and "2,500" in table and "1,787" in table
    assert math.ceil(1787 / today_shown.SEGMENT_BYTES) == 2 and ">2</td>" in table
