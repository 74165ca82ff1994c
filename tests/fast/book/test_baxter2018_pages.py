"""Baxter and Simmons 2018: their claims by their own samples, and what the tables say of made-up campaigns."""

import re
from itertools import count

import pytest
from book_sample import PUBLISHED, campaign_row, tables_of

from longlook.analysis.estimate import combined, interval, quotient
from longlook.analysis.result import CellResult
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.baxter2018 import tables
from longlook.book.evidence import columns_of
from longlook.book.judged import claim_columns, judged_of, predictions_of
from longlook.book.registry import predicted
from longlook.dataset.tables import write_tables
from longlook.experiment.registry import named
from longlook.figure import style
from longlook.figure.squares import PUBLISHED as THEIRS
from longlook.published import baxter2018
from longlook.published.baxter2018 import METRIC, NEW, QUIC, STUDY, WARM
from longlook.record.samples import Sample
from longlook.stack.arms import open_sweep

SERIES, PATIENT = "poster-local", "quic 1000"
CAMPAIGN = "reference-baxter-poster-local-20260101T101500"


def verdicts(data, title):
    """By the end of a claim's id."""
    judged = claim_columns(STUDY, data)[title]
    return {one.newest.criterion.id[-2:]: one.verdict for one in judged if one.parts}


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """Nothing is measured."""
    return book_data.read(PUBLISHED, tmp_path_factory.mktemp("nothing"))


def test_their_own_samples_deny_what_the_poster_says_and_bear_out_most_else(theirs):
    found = verdicts(theirs, THEIRS.title)
    assert found == {
        "01": "holds in 8 of 10, not in 500 objects, open in 100 objects",
        "02": "holds",
        "03": "holds in 17 of 19, open in 100 ms added, 5 x 5 KB",
        "05": "holds in 8 of 10, not in 1 Mbit/s from us-west-1, open in 1 Mbit/s from Victoria",
        "06": "holds",
        "07": "holds",
        "08": "holds",
        "09": "holds in 1 of 3, not in from Victoria, from us-west-1",
        "10": "holds",
    }


@pytest.mark.parametrize("row", [row for row in baxter2018.slopes() if "all points" in row["statistic"]], ids=str)
def test_slopes_are_those_derived_from_their_samples(row, theirs):
    name = row["study"].rpartition("_")[2]
    series = f"{name}-{baxter2018.PLACES[row['environment']]}"
    arm = baxter2018.BY_PROTOCOL[row["protocol"]]
    found = tables._slope(columns_of(theirs, STUDY)["published"], series, arm, METRIC)
    assert found.mean == pytest.approx(float(row["value"]), abs=0.0006)


def test_sums_and_quotients_have_the_errors_of_their_parts():
    a, b = Summary(100, 6, 9), Summary(50, 4, 16)
    both = combined((1, -1), (a, b))
    assert both.mean == 50 and both.sd / both.n**0.5 == pytest.approx((2**2 + 1**2) ** 0.5)
    assert interval(both).low == pytest.approx(50 - 2.576 * 5**0.5)
    one = quotient((a, b), (a, b))
    assert one.value == pytest.approx(1) and one.low * one.high == pytest.approx(1) and one.low < 1 < one.high


def written(root, results, sweep="baxter-poster-local"):
    row = campaign_row(CAMPAIGN, "reference", sweep, len(results)) | {"study": "baxter2018"}
    write_tables(root / "processed", tables_of(results, [row]))
    return book_data.read(PUBLISHED, root / "processed")


def result(cell, means):
    """A cell whose arms have three loads each of a mean by their stopwatch, and one of whole loads."""
    orders = count()
    samples = [
        Sample(
            arm, index, 0, next(orders), True, False, None, False, None,
            {"plt_by_stamps_ms": by_stamps + off, "plt_ms": whole + off},
        )
        for arm, (by_stamps, whole) in means.items()
        for index, off in ((1, -1.0), (2, 0.0), (3, 1.0))
    ]  # fmt: skip
    return CellResult(CAMPAIGN, named("plt", "sample"), (cell,), tuple(samples))


def as_published(one):
    """Loads as theirs, with the round trips before them that their stopwatch leaves out."""
    cell = next(cell for cell in open_sweep(f"baxter-{one.table}").cells() if cell.key == one.cell.key)
    quic, new, rtt = one.arms[QUIC].mean, one.arms[NEW].mean, one.cell.link.rtt_ms
    return result(cell, {QUIC: (quic, quic + rtt), NEW: (new, new + 3 * rtt), WARM: (new, new + rtt)})


@pytest.fixture(scope="module")
def poster(tmp_path_factory):
    known = [as_published(one) for one in baxter2018.poster() if one.table == SERIES]
    return written(tmp_path_factory.mktemp("baxter"), known)


def plain(html):
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html.data.replace("\N{NO-BREAK SPACE}", " ")))


def test_loads_as_theirs_agree_with_theirs(poster):
    text = plain(tables.agreement_table(poster))
    assert "21 of 21 42 of 42 (100 %) 21 of 21 (100 %) 21 of 21 (100 %)" in text


def test_claims_are_judged_by_their_stopwatch_and_by_whole_loads(poster):
    first = verdicts(poster, "Re-measured (reference)")
    assert first["01"].startswith("holds in 8 of 10, not in 100 objects, 500 objects")
    whole = verdicts(poster, "Re-measured (reference), whole load")["01"]
    assert "not in 500 objects" in whole.replace("100 objects, ", "")
    assert list(first) == ["01", "02", "10"]


def test_predictions_about_the_stopwatch_hold_of_loads_as_theirs(poster):
    found = judged_of("baxter-poster-local", poster)
    assert [one.holds for one in found] == [*[True] * 10, False]
    assert judged_of("baxter-poster-vlan", poster) == []
    assert predicted("baxter-poster-vlan", data=poster).data == style.NOTHING_YET


def test_what_no_whole_load_can_do_is_mostly_possible_from_the_pages_answer_on():
    found = tables.impossible()
    assert len(found) == 39 and sum(one.anyhow for one in found) == 4
    assert all(one.whole > one.images for one in found if "vlan" not in one.series and one.arm != "QUIC")


def test_the_jitter_is_the_cause_where_it_and_the_threshold_each_matter(tmp_path):
    def loads(cell):
        large, jitter = cell.workload.total_bytes > 100_000, cell.link.jitter_sd_ms is not None
        slow = 3000 if large and jitter else 300
        return result(cell, {QUIC: (slow, slow), PATIENT: (310, 310), NEW: (400, 400)})

    cells = open_sweep("baxter-reordering").cells()
    found = judged_of("baxter-reordering", written(tmp_path, [loads(one) for one in cells], "baxter-reordering"))
    assert [one.holds for one in found] == [True] * 5
    fewer = judged_of("baxter-reordering", written(tmp_path, [loads(one) for one in cells[1:]], "baxter-reordering"))
    assert [one.holds for one in fewer] == [*[True] * 4, None], "a square that is not measured is open"
    lines = predictions_of("baxter-reordering", book_data.read(PUBLISHED, tmp_path / "processed"))
    assert "1 of 2 not measured" in lines[-1].found


def test_a_condition_is_found_by_what_it_is(theirs):
    column = columns_of(theirs, STUDY)["published"]
    one = column.summary("report-vlan", NEW, METRIC, corrupt_pct=10)
    assert (round(one.mean), one.n) == (289, 50)
    assert column.summary("report-vlan", WARM, METRIC) is None
