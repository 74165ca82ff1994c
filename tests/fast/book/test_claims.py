"""The table of the thesis's claims: the same criterion for published and re-measured numbers, and nothing claimed
without data."""

import re

import pytest
from book_sample import PUBLISHED, campaign_row, tables_of, write_sample
from transfers_sample import together

from longlook.analysis.newest import STUDY
from longlook.analysis.quantifier import decided
from longlook.book import data as book_data
from longlook.book.claimed import ClaimPart, verdict
from longlook.book.flows import contests
from longlook.book.judged import claim_columns, claims
from longlook.dataset.tables import write_tables


def column(data, title):
    """Claim -> parts in one column."""
    return {one.newest.criterion.says: list(one.parts) for one in claim_columns(STUDY, data)[title]}


@pytest.mark.parametrize(
    ("holds", "of", "says"),
    [
        ([True, True], 2, "holds"),
        ([True, False], 2, "holds in 1 of 2, not in b"),
        ([True, False, False], 3, "holds in 1 of 3, not in b, c"),
        ([True, False, None], 3, "holds in 1 of 3, not in b, open in c"),
        ([False, None], 2, "holds in 0 of 2, not in a, open in b"),
        ([False, False], 2, "does not hold"),
        ([None], 1, "open"),
        ([True], 2, "holds (1 of 2 parts)"),
        ([False], 2, "does not hold (1 of 2 parts)"),
    ],
)
def test_one_rule_makes_the_verdict_of_every_claim(holds, of, says):
    """It holds if it holds in each part; else it is said in how many, and which they are."""
    parts = [ClaimPart(name, "", one) for name, one in zip("abc", holds, strict=False)]
    assert verdict(parts, of) == says


@pytest.mark.parametrize(
    ("campaigns", "of", "says"),
    [
        ([(True, True), (True, True)], 2, "holds"),
        ([(True, True), (False, True)], 2, "holds in 1 of 2, campaigns disagree in b"),
        (
            [(True, False), (False, False), (None, None)],
            3,
            "holds in 0 of 3, not in b, open in c, campaigns disagree in a",
        ),
        ([(None, True)], 1, "holds in 1 of 2 campaigns"),
        ([(None, False)], 1, "does not hold"),
        ([(True, False, True)], 2, "holds in 0 of 1, campaigns disagree in a (1 of 2 parts)"),
    ],
)
def test_a_part_of_a_claim_counts_by_every_campaign(campaigns, of, says):
    parts = [ClaimPart(name, "", now, tuple(before)) for name, (now, *before) in zip("abc", campaigns, strict=False)]
    assert verdict(parts, of) == says


@pytest.mark.parametrize(
    ("holding", "other", "opposite", "of", "holds"),
    [(11, 10, 0, 21, True), (10, 11, 0, 21, False), (20, 0, 1, 21, False), (9, 9, 0, 18, False), (11, 9, 0, 21, None)],
)
def test_most_squares_are_more_than_half_and_one_opposite_is_enough_against_them(holding, other, opposite, of, holds):
    assert decided("most", [True] * holding + [False] * (other + opposite), of, opposite) is holds


def test_published_numbers_are_held_to_the_criteria_too(tmp_path):
    data = book_data.read(PUBLISHED, tmp_path)
    assert list(claim_columns(STUDY, data)) == ["Published"]
    found = column(data, "Published")
    both = found["What QUIC gains over TCP is the same in both versions"]
    counts = [re.fullmatch(r"same verdict in (\d+) of (\d+), opposite ones in (\d)", part.numbers) for part in both]
    assert [sum(int(count[place]) for count in counts) for place in (1, 2, 3)] == [96, 114, 1]
    assert [part.name for part in both if not part.holds] == ["4.6a/4.5a"] and len(both) == 6
    jitter = found["Under jitter QUIC v1 does better than gQUIC v37"]
    assert (
        jitter[0].text == "10 Mbit/s: gQUIC −60 %, QUIC v1 −12 %"
        and all(part.holds for part in jitter)
        and len(jitter) == 3
    )
    assert (
        found["QUIC CUBIC with N = 2 takes more than its share beside one TCP flow"][0].text
        == "QUIC v1: 3.02 (2.21 to 4.11) times TCP's rate, 5 runs: QUIC has more"
    )
    many = next(parts for text, parts in found.items() if "many small objects" in text)
    assert [part.numbers for part in many] == [f"QUIC faster in 0 of 4, TCP in {count}" for count in (2, 3)]
    near = next(parts for text, parts in found.items() if "within 10 %" in text)
    assert [(part.numbers, part.holds) for part in near] == [
        ("within ten points in 6 of 7, at most 10 apart", False),
        ("within ten points in 6 of 6, at most 6 apart", True),
    ]
    assert found["With BBR, QUIC is faster than TCP"] == [] == found["With N = 1 it does not"]


def test_what_is_not_measured_is_not_decided(tmp_path):
    write_sample(tmp_path, local=False)
    data = book_data.read(PUBLISHED, tmp_path / "data/processed")
    found = column(data, "Re-measured (reference)")
    added = found["With added latency or loss QUIC is faster than TCP, in both versions"]
    assert [part.name for part in added] == ["4.6b", "4.6c", "4.6e", "4.6f"]
    assert found["Under jitter QUIC v1 does better than gQUIC v37"] == []
    html = claims(STUDY, data=data).data
    assert "(4 of 8 parts)" in html and "not measured yet" in html and "Yours" not in html


def test_transfers_decide_fairness_and_the_threshold(tmp_path):
    name = "reference-x-20250801T101500"
    results = [
        together(name, "table-4.1", label, {"quic": rates[0], "tcp": rates[1]}, emulated=emulated)
        for label, rates, emulated in (("QUIC vs TCP", (3.7, 1.2), 2), ("QUIC (N=1) vs TCP", (2.5, 2.4), 1))
    ]
    results += [
        together(name, "beyond-threshold", f"{kind} threshold", {"quic": 1.0}, finished_s=time, experiment="cwnd")
        for kind, time in (("static", 40.0), ("adaptive", 10.0))
    ]
    write_tables(tmp_path, tables_of(results, [campaign_row(name, "reference", "x", 4, "fairness")]))
    found = column(book_data.read(PUBLISHED, tmp_path), "Re-measured (reference)")
    unfair, fair = (
        found["QUIC CUBIC with N = 2 takes more than its share beside one TCP flow"],
        found["With N = 1 it does not"],
    )
    assert (
        unfair[0].holds
        and fair[0].holds
        and fair[0].text.startswith("QUIC v1: 1.04 (1.04 to 1.04) times TCP's rate, 5 runs")
    )
    assert found["That is the threshold's doing"] == [
        ClaimPart("10 MB at 100 Mbit/s", "in 12.0 s instead of 42.0 s (medians)", True)
    ]


def campaign_of(tmp_path, *campaigns):
    """The book's data of campaigns, each a name, a series and the rates of QUIC beside TCP with N = 1."""
    results = [
        together(name, series, "QUIC (N=1) vs TCP", {"quic": quic, "tcp": tcp}, emulated=1)
        for name, series, quic, tcp in campaigns
    ]
    rows = [campaign_row(name, "reference", series, 5, "fairness") for name, series, _, _ in campaigns]
    write_tables(tmp_path, tables_of(results, rows))
    return book_data.read(PUBLISHED, tmp_path)


def test_campaigns_of_the_same_cells_that_disagree_give_no_verdict(tmp_path):
    """None outvotes another."""
    known = [(f"reference-table-4.1-2025080{day}T101500", "table-4.1", *rates) for day, rates in
             ((1, (3.7, 1.2)), (2, (2.5, 2.4)), (3, (2.5, 2.4)))]  # fmt: skip
    data = campaign_of(tmp_path, *known)
    (one,) = column(data, "Re-measured (reference)")["With N = 1 it does not"]
    assert (one.now, one.before, one.holds) == (True, (True, False), None)
    assert one.text.endswith("(holds in 2 of 3 campaigns)") and one.numbers.startswith("1.04 ")
    assert verdict([one], 1) == "holds in 2 of 3 campaigns"
    (told,) = contests(data, "muthuraj2024", "table-4.1", "reference")  # its interval covers all three
    assert told.runs_text == "15 runs in 3 campaigns" and told.ratio.low < 1.04 < 3.05 < told.ratio.high


def test_the_same_conditions_have_one_verdict_wherever_they_were_measured(tmp_path):
    """One campaign lies above the line of a tenth, the other one below: both tables and the claim say the same."""
    known = (
        ("reference-x-20250801T101500", "table-4.1", 2.62, 2.34),
        (
            "reference-y-20250802T101500",
            "fairness-paced",
            2.5,
            2.4,
        ),
    )
    data = campaign_of(tmp_path, *known)
    found = [contests(data, "muthuraj2024", series, "reference") for series in ("table-4.1", "fairness-paced")]
    texts = {(one.verdict_text, one.ratio_text, one.runs_text) for (one,) in found}
    assert len(texts) == 1 and next(iter(texts))[2] == "10 runs in 2 campaigns"
    (part,) = column(data, "Re-measured (reference)")["With N = 1 it does not"]
    assert part.holds is None and "open whether by a tenth" in part.text
