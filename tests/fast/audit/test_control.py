"""The A/A control: what chance allows, what is said where it is absent, and how it fails."""

import math
import random

import pandas as pd
import pytest
from audited import QUIC, TCP, aa_sweep, empty
from campaigns import (
    COLD,
    STACK_DIGEST,
    control_sweep,
    loads_of,
    make_campaign,
    make_sample,
    write_cell,
)
from campaigns import (
    QUIC as QUIC_ARM,
)
from campaigns import (
    TCP as TCP_ARM,
)

from longlook.audit import (
    allowed_by_chance,
    audit,
    format_text,
)
from longlook.record.campaigns import open_campaign


@pytest.mark.parametrize(("cells", "allowed"), [(0, 0), (1, 0), (10, 0), (11, 1), (40, 1), (53, 1), (54, 2), (100, 2)])
def test_how_many_false_alarms_chance_explains(cells, allowed):
    """1 of 40; for n cells the least k with P(more than k of n at 0.01) below one in ten."""
    assert allowed_by_chance(cells) == allowed
    if cells:
        above = 1 - sum(math.comb(cells, k) * 0.01**k * 0.99 ** (cells - k) for k in range(allowed + 1))
        assert above <= 0.1


def with_control(tables, coloured, cells=40):
    """Tables of A/A cells of which the first few are significant."""
    names = [
        {"campaign": "aa-20260101T000000", "study": "muthuraj2024", "series": "aa", "cell_id": f"{n}"}
        for n in range(cells)
    ]
    known = {"experiment": "plt", "control": True, "metric": "plt_ms", "unit": "ms"}
    contrasts = [
        one
        | known
        | {"left": "a", "right": "b", "pct_diff": 0.9}
        | ({"p_value": 0.001, "verdict": "left"} if n < coloured else {"p_value": 0.5, "verdict": "none"})
        for n, one in enumerate(names)
    ]
    kind = {"stack": "quicv1", "protocol": "quic", "handshake": "0rtt", "cca": "cubic", "mode": "interleaved"}
    arms = [
        one | known | kind | {"arm": arm, "mean": mean, "n": 10, "floor": 76.2}
        for one in names
        for arm, mean in (("a", 110.0), ("b", 111.0))
    ]
    titles = [one | {"title": "5 KB x 1, 10 Mbit/s, 36 ms", "mode": "interleaved"} for one in names]
    return tables | {"contrasts": pd.DataFrame(contrasts), "arms": pd.DataFrame(arms), "cells": pd.DataFrame(titles)}


@pytest.mark.parametrize(("coloured", "verdict"), [(0, "pass"), (1, "pass"), (2, "fail"), (7, "fail")])
def test_the_control_passes_with_at_most_1_in_40(tmp_path, coloured, verdict):
    report = audit(with_control(empty(tmp_path), coloured))
    (one,) = report.controls
    assert (one.verdict, len(one.significant), one.allowed) == (verdict, coloured, 1)
    assert [(group.label, group.cells, group.significant) for group in one.groups] == [
        ("quicv1 QUIC CUBIC, 0-RTT", 40, coloured)
    ]
    assert report.ok == (verdict == "pass")
    text = format_text(report)
    assert text.startswith("A/A control") and f"local: {verdict.upper()}. {coloured} of 40" in text


def test_a_control_says_what_it_is_a_control_of(data):
    """Cold loads against cold loads say nothing about resumed ones."""
    blocks = [{"arms": [arm, arm], "series": "aa"} for arm in (COLD, QUIC_ARM)]
    same = [140.0, 141.0, 142.0]
    make_campaign(data.raw, control_sweep(*blocks), left=same, right=same)
    report = data.audit()
    (one,) = report.controls
    assert (one.cells, one.verdict) == (2, "pass")
    assert [(group.label, group.cells) for group in one.groups] == [
        ("quicv1 QUIC CUBIC, 0-RTT", 1),
        ("quicv1 QUIC CUBIC, 1-RTT", 1),
    ]
    assert "of quicv1 QUIC CUBIC, 1-RTT: 0 of 1 (0 allowed)" in format_text(report)


def test_a_group_of_a_control_fails_by_itself(tmp_path):
    """One coloured cell of forty is chance, but not where only two of them are of its kind."""
    tables = with_control(empty(tmp_path), 1)
    tables["arms"].loc[tables["arms"]["cell_id"].isin(["0", "1"]), "handshake"] = "1rtt"
    report = audit(tables)
    (one,) = report.controls
    assert (len(one.significant), one.allowed, one.verdict) == (1, 1, "fail")
    assert report.failures == (
        "A/A control (local): 1 of 2 cells of quicv1 QUIC CUBIC, 1-RTT significant, at most 0 expected",
    )


def test_kinds_of_arms_without_a_control_are_said(data):
    make_campaign(data.raw, aa_sweep(arm=TCP_ARM), left=TCP, right=TCP)
    make_campaign(data.raw, left=QUIC, right=TCP)
    report = data.audit()
    assert report.sections[0].uncontrolled == ("quicv1 QUIC CUBIC, 0-RTT",)
    assert "no A/A control was measured of: quicv1 QUIC CUBIC, 0-RTT" in format_text(report)


def test_an_absent_control_is_said_first_and_is_no_failure(data):
    make_campaign(data.raw, left=QUIC, right=TCP)
    report = data.audit()
    assert [one.verdict for one in report.controls] == ["not measured"] and report.ok
    assert "NOT MEASURED" in format_text(report).splitlines()[1]


def test_cells_of_the_control_with_too_few_loads_count_neither_way(data):
    campaign = open_campaign(data.raw, aa_sweep(), "local", STACK_DIGEST)
    (cell,) = campaign.cells()
    write_cell(campaign, cell, [make_sample(campaign.id, cell, arm, 1, order, 110.0) for order, arm in enumerate("ab")])
    one = data.audit().controls[0]
    assert (one.cells, one.untested, one.verdict) == (1, 1, "not measured")


def test_equal_arms_pass_and_different_arms_fail(data):
    generator = random.Random(5)
    campaign = open_campaign(data.raw, aa_sweep(12), "local", STACK_DIGEST)
    for cell in campaign.cells():
        left, right = ([generator.gauss(110, 3) for _ in range(20)] for _ in "ab")
        write_cell(campaign, cell, loads_of(campaign.id, cell, left, right))
    assert data.audit().controls[0].verdict == "pass"
    biased = open_campaign(data.raw, aa_sweep(13), "local", STACK_DIGEST)
    for cell in biased.cells():
        left, right = ([generator.gauss(mean, 3) for _ in range(20)] for mean in (110, 118))
        write_cell(biased, cell, loads_of(biased.id, cell, left, right))
    report = data.audit()
    assert report.controls[0].verdict == "fail" and not report.ok
