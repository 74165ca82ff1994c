"""A campaign seals the criteria of its sweep when it starts: what is changed later shows, whoever changes it."""

import json

import pytest
from campaigns import BLOCK, STACK_DIGEST

from longlook.errors import LonglookError
from longlook.plan.sweep import Sweep
from longlook.record.campaign import CAMPAIGN_NAME
from longlook.record.campaigns import find_campaign, open_campaign
from longlook.record.criteria import CHANGED, PROSE, SEALED, criteria_of, standing

PREDICTED = {
    "judging": {"metric": "plt_ms", "by": "interval"},
    "predictions": [{"n": 1, "says": "at most 0.9 times", "ratio": ["quic", "tcp"], "at_most": 0.9}],
}
PLAIN = {"name": "small", "study": "muthuraj2024", "title": "Small", "cells": [BLOCK]}


def sweep(**changed):
    return Sweep.parse(PLAIN | PREDICTED | changed)


def other(at_most):
    return sweep(predictions=[PREDICTED["predictions"][0] | {"at_most": at_most}])


@pytest.fixture
def started(tmp_path):
    campaign = open_campaign(tmp_path, sweep(), "local", STACK_DIGEST)
    campaign.close()
    return find_campaign(tmp_path, campaign.id)


def test_they_stand_whole_in_its_record_and_not_in_the_definition(started):
    assert criteria_of(started.info) == sweep().criteria
    assert started.info["criteria"]["digest"] == sweep().criteria.digest
    assert {"judging", "predictions"}.isdisjoint(started.info["sweep_definition"])
    assert [cell.key for cell in started.cells()] == [cell.key for cell in Sweep.parse(PLAIN).cells()]


def test_a_changed_bound_rule_or_word_shows(started):
    assert standing(started.info, sweep().criteria) == SEALED
    assert standing(started.info, other(0.95).criteria) == CHANGED
    assert standing(started.info, sweep(judging=PREDICTED["judging"] | {"by": "value"}).criteria) == CHANGED
    assert standing(started.info, Sweep.parse(PLAIN).criteria) == CHANGED, "taken out"


def test_a_campaign_of_before_is_told_from_one_that_sealed(tmp_path):
    campaign = open_campaign(tmp_path, Sweep.parse(PLAIN), "local", STACK_DIGEST)
    assert "criteria" not in campaign.info and standing(campaign.info, sweep().criteria) == PROSE


def test_a_campaign_that_has_begun_is_not_gone_on_with_under_other_criteria(tmp_path, started):
    assert open_campaign(tmp_path, sweep(), "local", STACK_DIGEST, resume="auto").id == started.id
    with pytest.raises(LonglookError, match="the criteria of sweep small were changed since it began"):
        open_campaign(tmp_path, other(0.95), "local", STACK_DIGEST, resume=started.id)
    anew = open_campaign(tmp_path, other(0.95), "local", STACK_DIGEST, resume="auto")
    assert anew.id != started.id


def test_criteria_that_were_edited_in_the_record_are_not_those_of_their_digest(started):
    file = started.path / CAMPAIGN_NAME
    info = json.loads(file.read_text(encoding="utf-8"))
    info["criteria"]["predictions"][0]["at_most"] = 2
    with pytest.raises(LonglookError, match="not those of their digest"):
        criteria_of(info)
