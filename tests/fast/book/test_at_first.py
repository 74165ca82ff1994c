"""Verdicts by the first attempt of each load."""

import pandas as pd

from longlook.book.at_first import at_first, changed
from longlook.book.data import BookData


def _data(tmp_path, rows, mode="interleaved"):
    """Loads of one arm: index, attempt, reason of rejection, value."""
    same = {"campaign": "c", "study": "s", "series": "x", "cell_id": "one", "arm": "quic", "metric": "plt_ms"}
    names = ["index", "attempt", "reject_reason", "value"]
    samples = pd.DataFrame([{**same, **dict(zip(names, row, strict=True))} for row in rows])
    samples = samples.assign(accepted=samples["reject_reason"].isna(), set_aside=samples["index"] == 0)
    arms = pd.DataFrame([{**same, "mode": mode, "n": 2, "mean": 105.0, "sd": 7.0, "median": 105.0}])
    data = BookData(pd.DataFrame(), tmp_path)
    data._tables.update(samples=samples, arms=arms, cells=pd.DataFrame())
    return data


LOADS = [(0, 0, None, 1.0), (1, 0, None, 100.0), (2, 0, "disturbed", 160.0), (2, 1, None, 110.0), (3, 0, "cca", 1.0)]


def test_what_was_disturbed_counts_and_its_repetition_does_not(tmp_path):
    arms = at_first(_data(tmp_path, LOADS), "s").table("arms")
    assert arms[["n", "mean", "median"]].to_dict("records") == [{"n": 2, "mean": 130.0, "median": 130.0}]


def test_arms_that_run_together_have_one_attempt(tmp_path):
    data = _data(tmp_path, LOADS, "together")
    pd.testing.assert_frame_equal(at_first(data, "s").table("arms"), data.table("arms"))


def test_only_verdicts_that_change_are_told():
    now = {"a<b": "holds", "c": "open"}
    assert "no verdict changes" in changed(now, now) and changed({}, {}) == ""
    assert "1 of 2 verdicts change: a&lt;b: open (above: holds)." in changed(now, now | {"a<b": "open"})
