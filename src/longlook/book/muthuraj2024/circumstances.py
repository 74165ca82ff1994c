"""Published tables held against what was measured as the thesis's text says, and as its scripts did."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook import paths
from longlook.analysis.agreement import meets, printed_of
from longlook.analysis.ceiling import ALL, ceilings
from longlook.analysis.contrast import contrast
from longlook.analysis.convention import each_way
from longlook.analysis.welch import Summary
from longlook.audit.checks import primary, samples_by_key
from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024 import one_cost
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.plan.cell import Cell
from longlook.published.cells import PublishedCell
from longlook.published.muthuraj2024 import page_load_times

SIDES = ("quic", "tcp")
Measured = Mapping[str, Summary]
"""By protocol."""


@dataclass(frozen=True)
class Circumstance:
    """How a table's cells were measured once more, with what the scripts did and the text does not say."""

    table: str
    usual: str
    """Series of what the text says."""
    series: str
    words: str
    change: Callable[[Cell], Cell]
    """The published cell as the scripts made it."""


def _costing(cell: Cell) -> Cell:
    """The same with the cost of a request that one-cost-gquic37 gives its QUIC server."""
    (cost,) = one_cost.COSTS[one_cost.GQUIC37]
    arms = tuple(
        arm.model_copy(update={"request_cost_us": cost}) if arm.protocol == "quic" else arm for arm in cell.arms
    )
    return cell.model_copy(update={"arms": arms})


HALF = "100 and 200 objects, 0.5 ms per request"
KNOWN = (
    Circumstance("B.4", "4.6e", "loss-each-way-4.6e", "1 % in each direction (before 27a456e)", each_way),
    Circumstance("B.10", "4.5d", one_cost.GQUIC37, HALF, _costing),
    Circumstance("B.14", "4.5f", one_cost.GQUIC37, HALF, _costing),
)


@dataclass(frozen=True)
class Held:
    """Cells of one table beside the published ones."""

    cells: int
    agreeing: int
    within: int
    """Means, of twice as many as cells, within the 99 % prediction interval of the published ones."""
    errors: tuple[float, float]
    """Median of |ratio - 1|: QUIC's, TCP's."""


def held(pairs: Sequence[tuple[PublishedCell, Measured]]) -> Held:
    """What cells come to, each with its loads by protocol."""
    agreeing, within = 0, 0
    errors: dict[str, list[float]] = {side: [] for side in SIDES}
    for one, own in pairs:
        printed = {side: printed_of(one, side) for side in SIDES}
        agreeing += _verdict(printed) == _verdict(own)
        for side in SIDES:
            within += bool(meets(printed[side], own[side]))
            errors[side].append(abs(own[side].mean / printed[side].mean - 1))
    quic, tcp = (statistics.median(errors[side]) if pairs else float("nan") for side in SIDES)
    return Held(len(pairs), agreeing, within, (quic, tcp))


def _verdict(loads: Measured) -> str | None:
    return contrast(loads["quic"], loads["tcp"]).verdict


def table(paper: Chapter) -> HTML:
    """Per table two rows: as the text says, as the scripts did; with the ceiling of the same cells."""
    rows = []
    for one in KNOWN:
        series = primary(paper.data.rows("arms", paper.study, (one.usual, one.series), REFERENCE))
        loads = samples_by_key(series)
        cells = [cell for cell in page_load_times(paths.PUBLISHED) if cell.table == one.table]
        both = [cell for cell in cells if all(_own(made, loads) for made in (cell.cell, one.change(cell.cell)))]
        if both:
            most = ceilings(both)[ALL]
            words = f"{most.expected:.0f} ({100 * most.share:.0f} %)"
            for how, change in (("as the text says", lambda cell: cell), (one.words, one.change)):
                found = held([(cell, _own(change(cell.cell), loads)) for cell in both])
                rows.append([one.table, how, *_numbers(found), words])
    head = ["table", "measured", "cells", "verdicts agree", "means within", "QUIC error", "TCP error", "ceiling"]
    return HTML(html_table(head, rows, numeric=set(range(2, 8))) if rows else style.NOTHING_YET)


def _own(cell: Cell, loads: Mapping[tuple[str, str], Measured]) -> Measured:
    return loads.get((cell.study, cell.key), {})


def _numbers(found: Held) -> list[str]:
    counts = [str(found.cells), f"{found.agreeing} of {found.cells}", f"{found.within} of {2 * found.cells}"]
    return [*counts, *(f"{100 * one:.1f} %" for one in found.errors)]
