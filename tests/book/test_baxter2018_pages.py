"""Baxter and Simmons 2018: their claims by their own samples, and what the tables say of made-up campaigns."""

import re
from itertools import count

import pytest
from book_sample import PUBLISHED, campaign_row, tables_of

from longlook.analysis.result import CellResult
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.baxter2018 import predictions, tables
from longlook.book.baxter2018.claims import CLAIMS, evaluate
from longlook.book.baxter2018.evidence import Measured, Printed, Where, combined, interval, slope
from longlook.book.claimed import verdict
from longlook.book.times import quotient
from longlook.dataset.tables import write_tables
from longlook.experiment.registry import named
from longlook.published import baxter2018
from longlook.published.baxter2018 import NEW, QUIC, WARM
from longlook.record.samples import Sample
from longlook.stack.arms import open_sweep

SERIES = "poster-local"
CAMPAIGN = "reference-baxter-poster-local-20260101T101500"


def test_their_own_samples_deny_what_the_poster_says_and_bear_out_most_else():
    found = {claim.name[-2:]: verdict(claim.parts(Printed()), claim.of) for claim in CLAIMS}
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
def test_slopes_are_those_derived_from_their_samples(row):
    name = row["study"].rpartition("_")[2]
    added = tables.POSTER_ADDED if name == "poster" else tables.REPORT_ADDED
    series = f"{name}-{baxter2018.PLACES[row['environment']]}"
    found = slope(Printed(), series, baxter2018.BY_PROTOCOL[row["protocol"]], added)
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
    shown = plain(tables.conditions_table(SERIES, poster))
    assert "1,789 ± 715 1,612 ± 334 neither" in shown and shown.count("10 KB x 500") == 1
    assert shown.count("✗") == 1, (
        "with so little scatter the difference at 100 objects, which theirs leave open, is TCP's"
    )


def test_claims_are_judged_by_their_stopwatch_and_by_whole_loads(poster):
    found = evaluate(poster)
    first = {title: verdict(parts[0], 10) for title, parts in found.items()}
    assert first["Re-measured (reference)"].startswith("holds in 8 of 10, not in 100 objects, 500 objects")
    assert "not in 500 objects" in first["Re-measured (reference), whole load"].replace("100 objects, ", "")
    assert [bool(parts) for parts in found["Re-measured (reference)"]] == [True, True, *[False] * 6, True]


def test_predictions_about_the_stopwatch_hold_of_loads_as_theirs(poster):
    by_stamps, whole = (Measured(poster, "reference", name) for name in ("plt_by_stamps_ms", "plt_ms"))
    found = predictions.judged_poster(by_stamps, whole)
    assert [one.verdict for one in found[:9]] == ["holds"] * 9
    assert [one.verdict for one in found[9:]] == ["holds", "does not hold"]
    assert predictions.judged_vlan(by_stamps) == []


def test_what_no_whole_load_can_do_is_mostly_possible_from_the_pages_answer_on():
    found = tables.impossible()
    assert len(found) == 39 and sum(one.anyhow for one in found) == 4
    assert all(one.whole > one.images for one in found if "vlan" not in one.condition and one.arm != "QUIC")


def test_the_jitter_is_the_cause_where_it_and_the_threshold_each_matter(tmp_path):
    def loads(cell):
        large, jitter = cell.workload.total_bytes > 100_000, cell.link.jitter_sd_ms is not None
        slow = 3000 if large and jitter else 300
        return result(cell, {QUIC: (slow, slow), predictions.PATIENT: (310, 310), NEW: (400, 400)})

    cells = open_sweep("baxter-reordering").cells()
    found = predictions.judged_reordering(predictions.squares(written(tmp_path, [loads(one) for one in cells])))
    assert [one.verdict for one in found] == ["holds"] * 5
    fewer = predictions.squares(written(tmp_path, [loads(one) for one in cells[1:]]))
    assert predictions.judged_reordering(fewer) == []


def test_a_condition_is_found_by_what_it_is():
    one = Printed().summary(Where("report-vlan", corrupt_pct=10), NEW)
    assert (round(one.mean), one.n) == (289, 50)
    assert Printed().summary(Where("report-vlan"), WARM) is None
