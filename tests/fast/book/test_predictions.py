"""Tables of what became of predictions: nothing measured, and the table of causes."""

from types import SimpleNamespace

from longlook.book.muthuraj2024 import smooth, stopwatch
from longlook.book.predicted import JudgedPrediction, predictions_table


def test_nothing_measured_is_said(monkeypatch):
    monkeypatch.setattr(smooth, "squares", lambda paper: [])
    assert "Not measured yet" in smooth.table(SimpleNamespace()).data
    assert "Not measured yet" in predictions_table(()).data


def test_a_cause_has_a_row_for_each_prediction_and_says_if_it_is_not_measured():
    told = stopwatch.Cause("it rains", "a cloud", "wet", lambda paper: (JudgedPrediction("wet", "dry", False),) * 2)
    asked = stopwatch.Cause("it snows", "a flake", "cold", lambda paper: ())
    text = stopwatch.causes(SimpleNamespace(), (told, asked)).data
    assert text.count("does not hold") == 2 and text.count("it rains") == 1
    assert text.count("not measured yet") == 1 and text.count("ll-row-start") == 2
