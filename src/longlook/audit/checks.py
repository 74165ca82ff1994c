"""The checks of an audit, as pure functions over the processed and the published tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
from scipy.stats import binom

from longlook.analysis.agreement import (
    compare,
    largest_disagreements,
    median_relative_error,
    published_as_cells,
    share_agreeing,
)  # fmt: skip
from longlook.analysis.cells import cell_of, label_of, newest, role_of
from longlook.analysis.difference import percentage_difference
from longlook.analysis.floor import floor
from longlook.analysis.order import order_effects
from longlook.analysis.welch import ALPHA
from longlook.audit.fairness import FairnessAudit, fairness
from longlook.audit.report import (
    AAControl,
    AuditReport,
    Integrity,
    LoadCounts,
    OrderControl,
    PublishedCheck,
    Section,
    TableAudit,
)  # fmt: skip

ROLES = ("reference", "local")
CELL_NAME = ["campaign", "cell_id"]
FALSE_FAILURES = 0.1
FALSE_ORDER_FAILURES = 0.001
"""Rarer: every audit makes this test, also of few cells, and arms that disturb each other show it in most cells."""
MEAN_ROUNDING_MS = 0.005
"""The published means have two decimals."""


def allowed_by_chance(cells: int, false_failures: float = FALSE_FAILURES) -> int:
    """Most significant cells that a control of equals may have: 1 of 40 in the A/A control.

    Each of n equal cells is coloured by chance with probability 0.01, so the number of coloured ones is
    binomial; allowed is the smallest k that a sound testbed exceeds in a share of `false_failures` of all
    controls at most: one of ten, unless another is asked for.
    """
    return int(binom.ppf(1 - false_failures, cells, ALPHA)) if cells else 0


def audit(
    published: pd.DataFrame,
    cells: pd.DataFrame,
    runs: pd.DataFrame,
    aa_cells: pd.DataFrame,
    *,
    published_fairness: pd.DataFrame | None = None,
    flows: pd.DataFrame | None = None,
    campaign: str | None = None,
    slips: Sequence[Mapping[str, str]] = (),
    integrity: Integrity = Integrity(),
    largest: int = 5,
) -> AuditReport:
    """Audit the newest campaigns of each role, or one `campaign`, against the published tables.

    `published` as in `muthuraj2024_appendix_b.csv` (`printed_pct_diff` as text), the others as in
    `data/processed`. The A/A control of a chosen campaign is its own or else its role's newest.
    """
    known = published_as_cells(published)
    if campaign is None:
        titles = {"reference": "reference campaigns (in the repository)", "local": "your newest campaigns"}
    else:
        titles = {campaign: f"campaign {campaign}"}

    def chosen(rows: pd.DataFrame, key: str) -> pd.DataFrame:
        return newest(rows, key) if campaign is None else rows[rows["campaign"] == campaign]

    sections = []
    for key, title in titles.items():
        rows = chosen(cells, key)
        shares = fairness(published_fairness, chosen(flows, key)) if flows is not None else ()
        if len(rows) or shares:
            sections.append(section(title, known, rows, runs, largest, shares))
    sections = tuple(sections)
    return AuditReport(_controls(aa_cells, campaign), sections, check_published(known, slips), integrity)


def _controls(aa_cells: pd.DataFrame, campaign: str | None) -> tuple[AAControl, ...]:
    if campaign is None:
        controls = [aa_control(role, newest(aa_cells, role)) for role in ROLES]
        measured = tuple(one for one in controls if one.cells)
        return measured or (AAControl(role="any campaign"),)
    own = aa_cells[aa_cells["campaign"] == campaign]
    role = role_of(campaign)
    return (aa_control(role, own if len(own) else newest(aa_cells, role)),)


def aa_control(role: str, rows: pd.DataFrame) -> AAControl:
    """How many cells of a protocol against itself came out significant."""
    tested = rows[rows["p_value"].notna()]
    coloured = tested[tested["verdict"] != "none"]
    return AAControl(
        role=role,
        campaigns=tuple(sorted(rows["campaign"].unique())),
        cells=len(rows),
        untested=len(rows) - len(tested),
        significant=tuple(
            f"{row['protocol']} {label_of(row)}: {row['pct_diff']:+.1f} %, p = {row['p_value']:.2g}"
            for row in coloured.to_dict("records")
        ),
        allowed=allowed_by_chance(len(tested)),
        largest_pct=float(tested["pct_diff"].abs().max()) if len(tested) else 0.0,
        below_floor=tuple(below_floor(rows.to_dict("records"))),
    )


def section(
    title: str,
    published: pd.DataFrame,
    rows: pd.DataFrame,
    runs: pd.DataFrame,
    largest: int,
    shares: tuple[FairnessAudit, ...] = (),
) -> Section:
    """One set of re-measured cells, and of shares of a bottleneck, beside the published tables."""
    tables = tuple(_table(name, group, rows, runs) for name, group in published.groupby("table", sort=False))
    tables = tuple(table for table in tables if table.cells)
    compared = [cell for table in tables for cell in table.cells]
    return Section(
        title=title,
        campaigns=tuple(sorted(rows["campaign"].unique())),
        tables=tables,
        unpublished_cells=len(rows) - len(compared),
        agreeing_share=share_agreeing(compared),
        quic_median_error=median_relative_error(compared, "quic"),
        tcp_median_error=median_relative_error(compared, "tcp"),
        loads=count_loads(runs, rows),
        order=order_control(runs, rows),
        short_cells=short_cells(rows),
        below_floor=tuple(below_floor(rows.to_dict("records"))),
        largest=largest_disagreements(compared, largest),
        fairness=shares,
    )


def _table(name: str, published: pd.DataFrame, rows: pd.DataFrame, runs: pd.DataFrame) -> TableAudit:
    cells = compare(published, rows)
    return TableAudit(
        table=name,
        figure=str(published["figure"].iloc[0]),
        campaign=cells[0].campaign if cells else "",
        published_cells=len(published),
        cells=cells,
        agreeing_share=share_agreeing(cells),
        quic_median_error=median_relative_error(cells, "quic"),
        tcp_median_error=median_relative_error(cells, "tcp"),
        loads=count_loads(runs, pd.DataFrame([(cell.campaign, cell.cell_id) for cell in cells], columns=CELL_NAME)),
    )


def order_control(runs: pd.DataFrame, rows: pd.DataFrame) -> OrderControl:
    """How many arms of the given cells are faster or slower after a load of the other arm."""
    effects = list(order_effects(_runs_of(runs, rows)))
    return OrderControl(
        tested=len(effects),
        significant=tuple(
            f"{one.cell_id}: {one.protocol} {one.after_own_ms:.1f} ms after its own, {one.after_other_ms:.1f} ms after the other, "
            f"p = {one.test.p_value:.2g}"
            for one in effects
            if one.test.significant
        ),
        allowed=allowed_by_chance(len(effects), FALSE_ORDER_FAILURES),
    )


def _runs_of(runs: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The loads behind the given cells."""
    return runs[pd.MultiIndex.from_frame(runs[CELL_NAME]).isin(pd.MultiIndex.from_frame(rows[CELL_NAME]))]


def short_cells(rows: pd.DataFrame) -> tuple[str, ...]:
    """Cells in which an arm is short of accepted loads, measured by the fullest cell of the same campaign."""
    fullest = rows.groupby("campaign")[["quic_n", "tcp_n"]].transform("max").max(axis=1)
    return tuple(
        f"figure {row['figure']}: {label_of(row)}: {row['quic_n']} QUIC and {row['tcp_n']} TCP loads of {most}"
        for row, most in zip(rows.to_dict("records"), fullest, strict=True)
        if min(row["quic_n"], row["tcp_n"]) < most
    )


def count_loads(runs: pd.DataFrame, rows: pd.DataFrame) -> LoadCounts:
    """The loads behind the given cells: accepted, cold, rejected by reason, disturbed."""
    mine = _runs_of(runs, rows)
    accepted = mine["accepted"].astype(bool)
    rejected = Counter(mine.loc[~accepted, "reject_reason"])
    return LoadCounts(
        accepted=int((accepted & (mine["load_index"] >= 1)).sum()),
        cold=int((accepted & (mine["load_index"] == 0)).sum()),
        rejected=dict(sorted(rejected.items())),
        disturbed=int(mine["disturbed"].astype(bool).sum()),
    )


def below_floor(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """One line per mean that is below what physics and the protocol allow."""
    found = []
    for row in rows:
        cell = cell_of(row)
        for arm, protocol in zip(cell.arms, cell.protocols, strict=True):
            mean_ms, least_ms = row[f"{arm}_mean_ms"], floor(cell, protocol).total_ms
            if math.isfinite(mean_ms) and mean_ms < least_ms:
                where = row["table"] if row["campaign"] == "published" else row["campaign"]
                found.append(f"{where}: {protocol} {label_of(row)}: mean {mean_ms:.1f} ms, floor {least_ms:.1f} ms")
    return found


def check_published(published: pd.DataFrame, slips: Sequence[Mapping[str, str]]) -> PublishedCheck:
    """Do the printed percentage differences follow from the printed means, and are the means possible?"""
    rows = published.to_dict("records")
    wrong = []
    for row in rows:
        quic, tcp, printed = row["quic_mean_ms"], row["tcp_mean_ms"], str(row["printed_pct_diff"])
        if not difference_follows(quic, tcp, printed):
            computed = percentage_difference(quic, tcp)
            wrong.append(f"table {row['table']}: {label_of(row)}: printed {printed} %, the means give {computed:.2f} %")
    return PublishedCheck(len(rows), tuple(wrong), tuple(below_floor(rows)), tuple(dict(slip) for slip in slips))


def difference_follows(quic_mean_ms: float, tcp_mean_ms: float, printed: str) -> bool:
    """Whether a printed percentage difference is equation 4.1 of the printed means.

    It is printed with two significant digits (`72`, `0.53`, `1.1e+02`), so it may be off by half a unit of
    the second one, plus what the rounding of the means to 0.01 ms can change.
    """
    value = float(printed)
    unit = 10.0 ** (math.floor(math.log10(abs(value))) - 1) if value else 0.1
    slack = 100 * MEAN_ROUNDING_MS * (quic_mean_ms + tcp_mean_ms) / quic_mean_ms**2
    return abs(percentage_difference(quic_mean_ms, tcp_mean_ms) - value) <= unit / 2 + slack
