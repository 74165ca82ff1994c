"""Tables of what became of predictions: nothing measured, and the table of causes."""

from types import SimpleNamespace
from urllib.parse import unquote

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.book import data as book_data
from longlook.book.judged import campaigns_of, predicted, predictions_of
from longlook.book.muthuraj2024 import means, stopwatch
from longlook.book.predicted import JudgedPrediction, predictions_table


def test_nothing_measured_is_said(tmp_path):
    paper = SimpleNamespace(data=book_data.read(PUBLISHED, tmp_path), study="muthuraj2024")
    assert "Not measured yet" in means.stopped(paper).data
    assert "Not measured yet" in predictions_table(()).data


def test_rows_are_of_what_does_not_hold_and_the_file_has_all():
    found = [
        JudgedPrediction("dry", "dry", True),
        JudgedPrediction("cold", "warm", False),
        JudgedPrediction("?", "", None),
    ]
    text = predictions_table(found, name="rain").data
    assert "1 of 3 predictions hold; the others:" in text and text.count("<td>") == 2 * 3
    assert 'download="predictions-rain.csv"' in text and unquote(text).count("holds\n") == 1
    assert "1 of 1 predictions hold." in predictions_table(found[:1], name="rain").data


def test_a_cause_is_told_by_its_predictions_and_says_if_it_is_not_measured(monkeypatch):
    known = {"wet": [JudgedPrediction("wet", "dry", False)] * 2, "cold": []}
    monkeypatch.setattr(stopwatch, "predictions_of", lambda sweep, data: known[sweep])
    causes = stopwatch.Cause("it rains", "a cloud", "wet"), stopwatch.Cause("it snows", "a flake", "cold")
    text = stopwatch.causes(SimpleNamespace(data=None), causes).data
    assert "0 of 2" in text and text.count("<td>not confirmed") == text.count("<td>not measured yet") == 1
    assert unquote(text).count("does not hold") == 2


def test_each_campaign_is_judged_by_its_own_sweep(tmp_path):
    """The newer one has the same series; what was said of the older stays as it was."""
    alone = ("loss-each-way-10mb-alone", "loss-each-way-10mb-alone-n1")
    longer = {"loss-each-way-10mb": 1.2, "loss-each-way": 1.0} | dict.fromkeys(alone, 1.0)

    def loads(campaign, experiment, cell):
        sweep = campaign.removeprefix("reference-").rpartition("-")[0]
        return interleaved(campaign, experiment, cell, lambda *of: {"plt_ms": 14_000.0 * longer[sweep] + 10 * of[2]}, 5)

    empty = book_data.read(PUBLISHED, tmp_path / "none")
    assert [predictions_of(sweep, empty) for sweep in ("loss-each-way-10mb", alone[0])] == [[], []]
    write_sweeps(tmp_path, longer, "muthuraj2024", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    (one,) = predictions_of("loss-each-way-10mb", data)
    assert one.holds is False and one.found.startswith("QUIC +20")
    near, earlier, held = predictions_of(alone[0], data)
    assert near.holds and held.holds and earlier.holds is False  # TCP is earlier as well
    assert earlier.found.count("6 of 6") == 2


def test_a_campaign_of_the_same_cells_keeps_its_verdicts_beside_those_of_the_newest(monkeypatch):
    data, seen = book_data.load(), []
    monkeypatch.setattr("longlook.book.judged.predictions_table", lambda *columns: seen.extend(columns))
    predicted("client-share", data=data)
    said, _, earlier, before, _ = seen
    assert [one.verdict for one in said] == [*["holds"] * 2, "holds in 1 of 2 campaigns", *["holds"] * 2]
    assert not any(earlier)
    assert before[2].startswith("does not hold: 10kb-x100, 10 Mbit/s, 36 ms: −7.8 %")
    assert before[:2] + before[3:] == ["holds"] * 4
    assert len(campaigns_of("years", data)) == 2 and len(campaigns_of("years-loss", data)) == 1  # which has more cells
    text = predictions_table(said, None, earlier, before, "share").data
    assert "4 of 5 predictions hold; the others:" in text


@pytest.mark.parametrize(("now", "before", "verdict"), [
    (True, (), "holds"),
    (True, (True, True), "holds"),
    (False, (False,), "does not hold"),
    (False, (None,), "does not hold"),
    (None, (None,), "open"),
    (None, (True,), "holds in 1 of 2 campaigns"),
    (True, (False, True), "holds in 2 of 3 campaigns"),
])  # fmt: skip
def test_no_campaign_outvotes_another(now, before, verdict):
    found = JudgedPrediction("dry", "damp", now, before)
    assert found.verdict == verdict
    assert found.confirms is {"holds": True, "open": None}.get(
        verdict, False
    )  # campaigns that disagree confirm nothing
