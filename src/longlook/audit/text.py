"""An audit as text for a terminal (at most 120 columns) and, as a comparison too, as JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longlook.analysis.ceiling import Ceiling
from longlook.analysis.compared import ComparedCell, ComparedMean, Overall
from longlook.analysis.convention import TableConvention
from longlook.analysis.result import CellResult
from longlook.analysis.twofold import verdict_word
from longlook.analysis.welch import ALPHA
from longlook.audit.fairness import share_lines
from longlook.audit.rejections import RejectionControl, cause_of
from longlook.audit.report import (
    AAControl,
    AuditReport,
    LoadCounts,
    OrderControl,
    PublishedCheck,
    Section,
    TableAudit,
    within,
)
from longlook.experiment.base import Metric
from longlook.experiment.registry import EXPERIMENTS

WIDTH = 120
PROTOCOLS = ("quic", "tcp")


def format_text(report: AuditReport) -> str:
    """The whole report; the A/A control first, because without it the rest proves nothing."""
    lines = [*_controls(report.controls), "", *_rejections(report.rejections)]
    lines += ["", *_published(report.published), "", *_integrity(report)]
    for section in report.sections:
        lines += ["", *_section(section)]
    if not report.sections:
        lines += ["", "No cell has been measured yet: run a sweep first, for example `longlook run quick`."]
    return "\n".join([*wrapped(lines), "", *wrapped(_conclusion(report))]) + "\n"


def format_summary(report: AuditReport, campaigns: Sequence[str] = ()) -> str:
    """The A/A control, then, of these campaigns (or of all), each cell's line and one line per published table."""
    lines = _controls(report.controls)
    for section in report.sections:
        tables = [table for table in section.tables if not campaigns or {*table.campaigns} & {*campaigns}]
        if not tables:
            continue
        lines += ["", f"Against the published values: {section.title}", *_tables(tables)]
        lines += ["", _SUMMARY_HEAD, *(_summary_row(table) for table in tables)]
        lines += [_loads(sum((table.loads for table in tables), LoadCounts()))]
    return "\n".join(wrapped([*lines, "", *_conclusion(report)]))


def to_json(report: Any) -> str:
    """Every value of a report or comparison as JSON, what is computed from them too; what could not be is null."""
    return json.dumps(_plain(report), indent=2, ensure_ascii=False, allow_nan=False)


_SUMMARY_HEAD = (
    f"  {'table':7}{'figure':10}{'cells':>9}{'verdicts agree':>16}{'first attempts':>16}{'ceiling':>17}"
    f"{'means within':>13}{'error, QUIC':>12}{'TCP':>7}"
)


def _summary_row(table: TableAudit) -> str:
    errors = [_percent(table.overall.median_errors.get(protocol, math.nan)) for protocol in PROTOCOLS]
    return (
        f"  {table.table:7}{', '.join(table.series):10}{f'{len(table.cells)} of {table.published_cells}':>9}"
        f"{agreeing(table.overall.equal, table.overall.tested):>16}{agreeing(*table.first):>16}"
        f"{_ceiling(table.ceiling):>17}"
        f"{_within(table.within):>13}{errors[0]:>12}{errors[1]:>7}{'  far below' if table.far_below else ''}"
    )


def _ceiling(found: Ceiling | None) -> str:
    """`77 % (11 to 17)`: the share and the numbers of equal verdicts of 95 in 100 exact replications."""
    return "-" if found is None else f"{found.share:.0%} ({found.low} to {found.high})"


def _within(counts: tuple[int, int]) -> str:
    return f"{counts[0]} of {counts[1]}" if counts[1] else "-"


def _most(section: Section) -> list[str]:
    """What the agreement is to be held against."""
    lines = []
    for study, most in section.ceilings.items():
        own = [cell for cell in section.cells if cell.study == study]
        lines.append(
            f"  Ceiling, {study}: an exact replication would share {most.expected:.0f} of {most.cells} verdicts "
            f"({most.share:.1%}; {most.low} to {most.high} in 95 of 100), its loads being what they are"
        )
        lines.append(f"  Means within the 99 % prediction interval of the published, {study}: {_within(within(own))}")
    if section.halves is not None and section.halves.cells:
        half = section.halves
        lines.append(
            f"  The same method on our own loads: halves of {half.cells} cells agree in {half.observed:.1%}, predicted "
            f"{half.predicted:.1%}"
        )
    return lines


def _controls(controls: Iterable[AAControl]) -> list[str]:
    lines = [
        "A/A control: equal arms against each other; a coloured square is a false alarm (p < 0.01, at most 1 in 40)"
    ]
    for one in controls:
        if one.verdict == "not measured":
            lines.append(f"  {one.role}: NOT MEASURED. Measure it with: longlook run aa")
            continue
        counts = f"{len(one.significant)} of {one.cells - one.untested} cells significant ({one.allowed} allowed)"
        campaigns = ", ".join(one.campaigns)
        lines.append(
            f"  {one.role}: {one.verdict.upper()}. {counts}; largest difference {one.largest_pct:.1f} %; {campaigns}"
        )
        lines += [
            f"    of {group.label}: {group.significant} of {group.cells - group.untested} ({group.allowed} allowed); "
            f"largest difference {group.largest_pct:.1f} %"
            for group in one.groups
        ]
        lines += few([f"    {text}" for text in one.significant])
        lines += few([f"    below the floor: {text}" for text in one.below_floor])
    return lines


def _rejections(control: RejectionControl) -> list[str]:
    """By arm; by how long the loads took only where they differ."""
    count = len(control.depending)
    lines = [
        f"Rejections, each reason of each campaign, by arm (first attempts): {'FAIL' if control.failures else 'PASS'}. "
        f"{count} of {control.tested} depend on the arm (exact test, Holm, p < {ALPHA:g}); others have too few to tell"
    ]
    for one in control.named:
        cause, short = cause_of(one), "" if one.tells else " (too few to tell)"
        known = "NEW: no cause is known" if cause is None else f"known: {cause}"
        lines.append(f"  {one.campaign}: {one.reason}: {one.by_arm}; p = {one.p_value:.1g}{short}; {known}")
    lines += [f"  {line}" for line in control.failures]
    if control.depending_on_time:
        lines.append("  times of rejected loads that differ from those of accepted ones (Mann-Whitney, Holm):")
    lines += few(
        [
            f"    {one.campaign}: {one.reason}: {one.slower:.3f} of the accepted ones' median, p = {one.slower_p:.1g}"
            for one in control.depending_on_time
        ]
    )
    return lines


def _published(check: PublishedCheck) -> list[str]:
    right = check.cells - len(check.wrong_differences)
    lines = [
        "The published tables themselves",
        f"  {right} of {check.cells} printed percentage differences follow from the printed means",
        *(f"    {line}" for line in check.wrong_differences),
        f"  {len(check.below_floor)} of {check.means} means are below their floor",
        *(f"    {line}" for line in check.below_floor),
    ]
    if check.slips:
        lines.append("  known slips, reported and not corrected:")
    for slip in check.slips:
        lines.append(f"    {slip.item}: {slip.where}: {slip.says}; {slip.elsewhere}: {slip.elsewhere_says}")
    return lines


def _integrity(report: AuditReport) -> list[str]:
    found = report.integrity
    lines = [f"Integrity: {len(found.verified)} sealed campaigns verified, {len(found.problems)} problems"]
    lines += [f"  {line}" for line in found.problems]
    lines += [f"  not sealed yet: {name}" for name in found.unsealed]
    return lines


def _section(section: Section) -> list[str]:
    lines = [f"Against the published values: {section.title}", *_tables(section.tables)]
    if section.tables:
        lines += [
            "",
            *(f"  Overall, {one.study}, {_metric(one.metric).title}: {_agreement(one)}" for one in section.overall),
        ]
        lines += _most(section)
        lines += ["", _SUMMARY_HEAD, *(_summary_row(table) for table in section.tables)]
    lines += ["", _loads(section.loads), *_order(section.order), *_kept(section.kept)]
    if section.unpublished_cells:
        lines.append(f"  {section.unpublished_cells} measured cells have no published counterpart")
    if section.short_cells:
        lines.append(f"  {len(section.short_cells)} cells have fewer accepted loads than the others of their campaign")
        lines += few([f"    {line}" for line in section.short_cells])
    lines.append(f"  {len(section.below_floor)} of {section.floors} means below their floor")
    lines += few([f"    {line}" for line in section.below_floor])
    if section.uncontrolled:
        lines.append(f"  no A/A control was measured of: {'; '.join(section.uncontrolled)}")
    lines += _conventions(section.conventions)
    for name, largest in section.largest.items():
        lines += _largest(_metric(name), largest)
    return lines


def _conventions(found: Iterable[TableConvention]) -> list[str]:
    lines = [
        f"    {one.table}: {one.supports} (10^{one.log10_ratio:+.1f}: means {one.log10_by_means:+.1f}, variances "
        f"{one.log10_by_variances:+.1f}; {one.nearer_each_way} of {one.means} means nearer; {one.cells} of "
        f"{one.published_cells} cells)"
        for one in found
    ]
    head = (
        "  a loss means as much in each direction, or half (divided)? Likelihood of the published means and variances:"
    )
    return [head, *lines] if lines else []


def _largest(metric: Metric, largest: Iterable[tuple[ComparedCell, ComparedMean]]) -> list[str]:
    digits = 1 if metric.unit == "ms" else 2
    return [
        f"  largest disagreements with the published means, {metric.title}:",
        *(
            f"    x {mean.ratio:<6.2f}{mean.arm.upper():5}{mean.published_mean:>10.{digits}f} -> "
            f"{mean.measured_mean:>9.{digits}f} {metric.unit}  figure {cell.series}: {cell.label or cell.title}"
            for cell, mean in largest
        ),
    ]


def _metric(name: str) -> Metric:
    """The metric of that name, whichever experiment has it."""
    return next(one for experiment in EXPERIMENTS.values() for one in experiment.metrics if one.name == name)


def _order(control: OrderControl) -> list[str]:
    counts = f"{len(control.significant)} of {control.tested} significant ({control.allowed} allowed)"
    verdict = "PASS" if control.passed else "FAIL"
    lines = [f"  order control, an arm after its own load against after the other's: {verdict}. {counts}"]
    return lines + few([f"    {text}" for text in control.significant])


def _kept(control: OrderControl) -> list[str]:
    """No control: what is known of arms that keep their connection."""
    if not control.tested:
        return []
    lines = [f"  of arms that keep their connection, {len(control.significant)} of {control.tested} depend on it"]
    return lines + few([f"    {text}" for text in control.significant])


def _tables(tables: Iterable[TableAudit]) -> list[str]:
    """Cells whose arms took turns, a line each; then those whose arms ran together, a line for each arm."""
    alone = [table for table in tables if all(cell.mode == "interleaved" for cell in table.cells)]
    together = [table for table in tables if table not in alone]
    return [line for table in alone for line in ["", *_table(table)]] + share_lines(together)


def _table(table: TableAudit) -> list[str]:
    counts = f"{len(table.cells)} of {table.published_cells} cells"
    unit = _metric(table.overall.metric).unit
    names = [f"{mean.arm.upper()} {unit}" for mean in table.cells[0].means]
    return [
        f"  Table {table.table}, figure {', '.join(table.series)}: {counts}, campaign {', '.join(table.campaigns)}",
        f"    {'':42}{''.join(f'{name:>25}' for name in names)}{'verdict':>13}",
        f"    {'cell':42}{''.join(f'{word:>9}{now:>9}{ratio:>7}' for word, now, ratio in [_HEAD] * len(names))}"
        f"{'publ.':>7}{'meas.':>6}  agree",
        *(_cell(cell) for cell in table.cells),
        f"    {_agreement(table.overall)}",
    ]


_HEAD = ("publ.", "meas.", "ratio")


def _cell(cell: ComparedCell) -> str:
    means = "".join(
        f"{mean.published_mean:>9.1f}{_number(mean.measured_mean)}{_ratio(mean.ratio)}" for mean in cell.means
    )
    verdicts = "; ".join(
        f"{verdict_word(one.published, one.left, one.right):>7}{verdict_word(one.measured, one.left, one.right):>6}"
        f"  {'-' if one.agree is None else 'yes' if one.agree else 'NO'}"
        for one in cell.verdicts
    )
    return f"    {cell.label or cell.title:42}{means}{verdicts}"


def _number(value: float) -> str:
    return f"{value:>9.1f}" if math.isfinite(value) else f"{'-':>9}"


def _ratio(value: float) -> str:
    return f"{value:>7.2f}" if math.isfinite(value) else f"{'-':>7}"


def _percent(share: float) -> str:
    return f"{share:.1%}" if math.isfinite(share) else "-"


def _agreement(found: Overall) -> str:
    errors = ", ".join(f"{protocol.upper()} {_percent(error)}" for protocol, error in found.median_errors.items())
    return f"verdicts that agree: {agreeing(found.equal, found.tested)}; median relative error of the means: {errors}"


def agreeing(equal: int, tested: int) -> str:
    """`17 of 18 (94%)`, of the verdicts that rest on a test."""
    return f"{equal} of {tested} ({equal / tested:.0%})" if tested else "none tested"


def _loads(loads: LoadCounts) -> str:
    counts = f"{loads.accepted} accepted and averaged, {loads.cold} cold, {loads.wrong} rejected"
    counts += f" ({loads.reasons})" if loads.wrong else ""
    counts += f", {loads.repeated} measured again with their pair" if loads.repeated else ""
    return f"  loads: {counts}; the machine was busy in {loads.disturbed}"


def _conclusion(report: AuditReport) -> list[str]:
    if report.ok:
        return ["Audit: ok"]
    return [f"Audit: FAILED, {len(report.failures)} reasons", *few([f"  {line}" for line in report.failures])]


def few(lines: Sequence[str], most: int = 10) -> list[str]:
    """The first of many lines, and how many more there are (the JSON has all)."""
    rest = len(lines) - most
    return [*lines[:most], f"    and {rest} more"] if rest > 0 else list(lines)


def wrapped(lines: Iterable[str]) -> list[str]:
    """Lines longer than the width continue under their own indent."""
    done = []
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        if len(line) > WIDTH:
            done += textwrap.wrap(line.strip(), WIDTH, initial_indent=indent, subsequent_indent=indent + "  ")
        else:
            done.append(line)
    return [line.rstrip() for line in done]


def _plain(value: Any) -> Any:
    """Dataclasses with their computed properties and without what their `repr` leaves out, NaN as null."""
    if isinstance(value, CellResult):
        return _plain(_result(value))
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.repr]
        names += [name for name, item in vars(type(value)).items() if isinstance(item, property) and name not in names]
        return {name: _plain(getattr(value, name)) for name in names if (type(value), name) != (Section, "cells")}
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _result(result: CellResult) -> dict[str, Any]:
    """What names and defines a cell, and its arms in the first metric."""
    cell = result.cell
    return {
        "campaign": result.campaign,
        "cell_id": cell.id,
        "series": cell.series,
        "label": cell.full_label,
        "key": cell.key,
        "seeds": [one.seed for one in result.cells],
        "arms": {arm.name: result.summary(arm.name) for arm in cell.arms},
    }
