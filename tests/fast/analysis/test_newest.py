"""Which campaign a reader sees of each figure."""

from __future__ import annotations

import pandas as pd
import pytest

from longlook.analysis.newest import newest, of_series, role_of

OLD, NEW, OWN = "reference-a-20260101T000000", "reference-a-20260201T000000", "mine-20260301T000000"
OTHER = "reference-b-20260115T000000"
COLUMNS = ["campaign", "study", "series", "cell_id"]


def rows(*found):
    return pd.DataFrame(found, columns=COLUMNS)


def names(frame):
    return frame["cell_id"].tolist()


def test_a_campaigns_id_tells_its_role():
    assert (role_of(OLD), role_of(OWN)) == ("reference", "local")


def test_of_each_series_the_newest_campaign_of_the_role_is_seen():
    frame = rows(
        (OLD, "m", "4.6a", "one"), (NEW, "m", "4.6a", "two"), (OWN, "m", "4.6a", "three"), (OLD, "m", "4.6b", "four")
    )
    assert names(newest(frame, "reference")) == ["two", "four"]
    assert names(newest(frame, "local")) == ["three"]


def test_a_campaign_of_several_series_hides_only_those_that_it_has():
    frame = rows((OLD, "m", "4.6a", "one"), (OLD, "m", "4.6b", "two"), (NEW, "m", "4.6a", "three"))
    assert names(newest(frame, "reference")) == ["two", "three"]


def test_series_of_one_name_in_two_studies_are_two():
    frame = rows((OLD, "m", "5", "one"), (NEW, "other", "5", "two"))
    assert names(newest(frame, "reference")) == ["one", "two"]
    assert names(newest(of_series(frame, "m", "5"), "reference")) == ["one"]


def test_one_series_of_the_thesis():
    frame = rows((OLD, "muthuraj2024", "4.6a", "one"), (NEW, "muthuraj2024", "4.6b", "two"))
    assert names(newest(of_series(frame, "muthuraj2024", "4.6a"), "reference")) == ["one"]


@pytest.mark.parametrize("role", ["reference", "local"])
def test_of_no_rows_none_are_seen_and_the_columns_stay(role):
    assert list(newest(rows(), role).columns) == COLUMNS


def test_the_time_counts_and_not_the_name():
    early, late = "reference-z-20260101T000000", "reference-a-20260102T000000"
    assert newest(rows((early, "m", "s", "one"), (late, "m", "s", "one")), "reference")["campaign"].tolist() == [late]


def test_a_series_that_two_sweeps_measure_in_parts_is_seen_whole():
    frame = rows((NEW, "m", "4.6b", "small"), (OTHER, "m", "4.6b", "large"), (OLD, "m", "4.6b", "small"))
    assert names(newest(frame, "reference")) == ["small", "large"]
    assert newest(frame, "reference")["campaign"].tolist() == [NEW, OTHER]


def test_an_older_sweep_that_has_one_of_the_newer_ones_cells_is_not_seen():
    frame = rows((NEW, "m", "s", "one"), (OTHER, "m", "s", "one"), (OTHER, "m", "s", "two"))
    assert names(newest(frame, "reference")) == ["one"]


def test_parts_are_of_one_series_and_role():
    frame = rows((NEW, "m", "s", "one"), (OTHER, "m", "t", "two"), (OWN, "m", "s", "three"))
    assert names(newest(frame, "reference")) == ["one", "two"]
    assert names(newest(frame, "local")) == ["three"]
