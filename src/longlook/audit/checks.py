"""The checks of an audit, as pure functions over the processed tables and the published cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from scipy.stats import binom

from longlook.analysis.ceiling import ALL, Ceiling, ceilings, halves
from longlook.analysis.compared import ComparedCell, compared_cells, largest, overall
from longlook.analysis.convention import conventions
from longlook.analysis.first_attempts import agreeing_at_first, first_attempts
from longlook.analysis.newest import moment, newest, role_of
from longlook.analysis.order import OrderEffect, one_row_each, order_effects
from longlook.analysis.welch import ALPHA, Summary, summary_of
from longlook.audit.published import check_published
from longlook.audit.rejections import rejection_control
from longlook.audit.report import (
    AAControl,
    AuditReport,
    ControlGroup,
    Integrity,
    LoadCounts,
    OrderControl,
    Section,
    TableAudit,
)  # fmt: skip
from longlook.experiment.registry import EXPERIMENTS
from longlook.published.cells import PublishedCell, Slip
from longlook.record.parquet import records

ROLES = ("reference", "local")
NEEDED = ("agreement_means", "agreement_verdicts", "arms", "cells", "contrasts", "samples")
CELL_NAME = ["campaign", "cell_id"]
APART = ("aa-root", "aa-user")
"""Series of equal arms that ask what root's rights are worth, and not whether these campaigns can be trusted."""
KIND = ["stack", "protocol", "handshake", "cca"]
"""What tells controls apart."""
FALSE_FAILURES = 0.1
FALSE_ORDER_FAILURES = 0.001
"""Rarer: every audit makes this test, also of few cells, and arms that disturb each other show it in most cells."""

Tables = Mapping[str, pd.DataFrame]
"""NEEDED, as `dataset.tables.read_table` reads them."""
Chosen = Callable[[pd.DataFrame], pd.DataFrame]
"""Which rows of a table are audited together."""


def allowed_by_chance(cells: int, false_failures: float = FALSE_FAILURES) -> int:
    """Most significant cells that a control of equals may have: 1 of 40 in the A/A control.

    Each of n equal cells is coloured by chance with probability 0.01, so the number of coloured ones is
    binomial; allowed is the smallest k that a sound testbed exceeds in a share of `false_failures` of all
    controls at most: one of ten, unless another is asked for.
    """
    return int(binom.ppf(1 - false_failures, cells, ALPHA)) if cells else 0


def audit(
    tables: Tables,
    published: Sequence[PublishedCell] = (),
    *,
    campaign: str | None = None,
    slips: Sequence[Slip] = (),
    integrity: Integrity | None = None,
) -> AuditReport:
    """Audit the newest campaigns of each role, or one `campaign`, against the published cells.

    The A/A control of a chosen campaign is its own or else its role's newest.
    """
    controls = _controls(tables, campaign)
    titles = {"reference": "reference campaigns (in the repository)", "local": "your newest campaigns"}
    if campaign is not None:
        titles = {campaign: f"campaign {campaign}"}
    sections = []
    for key, title in titles.items():
        found = section(title, tables, _chooser(key, campaign), published, controls)
        if found.campaigns:
            sections.append(found)
    arms = primary(tables["arms"])
    rejected = rejection_control(loads_of(tables["samples"], arms[arms["mode"] == "interleaved"]), campaign)
    return AuditReport(controls, tuple(sections), check_published(published, slips), integrity or Integrity(), rejected)


def _chooser(role: str, campaign: str | None) -> Chosen:
    if campaign is None:
        return lambda rows: counted(rows, role)
    return lambda rows: rows[rows["campaign"] == campaign]


def counted(rows: pd.DataFrame, role: str) -> pd.DataFrame:
    """The rows that a reader sees of a role (`newest`), but those of series that stand apart."""
    return newest(rows[~rows["series"].isin(APART)], role)


def primary(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of `arms` or `contrasts` that are of their experiment's first metric."""
    metrics = {name: one.primary.name for name, one in EXPERIMENTS.items()}
    return rows[rows["metric"] == rows["experiment"].map(metrics)]


def _controls(tables: Tables, campaign: str | None) -> tuple[AAControl, ...]:
    if campaign is None:
        measured = tuple(one for role in ROLES if (one := aa_control(role, tables, _chooser(role, None))).cells)
        return measured or (AAControl(role="any campaign"),)
    role = role_of(campaign)
    own = aa_control(role, tables, _chooser(role, campaign))
    return (own if own.cells else aa_control(role, tables, _chooser(role, None)),)


def aa_control(role: str, tables: Tables, chosen: Chosen) -> AAControl:
    """How many comparisons of equal arms came out significant."""
    contrasts, arms = primary(tables["contrasts"]), primary(tables["arms"])
    arms = arms[arms["control"]]
    kinds = arms[[*CELL_NAME, "arm", *KIND]].rename(columns={"arm": "left"})
    rows = chosen(contrasts[contrasts["control"]]).merge(kinds, on=[*CELL_NAME, "left"], how="left", sort=False)
    rows = rows.merge(tables["cells"][[*CELL_NAME, "title"]], on=CELL_NAME, how="left", sort=False)
    tested = rows[rows["verdict"].notna()]
    coloured = tested[tested["verdict"] != "none"]
    return AAControl(
        role=role,
        campaigns=tuple(sorted(rows["campaign"].unique())),
        cells=len(rows),
        untested=len(rows) - len(tested),
        significant=tuple(
            f"{row['protocol']} {row['title']}: {row['pct_diff']:+.1f} %, p = {row['p_value']:.2g}"
            for row in records(coloured)
        ),
        allowed=allowed_by_chance(len(tested)),
        largest_pct=_largest_pct(tested),
        below_floor=below_floor(chosen(arms), tables["cells"]),
        groups=_groups(rows),
    )


def _groups(rows: pd.DataFrame) -> tuple[ControlGroup, ...]:
    """What a control is of; of several groups each may fail by chance as much more seldom."""
    parts = list(rows.groupby(KIND, sort=False))
    found = []
    for kind, own in parts:
        tested = own[own["verdict"].notna()]
        found.append(
            ControlGroup(
                **dict(zip(KIND, kind, strict=True)),
                cells=len(own),
                untested=len(own) - len(tested),
                significant=int((tested["verdict"] != "none").sum()),
                allowed=allowed_by_chance(len(tested), FALSE_FAILURES / len(parts)),
                largest_pct=_largest_pct(tested),
            )
        )
    return tuple(found)


def _largest_pct(rows: pd.DataFrame) -> float:
    return float(rows["pct_diff"].abs().max()) if len(rows) else 0.0


def section(
    title: str, tables: Tables, chosen: Chosen, published: Sequence[PublishedCell], controls: Sequence[AAControl]
) -> Section:
    """One set of re-measured cells beside the published tables."""
    arms = primary(tables["arms"])
    arms = chosen(arms[~arms["control"]])
    alone = arms[arms["mode"] == "interleaved"]
    loads = loads_of(tables["samples"], alone)
    order, kept = order_controls(loads, alone)
    compared = compared_cells(chosen(tables["agreement_means"]), chosen(tables["agreement_verdicts"]), tables["cells"])
    measured = set(arms[CELL_NAME].itertuples(index=False, name=None))
    metrics = dict.fromkeys(cell.metric for cell in compared)
    kinds = dict.fromkeys((cell.study, cell.metric) for cell in compared)
    tabled = {(cell.campaign, cell.cell_id) for cell in compared}
    most, studies = _ceilings(_measured_of(published, tables["cells"], tabled) if tabled else [])
    bounded = arms[arms["floor"].notna() & arms["mean"].notna()]
    return Section(
        title=title,
        campaigns=tuple(sorted(arms["campaign"].unique())),
        tables=_tables(compared, published, loads, tables["samples"], most),
        overall=tuple(overall([cell for cell in compared if cell.study == study], metric) for study, metric in kinds),
        largest={metric: largest([cell for cell in compared if cell.metric == metric]) for metric in metrics},
        unpublished_cells=len(measured - {(cell.campaign, cell.cell_id) for cell in compared}),
        loads=count_loads(loads),
        order=order,
        kept=kept,
        short_cells=short_cells(alone, tables["cells"]),
        floors=len(bounded),
        below_floor=below_floor(bounded, tables["cells"]),
        uncontrolled=_uncontrolled(alone, controls),
        ceilings=studies,
        halves=halves(pairs_of_loads(loads, tabled)) if tabled else None,
        conventions=tuple(one for one in conventions(published, samples_by_key(alone)) if one.cells),
    )


def _measured_of(published: Sequence[PublishedCell], cells: pd.DataFrame, tabled: set) -> list[PublishedCell]:
    """The published cells that these (campaign, cell_id) are."""
    own = among(cells, pd.DataFrame(sorted(tabled), columns=CELL_NAME))
    known = set(own[["study", "series", "key"]].itertuples(index=False, name=None))
    return [one for one in published if (one.cell.study, one.cell.series, one.cell.key) in known]


def _ceilings(
    published: Sequence[PublishedCell],
) -> tuple[dict[tuple[str, str], Ceiling], dict[str, Ceiling]]:
    """By (study, table), and by study."""
    tables: dict[tuple[str, str], Ceiling] = {}
    studies: dict[str, Ceiling] = {}
    for study in dict.fromkeys(one.cell.study for one in published):
        found = ceilings([one for one in published if one.cell.study == study])
        studies |= {study: found.pop(ALL)} if ALL in found else {}
        tables |= found
    return tables, studies


def pairs_of_loads(loads: pd.DataFrame, tabled: set) -> dict[str, tuple[list[float], list[float]]]:
    """Cells of two arms, by name -> the loads that count of each."""
    own = loads[loads["accepted"].astype(bool) & ~loads["set_aside"].astype(bool) & loads["value"].notna()]
    found = {}
    for name, cell in among(own, pd.DataFrame(sorted(tabled), columns=CELL_NAME)).groupby(CELL_NAME, sort=True):
        arms = [arm["value"].tolist() for _, arm in cell.groupby("arm", sort=True)]
        if len(arms) == 2:
            found["/".join(name)] = (arms[0], arms[1])
    return found


def samples_by_key(arms: pd.DataFrame) -> dict[tuple[str, str], dict[str, Summary]]:
    """(study, key) -> protocol -> its loads, of cells of one arm per protocol; of several equal cells that with the
    most loads, and of these the newest campaign's."""
    found: dict[tuple[str, str], dict[str, Summary]] = {}
    ordered = arms.assign(_moment=arms["campaign"].map(moment)).sort_values(["n", "_moment"], kind="stable")
    for row in records(ordered):
        found.setdefault((row["study"], row["key"]), {})[row["protocol"]] = summary_of(row)
    return found


def _tables(
    compared: Sequence[ComparedCell],
    published: Sequence[PublishedCell],
    loads: pd.DataFrame,
    samples: pd.DataFrame,
    most: Mapping[tuple[str, str], Ceiling],
) -> tuple[TableAudit, ...]:
    sizes = Counter((one.cell.study, one.table) for one in published)
    by_table: dict[tuple[str, str], list[ComparedCell]] = {}
    for cell in compared:
        by_table.setdefault((cell.study, cell.table), []).append(cell)
    places = {key: place for place, key in enumerate(sizes)}
    of = pd.MultiIndex.from_frame(loads[CELL_NAME])
    tabled = [one for one in dict.fromkeys((cell.campaign, cell.cell_id) for cell in compared) if one in of]
    rows = among(samples, pd.DataFrame(tabled, columns=CELL_NAME))
    first = {metric: first_attempts(own) for metric, own in rows.groupby("metric", observed=True)}
    return tuple(
        TableAudit(
            study=study,
            table=table,
            series=tuple(dict.fromkeys(cell.series for cell in cells)),
            campaigns=tuple(dict.fromkeys(cell.campaign for cell in cells)),
            published_cells=sizes[study, table],
            cells=tuple(cells),
            overall=overall(cells, cells[0].metric),
            loads=count_loads(loads[of.isin([(cell.campaign, cell.cell_id) for cell in cells])]),
            first=agreeing_at_first(cells, first.get(cells[0].metric, {})),
            ceiling=most.get((study, table)),
        )
        for (study, table), cells in sorted(by_table.items(), key=lambda item: places.get(item[0], len(places)))
    )


def _uncontrolled(arms: pd.DataFrame, controls: Sequence[AAControl]) -> tuple[str, ...]:
    """Kinds of arms that were measured and are in no control."""
    known = {
        (one.stack, one.protocol, one.handshake, one.cca)
        for control in controls
        for one in control.groups
        if one.cells > one.untested
    }
    kinds = arms[KIND].drop_duplicates().sort_values(KIND).itertuples(index=False, name=None)
    return tuple(ControlGroup.label_of(*kind) for kind in kinds if kind not in known)


def loads_of(samples: pd.DataFrame, arms: pd.DataFrame) -> pd.DataFrame:
    """One row per load or download of these cells (rows of `arms`), with its `value` in the experiment's first
    metric."""
    found = [
        one_row_each(among(samples, rows[CELL_NAME].drop_duplicates()), metric)
        for metric, rows in arms.groupby("metric", sort=False)
    ]
    return pd.concat(found, ignore_index=True) if found else one_row_each(samples.iloc[:0], "")


def among(rows: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """The rows that are of these cells."""
    return rows[pd.MultiIndex.from_frame(rows[CELL_NAME]).isin(pd.MultiIndex.from_frame(cells[CELL_NAME]))]


def count_loads(loads: pd.DataFrame) -> LoadCounts:
    """Accepted, cold, rejected by reason, disturbed."""
    accepted, aside = loads["accepted"].astype(bool), loads["set_aside"].astype(bool)
    rejected = Counter(loads.loc[~accepted, "reject_reason"])
    return LoadCounts(
        accepted=int((accepted & ~aside).sum()),
        cold=int((accepted & aside).sum()),
        rejected=dict(sorted(rejected.items())),
        disturbed=int(loads["disturbed"].astype(bool).sum()),
    )


def order_controls(loads: pd.DataFrame, arms: pd.DataFrame) -> tuple[OrderControl, OrderControl]:
    """Of the arms that open a connection for each load, and of those that keep theirs: for how long that was idle, and
    with which window it goes on, depends on what was loaded before. What comes before a load may be one of either."""
    warm = arms.loc[arms["handshake"] == "warm", [*CELL_NAME, "arm"]]
    keeping = set(warm.itertuples(index=False, name=None))
    new: list[OrderEffect] = []
    kept: list[OrderEffect] = []
    for one in order_effects(loads):
        (kept if (one.campaign, one.cell_id, one.arm) in keeping else new).append(one)
    return _order_control(new), _order_control(kept)


def _order_control(effects: Sequence[OrderEffect]) -> OrderControl:
    """How many arms are faster or slower after a load of another arm."""
    tested = Counter(one.campaign for one in effects)
    coloured = Counter(one.campaign for one in effects if one.test.significant)
    return OrderControl(
        tested=len(effects),
        significant=tuple(
            f"{one.cell_id}: {one.arm} {one.after_own_ms:.1f} ms after its own, "
            f"{one.after_other_ms:.1f} ms after the other, p = {one.test.p_value:.2g}"
            for one in effects
            if one.test.significant
        ),
        allowed=allowed_by_chance(len(effects), FALSE_ORDER_FAILURES),
        by_campaign={name: (number, coloured[name]) for name, number in tested.items()},
    )


def short_cells(arms: pd.DataFrame, cells: pd.DataFrame) -> tuple[str, ...]:
    """Cells in which an arm is short of accepted loads, measured by the fullest arm of the same campaign."""
    rows = arms.assign(most=arms.groupby("campaign")["n"].transform("max"))
    titles = _titles(cells)
    found = []
    for name, own in rows.groupby(CELL_NAME, sort=False):
        if (own["n"] < own["most"]).any():
            counts = " and ".join(f"{row['n']} {row['arm']}" for row in records(own))
            found.append(f"figure {own['series'].iloc[0]}: {titles[name]}: {counts} loads of {own['most'].iloc[0]}")
    return tuple(found)


def below_floor(arms: pd.DataFrame, cells: pd.DataFrame) -> tuple[str, ...]:
    """One line per mean that is below what physics and the protocol allow."""
    titles = _titles(cells)
    return tuple(
        f"{row['campaign']}: {_named(row)} {titles[row['campaign'], row['cell_id']]}: "
        f"mean {row['mean']:.1f} {row['unit']}, floor {row['floor']:.1f} {row['unit']}"
        for row in records(arms[arms["mean"] < arms["floor"]])
    )


def _named(row: Mapping[str, str]) -> str:
    """`quic`; where its name does not tell, `quic (0rtt)`."""
    return row["protocol"] if row["arm"] == row["protocol"] else f"{row['protocol']} ({row['arm']})"


def _titles(cells: pd.DataFrame) -> dict[tuple[str, str], str]:
    return {(row.campaign, row.cell_id): row.title for row in cells.itertuples()}
