"""What became of predictions: nothing measured, the registry, and the table of causes."""

import re
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook import paths
from longlook.book import data as book_data
from longlook.book import registry
from longlook.book.evidence import campaigns_of
from longlook.book.judged import predictions_of, registered
from longlook.book.muthuraj2024 import stopwatch
from longlook.book.predicted import JudgedPrediction, RegisteredPrediction
from longlook.book.value import NOT_YET, Measured
from longlook.book.value_role import value_of
from longlook.errors import LonglookError


def test_rows_are_of_what_does_not_hold_and_the_file_has_all(monkeypatch):
    told = [
        JudgedPrediction("dry", "dry", True),
        JudgedPrediction("cold", "warm", False),
        JudgedPrediction("?", "", None),
        JudgedPrediction("late", "late", True),
    ]
    criteria = [*["sealed before the data"] * 3, "changed since; as sealed: open"]
    found = [RegisteredPrediction("years", one, own, "", "") for one, own in zip(told, criteria, strict=True)]
    monkeypatch.setattr(registry, "registered", lambda sweep, data: found)
    sweeps, others = registry.predicted("years").data.split("</table>")[:2]
    assert (
        'id="sweep-years"' in sweeps
        and "<td>sealed, changed</td>" in sweeps
        and "2 of 4</td><td class=num>1</td>" in sweeps
    )
    assert re.findall("<td>years</td><td>(.*?)</td>", others) == ["cold", "late"]
    assert "<td>holds</td><td>changed since; as sealed: open</td>" in others
    text = unquote(registry.predicted("years").data)
    assert 'download="predictions-years.csv"' in text and text.count("\nyears,") == 4


def test_a_sentence_has_how_many_hold_or_when_a_hypothesis_was_written_down(tmp_path):
    measured = Measured(book_data.load(), "muthuraj2024")
    assert registry.number("n-no-loss", measured).text == "3 of 3"
    assert registry.number("beyond-window", measured).text == "written down before the data"
    with pytest.raises(LonglookError, match="cannot be shown"):
        registry.number("loss-each-way", measured)
    nothing = book_data.read(PUBLISHED, tmp_path)
    assert value_of("predictions:n-no-loss", "book/index", nothing).text == NOT_YET


def test_a_cause_is_told_by_its_predictions_and_says_if_it_is_not_measured(tmp_path, monkeypatch):
    (tmp_path / "muthuraj2024").mkdir()
    (tmp_path / "muthuraj2024" / "causes.csv").write_text("claim,evidence,sweep\nrain,a cloud,wet\nsnow,a flake,cold\n")
    monkeypatch.setattr(paths, "BOOK", tmp_path)
    known = {"wet": [JudgedPrediction("wet", "dry", False)] * 2, "cold": []}
    monkeypatch.setattr(stopwatch, "predictions_of", lambda sweep, data: known[sweep])
    text = stopwatch.causes(SimpleNamespace(data=None)).data
    assert "0 of 2" in text and text.count("<td>not confirmed") == text.count("<td>not measured yet") == 1


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


def test_a_campaign_of_the_same_cells_keeps_its_verdicts_beside_those_of_the_newest():
    data = book_data.load()
    found = registered("client-share", data)
    assert [one.told.verdict for one in found] == [*["holds"] * 2, *["holds in 2 of 3 campaigns"] * 2, "holds"]
    before = [one.before for one in found]
    assert not any(one.earlier for one in found)
    assert before[2].startswith("holds; does not hold: 10kb-x100, 10 Mbit/s, 36 ms: −7.8 %")
    assert before[3].startswith("holds: 5kb-x200, 50 Mbit/s, 36 ms: ") and before[3].count("holds: ") == 2
    assert [*before[:2], before[4]] == ["holds; holds"] * 3
    assert len(campaigns_of("years", data)) == 2 and len(campaigns_of("years-loss", data)) == 1  # which has more cells


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
