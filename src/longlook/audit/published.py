"""The published tables themselves: do differences follow from means, are means possible, is every cell in a sweep?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from longlook.analysis.contrast import percentage_difference
from longlook.audit.report import PublishedCheck
from longlook.experiment.floor import BOUNDED, floor
from longlook.plan.cell import Cell
from longlook.published.cells import PublishedCell, PublishedMean, Slip
from longlook.published.registry import published_cells
from longlook.stack.arms import every_sweep

MEAN_ROUNDING_MS = 0.005
"""The published means have two decimals."""


def check_published(published: Sequence[PublishedCell], slips: Sequence[Slip]) -> PublishedCheck:
    """Do the printed percentage differences follow from the printed means, and are the means possible?"""
    printed = [one for one in published if one.printed_pct_diff is not None]
    bounded = [one for one in published if one.metric in BOUNDED]
    return PublishedCheck(
        cells=len(printed),
        means=sum(len(one.arms) for one in bounded),
        wrong_differences=tuple(line for one in printed for line in _wrong_difference(one)),
        below_floor=tuple(line for one in bounded for line in _below_floor(one)),
        slips=tuple(slips),
    )


def title_of(one: PublishedCell) -> str:
    """Workload and link for readers."""
    return f"{one.cell.workload.label}, {one.cell.link.label}"


def _wrong_difference(one: PublishedCell) -> list[str]:
    left, right, *_ = (one.arms[arm.name] for arm in one.known_arms)
    if difference_follows(left, right, one.printed_pct_diff or ""):
        return []
    computed = percentage_difference(left.mean, right.mean)
    return [f"table {one.table}: {title_of(one)}: printed {one.printed_pct_diff} %, the means give {computed:.2f} %"]


def difference_follows(left: PublishedMean, right: PublishedMean, printed: str) -> bool:
    """Whether a printed percentage difference is equation 4.1 of the printed means.

    It is printed with two significant digits (`72`, `0.53`, `1.1e+02`), so it may be off by half a unit of
    the second one, plus what the rounding of the means to 0.01 ms can change.
    """
    value = float(printed)
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1) if value else 0.1
    slack = 100 * MEAN_ROUNDING_MS * (left.mean + right.mean) / left.mean**2
    return abs(percentage_difference(left.mean, right.mean) - value) <= unit / 2 + slack


def _below_floor(one: PublishedCell) -> list[str]:
    found = []
    for arm in one.known_arms:
        mean, least = one.arms[arm.name].mean, floor(one.cell, arm).total_ms
        if mean < least:
            found.append(f"{one.table}: {arm.name} {title_of(one)}: mean {mean:.1f} ms, floor {least:.1f} ms")
    return found


def published_without_sweep(folder: Path | None = None) -> list[str]:
    """One line per published table that has cells which no sweep measures: same study, series and key. [] where all
    are."""
    published = list(published_cells(folder))
    unseen = {_key(one.cell) for one in published}
    for sweep in every_sweep():
        unseen.difference_update(map(_key, sweep.cells()))
        if not unseen:
            return []
    missing: dict[tuple[str, str], list[PublishedCell]] = {}
    for one in published:
        if _key(one.cell) in unseen:
            missing.setdefault((one.cell.study, one.table), []).append(one)
    return [
        f"{own[0].where}: no sweep has this cell of table {table} in series {own[0].cell.series} "
        f"(key {own[0].cell.key}: {title_of(own[0])})"
        + (f", nor {len(own) - 1} more of the table" if len(own) > 1 else "")
        for (_, table), own in missing.items()
    ]


def _key(cell: Cell) -> tuple[str, str, str]:
    return cell.study, cell.series, cell.key
