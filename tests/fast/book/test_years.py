"""The chapter on the years: what is told of steps between milestones, and what becomes of its predictions."""

from __future__ import annotations

import dataclasses
import io

import pandas as pd
import pytest

from longlook import paths
from longlook.analysis.welch import Summary, significant
from longlook.book import data as book_data
from longlook.book.years import chart, tables
from longlook.book.years.evidence import (
    BASE,
    FIRST_HTTP3,
    CellByMilestone,
    PageAndBandwidth,
    changes,
)
from longlook.book.years.milestones import SWEEP, milestones
from longlook.stack.arms import open_sweep

MEASURED = [one.number for one in milestones() if one.stack]
PAGES = {"5kb-x1": (5120, 1), "1000kb-x1": (1_000_000, 1), "10kb-x100": (10_240, 100)}


def cell(page="1000kb-x1", mbps=10.0, quic=1000.0, tcp=1100.0, **others):
    """Ten loads of each milestone; `others`: quic_69=900.0 is another mean of one of them."""
    place = PageAndBandwidth(page, *PAGES[page], mbps)
    means = {(number, protocol): mean for number in MEASURED for protocol, mean in (("quic", quic), ("tcp", tcp))}
    for name, mean in others.items():
        protocol, number = name.split("_")
        assert (int(number), protocol) in means, name
        means[int(number), protocol] = mean
    times = {key: Summary(mean, 5.0, 10) for key, mean in means.items()}
    return CellByMilestone(place, times, {key: Summary(0.1, 0.01, 10) for key in means}, "reference-years")


def everything(**others):
    """Every page with both bandwidths."""
    small = {name: value for name, value in others.items() if value < 500}
    large = {name: value for name, value in others.items() if value >= 500}
    cells = []
    for mbps in (10.0, 100.0):
        cells += [cell("5kb-x1", mbps, quic=100.0, tcp=150.0, **small)]
        cells += [cell(page, mbps, **large) for page in ("1000kb-x1", "10kb-x100")]
    return cells


def test_the_axis_has_enough_milestones_and_each_of_the_sweep_is_one():
    assert len(milestones()) >= 14 and BASE in MEASURED
    assert {one.stack for one in milestones() if one.stack} == set(open_sweep(SWEEP).stacks())
    assert [one.released for one in milestones()] == sorted(one.released for one in milestones())


def test_what_a_milestone_was_measured_with_is_what_its_browser_can_be_made_to_offer():
    for one in milestones():
        assert not one.stack or one.version in one.spoken.speaks.split(), one


@pytest.mark.parametrize(
    ("p_values", "kept"),
    [
        ([], []),
        ([0.009], [True]),
        ([0.009, 0.5], [False, False]),
        ([0.004, 0.009], [True, True]),
        ([0.5, 0.001, 0.0045], [False, True, True]),
        ([0.0051, 0.0051], [False, False]),
        ([float("nan"), 0.001], [False, True]),
    ],
)
def test_holm(p_values, kept):
    assert significant(p_values) == kept


def test_a_change_is_told_where_it_is_and_nowhere_else():
    later = {f"tcp_{number}": 1300.0 for number in MEASURED if number >= 103}
    found = changes([cell(**later), cell("10kb-x100")])
    (changed,) = [one for one in found if one.significant]
    assert (changed.protocol, changed.before.number, changed.after.number) == ("tcp", 92, 103)
    assert [step.place.workload for step in changed.significant] == ["1000kb-x1"] and len(changed.steps) == 2
    assert changed.largest.ratio.value == pytest.approx(13 / 11)
    assert found[0] is changed


def test_ratios_are_over_the_thesis_browser_and_over_tcp():
    one = cell(quic_153=1200.0)
    assert one.to_base(153, "quic").value == pytest.approx(1.2) and one.to_base(BASE, "tcp").value == 1
    assert one.ratio(153).value == pytest.approx(1200 / 1100) and one.lead(153).verdict == "right"
    assert one.ratio(64).value == pytest.approx(1000 / 1100) and one.lead(64).verdict == "left"


def test_the_busiest_cell_is_one():
    cells = everything()
    assert [tables.is_busiest(one) for one in cells].count(True) == 1


def test_figures_say_in_words_what_they_show_and_carry_their_data():
    for figure in (chart.against_tcp(), chart.against_the_thesis()):
        assert "1 MB" in figure.alt_text and figure.downloads[0].csv.count("\n") > 100
    lines = chart.against_tcp().downloads[0].csv.splitlines()
    assert lines[0].startswith("milestone,") and any(line.startswith("Chromium 153,") for line in lines)


@pytest.mark.parametrize(("loads", "drawn"), [(2, False), (20, True)])
@pytest.mark.parametrize("figure", [chart.against_tcp, chart.against_the_thesis])
def test_an_interval_of_very_few_loads_does_not_stretch_a_figure(monkeypatch, figure, loads, drawn):
    title, found = chart.newest(book_data.load())
    for own in found:
        own.times.update({key: dataclasses.replace(one, n=loads) for key, one in own.times.items()})
    monkeypatch.setattr(chart, "newest", lambda *_: (title, found))
    shown = figure()
    assert set(pd.read_csv(io.StringIO(shown.downloads[0].csv))["drawn"]) == {drawn}
    assert (chart.FEW in shown.note) != drawn
    layers = shown.chart.to_dict()["spec"]["layer"]
    assert "resolve" not in shown.chart.to_dict()["spec"] and "scale" not in shown.chart.to_dict()["resolve"]
    (rule,) = (one for one in layers if one["encoding"].get("y2", {}).get("field") == "high")
    assert rule["transform"] == [{"filter": "datum.drawn"}]


@pytest.mark.parametrize("figure", [chart.against_tcp, chart.against_the_thesis])
def test_no_line_joins_what_two_servers_sent(figure):
    shown = figure()
    (line,) = (one for one in shown.chart.to_dict()["spec"]["layer"] if one["mark"]["type"] == "line")
    assert line["encoding"]["detail"]["field"] == "line"
    rows = pd.read_csv(io.StringIO(shown.downloads[0].csv))
    quic = rows[rows["protocol"] == "QUIC"] if "protocol" in rows else rows
    assert quic["server"].nunique() == 2 == quic["line"].nunique()
    assert (quic.groupby("line")["server"].nunique() == 1).all()


def test_release_days_are_kept_for_every_milestone():
    listed = (paths.BOOK / "years" / "released.csv").read_text().splitlines()[1:]
    assert len(listed) == len(milestones())
    assert dataclasses.is_dataclass(milestones()[0]) and FIRST_HTTP3 in MEASURED
