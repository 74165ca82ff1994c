"""An audit as text for a terminal (at most 120 columns) and, as a comparison too, as JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from longlook.analysis.agreement import CellAgreement
from longlook.analysis.pairing import CellPair
from longlook.audit.comparison import Comparison
from longlook.audit.fairness import lines_of, median_error
from longlook.audit.report import AAControl, AuditReport, LoadCounts, OrderControl, PublishedCheck, Section, TableAudit

WIDTH = 120


def format_text(report: AuditReport) -> str:
    """The whole report; the A/A control first, because without it the rest proves nothing."""
    lines = [*_controls(report.controls), "", *_published(report.published), "", *_integrity(report)]
    for section in report.sections:
        lines += ["", *_section(section)]
    if not report.sections:
        lines += ["", "No cell has been measured yet: run a sweep first, for example `longlook run quick`."]
    return "\n".join([*wrapped(lines), "", *wrapped(_conclusion(report))]) + "\n"


def format_summary(report: AuditReport, campaigns: Sequence[str] = ()) -> str:
    """The A/A control, then, of these campaigns (or of all), each cell's line and one line per published table."""
    lines = _controls(report.controls)
    for section in report.sections:
        tables = [table for table in section.tables if not campaigns or table.campaign in campaigns]
        shares = [one for one in section.fairness if not campaigns or one.campaign in campaigns]
        if not tables and not shares:
            continue
        lines += ["", f"Against the published values: {section.title}", *lines_of(shares)]
        if not tables:
            continue
        lines += [line for table in tables for line in ["", *_table(table)]]
        lines += ["", _SUMMARY_HEAD]
        lines += [_summary_row(table) for table in tables]
        lines += [_loads(sum((table.loads for table in tables), LoadCounts()))]
    return "\n".join(wrapped([*lines, "", *_conclusion(report)]))


def to_json(report: AuditReport | Comparison) -> str:
    """Every value of the report or comparison, ratios and verdicts included, as JSON; what could not be computed is null."""
    return json.dumps(_plain(report), indent=2, ensure_ascii=False, allow_nan=False)


_SUMMARY_HEAD = f"  {'table':7}{'figure':8}{'cells':>10}{'verdicts agree':>18}{'median error QUIC':>20}{'TCP':>8}"


def _summary_row(table: TableAudit) -> str:
    return (
        f"  {table.table:7}{table.figure:8}{f'{len(table.cells)} of {table.published_cells}':>10}"
        f"{agreeing(table.cells):>18}"
        f"{_percent(table.quic_median_error):>20}{_percent(table.tcp_median_error):>8}"
    )


def _controls(controls: Iterable[AAControl]) -> list[str]:
    lines = [
        "A/A control: each protocol against itself; a coloured square is a false alarm (p < 0.01, at most 1 in 40)"
    ]
    for one in controls:
        if one.verdict == "not measured":
            lines.append(f"  {one.role}: NOT MEASURED. Measure it with: longlook run aa")
            continue
        lines.append(
            f"  {one.role}: {one.verdict.upper()}. {len(one.significant)} of {one.cells - one.untested} cells significant "
            f"({one.allowed} allowed); largest difference {one.largest_pct:.1f} %; {', '.join(one.campaigns)}"
        )
        lines += few([f"    {text}" for text in one.significant])
        lines += few([f"    below the floor: {text}" for text in one.below_floor])
    return lines


def _published(check: PublishedCheck) -> list[str]:
    right = check.cells - len(check.wrong_differences)
    lines = [
        "The published tables themselves",
        f"  {right} of {check.cells} printed percentage differences follow from the printed means",
        *(f"    {line}" for line in check.wrong_differences),
        f"  {len(check.below_floor)} of {2 * check.cells} means are below their floor",
        *(f"    {line}" for line in check.below_floor),
    ]
    if check.slips:
        lines.append("  known slips, reported and not corrected:")
    for slip in check.slips:
        lines.append(
            f"    {slip['item']}: {slip['where']}: {slip['says']}; {slip['elsewhere']}: {slip['elsewhere_says']}"
        )
    return lines


def _integrity(report: AuditReport) -> list[str]:
    found = report.integrity
    lines = [f"Integrity: {len(found.verified)} sealed campaigns verified, {len(found.problems)} problems"]
    lines += [f"  {line}" for line in found.problems]
    lines += [f"  not sealed yet: {name}" for name in found.unsealed]
    return lines


def _section(section: Section) -> list[str]:
    lines = [f"Against the published values: {section.title}"]
    for table in section.tables:
        lines += ["", *_table(table)]
    if section.tables:
        lines += ["", f"  Overall, {_agreement(section.cells, section)}", "", _SUMMARY_HEAD]
        lines += [_summary_row(table) for table in section.tables]
    if section.fairness:
        lines += lines_of(section.fairness)
        equal = sum(one.agrees for one in section.fairness)
        lines += [
            "",
            f"  fairness: {equal} of {len(section.fairness)} verdicts agree; median error {_percent(median_error(section.fairness))}",
        ]
    lines += ["", _loads(section.loads), *_order(section.order)]
    if section.unpublished_cells:
        lines.append(f"  {section.unpublished_cells} measured cells have no published counterpart")
    if section.short_cells:
        lines.append(f"  {len(section.short_cells)} cells have fewer accepted loads than the others of their campaign")
        lines += few([f"    {line}" for line in section.short_cells])
    lines.append(f"  {len(section.below_floor)} means below their floor")
    lines += few([f"    {line}" for line in section.below_floor])
    if section.largest:
        lines.append("  largest disagreements with the published means:")
    for one in section.largest:
        before, now = getattr(one.cell.a, f"{one.protocol}_mean_ms"), getattr(one.cell.b, f"{one.protocol}_mean_ms")
        lines.append(
            f"    x {one.ratio:<6.2f}{one.protocol.upper():5}{before:>10.1f} -> {now:>9.1f} ms  figure {one.cell.figure}: {one.cell.label}"
        )
    return lines


def _order(control: OrderControl) -> list[str]:
    lines = [
        f"  order control, an arm after its own load against after the other's: {'PASS' if control.passed else 'FAIL'}. "
        f"{len(control.significant)} of {control.tested} significant ({control.allowed} allowed)"
    ]
    return lines + few([f"    {text}" for text in control.significant])


def _table(table: TableAudit) -> list[str]:
    missing = f"{len(table.cells)} of {table.published_cells} cells"
    return [
        f"  Table {table.table}, figure {table.figure}: {missing}, campaign {table.campaign}",
        f"    {'':42}{'QUIC ms':>25}{'TCP ms':>25}{'verdict':>13}",
        f"    {'cell':42}{'publ.':>9}{'meas.':>9}{'ratio':>7}{'publ.':>9}{'meas.':>9}{'ratio':>7}{'publ.':>7}{'meas.':>6}  agree",
        *(_cell(cell) for cell in table.cells),
        f"    {_agreement(table.cells, table)}",
    ]


def _cell(cell: CellAgreement) -> str:
    a, b = cell.a, cell.b
    return (
        f"    {cell.label:42}"
        f"{a.quic_mean_ms:>9.1f}{_number(b.quic_mean_ms)}{_ratio(cell.quic_ratio)}"
        f"{a.tcp_mean_ms:>9.1f}{_number(b.tcp_mean_ms)}{_ratio(cell.tcp_ratio)}"
        f"{a.verdict:>7}{b.verdict:>6}  {('yes' if cell.agrees else 'NO') if cell.tested else '-'}"
    )


def _number(value: float) -> str:
    return f"{value:>9.1f}" if math.isfinite(value) else f"{'-':>9}"


def _ratio(value: float) -> str:
    return f"{value:>7.2f}" if math.isfinite(value) else f"{'-':>7}"


def _percent(share: float) -> str:
    return f"{share:.1%}" if math.isfinite(share) else "-"


def _agreement(cells: Sequence[CellAgreement], part: TableAudit | Section) -> str:
    return (
        f"verdicts that agree: {agreeing(cells)}; median relative error of the means: "
        f"QUIC {_percent(part.quic_median_error)}, TCP {_percent(part.tcp_median_error)}"
    )


def agreeing(cells: Sequence[CellAgreement | CellPair]) -> str:
    """`17 of 18 (94%)`, of the cells with enough loads for a test."""
    tested = [cell.agrees for cell in cells if cell.tested]
    return f"{sum(tested)} of {len(tested)} ({sum(tested) / len(tested):.0%})" if tested else "none tested"


def _loads(loads: LoadCounts) -> str:
    reasons = ", ".join(
        f"{reason} {count}" for reason, count in sorted(loads.rejected.items(), key=lambda item: -item[1])
    )
    rejected = f"{sum(loads.rejected.values())} rejected" + (f" ({reasons})" if reasons else "")
    return f"  loads: {loads.accepted} accepted and averaged, {loads.cold} cold, {rejected}; {loads.disturbed} disturbed by the machine"


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
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.repr]
        names += [name for name, item in vars(type(value)).items() if isinstance(item, property) and name != "cells"]
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
