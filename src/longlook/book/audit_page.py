"""The audit as tables of a chapter: the same report that `longlook audit` prints."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook import paths
from longlook.analysis.ceiling import Ceiling
from longlook.analysis.rejected import Rejections
from longlook.audit import AuditReport, run_audit
from longlook.audit.checks import FALSE_ORDER_FAILURES, allowed_by_chance, counted
from longlook.audit.rejections import cause_of
from longlook.audit.report import AAControl, LoadCounts, OrderControl, Section, within
from longlook.book import data as book_data
from longlook.book.chapter import metric_of
from longlook.book.data import FILES, BookData
from longlook.book.more_controls import squares
from longlook.dataset.tables import PACKAGE_NAME
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.control import ON_A_PHONE, control_chart, told
from longlook.figure.live import Attachment, LiveChart, offered
from longlook.figure.table import html_table
from longlook.plan.value import capitalised

NOTHING = (
    "<p>Nothing has been measured on this copy yet, so there is nothing to audit. "
    "<code>make reproduce</code> measures a selection of squares; "
    "<code>longlook run aa</code> measures the control.</p>"
)
MOST_LINES = 10
LEAST_P = 1e-6
MARKS = {"pass": '<span class="ll-good">pass</span>', "fail": '<span class="ll-bad">fail</span>'}
PROTOCOLS = ("quic", "tcp")


@dataclass(frozen=True)
class AuditPage:
    """Each method is one section of the audit chapter; all of them work without any data."""

    report: AuditReport | None
    data: BookData

    def controls(self) -> HTML:
        """The A/A control: verdict, number of coloured squares, largest difference between equals."""
        if self.report is None:
            return HTML(NOTHING)
        head = ["campaigns", "verdict", "squares", "coloured", "allowed", "largest difference"]
        rows = [row for one in self.report.controls for row in _control_rows(one)]
        coloured = [f"{one.role}: {text}" for one in self.report.controls for text in one.significant]
        return HTML(html_table(head, rows, escape=False, numeric={2, 3, 4, 5}) + _list(coloured))

    def control_chart(self) -> LiveChart | HTML:
        """The squares of the newest control, of the reader's own where there is one."""
        arms = self.data.whole("arms")
        arms = arms[arms["control"].astype(bool)]
        for role in ("local", "reference"):
            cells = squares(counted(arms, role))
            if len(cells):
                names = sorted(cells["campaign"].unique())
                return LiveChart(
                    name="control",
                    chart=control_chart(cells),
                    narrow=control_chart(cells, ON_A_PHONE),
                    alt_text=f"Difference of each A/A cell in %, white where it is not significant. {told(cells)}",
                    downloads=(Attachment("aa-cells.csv", cells.to_csv(index=False)),),
                    note=f"Campaign{'s' * (len(names) > 1)} <code>{html.escape(', '.join(names))}</code>.",
                )
        return HTML(NOTHING)

    def order(self) -> HTML:
        """The order control: arms that are faster or slower after a load of another arm; there must be none but by
        chance."""

        def text(part: Section) -> str:
            found = part.order
            counts = f"{len(found.significant)} of {found.tested} significant, {found.allowed} allowed"
            whole = f"<p>{MARKS['pass' if found.passed else 'fail']}: {counts}.</p>" + _list(found.significant)
            return whole + self._by_processor(found) + _kept(part.kept)

        return self._each(text)

    def _by_processor(self, found: OrderControl) -> str:
        """The same for each kind of machine, each with what chance allows it."""
        counts: dict[str, list[int]] = {}
        for campaign, numbers in found.by_campaign.items():
            own = counts.setdefault(self.data.campaign(campaign)["cpu_model"], [0, 0])
            own[:] = [sum(pair) for pair in zip(own, numbers, strict=True)]
        rows = [
            [name, str(tested), str(coloured), str(allowed_by_chance(tested, FALSE_ORDER_FAILURES))]
            for name, (tested, coloured) in sorted(counts.items())
        ]
        return html_table(["measured on", "arms tested", "significant", "allowed"], rows, numeric={1, 2, 3})

    def agreement(self) -> HTML:
        """Per table: cells, share of equal verdicts beside the ceiling, means within the prediction interval, median
        relative error of the means."""
        counts = ["cells", "verdicts agree", "first attempts", "ceiling", "means within", "QUIC off by", "TCP off by"]
        head = ["table", "figure", *counts, "campaign"]

        def table(part: Section) -> str:
            rows = _agreement_rows(part)
            return html_table(head, rows, escape=False, numeric={*range(2, 9)}) if rows else ""

        found = self._each(table)
        whole = {file: self.data.whole(name) for name, file in FILES.items()}
        files = [Attachment(f"{file}.csv", rows.to_csv(index=False)) for file, rows in whole.items() if len(rows)]
        return HTML(found.data + offered(*files))

    def halves(self) -> HTML:
        """How well the ceiling's method predicts our own loads."""
        return self._each(_halves)

    def loads(self) -> HTML:
        """Loads averaged, first loads, rejected by reason, disturbed."""
        head = ["averaged", "first (1-RTT)", "rejected", "of these, by reason", "disturbed"]
        return self._each(lambda part: html_table(head, [_counts(part.loads)], numeric={0, 1, 2, 4}))

    def rejections(self) -> HTML:
        """Reasons that depend on the arm, or on how long a load took."""
        if self.report is None:
            return HTML(NOTHING)
        control = self.report.rejections
        mark = MARKS["fail" if control.failures else "pass"]
        counts = (
            f"<p>{mark}: of {control.tested} reasons that have enough rejections in their campaign to tell, "
            f"{len(control.depending)} depend on the arm.</p>"
        )
        head = ["campaign", "reason", "rejected, of first attempts", "p by arm", "their time", "p by time", "cause"]
        rows = [_rejection(one) for one in control.rows if one in control.named or one.depends_on_time]
        return HTML(counts + _list(control.failures) + (html_table(head, rows, numeric={3, 4, 5}) if rows else ""))

    def floor(self) -> HTML:
        """Means below what physics and the protocol allow: there must be none."""

        def text(part: Section) -> str:
            counts = f"{len(part.below_floor)} of {part.floors} means are below their floor"
            return f"<p>{counts}.</p>" + _list(part.below_floor)

        return self._each(text)

    def published(self) -> HTML:
        """The published tables themselves: do differences follow from means, are means possible, known slips."""
        if self.report is None:
            return HTML(NOTHING)
        check = self.report.published
        right = check.cells - len(check.wrong_differences)
        text = (
            f"<p>{right} of {check.cells} printed percentage differences follow from the printed means; "
            f"{len(check.below_floor)} of {check.means} printed means are below their floor.</p>"
        )
        head = ["item", "where", "says", "elsewhere", "says"]
        rows = [[one.item, one.where, one.says, one.elsewhere, one.elsewhere_says] for one in check.slips]
        return HTML(text + _list([*check.wrong_differences, *check.below_floor]) + html_table(head, rows))

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
        if not self.report.ok:
            return HTML("<p>The audit <strong>fails</strong>:</p>" + _list(self.report.failures))
        if not any(one.verdict == "pass" for one in self.report.controls):
            return HTML("<p>Nothing speaks against the data, but the A/A control was not measured.</p>")
        text = "<p>No check that counts fails.</p>"
        missing = dict.fromkeys(kind for part in self.report.sections for kind in part.uncontrolled)
        words = f"Of {len(missing)} kinds of arms no A/A control was measured, so that the audit cannot speak for them"
        fold = f'<details class="ll-fold"><summary>{words}</summary>{_list(list(missing))}</details>'
        return HTML(text + (fold if missing else ""))

    def _each(self, render: Callable[[Section], str]) -> HTML:
        """One part per set of campaigns (reference, the reader's own) that has what is asked for."""
        if self.report is None or not self.report.sections:
            return HTML(NOTHING)
        parts = [(capitalised(one.title), render(one)) for one in self.report.sections]
        shown = [f"<p><strong>{html.escape(title)}</strong></p>{text}" for title, text in parts if text]
        return HTML("".join(shown) or NOTHING)


def open_audit() -> AuditPage:
    """The audit of this copy; without processed tables a page that says so."""
    data = book_data.load()
    if not (paths.PROCESSED / PACKAGE_NAME).is_file():
        return AuditPage(None, data)
    return AuditPage(run_audit(anew=False, table=data.whole), data)


def _kept(found: OrderControl) -> str:
    if not found.tested:
        return ""
    counts = f"{len(found.significant)} of {found.tested} differ"
    return f"<p>Of arms that keep their connection from load to load, {counts}:</p>" + _list(found.significant)


def _list(lines: Sequence[str]) -> str:
    """A bulleted list, or nothing; a long one is cut and says so."""
    shown = [html.escape(line) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"and {len(lines) - MOST_LINES} more, which <code>longlook audit</code> lists")
    return f"<ul>{''.join(f'<li>{line}</li>' for line in shown)}</ul>" if shown else ""


def _control_rows(one: AAControl) -> list[list[str]]:
    """The control as a whole, then each kind of arm that it is of."""
    if one.verdict == "not measured":
        return [[html.escape(one.role), "not measured: <code>longlook run aa</code>", "", "", "", ""]]
    whole = [
        f"{html.escape(one.role)}: <code>{html.escape(', '.join(one.campaigns))}</code>",
        MARKS[one.verdict],
        str(one.cells - one.untested),
        str(len(one.significant)),
        str(one.allowed),
        f"{one.largest_pct:.1f} %",
    ]
    groups = [
        [
            f"of {html.escape(group.label)}",
            MARKS["pass" if group.passed else "fail"],
            str(group.cells - group.untested),
            str(group.significant),
            str(group.allowed),
            f"{group.largest_pct:.1f} %",
        ]
        for group in one.groups
    ]
    return [whole, *groups]


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %" if math.isfinite(share) else style.DASH


def _agreeing(equal: int, tested: int) -> str:
    """`18 of 20 (90 %)`, of the verdicts that rest on a test."""
    return f"{equal} of {tested} ({equal / tested * 100:.0f} %)" if tested else style.DASH


def _agreement_rows(part: Section) -> list[list[str]]:
    rows = [
        [
            table.table,
            html.escape(", ".join(table.series)),
            f"{len(table.cells)} of {table.published_cells}",
            _agreeing(table.overall.equal, table.overall.tested),
            _agreeing(*table.first),
            _ceiling(table.ceiling) + (" *" if table.far_below else ""),
            "{} of {}".format(*table.within),
            *(_percent(table.overall.median_errors.get(protocol, math.nan)) for protocol in PROTOCOLS),
            f"<code>{html.escape(', '.join(table.campaigns))}</code>",
        ]
        for table in part.tables
    ]
    overall = [
        [
            "all",
            f"{html.escape(one.study)}: {metric_of(one.metric).title}",
            str(one.cells),
            _agreeing(one.equal, one.tested),
            _ceiling(part.ceilings.get(one.study)) if one.metric == PLT.name else style.DASH,
            "{} of {}".format(
                *within(cell for cell in part.cells if (cell.study, cell.metric) == (one.study, one.metric))
            ),
            *(_percent(one.median_errors.get(protocol, math.nan)) for protocol in PROTOCOLS),
            "",
        ]
        for one in part.overall
    ]
    return [*rows, *overall]


def _ceiling(found: Ceiling | None) -> str:
    """`77 % (11–17)`."""
    return style.DASH if found is None else f"{found.share * 100:.0f} % ({found.low}{style.DASH}{found.high})"


def _halves(part: Section) -> str:
    if part.halves is None or not part.halves.cells:
        return ""
    half = part.halves
    return (
        f"<p>{half.cells} cells: the halves come to the same verdict in {_percent(half.observed)} of the splits; the "
        f"method predicts {_percent(half.predicted)}.</p>"
    )


def _rejection(one: Rejections) -> list[str]:
    """What does not depend on the arm has no cause; of thirty arms four are told."""
    cause = cause_of(one) or ("not known" if one.depends else style.DASH)
    by_arm, times = (f"{p:.1g}" if p >= LEAST_P else f"< {LEAST_P:g}" for p in (one.p_value, one.slower_p))
    slower = style.DASH if math.isnan(one.slower) else f"x {one.slower:.2f}"
    by_arm += "" if one.tells else " (too few)"
    return [one.campaign, one.reason, one.by_arm, by_arm, slower, times if slower != style.DASH else style.DASH, cause]


def _counts(loads: LoadCounts) -> list[str]:
    return [str(loads.accepted), str(loads.cold), str(loads.wrong), loads.reasons or style.DASH, str(loads.disturbed)]
