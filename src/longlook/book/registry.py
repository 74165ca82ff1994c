"""The registry of predictions: of every sweep that foretells something when that was written down, and what came of it.

A sentence names a sweep of it, {value}`predictions:yu-queue`, and shows how many of its predictions hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook import paths
from longlook.book import data as book_data
from longlook.book import hypotheses
from longlook.book.data import BookData
from longlook.book.evidence import campaigns_of
from longlook.book.judged import plan_of, registered
from longlook.book.predicted import HEAD, RegisteredPrediction
from longlook.book.value import Measured, NotMeasured, StatedNumber, origin
from longlook.errors import LonglookError
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.table import html_table
from longlook.stack.arms import sweep_files

PAGE = "predictions"
PREDICTIONS = "predictions-"
"""Begins the name of a file that has those of a study."""
SWEEPS = ("sweep", "before its data", "criteria", "campaigns", "hold", "undecided")
OTHERS = ("sweep", *HEAD, "judged otherwise")
EVERY = ("sweep", *HEAD, "criterion", "by the earlier rule", "campaigns before")


@dataclass(frozen=True)
class _Entry:
    """A sweep that states a hypothesis, predicts something, or both."""

    sweep: str
    stated: hypotheses.Foretold | None
    predictions: Sequence[RegisteredPrediction]
    campaigns: Sequence[str]
    earlier: int
    """Campaigns of the sweep before its cells were changed."""

    @property
    def held(self) -> str:
        """`3 of 4`; nothing where all is prose."""
        held = sum(one.told.holds is True for one in self.predictions)
        return f"{held} of {len(self.predictions)}" if self.predictions else ""

    @property
    def open(self) -> str:
        return str(sum(one.is_open for one in self.predictions)) if self.predictions else ""

    @property
    def row(self) -> list[str]:
        criteria = dict.fromkeys(one.criterion.split()[0].strip(",;") for one in self.predictions)
        sealed = set(criteria) == {"sealed"} or (self.stated is not None and self.stated.before)
        when = "yes" if sealed else self.stated.when if self.stated else "cannot be shown"
        name = f'<span id="{anchor(self.sweep)}">{self.sweep}</span>'
        return [name, when, ", ".join(criteria) or "none", self._campaigns, self.held, self.open]

    @property
    def _campaigns(self) -> str:
        """Measured; planned where these are fewer, and those of other cells: `3, 1 planned`, `1, 1 of other cells`."""
        measured, planned = len(self.campaigns), plan_of(self.sweep).rule.campaigns
        more = f", {planned} planned" if measured > planned else ""
        return f"{measured}{more}" + (f", {self.earlier} of other cells" if self.earlier else "")


def anchor(sweep: str) -> str:
    """Where a sweep stands on the page."""
    return f"sweep-{sweep.replace('.', '-')}"


def registry(data: BookData | None = None) -> HTML:
    """Of each study its sweeps, and the predictions that do not hold, on demand; in its file all of them."""
    data, known = data or book_data.load(), _known()
    by_study: dict[str, list[_Entry]] = {}
    for sweep, file in sweep_files().items():
        if sweep in known or (file.parent != paths.SWEEPS and "[[predictions]]" in file.read_text(encoding="utf-8")):
            by_study.setdefault(file.parent.name, []).append(_entry(sweep, data, known))
    shown = "".join(_study(study, own) for study, own in by_study.items())
    held, undecided, of = _counts([one for own in by_study.values() for one in own])
    total = f"<p>Of {of} predictions {held} hold, {of - held - undecided} do not, and {undecided} are undecided.</p>"
    return HTML(
        total + shown + offered(csv_file(hypotheses.FILE, hypotheses.HEAD, [one.row for one in known.values()]))
    )


def predicted(*sweeps: str, data: BookData | None = None) -> HTML:
    """The same of some sweeps of a study."""
    own = [_entry(one, data or book_data.load(), _known()) for one in sweeps]
    return HTML(_study(plan_of(sweeps[0]).study, own) or style.NOTHING_YET)


def number(sweep: str, m: Measured) -> StatedNumber:
    """For a sentence: of how many predictions of a sweep that they hold; of prose when it was written down."""
    found, prose = _entry(sweep, m.data, _known()), not plan_of(sweep).predictions
    if prose and (found.stated is None or not (found.stated.before or found.stated.again)):
        raise LonglookError(f"{hypotheses.FILE}: that the hypothesis of {sweep} came before its data cannot be shown")
    if not (prose or found.held):
        raise NotMeasured(f"{sweep} is not measured")
    campaigns = found.campaigns or [one.campaign for one in (found.stated,) if one]
    return StatedNumber(found.held or "written down before the data", origin([f"data/raw/{one}" for one in campaigns]))


def _known() -> Mapping[str, hypotheses.Foretold]:
    return {one.sweep: one for one in hypotheses.kept()}


def _entry(sweep: str, data: BookData, known: Mapping[str, hypotheses.Foretold]) -> _Entry:
    campaigns = campaigns_of(sweep, data)
    earlier = len(data.where("campaigns", sweep=sweep, role="reference")) - len(campaigns)
    return _Entry(sweep, known.get(sweep), registered(sweep, data), campaigns, earlier)


def _study(study: str, entries: Sequence[_Entry]) -> str:
    """A section that opens on demand; empty where nothing is measured."""
    measured = [one for one in entries if one.campaigns or one.predictions]
    every = [one for entry in measured for one in entry.predictions]
    if not every:
        return ""
    others = [_other(one) for one in every if not (one.is_quiet or one.is_open)]
    held, undecided, _ = _counts(measured)
    rest = f"<p>What does not hold, or was judged otherwise:</p>{html_table(OTHERS, others)}" if others else ""
    file = csv_file(
        f"{PREDICTIONS}{study}.csv",
        EVERY,
        [[one.sweep, *one.told.row, one.criterion, one.earlier, one.before] for one in every],
    )
    return (
        f'<details class="ll-fold"><summary>{study}: {held} of {len(every)} predictions hold, {undecided} are undecided'
        f"</summary>{html_table(SWEEPS, [one.row for one in measured], escape=False, numeric={3, 4, 5})}{rest}"
        f"{offered(file)}</details>"
    )


def _counts(entries: Sequence[_Entry]) -> tuple[int, int, int]:
    """Predictions that hold, those that are undecided, and all."""
    every = [one for entry in entries for one in entry.predictions]
    return sum(one.told.holds is True for one in every), sum(one.is_open for one in every), len(every)


def _other(one: RegisteredPrediction) -> list[str]:
    told = {"by the earlier rule": one.earlier, "before": one.before}
    return [
        one.sweep,
        *one.told.row,
        "; ".join([f"{word}: {text}" for word, text in told.items() if text] + one.as_sealed),
    ]
