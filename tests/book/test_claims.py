"""The table of the thesis's claims: the same criterion for published and re-measured numbers, and nothing claimed without data."""

import pandas as pd
import pytest
from book_sample import REPOSITORY, make_root, write_sample

from longlook.audit import read_shares
from longlook.book import claims
from longlook.book import data as book_data
from longlook.dataset.tables import columns


@pytest.fixture(scope="module")
def shares():
    return read_shares(REPOSITORY / "data/published")


def flows(*rows):
    """Rows of transfer_flows: (figure, scenario, protocol, rate in Mbit/s, finished_s)."""
    common = {"campaign": "reference-x-20250801T101500", "stack": "quicv1", "accepted": True}
    made = [common | {"figure": row[0], "scenario": row[1], "flow": row[2], "protocol": row[2], "mean_mbps": row[3], "finished_s": row[4]} for row in rows]
    return pd.DataFrame(made, columns=columns("transfer_flows"))


def column(data, found, fairness, title):
    """Claim -> parts in one column."""
    parts = claims.evaluate(data, found, fairness)[title]
    return {claim.text: own for claim, own in zip(claims.CLAIMS, parts, strict=True)}


def test_verdicts_of_parts():
    yes, no = claims.Part("", True), claims.Part("", False)
    assert claims.verdict([yes, yes], 2) == "holds"
    assert claims.verdict([yes, no], 2) == "holds in part"
    assert claims.verdict([no], 1) == "does not hold"
    assert claims.verdict([yes], 2) == "holds (1 of 2 parts)"


def test_published_numbers_are_held_to_the_criteria_too(tmp_path, shares):
    data = book_data.read(REPOSITORY / "data/published", tmp_path)
    assert list(claims.evaluate(data, flows(), shares)) == ["Published (Emulab)"]
    found = column(data, flows(), shares, "Published (Emulab)")
    both = found["What QUIC gains over TCP is the same in both versions"]
    assert [part.text for part in both] == ["same verdict in 96 of 114 squares, opposite ones in 1"] and not both[0].holds
    jitter = found["Under jitter QUIC v1 does better than gQUIC v37"]
    assert [part.text for part in jitter][0] == "10 Mbit/s: gQUIC −60 %, QUIC v1 −12 %" and all(part.holds for part in jitter) and len(jitter) == 3
    assert found["QUIC CUBIC with N = 2 takes more than its share beside one TCP flow"][0].text == "QUIC v1: 3.02 times TCP's rate"
    assert found["With BBR, QUIC is faster than TCP"] == [] == found["With N = 1 it does not"]


def test_what_is_not_measured_is_not_decided(tmp_path, shares):
    root = make_root(tmp_path)
    write_sample(root, local=False)
    data = book_data.read(root / "data/published", root / "data/processed")
    found = column(data, flows(), shares, "Re-measured (reference)")
    added = found["With added latency or loss QUIC is faster than TCP, in both versions"]
    assert [part.text.split(":")[0] for part in added] == ["QUIC v1"]
    assert found["Under jitter QUIC v1 does better than gQUIC v37"] == []
    html = claims.claims_table(data, flows(), shares)
    assert "(1 of 2 parts)" in html and "not measured yet" in html and "Yours" not in html


def test_transfers_decide_fairness_and_the_threshold(tmp_path, shares):
    data = book_data.read(REPOSITORY / "data/published", tmp_path)
    rows = [("table-4.1", name, protocol, rate + 0.01 * run, None) for run in range(5) for name, rates in {"QUIC vs TCP": (3.7, 1.2), "QUIC (N=1) vs TCP": (2.5, 2.4)}.items() for protocol, rate in zip(("quic", "tcp"), rates, strict=True)]
    rows += [("beyond-threshold", f"{kind} threshold", "quic", 1, time + run) for run in range(5) for kind, time in (("static", 40), ("adaptive", 10))]
    found = column(data, flows(*rows), shares, "Re-measured (reference)")
    unfair, fair = found["QUIC CUBIC with N = 2 takes more than its share beside one TCP flow"], found["With N = 1 it does not"]
    assert unfair[0].holds and fair[0].holds and fair[0].text == "QUIC v1: 1.04 times TCP's rate"
    assert found["That is the threshold's doing"] == [claims.Part("10 MB at 100 Mbit/s in 12.0 s instead of 42.0 s", True)]


def test_one_square_of_tcp_is_enough_against_a_claim_of_every_square():
    cells = pd.DataFrame({"verdict": ["quic"] * 20 + ["none"]})
    assert claims._squares("4.14a", cells)[0].holds
    cells.loc[0, "verdict"] = "tcp"
    (part,) = claims._squares("4.14a", cells)
    assert not part.holds and part.text == "4.14a: QUIC faster in 19 of 21, TCP in 1"
