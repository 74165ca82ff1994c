"""Which hypothesis came before its data: the table that the book keeps is what git says, and no text claims more."""

import json
import re

import pytest
from repositories import git

from longlook import paths
from longlook.book import hypotheses

CHAPTERS = sorted([*paths.BOOK.glob("*.md"), *paths.BOOK.glob("[!_]*/*.md")])
CLAIMED = re.compile(r"\b(?:written|stated|committed|predicted)\b[^.:]*\b(?:before|first)\b[^.:]*", re.I)
NAMED = re.compile(r"\{value\}`predictions:([\w.-]+)`|(\{numref\}`tab-predictions`)")


def test_hypotheses_that_came_with_their_data_are_not_called_first():
    before = {one.sweep: one.before for one in hypotheses.kept()}
    assert before["loss-each-way"] is False
    assert all(before[name] for name in ("beyond-threshold", "beyond-window", "figure-4.8", "slow-server"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_who_says_that_a_hypothesis_came_first_names_its_commit(path):
    """A paragraph that says so of a hypothesis names sweeps of which it can be shown, or refers to the registry."""
    shown = {one.sweep for one in hypotheses.kept() if one.before or one.again}
    paragraphs = path.read_text(encoding="utf-8").split("\n\n")
    of_them = [one for one in paragraphs if re.search("hypothes|predict", one, re.I) and one[0] != "#"]
    told = [one for one in of_them if CLAIMED.search(one) and not _is_shown(NAMED.findall(one), shown)]
    assert [CLAIMED.search(one)[0] for one in told] == []


def _is_shown(named, shown):
    return bool(named) and all(table or sweep in shown for sweep, table in named)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An empty one with a folder for the study's sweeps, and a way to commit files."""
    monkeypatch.setattr(paths, "SWEEPS", tmp_path / "sweeps")
    git(tmp_path, "init", "-q")

    def commit(**files):
        for name, text in files.items():
            file = tmp_path / name.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "x")
        return git(tmp_path, "rev-parse", "HEAD")

    return tmp_path, commit


SWEEP = "sweeps__muthuraj2024__one.toml"
WORDS = "# Not in the thesis. Hypothesis: the slower\n# the client, the bluer the square.\nname = 'one'\n"


LOST = "b4fe1d705f7cdba09bee01c13d0a74eb2095ff69"


def campaign(measured_with, name="reference-one-20260101T000000", created="2026-01-01T00:00:00Z"):
    record = {"campaign": name, "git_commit": measured_with, "created": created}
    return {f"data__raw__{name}__campaign.json": json.dumps(record)}


def test_a_hypothesis_that_was_committed_before_its_campaign_came_first(repository):
    root, commit = repository
    stated = commit(**{SWEEP: WORDS})
    data = commit(**campaign(stated), other="x")
    found = hypotheses.foretold("one", root)
    assert (found.stated, found.measured_with, found.data, found.before) == (stated, stated, data, True)
    assert found.campaign == "reference-one-20260101T000000"
    commit(**campaign("later", "reference-one-20270101T000000"))
    assert hypotheses.foretold("one", root) == found, "the first data count"


def test_one_commit_for_both_shows_no_order(repository):
    root, commit = repository
    first = commit(other="x")
    commit(**{SWEEP: WORDS}, **campaign(first))
    assert hypotheses.foretold("one", root).before is False


def test_words_that_were_changed_after_the_data_did_not_come_first(repository):
    root, commit = repository
    stated = commit(**{SWEEP: WORDS})
    commit(**campaign(stated))
    changed = commit(**{SWEEP: WORDS.replace("slower", "faster")})
    found = hypotheses.foretold("one", root)
    assert found.stated == changed and found.before is False


def test_a_campaign_that_was_measured_without_the_hypothesis_is_no_witness(repository):
    root, commit = repository
    before = commit(other="x")
    commit(**{SWEEP: WORDS})
    commit(**campaign(before))
    assert hypotheses.foretold("one", root).before is False


@pytest.mark.parametrize(("created", "before"), [("2000-01-01T00:00:00Z", False), ("2100-01-01T00:00:00Z", True)])
def test_where_the_commit_of_a_campaign_is_lost_its_time_counts(repository, created, before):
    root, commit = repository
    commit(**{SWEEP: WORDS})
    commit(**campaign(LOST, created=created))
    assert hypotheses.foretold("one", root).before is before


def test_a_campaign_that_measured_it_again_is_named(repository):
    root, commit = repository
    stated = commit(**{SWEEP: WORDS})
    commit(**campaign(LOST, created="2000-01-01T00:00:00Z"))
    assert hypotheses.foretold("one", root).again == ""
    again = "reference-one-20270101T000000"
    commit(**campaign(stated, again))
    found = hypotheses.foretold("one", root)
    assert (found.before, found.again) == (False, again) and found.when == f"before {again}, which measured it again"
    assert found.campaign == "reference-one-20260101T000000", "the first data are still named"


def test_a_sweep_that_moved_keeps_its_commit(repository):
    root, commit = repository
    stated = commit(**{"sweeps__one.toml": WORDS + "x = 1\n" * 30})
    (root / "sweeps/one.toml").unlink()
    commit(**{SWEEP: WORDS.replace("slower\n# the", "slower the\n#") + "x = 1\n" * 30})
    commit(**campaign(stated))
    assert hypotheses.foretold("one", root).stated == stated


def test_words_that_came_with_a_merge_have_its_commit(repository):
    root, commit = repository
    commit(**{SWEEP: WORDS})
    git(root, "checkout", "-qb", "beside")
    commit(beside="x")
    git(root, "checkout", "-q", "-")
    commit(here="x")
    git(root, "merge", "-q", "--no-ff", "--no-commit", "beside")
    stated = commit(**{SWEEP: WORDS.replace("slower", "quicker")})
    assert len(git(root, "show", "-s", "--format=%P", stated).split()) == 2
    commit(**campaign(stated))
    found = hypotheses.foretold("one", root)
    assert found.stated == stated and found.before


def test_of_words_in_two_branches_those_count_that_the_measurement_had(repository):
    """A branch that is merged after the campaign may have the same words in an older commit."""
    root, commit = repository
    commit(other="x")
    git(root, "checkout", "-qb", "beside")
    commit(**{SWEEP: WORDS})
    git(root, "checkout", "-q", "-")
    stated = commit(**{SWEEP: WORDS + "x = 1\n"})
    commit(**campaign(stated))
    git(root, "merge", "-q", "--no-ff", "-X", "ours", "-m", "Merge", "beside")
    found = hypotheses.foretold("one", root)
    assert found.stated == stated and found.before


def test_a_sweep_without_hypothesis_or_data_has_no_line(repository):
    root, commit = repository
    commit(**{SWEEP: "# A sweep.\nname = 'one'\n"}, **campaign("x"))
    assert hypotheses.foretold("one", root) is None
    commit(**{SWEEP.replace("one", "two"): WORDS})
    assert hypotheses.foretold("two", root) is None
