"""One self-contained page on one campaign, whoever measured it and whether or not a paper printed it: per cell the
loads of every arm, how they differ, and what the loads can tell; above them one sentence, computed."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from longlook import paths
from longlook.analysis.paired import SMALL_PCT, Paired
from longlook.analysis.ratio import ratio_of
from longlook.analysis.result import CellResult
from longlook.dataset.results import read_results
from longlook.errors import LonglookError
from longlook.experiment.base import Metric
from longlook.figure.live import svg
from longlook.plan.arm import Arm
from longlook.record.campaigns import find_campaign

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60rem;margin:auto;padding:1rem;color:#222}"
    "div{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0}"
    "td,th{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:right}td:first-child,th:first-child"
    "{text-align:left}svg{max-width:100%;height:auto}"
)


LEAST_PAIRS = 4
"""With fewer, an interval of pairs hangs on their chance likeness: means are compared."""


@dataclass(frozen=True)
class ArmLoads:
    """The loads of one arm of a cell in one metric, in its unit."""

    arm: str
    label: str
    loads: int
    """That count."""
    median: float
    p75: float
    rejected: dict[str, int]
    """By reason."""


@dataclass(frozen=True)
class Told:
    """By how much the left arm is better than the right one, % (negative: worse), with its 99 % interval: of the loads
    that met the same losses, as pairs, or of the means where there are few pairs."""

    left: str
    right: str
    better_pct: float
    low_pct: float
    high_pct: float
    pairs: int
    finding: str
    """Which is better, `left` or `right`; `small`: less than `SMALL_PCT` either way; or `not shown`."""
    more_loads: int | None
    """Of each arm, until an interval would be as narrow as `SMALL_PCT`; where nothing is shown."""


@dataclass(frozen=True)
class CellReport:
    """One cell in one metric."""

    title: str
    metric: str
    unit: str
    arms: tuple[ArmLoads, ...]
    told: tuple[Told, ...]


@dataclass(frozen=True)
class Report:
    """What a campaign tells."""

    campaign: str
    sweep: str
    sealed: bool
    missing_cells: int
    sentences: tuple[str, ...]
    cells: tuple[CellReport, ...]


def report_of(name: str, raw: Path | None = None) -> tuple[Report, list[CellResult]]:
    """The report of a campaign of `raw` (default: the repository's), with the loads that it is made of.

    Raises LonglookError where there is no such campaign, or none of its cells is finished.
    """
    campaign = find_campaign(raw or paths.RAW, name)
    results = read_results(campaign)
    if not results:
        raise LonglookError(
            f"campaign {name} has no finished cell yet: go on with longlook run {campaign.info['sweep']}"
        )
    cells = tuple(found for result in results for found in _cells(result))
    missing = len(campaign.info["cells"]) - sum(len(result.cells) for result in results)
    sentences = tuple(_sentences(cells))
    return Report(campaign.id, campaign.info["sweep"], campaign.is_sealed, missing, sentences, cells), results


def _cells(result: CellResult) -> Iterator[CellReport]:
    for metric in result.experiment.metrics:
        arms = tuple(_arm(result, arm.name, arm.label, metric.name) for arm in result.cell.arms)
        if metric.better is not None and any(arm.loads for arm in arms):
            told = tuple(_told(result, metric, left, right) for left, right in result.cell.pairs())
            yield CellReport(result.cell.full_label, metric.title, metric.unit, arms, told)


def _arm(result: CellResult, arm: str, label: str, metric: str) -> ArmLoads:
    values = result.values(arm, metric)
    median, p75 = np.percentile(values, [50, 75]) if values else (math.nan, math.nan)
    reasons = Counter(one.reject_reason for one in result.samples if one.arm == arm and not one.accepted)
    return ArmLoads(arm, label, len(values), float(median), float(p75), {str(why): n for why, n in reasons.items()})


def _told(result: CellResult, metric: Metric, left: Arm, right: Arm) -> Told:
    found = result.paired(metric, left, right)
    loads = found.pairs
    if loads < LEAST_PAIRS:
        one, other = (result.summary(arm.name, metric.name) for arm in (left, right))
        ratio = ratio_of(one, other) if metric.better == "low" else ratio_of(other, one)
        found = Paired(_log(ratio.value), _log(ratio.low), _log(ratio.high), ratio.test.p_value, pairs=0)
        loads = min(one.n, other.n)
    value, low, high = (100 * math.expm1(end) for end in (found.log_ratio, found.low, found.high))
    finding = {"shown": found.winner, "shown to be small": "small", "not shown": "not shown"}[found.shown]
    reach, more = (found.high - found.low) / 2, None
    if finding == "not shown" and math.isfinite(reach):
        more = max(1, math.ceil(loads * ((reach / math.log1p(SMALL_PCT / 100)) ** 2 - 1)))
    return Told(left.name, right.name, value, low, high, found.pairs, finding, more)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else math.nan


def _sentences(cells: Sequence[CellReport]) -> Iterator[str]:
    """One for each pair of arms, of the first metric that is told."""
    first = cells[0].metric if cells else ""
    by_pair: dict[tuple[str, str], list[Told]] = {}
    for cell in cells:
        labels = {arm.arm: arm.label for arm in cell.arms}
        for told in cell.told if cell.metric == first else ():
            by_pair.setdefault((labels[told.left], labels[told.right]), []).append(told)
    for (left, right), found in by_pair.items():
        yield f"{first}, {left} against {right}: {'; '.join(_parts(left, right, found))}."


def _parts(left: str, right: str, found: Sequence[Told]) -> Iterator[str]:
    for side, label in (("left", left), ("right", right)):
        if own := [told for told in found if told.finding == side]:
            ends = [abs(end) for told in own for end in (told.low_pct, told.high_pct)]
            by = f"{_number(min(ends))} to {_number(max(ends))} %"
            yield f"{label} is better by {by} in {len(own)} of {len(found)} cells"
    if own := [told for told in found if told.finding == "small"]:
        yield f"shown to differ by less than {SMALL_PCT:g} % in {len(own)} of {len(found)}"
    if own := [told for told in found if told.finding == "not shown"]:
        yield f"in {len(own)} of {len(found)} {_not_shown(max(told.more_loads or 0 for told in own))}"


def _not_shown(more: int | None) -> str:
    return "no difference is shown" + (f"; {more} more loads of each would show {SMALL_PCT:g} %" if more else "")


def _number(value: float) -> str:
    """Three digits."""
    return "none" if not math.isfinite(value) else f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def page(report: Report, results: Sequence[CellResult]) -> str:
    """The report as HTML that loads nothing; whatever a stranger's record says is text in it."""
    titles = dict.fromkeys(cell.title for cell in report.cells)
    pictures = {title: svg(_strips([one for one in results if one.cell.full_label == title])) for title in titles}
    tables = "".join(
        f"<h2>{html.escape(title)}</h2><div>{pictures[title]}</div>"
        + "".join(_table(cell) for cell in report.cells if cell.title == title)
        for title in titles
    )
    state = "sealed" if report.sealed else "still growing"
    missing = f", {report.missing_cells} cells not measured" if report.missing_cells else ""
    name = html.escape(report.campaign)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{name}</title><style>{STYLE}</style><h1>{name}</h1>"
        f"<p>Sweep {html.escape(report.sweep)}, {state}{missing}. Percentages: by how much the first arm is better, "
        "with intervals of 99 %.</p>"
        + "".join(f"<p><strong>{html.escape(one)}</strong></p>" for one in report.sentences)
        + f"{tables}</html>\n"
    )


def _table(cell: CellReport) -> str:
    head = (f"{cell.metric}, {cell.unit}", "loads", "median", "75th percentile", "rejected")
    rows = [
        (arm.label, str(arm.loads), _number(arm.median), _number(arm.p75),
         ", ".join(f"{why} {n}" for why, n in arm.rejected.items()) or "none")
        for arm in cell.arms
    ]  # fmt: skip
    labels = {arm.arm: arm.label for arm in cell.arms}
    told = "".join(f"<li>{html.escape(_line(labels, one))}</li>" for one in cell.told)
    return f"<div><table>{_row('th', head)}{''.join(_row('td', row) for row in rows)}</table></div><ul>{told}</ul>"


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{html.escape(one)}</{kind}>" for one in cells) + "</tr>"


def _line(labels: dict[str, str], told: Told) -> str:
    sides = {"left": told.left, "right": told.right}
    words = {"small": f"shown to be less than {SMALL_PCT:g} %", "not shown": _not_shown(told.more_loads)}
    finding = words.get(told.finding) or f"{labels[sides[told.finding]]} is better"
    of = f"{told.pairs} pairs" if told.pairs else "means"
    times = f"{told.better_pct:+.3g} % ({told.low_pct:+.3g} to {told.high_pct:+.3g}, {of})"
    return f"{labels[told.left]} against {labels[told.right]}: {times}: {finding}"


def _strips(results: Sequence[CellResult]) -> dict[str, Any]:
    """Every load that counts as a tick."""
    metric = results[0].experiment.primary
    rows = [
        {"arm": arm.label, "value": value}
        for result in results
        for arm in result.cell.arms
        for value in result.values(arm.name, metric.name)
    ]
    chart = alt.Chart(pd.DataFrame(rows, columns=["arm", "value"])).mark_tick(thickness=1.5)
    axis = alt.X("value:Q", title=f"{metric.title}, {metric.unit}", scale=alt.Scale(zero=False))
    return (
        chart.encode(axis, alt.Y("arm:N", title=None), alt.Color("arm:N", legend=None)).properties(width=600).to_dict()
    )
