"""A reason that prefers an arm fails the audit, unless its cause is known; so does a known one that is gone."""

import pandas as pd
import pytest

from longlook.audit import rejections as control
from longlook.audit.rejections import cause_of, rejection_control
from longlook.audit.report import AuditReport, PublishedCheck
from longlook.audit.text import format_text, to_json

NAME = "reference-a-20260101T000000"


def loads(campaign=NAME, quic=12):
    """One cell, forty loads of each arm; `quic` of QUIC's are rejected."""
    same = {"campaign": campaign, "cell_id": "one", "attempt": 0, "set_aside": False, "zero_rtt": None, "value": 100.0}
    rows = [
        same | {"arm": arm, "protocol": arm, "index": index + 1, "accepted": not wrong}
        | {"reject_reason": "cca" if wrong else None}
        for arm, count in (("quic", quic), ("tcp", 0))
        for index in range(40)
        for wrong in [index < count]
    ]  # fmt: skip
    return pd.DataFrame(rows)


def report(found):
    return AuditReport((), (), PublishedCheck(0, 0, (), (), ()), rejections=found)


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(control, "KNOWN", {})


def test_a_new_dependence_on_the_arm_fails_the_audit_by_name():
    found = report(rejection_control(loads()))
    first, together = found.failures
    assert first.startswith(f"rejections: {NAME}: cca depends on the arm (quic 12 of 40, tcp 0 of 40; p = ")
    assert "all reference campaigns" in together and not found.ok
    text = format_text(found)
    assert "by arm (first attempts): FAIL" in text and "NEW: no cause is known" in text
    assert '"by_arm": "quic 12 of 40, tcp 0 of 40"' in to_json(found)


def test_a_known_one_is_told_with_its_cause_and_fails_nothing(monkeypatch):
    monkeypatch.setattr(control, "KNOWN", {(NAME, "cca"): "by the test", ("all reference campaigns", "cca"): "too"})
    found = report(rejection_control(loads()))
    assert found.ok and "known: by the test" in format_text(found)
    assert [cause_of(one) for one in found.rejections.depending] == ["by the test", "too"]


def test_a_known_one_that_is_gone_fails_until_it_is_taken_from_the_list(monkeypatch):
    """One of another campaign, which is not there, does not."""
    monkeypatch.setattr(control, "KNOWN", {(NAME, "cca"): "by the test", ("another", "cca"): "by the test"})
    table = loads()
    table.loc[table.index % 2 == 0, ["accepted", "reject_reason"]] = [False, "cca"]
    gone = rejection_control(table.assign(reject_reason=table["reject_reason"].where(~table["accepted"].astype(bool))))
    (line,) = gone.failures
    assert line == f"rejections: {NAME}: cca is listed as depending on the arm, and does not: take it from the list"


def test_the_readers_campaigns_are_a_family_of_their_own_and_one_campaign_counts_alone():
    both = pd.concat([loads(), loads("mine-20260101T000000")], ignore_index=True)
    assert len(rejection_control(both).failures) == 4
    (own,) = rejection_control(both, "mine-20260101T000000").failures
    assert "mine-20260101T000000" in own


def test_few_rejections_pass():
    assert report(rejection_control(loads(quic=3))).ok
