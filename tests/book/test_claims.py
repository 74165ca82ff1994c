"""The table of the thesis's claims: the same criterion for published and re-measured numbers, and nothing claimed
without data."""

import pandas as pd
import pytest
from book_sample import PUBLISHED, campaign_row, tables_of, write_sample
from transfers_sample import together

from longlook.book import data as book_data
from longlook.book.muthuraj2024 import claims
from longlook.dataset.tables import write_tables


def column(data, title):
    """Claim -> parts in one column."""
    parts = claims.evaluate(data)[title]
    return {claim.text: own for claim, own in zip(claims.CLAIMS, parts, strict=True)}


def test_verdicts_of_parts():
    yes, no = claims.ClaimPart("", True), claims.ClaimPart("", False)
    assert claims.verdict([yes, yes], 2) == "holds"
    assert claims.verdict([yes, no], 2) == "holds in part"
    assert claims.verdict([no], 1) == "does not hold"
    assert claims.verdict([yes], 2) == "holds (1 of 2 parts)"


def test_published_numbers_are_held_to_the_criteria_too(tmp_path):
    data = book_data.read(PUBLISHED, tmp_path)
    assert list(claims.evaluate(data)) == ["Published"]
    found = column(data, "Published")
    both = found["What QUIC gains over TCP is the same in both versions"]
    assert [part.text for part in both] == ["same verdict in 96 of 114 squares, opposite ones in 1"] and not both[
        0
    ].holds
    jitter = found["Under jitter QUIC v1 does better than gQUIC v37"]
    assert (
        jitter[0].text == "10 Mbit/s: gQUIC −60 %, QUIC v1 −12 %"
        and all(part.holds for part in jitter)
        and len(jitter) == 3
    )
    assert (
        found["QUIC CUBIC with N = 2 takes more than its share beside one TCP flow"][0].text
        == "QUIC v1: 3.02 times TCP's rate"
    )
    assert found["With BBR, QUIC is faster than TCP"] == [] == found["With N = 1 it does not"]


def test_what_is_not_measured_is_not_decided(tmp_path):
    write_sample(tmp_path, local=False)
    data = book_data.read(PUBLISHED, tmp_path / "data/processed")
    found = column(data, "Re-measured (reference)")
    added = found["With added latency or loss QUIC is faster than TCP, in both versions"]
    assert [part.text.split(":")[0] for part in added] == ["QUIC v1"]
    assert found["Under jitter QUIC v1 does better than gQUIC v37"] == []
    html = claims.claims_table(data)
    assert "(1 of 2 parts)" in html and "not measured yet" in html and "Yours" not in html


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
    assert unfair[0].holds and fair[0].holds and fair[0].text == "QUIC v1: 1.04 times TCP's rate"
    assert found["That is the threshold's doing"] == [
        claims.ClaimPart("10 MB at 100 Mbit/s in 12.0 s instead of 42.0 s (means)", True)
    ]


def test_one_square_of_tcp_is_enough_against_a_claim_of_every_square():
    squares = pd.DataFrame({"verdict": ["left"] * 20 + ["none"]})
    assert claims._squares("4.14a", squares)[0].holds
    squares.loc[0, "verdict"] = "right"
    (part,) = claims._squares("4.14a", squares)
    assert not part.holds and part.text == "4.14a: QUIC faster in 19 of 21, TCP in 1"


@pytest.mark.parametrize("of", [claims.CLAIMS])
def test_every_claim_has_a_criterion(of):
    assert all(claim.text and claim.criterion and claim.of for claim in of)
