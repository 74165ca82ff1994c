"""One self-contained page on one campaign, whoever measured it and whether or not a paper printed it: per cell the
loads of every arm, how they differ, what the loads can tell, and single ones; above them one sentence, computed."""

from __future__ import annotations

import html
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from longlook import paths
from longlook.analysis.paired import SMALL_PCT, Paired
from longlook.analysis.power import loads_within
from longlook.analysis.ratio import ratio_of
from longlook.analysis.result import CellResult
from longlook.book.single_loads import SIDE_OF, ShownLoad, drawing, pictured, shown_loads, strip, waterfalls
from longlook.dataset.results import read_results
from longlook.errors import LonglookError
from longlook.experiment.base import Metric
from longlook.experiment.pictures import Film
from longlook.figure import style
from longlook.figure.runs import SIDE_SCALE
from longlook.plan.arm import Arm
from longlook.record.campaigns import find_campaign
from longlook.server.stated import Statement

STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:60rem;margin:auto;padding:1rem;"
    "background:#fff;color:#222;overflow-wrap:anywhere}"
    "table{border-collapse:collapse;margin:.5rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #999;"
    "text-align:right;overflow-wrap:normal}td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}"
    "tbody th[scope=row]{font-weight:normal}caption{text-align:left;font-weight:bold}"
    "details :is(td,th):first-child{min-width:5rem}"
    "svg{max-width:100%;height:auto}.scroll{overflow-x:auto}.scroll :is(td,th){padding:.2rem}"
    ".scroll :is(td,th):first-child{overflow-wrap:normal;min-width:4rem}"
    "@media(prefers-color-scheme:dark){body{background:#121212;color:#e0e0e0}}"
    "@media(max-width:40rem){td,th{padding:.2rem .3rem;font-size:14px}ul{padding-left:1.2rem}}"
)
CHART_PX = 300
"""With its names it is as wide as a phone: a wider one would be shrunk there, its text too."""


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
    series: str = ""
    label: str = ""


@dataclass(frozen=True)
class CampaignReport:
    """What a campaign tells."""

    campaign: str
    sweep: str
    title: str
    sealed: bool
    missing_cells: int
    sentences: tuple[str, ...]
    cells: tuple[CellReport, ...]
    notes: tuple[str, ...] = ()
    """On how it was measured."""
    loads: tuple[ShownLoad, ...] = ()
    """Of each cell one of each arm."""
    films: Mapping[str, Mapping[str, Film]] = field(default_factory=dict, repr=False)
    """Title of a cell -> arm -> what was seen of one load."""


def report_of(
    name: str, raw: Path | None = None, again: str = "", called: Mapping[str, str] | None = None
) -> tuple[CampaignReport, list[CellResult]]:
    """The report of a campaign of `raw` (default: the repository's), with the loads that it is made of. `again`: the
    command that goes on with it, where that is not its sweep's; `called`: what to call arms, by their names.

    Raises LonglookError where there is no such campaign, or none of its cells is finished.
    """
    campaign = find_campaign(raw or paths.RAW, name)
    results = read_results(campaign, environments=True)
    if not results:
        raise LonglookError(
            f"campaign {name} has no finished cell yet: go on with {again or 'longlook run ' + campaign.info['sweep']}"
        )
    stated = _stated(results)
    named = [(result, _labels(result.cell.arms, called or {}, stated)) for result in results]
    cells = tuple(found for result, labels in named for found in _cells(result, labels))
    missing = len(campaign.info["cells"]) - sum(len(result.cells) for result in results)
    sentences = tuple(_sentences(cells))
    sweep = campaign.info["sweep"]
    title = str(campaign.info.get("sweep_definition", {}).get("title") or sweep)
    by_title = {result.cell.full_label: (campaign.path / result.cell.id, result, own) for result, own in named[::-1]}
    return CampaignReport(
        campaign.id, sweep, title, campaign.is_sealed, missing, sentences, cells,
        notes=tuple(one.line for one in stated.values()),
        loads=tuple(one for first in by_title.values() for one in shown_loads(*first)),
        films={name: pictured(folder, result) for name, (folder, result, _) in by_title.items()},
    ), results  # fmt: skip


def _stated(results: Sequence[CellResult]) -> dict[str, Statement]:
    """Digest -> what the file of a server states, as the records have it."""
    found = (one.get("server_files") or {} for result in results for one in result.environments)
    said = {digest: one for files in found for digest, one in files.items()}
    return {digest: Statement.parse(one) for digest, one in said.items()}


def _labels(arms: Sequence[Arm], called: Mapping[str, str], stated: Mapping[str, Statement]) -> dict[str, str]:
    """Arm -> what readers call it; with its name where another one is called so too."""
    own = {arm.name: stated.get(arm.server_file or "") for arm in arms}
    by_file = {name: f" ({one.name})" for name, one in own.items() if one is not None}
    found = {arm.name: called.get(arm.name, arm.label + by_file.get(arm.name, "")) for arm in arms}
    times = Counter(found.values())
    return {name: f"{label} ({name})" if times[label] > 1 else label for name, label in found.items()}


def _cells(result: CellResult, labels: Mapping[str, str]) -> Iterator[CellReport]:
    for metric in result.experiment.metrics:
        arms = tuple(_arm(result, arm.name, labels[arm.name], metric.name) for arm in result.cell.arms)
        if metric.better is not None and any(arm.loads for arm in arms):
            told = tuple(_told(result, metric, left, right) for left, right in result.cell.pairs())
            cell = result.cell
            yield CellReport(cell.full_label, metric.title, metric.unit, arms, told, cell.series, cell.label)


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
    finding = {"shown": found.winner, "shown to be small": "small", "not shown": "not shown"}[found.shown]
    reach, more = (found.high - found.low) / 2, None
    if finding == "not shown" and math.isfinite(reach):
        more = max(1, loads_within(math.log1p(SMALL_PCT / 100), reach, loads) - loads)
    return Told(left.name, right.name, *found.pct, found.pairs, finding, more)


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
            by = f"{style.pct_text(min(ends))} to {style.pct_text(max(ends))} %"
            yield f"{label} is better by {by} in {len(own)} of {len(found)} cells"
    if own := [told for told in found if told.finding == "small"]:
        yield f"shown to differ by less than {SMALL_PCT:g} % in {len(own)} of {len(found)}"
    if own := [told for told in found if told.finding == "not shown"]:
        yield f"in {len(own)} of {len(found)} {_not_shown(max(told.more_loads or 0 for told in own))}"


def _not_shown(more: int | None) -> str:
    would = f"; {more} more load{'s' * (more > 1)} of each would show {SMALL_PCT:g} %" if more else ""
    return f"no difference is shown{would}"


def _number(value: float) -> str:
    """Three digits."""
    return "none" if not math.isfinite(value) else f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def page(report: CampaignReport, results: Sequence[CellResult]) -> str:
    """The report as HTML that loads nothing; whatever a stranger's record says is text in it."""
    titles = dict.fromkeys(one.cell.full_label for one in results)
    sections = "".join(_section(title, report, results) for title in titles)
    state = "sealed" if report.sealed else "still growing"
    missing = f", {report.missing_cells} cells not measured" if report.missing_cells else ""
    title, name = html.escape(report.title), html.escape(report.campaign)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style><main><h1>{title}</h1>"
        + "".join(f"<p><strong>{html.escape(one)}</strong></p>" for one in report.sentences)
        + f"<p>Campaign {name} of sweep {html.escape(report.sweep)}, {state}{missing}. Percentages: by how much the "
        f"first arm is better, with intervals of 99 %.</p>{sections}"
        + "".join(f"<p>{html.escape(one)}</p>" for one in report.notes)
        + "</main></html>\n"
    )


def _section(title: str, report: CampaignReport, results: Sequence[CellResult]) -> str:
    """A heading, a picture of the loads, a table for each metric, single loads, and which loads do not count."""
    cells = [cell for cell in report.cells if cell.title == title]
    own = [one for one in results if one.cell.full_label == title]
    labels = {arm.arm: arm.label for cell in cells for arm in cell.arms}
    rejected = Counter(
        (one.arm, str(one.reject_reason)) for result in own for one in result.samples if not one.accepted
    )
    lost = "; ".join(f"{labels.get(arm, arm)}: {why} {n}" for (arm, why), n in rejected.items())
    words = f"Loads of {', '.join(labels.values())}: the tables below have their medians."
    shown = "<p>No load counted.</p>"
    if cells:
        shown = drawing(_strips(own, labels), words) + "".join(map(_table, cells))
        shown += waterfalls([one for one in report.loads if one.title == title])
        shown += strip(title, report.films.get(title, {}), labels)
    return f"<h2>{html.escape(title)}</h2>{shown}<p>Loads that do not count: {html.escape(lost) or 'none'}.</p>"


def _table(cell: CellReport) -> str:
    head = (f"{cell.metric}, {cell.unit}", "loads", "median", "75th percentile")
    rows = [(arm.label, str(arm.loads), _number(arm.median), _number(arm.p75)) for arm in cell.arms]
    labels = {arm.arm: arm.label for arm in cell.arms}
    told = "".join(f"<li>{html.escape(_line(labels, one))}</li>" for one in cell.told)
    return f"<table>{_row('th', head)}{''.join(_row('td', row) for row in rows)}</table><ul>{told}</ul>"


def _row(kind: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{html.escape(one)}</{kind}>" for one in cells) + "</tr>"


def _line(labels: dict[str, str], told: Told) -> str:
    sides = {"left": told.left, "right": told.right}
    words = {"small": f"shown to be less than {SMALL_PCT:g} %", "not shown": _not_shown(told.more_loads)}
    finding = words.get(told.finding) or f"{labels[sides[told.finding]]} is better"
    of = f"{told.pairs} pairs" if told.pairs else "means"
    better, low, high = (style.signed_pct(pct) or "none" for pct in (told.better_pct, told.low_pct, told.high_pct))
    times = f"{better} % ({low} to {high}, {of})"
    return f"{labels[told.left]} against {labels[told.right]}: {times}: {finding}"


def _strips(results: Sequence[CellResult], labels: Mapping[str, str]) -> dict[str, Any]:
    """Every load that counts as a tick."""
    metric = results[0].experiment.primary
    rows = [
        {"arm": labels.get(arm.name, arm.label), "value": value, "side": SIDE_OF[arm.protocol]}
        for result in results
        for arm in result.cell.arms
        for value in result.values(arm.name, metric.name)
    ]
    chart = alt.Chart(pd.DataFrame(rows, columns=["arm", "value", "side"])).mark_tick(thickness=1.5)
    title, few = f"{metric.title}, {metric.unit}", alt.Axis(tickCount=4)
    axis = alt.X("value:Q", title=title, scale=alt.Scale(zero=False), axis=few)
    rows_of = alt.Y("arm:N", title=None, axis=alt.Axis(labelLimit=CHART_PX))
    colour = alt.Color("side:N", scale=SIDE_SCALE, legend=None)
    room = {"left": 20, "right": 5, "top": 5, "bottom": 5}  # a reader's font may be wider than that which was measured
    return chart.encode(axis, rows_of, colour).properties(width=CHART_PX, padding=room).to_dict()
