"""The audit as tables of a chapter: the same report that `longlook audit` prints."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.cells import newest
from longlook.audit import AuditReport, CellAgreement, run_audit
from longlook.audit.report import AAControl, LoadCounts, Section
from longlook.book.data import PaperData
from longlook.dataset.tables import PACKAGE_NAME
from longlook.figure.control import control_chart
from longlook.figure.live import Download, LiveChart
from longlook.figure.table import html_table, verdicts

NOTHING = (
    "<p>Nothing has been measured on this copy yet, so there is nothing to audit. "
    "<code>make reproduce</code> measures a selection of squares; <code>longlook run aa</code> measures the control.</p>"
)
MOST_LINES = 10
MARKS = {"pass": '<span class="ll-good">pass</span>', "fail": '<span class="ll-bad">fail</span>'}


@dataclass(frozen=True)
class AuditPage:
    """Each method is one section of the audit chapter; all of them work without any data."""

    report: AuditReport | None
    data: PaperData

    def controls(self) -> HTML:
        """The A/A control: verdict, number of coloured squares, largest difference between equals."""
        if self.report is None:
            return HTML(NOTHING)
        head = ["campaigns", "verdict", "squares", "coloured", "allowed", "largest difference"]
        rows = [_control_row(one) for one in self.report.controls]
        coloured = [f"{one.role}: {text}" for one in self.report.controls for text in one.significant]
        return HTML(html_table(head, rows, escape=False, numeric={2, 3, 4, 5}) + _list(coloured))

    def control_chart(self) -> LiveChart | None:
        """The squares of the newest control, of the reader's own where there is one."""
        for role in ("local", "reference"):
            cells = newest(self.data.aa_cells, role)
            if len(cells):
                return LiveChart(
                    name="control",
                    chart=control_chart(cells),
                    alt_text="Percentage difference of each A/A cell; white squares are not significant.",
                    downloads=(Download("aa-cells.csv", cells.to_csv(index=False)),),
                    note=f"Campaign <code>{html.escape(', '.join(cells['campaign'].unique()))}</code>.",
                )
        return None

    def order(self) -> HTML:
        """The order control: arms that are faster or slower after a load of the other arm; there must be none but by chance."""

        def text(part: Section) -> str:
            found = part.order
            counts = f"{len(found.significant)} of {found.tested} significant, {found.allowed} allowed"
            return f"<p>{MARKS['pass' if found.passed else 'fail']}: {counts}.</p>" + _list(found.significant)

        return self._each(text)

    def agreement(self) -> HTML:
        """Per table: cells, share of equal verdicts, median relative error of the means."""
        head = ["table", "figure", "cells", "verdicts agree", "QUIC error", "TCP error", "campaign"]
        return self._each(lambda part: html_table(head, _agreement_rows(part), escape=False, numeric={2, 3, 4, 5}))

    def disagreements(self) -> HTML:
        """The means that differ most from the published ones, and every square whose verdict differs."""
        return self._each(_disagreements)

    def loads(self) -> HTML:
        """Per table: loads averaged, first loads, rejected by reason, disturbed."""
        head = ["table", "averaged", "first (1-RTT)", "rejected", "of these, by reason", "disturbed"]
        return self._each(lambda part: html_table(head, _load_rows(part), numeric={1, 2, 3, 5}))

    def floor(self) -> HTML:
        """Means below what physics and the protocol allow: there must be none."""

        def text(part: Section) -> str:
            count = len(part.below_floor)
            return f"<p>{count} of {2 * len(part.cells)} means are below their floor.</p>" + _list(part.below_floor)

        return self._each(text)

    def published(self) -> HTML:
        """The published tables themselves: do differences follow from means, are means possible, known slips."""
        if self.report is None:
            return HTML(NOTHING)
        check = self.report.published
        right = check.cells - len(check.wrong_differences)
        text = (
            f"<p>{right} of {check.cells} printed percentage differences follow from the printed means; "
            f"{len(check.below_floor)} of {2 * check.cells} printed means are below their floor.</p>"
        )
        head = ["item", "where", "says", "elsewhere", "says"]
        keys = ("item", "where", "says", "elsewhere", "elsewhere_says")
        slips = html_table(head, [[slip.get(key, "") for key in keys] for slip in check.slips])
        return HTML(text + _list([*check.wrong_differences, *check.below_floor]) + slips)

    def integrity(self) -> HTML:
        """Hashes of the sealed campaigns and of the processed tables."""
        if self.report is None:
            return HTML(NOTHING)
        found = self.report.integrity
        text = f"<p>{len(found.verified)} sealed campaigns match their hashes; {len(found.problems)} problems.</p>"
        unsealed = [f"not sealed yet: {name}" for name in found.unsealed]
        return HTML(text + _list([*found.problems, *unsealed]))

    def conclusion(self) -> HTML:
        """Whether the data can be trusted, and if not, why."""
        if self.report is None or not self.report.sections:
            return HTML(NOTHING)
        if not any(one.verdict == "pass" for one in self.report.controls) and self.report.ok:
            return HTML("<p>Nothing speaks against the data, but the A/A control was not measured.</p>")
        if self.report.ok:
            return HTML("<p>The audit finds no reason to distrust the re-measured data.</p>")
        return HTML("<p>The audit <strong>fails</strong>:</p>" + _list(self.report.failures))

    def _each(self, render) -> HTML:
        """One part per set of campaigns (reference, the reader's own)."""
        if self.report is None or not self.report.sections:
            return HTML(NOTHING)
        return HTML(
            "".join(
                f"<p><strong>{html.escape(_title(part))}</strong></p>{render(part)}" for part in self.report.sections
            )
        )


def open_audit(data: PaperData) -> AuditPage:
    """The audit of this copy; without processed tables a page that says so."""
    if not (paths.PROCESSED / PACKAGE_NAME).is_file():
        return AuditPage(None, data)
    return AuditPage(run_audit(), data)


def _title(part: Section) -> str:
    return part.title[:1].upper() + part.title[1:]


def _list(lines: Sequence[str]) -> str:
    """A bulleted list, or nothing; a long one is cut and says so."""
    shown = [html.escape(line) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"and {len(lines) - MOST_LINES} more, which <code>longlook audit</code> lists")
    return f"<ul>{''.join(f'<li>{line}</li>' for line in shown)}</ul>" if shown else ""


def _control_row(one: AAControl) -> list[str]:
    if one.verdict == "not measured":
        return [html.escape(one.role), "not measured: <code>longlook run aa</code>", "", "", "", ""]
    return [
        f"{one.role}: <code>{html.escape(', '.join(one.campaigns))}</code>",
        MARKS[one.verdict],
        str(one.cells - one.untested),
        str(len(one.significant)),
        str(one.allowed),
        f"{one.largest_pct:.1f} %",
    ]


def _percent(share: float) -> str:
    return "–" if pd.isna(share) else f"{share * 100:.1f} %"


def _agreeing(cells: Sequence[CellAgreement]) -> str:
    """`18 of 20 (90 %)`, of the cells with enough loads for a test."""
    tested = [cell.agrees for cell in cells if cell.tested]
    return f"{sum(tested)} of {len(tested)} ({sum(tested) / len(tested) * 100:.0f} %)" if tested else "–"


def _agreement_rows(part: Section) -> list[list[str]]:
    rows = [
        [
            table.table,
            table.figure,
            f"{len(table.cells)} of {table.published_cells}",
            _agreeing(table.cells),
            _percent(table.quic_median_error),
            _percent(table.tcp_median_error),
            f"<code>{html.escape(table.campaign)}</code>",
        ]
        for table in part.tables
    ]
    overall = [
        "all", "", str(len(part.cells)), _agreeing(part.cells),
        _percent(part.quic_median_error), _percent(part.tcp_median_error), "",
    ]  # fmt: skip
    return [*rows, overall]


def _disagreements(part: Section) -> str:
    head = ["figure", "square", "protocol", "published, ms", "re-measured, ms", "ratio"]
    rows = []
    for one in part.largest:
        before, now = (getattr(side, f"{one.protocol}_mean_ms") for side in (one.cell.a, one.cell.b))
        rows.append(
            [one.cell.figure, one.cell.label, one.protocol.upper(), f"{before:,.1f}", f"{now:,.1f}", f"{one.ratio:.2f}"]
        )
    different = [cell for cell in part.cells if cell.tested and not cell.agrees]
    verdict_rows = [
        [
            cell.figure,
            html.escape(cell.label),
            f"{cell.a.pct_diff:+.1f} %",
            f"{cell.b.pct_diff:+.1f} %",
            verdicts(cell.a.verdict, cell.b.verdict),
        ]
        for cell in different
    ]
    verdict_head = ["figure", "square", "published", "re-measured", "verdict"]
    text = f"<p>{len(different)} of {sum(cell.tested for cell in part.cells)} squares have another verdict than the published one.</p>"
    largest = "<p>Means that differ most:</p>" + html_table(head, rows, numeric={3, 4, 5})
    return largest + text + (html_table(verdict_head, verdict_rows, escape=False, numeric={2, 3}) if different else "")


def _load_rows(part: Section) -> list[list[str]]:
    return [_counts(table.table, table.loads) for table in part.tables] + [_counts("all", part.loads)]


def _counts(name: str, loads: LoadCounts) -> list[str]:
    reasons = ", ".join(
        f"{reason} {count}" for reason, count in sorted(loads.rejected.items(), key=lambda item: -item[1])
    )
    rejected = sum(loads.rejected.values())
    return [name, str(loads.accepted), str(loads.cold), str(rejected), reasons or "–", str(loads.disturbed)]
