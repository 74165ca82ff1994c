"""The control by an ordinary user beside root's, of known loads; and that it is not the audit's."""

import pytest
from book_sample import AA_CAMPAIGN, PUBLISHED, write_sample
from users_sample import by_root_and_user

from longlook.audit import run_audit
from longlook.audit.checks import counted
from longlook.book import audit_page, users
from longlook.book import data as book_data

LOADS = 10
ROOT_MS, STEP_MS = 200.0, 0.5


def measured(folder, extra_ms=0.0, step_ms=STEP_MS, disturbed=1, coloured=0, missing=0):
    """Both sweeps' tables. Loads of an arm are a step apart; the user's mean is `extra_ms` later; in so many of his
    squares one arm is 5 % slower, in each cell so many loads are disturbed, and so many squares are missing."""

    def times(number):
        found = {}
        for arm in ("a", "b"):
            late = ROOT_MS * 0.05 if arm == "b" and 1 <= number <= coloured else 0.0
            step = step_ms if number else STEP_MS
            mean = ROOT_MS + late + extra_ms * (number > 0)
            found[arm] = [mean + (index - LOADS / 2) * step for index in range(LOADS + 1)]
        return found

    return by_root_and_user(folder, "aa-root", "aa-user", times, disturbed, missing)


def verdicts(data):
    own = [users.control(data, series) for series in (users.ROOT, users.USER)]
    return [one.holds for one in users.judged_control(*own)]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, [True, True, True, True]),
        ({"coloured": 1}, [True, True, True, True]),
        ({"coloured": 2}, [False, True, True, True]),
        ({"coloured": 3}, [False, True, True, False]),  # of 80 means three are 5 % above root's
        ({"disturbed": 0}, [True, False, True, True]),
        ({"disturbed": 5}, [True, True, True, True]),
        ({"disturbed": 6}, [True, False, True, True]),  # 6 of 28
        ({"step_ms": 1.5 * STEP_MS}, [True, True, True, True]),
        ({"step_ms": 1.6 * STEP_MS}, [True, True, False, True]),
        ({"extra_ms": 3.9}, [True, True, True, True]),  # significant, more than 3.5 ms, not more than 2 %
        ({"extra_ms": 4.1}, [True, True, True, False]),
        ({"missing": 1}, [False, True, None, None]),
    ],
)
def test_what_was_predicted_of_the_user_is_held_against_root(tmp_path, how, expected):
    assert verdicts(measured(tmp_path, **how)) == expected


def test_the_table_has_both_side_by_side(tmp_path):
    data = measured(tmp_path, coloured=1, disturbed=2)
    shown = users.control_table(data).data
    assert "<th class=num>root</th><th class=num>ordinary user</th>" in shown
    for name, root, user in (
        ("squares measured", "40 of 40", "40 of 40"),
        ("coloured (allowed)", "0 (1)", "1 (1)"),
        ("largest difference", "0.0 %", "5.0 %"),
        ("loads excluded", "0 of 880 (0.0 %)", "80 of 960 (8.3 %)"),
        ("took", "2.0 min", "2.0 min"),
    ):
        assert f"<td>{name}</td><td class=num>{root}</td><td class=num>{user}</td>" in shown
    assert users.control_predictions(data).data.count("holds") == 4


def test_neither_is_the_control_of_the_audit(tmp_path):
    measured(tmp_path / "alone", coloured=3)
    alone = tmp_path / "alone"
    write_sample(tmp_path, figures=["4.6a"])
    beside = tmp_path / "data" / "processed"
    for name in ("arms.csv", "contrasts.csv", "cells.csv"):  # as tables of both have them
        head, *lines = (alone / name).read_text().splitlines(keepends=True)
        own = (beside / name).read_text()
        assert own.startswith(head)
        (beside / name).write_text(own + "".join(lines))
    data = book_data.read(PUBLISHED, beside)
    report = run_audit(
        raw_root=tmp_path / "none", processed_root=beside, published_root=PUBLISHED, verify_hashes=False, anew=False
    )
    assert [one.campaigns for one in report.controls] == [(AA_CAMPAIGN,)] and report.controls[0].cells == 40
    assert not any("aa-user" in name for part in report.sections for name in part.campaigns)
    assert AA_CAMPAIGN in audit_page.AuditPage(report, data).control_chart().note
    assert set(counted(data.table("arms"), "reference")["series"]) == {"4.6a", "aa"}
