"""Published tables held against what was measured as the thesis's text says, and as its scripts did."""

from __future__ import annotations

import html
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets, printed_of
from longlook.analysis.ceiling import ALL, Ceiling, ceilings
from longlook.analysis.contrast import contrast
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary, samples_by_key
from longlook.audit.report import FAR_BELOW
from longlook.book.chapter import Chapter
from longlook.book.data import BookData
from longlook.book.hypotheses import kept as foretold_in_git
from longlook.book.judged import predictions_of
from longlook.book.muthuraj2024.emulab_2024 import Circumstance, stated
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.table import html_table, shown_table
from longlook.plan.cell import Cell
from longlook.plan.conditions import arm_conditions, conditions
from longlook.published.cells import PublishedCell
from longlook.published.muthuraj2024 import STUDY, page_load_times
from longlook.record.parquet import records

Loads = Mapping[str, Summary]
"""By protocol."""


def verdict_of(loads: Loads) -> str | None:
    """Which of the two protocols is significantly faster."""
    return contrast(loads["quic"], loads["tcp"]).verdict


def loads_of(data: BookData, series: str, study: str = STUDY) -> dict[tuple[str, str], Loads]:
    """(study, key) -> the loads of a cell, of the reference campaigns of a series."""
    return dict(samples_by_key(primary(data.rows("arms", study, series, REFERENCE))))


ARM = ("workload", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms", "jitter_interval_ms", "stack", "arm_label")
"""What tells the arms of a series apart, whatever other arms their cells have."""


def arms_of(data: BookData, series: str) -> dict[tuple, Summary]:
    """ARM -> the loads of an arm, of the reference campaigns of a series."""
    rows = primary(data.rows("arms", STUDY, series, REFERENCE))
    return {arm_key(row): summary_of(row) for row in records(rows)}


def arm_key(row: Mapping[str, Any]) -> tuple:
    """ARM of a row of `arms`; a condition that is not there is None."""
    return tuple(None if pd.isna(row[name]) else row[name] for name in ARM)


def loads_in(arms: Mapping[tuple, Summary], cell: Cell) -> Loads:
    """The loads of a cell among those of arms."""
    keys = {arm.protocol: arm_key(conditions(cell) | arm_conditions(arm)) for arm in cell.arms}
    return {protocol: arms[key] for protocol, key in keys.items() if key in arms}


SIDES = ("quic", "tcp")
State = Literal["confirmed", "not confirmed", "open", "not measured yet"]
NEAR_ALL = 0.02
"""So far below the ceiling may the share of all verdicts be."""
ERROR_WITHOUT_LOSS, ERROR_WITH_LOSS = 0.05, 0.12
"""Median distance of the means that is asked for at most."""


def state(holds: Sequence[bool | None]) -> State:
    """Of a circumstance, from its predictions: confirmed where the first one holds, and more than half of all."""
    if not holds or holds[0] is None:
        return "open" if holds else "not measured yet"
    return "confirmed" if holds[0] and 2 * holds.count(True) > len(holds) else "not confirmed"


@dataclass(frozen=True)
class Known:
    """A circumstance and what its campaign says of it."""

    circumstance: Circumstance
    state: State
    holding: int
    predictions: int


@dataclass(frozen=True)
class Three:
    """A published cell, and the same as measured as the text says and as the scripts did."""

    printed: PublishedCell
    text: Loads
    scripts: Loads
    """Those of `text` where no confirmed circumstance changes the cell."""
    changed: bool
    missing: bool = False
    """A confirmed circumstance changes the cell, and it is not measured so."""


@lru_cache(maxsize=1)
def known(data: BookData) -> tuple[Known, ...]:
    """Every circumstance of the set."""
    found = []
    for one in stated():
        own = predictions_of(one.sweeps[0], data)
        holds = [each.confirms for each in own if not one.numbers or each.n in one.numbers]
        found.append(Known(one, state(holds), holds.count(True), len(holds)))
    return tuple(found)


@lru_cache(maxsize=1)
def three_ways(data: BookData) -> tuple[Three, ...]:
    """Every published page load time that a reference campaign has as the text says."""
    return _ways(data, [one.circumstance for one in known(data) if one.state == "confirmed"])


@lru_cache(maxsize=1)
def without_unshown(data: BookData) -> tuple[Three, ...]:
    """The same without the circumstances of whose predictions no history shows that they came before the data."""
    late = {one.sweep for one in foretold_in_git() if not one.before}
    confirmed = [one.circumstance for one in known(data) if one.state == "confirmed"]
    return _ways(data, [one for one in confirmed if not late & set(one.sweeps)])


def _ways(data: BookData, confirmed: Sequence[Circumstance]) -> tuple[Three, ...]:
    printed = page_load_times()
    text = {series: loads_of(data, series) for series in dict.fromkeys(one.cell.series for one in printed)}
    arms = {one.series: arms_of(data, one.series) for one in confirmed}
    found = []
    for cell in printed:
        usual = text[cell.cell.series].get((cell.cell.study, cell.cell.key), {})
        if len(usual) == 2:
            found.append(_three(cell, usual, [one for one in confirmed if cell.table in one.tables], arms))
    return tuple(found)


def _three(
    printed: PublishedCell,
    usual: Loads,
    confirmed: Sequence[Circumstance],
    arms: Mapping[str, Mapping[tuple, Summary]],
) -> Three:
    for one in confirmed:
        changed = one.change(printed.cell)
        if changed.key != printed.cell.key:
            own = loads_in(arms[one.series], changed)
            return Three(printed, usual, own, True) if len(own) == 2 else Three(printed, usual, usual, False, True)
    return Three(printed, usual, usual, changed=False)


@dataclass(frozen=True)
class Held:
    """Cells of one table, or of several, beside the published ones."""

    cells: int
    agreeing: int
    within: int
    """Means, of twice as many as cells, within the 99 % prediction interval of the published ones."""
    errors: tuple[float, float]
    """Median of |ratio - 1|: QUIC's, TCP's."""
    error: float
    """Of both together."""

    @property
    def share(self) -> float:
        return self.agreeing / self.cells if self.cells else float("nan")


def held(pairs: Sequence[tuple[PublishedCell, Loads]]) -> Held:
    """What cells come to, each with its loads by protocol."""
    agreeing, within = 0, 0
    errors: dict[str, list[float]] = {side: [] for side in SIDES}
    for one, own in pairs:
        printed = {side: printed_of(one, side) for side in SIDES}
        agreeing += verdict_of(printed) == verdict_of(own)
        for side in SIDES:
            within += bool(meets(printed[side], own[side]))
            errors[side].append(abs(own[side].mean / printed[side].mean - 1))
    quic, tcp = (statistics.median(errors[side]) if pairs else float("nan") for side in SIDES)
    together = statistics.median(errors["quic"] + errors["tcp"]) if pairs else float("nan")
    return Held(len(pairs), agreeing, within, (quic, tcp), together)


@dataclass(frozen=True)
class Agreement:
    """Cells held against the published ones both ways, with what an exact replication of them would reach."""

    text: Held
    scripts: Held
    ceiling: Ceiling
    changed: int
    missing: int


def agreement(found: Iterable[Three]) -> Agreement:
    """Of these cells."""
    own = list(found)
    return Agreement(
        held([(one.printed, one.text) for one in own]),
        held([(one.printed, one.scripts) for one in own]),
        ceilings([one.printed for one in own]).get(ALL, Ceiling(0, 0.0, 0, 0)),
        sum(one.changed for one in own),
        sum(one.missing for one in own),
    )


def by_table(found: Iterable[Three]) -> dict[str, Agreement]:
    """Table -> its agreement, in the order of the tables."""
    tables: dict[str, list[Three]] = {}
    for one in found:
        tables.setdefault(one.printed.table, []).append(one)
    return {table: agreement(own) for table, own in tables.items()}


Way = Callable[[Agreement], Held]
"""`as_text` or `as_scripts`."""


def as_text(one: Agreement) -> Held:
    """As the text says."""
    return one.text


def as_scripts(one: Agreement) -> Held:
    """As the scripts did."""
    return one.scripts


@dataclass(frozen=True)
class Goal:
    """Something that is asked of the agreement: what it comes to, and whether that is reached, by way."""

    words: str
    said: Callable[[Way], str]
    reached: Callable[[Way], bool]


def goals(found: Sequence[Three]) -> tuple[Goal, ...]:
    """What agreement should reach; none without cells."""
    if not found:
        return ()
    whole, tables = agreement(found), by_table(found)
    lossy = [one for one in found if one.printed.cell.link.loss_pct]
    clean = [one for one in found if not one.printed.cell.link.loss_pct]
    errors = (("without loss, with jitter or not", clean, ERROR_WITHOUT_LOSS), ("with loss", lossy, ERROR_WITH_LOSS))
    return (
        Goal(
            f"all verdicts: within {100 * NEAR_ALL:.0f} points of the ceiling of {_pct(whole.ceiling.share, 1)}",
            lambda way: _pct(way(whole).share, 1),
            lambda way: whole.ceiling.share - way(whole).share <= NEAR_ALL,
        ),
        Goal(
            f"no table more than {100 * FAR_BELOW:.0f} points below its own ceiling",
            lambda way: ", ".join(far_below(tables, way)) or "none",
            lambda way: not far_below(tables, way),
        ),
        *(_of_errors(words, agreement(own), most) for words, own, most in errors if own),
    )


def _of_errors(words: str, own: Agreement, most: float) -> Goal:
    return Goal(
        f"median error of the means {words}: at most {100 * most:.0f} %",
        lambda way: _pct(way(own).error, 2),
        lambda way: way(own).error <= most,
    )


def far_below(tables: Mapping[str, Agreement], way: Way) -> list[str]:
    """The tables whose verdicts agree in a share far below the ceiling's."""
    return [name for name, one in tables.items() if one.ceiling.share - way(one).share > FAR_BELOW]


def table(paper: Chapter) -> HTML:
    """Every published table: how far it agrees as the text says and as the scripts did, and the ceiling."""
    found = three_ways(paper.data)
    if not found:
        return HTML(style.NOTHING_YET)
    named = {**by_table(found), "all": agreement(found)}
    rows = [[name, *_row(one)] for name, one in named.items()]
    each = ["verdicts agree", "means within", "error, QUIC / TCP"]
    head = ["table", "cells", *each, *each, "ceiling"]
    groups = [("", 2), ("as the text says", 3), ("as the scripts did", 3), ("exact replication", 1)]
    shown = html_table(head, rows, numeric=set(range(1, 9)), groups=groups, starts={len(rows) - 1})
    missing = named["all"].missing
    note = f"<p>{missing} cells of confirmed circumstances are not measured yet; those of the text stand for them.</p>"
    return HTML(shown + (note if missing else ""))


def _row(one: Agreement) -> list[str]:
    most = one.ceiling
    scripts = _numbers(one.scripts) if one.changed else [style.DASH] * 3
    return [str(one.text.cells), *_numbers(one.text), *scripts, f"{most.expected:.0f} ({_pct(most.share)})"]


def _numbers(found: Held) -> list[str]:
    errors = " / ".join(_pct(one, 1) for one in found.errors)
    return [f"{found.agreeing} ({_pct(found.share)})", f"{found.within} of {2 * found.cells}", errors]


def _pct(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"


def goals_table(paper: Chapter) -> HTML:
    """What is asked of the agreement, and whether it is reached."""
    ways = (as_text, as_scripts)
    rows = [
        [one.words, *(f"{one.said(way)}: {'reached' if one.reached(way) else 'not reached'}" for way in ways)]
        for one in goals(three_ways(paper.data))
    ]
    head = ["asked for", "as the text says", "as the scripts did"]
    return shown_table(head, rows)


def listed(paper: Chapter) -> HTML:
    """The set: each circumstance with its tables and sweeps, and whether it is confirmed."""
    rows = []
    for one in known(paper.data):
        what = one.circumstance
        said = f"{one.state}: {one.holding} of {one.predictions} predictions hold" if one.predictions else one.state
        sweeps = ", ".join(f"<code>{html.escape(name)}</code>" for name in what.sweeps)
        text = [", ".join(what.tables), what.words]
        rows.append([*map(html.escape, text), sweeps, html.escape(said)])
    head = ["tables", "circumstance", "sweeps", "confirmed"]
    return shown_table(head, rows, escape=False)
