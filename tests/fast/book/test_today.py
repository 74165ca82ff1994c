"""The claims of the thesis by year, and the tables of the software of 2026."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from longlook import paths
from longlook.book import data as book_data
from longlook.book.value import NOT_YET
from longlook.book.years import conclusions, today
from longlook.book.years.conclusions import OLD, TODAY, YEARS, planned
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
    found = conclusions.parts(empty)
    assert {one for year in YEARS for one in found[year] if isinstance(one, str)} == {
        "what the others are held against",
        "its server has a static one only",
        "its server has no BBR",
    }
    assert not any(one for year in YEARS for one in found[year] if not isinstance(one, str))
    assert NOT_YET in conclusions.table(empty).data


def test_the_campaigns_of_this_copy_decide_for_2017_and_2024():
    found, of = conclusions.parts(book_data.load()), [one.parts for one in conclusions.claims().claims]
    for year, reasons in (("2017", 4), ("2024", 1)):
        told = [(own, all_of) for own, all_of in zip(found[year], of, strict=True) if not isinstance(own, str)]
        assert len(told) == len(of) - reasons
        assert all(len(own) == all_of for own, all_of in told), year
    added = found["2024"][0]
    assert [part.name for part in added] == ["4.6b", "4.6c", "4.6e", "4.6f"]
    assert added[1].numbers == "QUIC faster in 7 of 7, TCP in 0"


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


def test_leads_stand_in_per_cent_and_ms_and_in_brackets_where_they_are_not_told(monkeypatch, empty):
    places = {"rtt_ms": 36.0, "loss_pct": 1.0, "object_count": 1, "object_bytes": 5120, "cell_id": ["a", "b"]}
    found = frame("left", "none", lead=71.0).assign(**places)
    monkeypatch.setattr(today, "leads", lambda _data, versus: found if versus != conclusions.BBR else found[:1])
    table = today.lead_table(empty).data
    assert table.count("+71 %, 71 ms") == 5 and table.count("(+71 %, 71 ms)") == 2
    assert "loss 1 % (0.5 % each way)" in table and style.DASH in table


def test_first_flights_stand_beside_the_times(monkeypatch, empty):
    asked = [Flight("c119", "119.0.6045.0", 1, 1250, 517), Flight("c133x25519", "133.0.6943.0", 2, 2500, 1787)]
    monkeypatch.setattr(today, "read", lambda _path: asked)
    table = today.flight_table(empty).data
    assert "Chromium 133, without a post-quantum key share" in table and "2,500" in table and "1,787" in table
    assert math.ceil(1787 / today.SEGMENT_BYTES) == 2 and ">2</td>" in table
