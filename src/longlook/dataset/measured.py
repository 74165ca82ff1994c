"""The cells of one campaign as they can be held against another's, from its raw records; no table is written."""

from __future__ import annotations

import math
from pathlib import Path

from longlook.analysis.cells import full_label_of
from longlook.analysis.difference import difference
from longlook.analysis.fairness import Share, verdict_of
from longlook.analysis.pairing import MeasuredCell, condition_of
from longlook.analysis.welch import summarise
from longlook.dataset.process import Row, read_cell, read_transfer, summary_of
from longlook.record.campaign import Campaign
from longlook.record.durable import read_json
from longlook.scenario import Cell
from longlook.transfers import TransferCell


def read_measured(campaign: Campaign) -> list[MeasuredCell]:
    """Every finished cell of a campaign, sealed or still growing, in the order of its sweep.

    Loads and transfers that were rejected, and cold loads, do not count, as in the processed tables. A damaged
    record is a `LonglookError` that names it.
    """
    if campaign.kind == "plt":
        return [_page(folder) for folder in campaign.finished_cells()]
    by_condition: dict[str, list[tuple[TransferCell, Row, Path]]] = {}
    for folder in campaign.finished_cells():
        cell, record = read_transfer(folder)
        by_condition.setdefault(condition_of(cell), []).append((cell, record, folder))
    return [_transfer(replicates) for replicates in by_condition.values()]


def _page(folder: Path) -> MeasuredCell:
    cell, runs = read_cell(folder)
    left, right = (summary_of(runs, arm) for arm in cell.arms)
    found = difference(left, right, cell.arms)
    names = dict(zip(cell.arms, cell.protocols, strict=True))
    return MeasuredCell(
        cell_id=cell.cell_id,
        figure=cell.figure,
        label=full_label_of(cell),
        condition=condition_of(cell),
        arms=dict(zip(cell.arms, (left, right), strict=True)),
        kinds={arm: protocol if cell.arms in (cell.protocols, ("a", "b")) else arm for arm, protocol in names.items()},
        verdict=found.verdict,
        tested=not math.isnan(found.test.p_value),
        seeds=_seeds([cell]),
        environments=(read_json(folder / "environment.json"),),
    )


def _transfer(replicates: list[tuple[TransferCell, Row, Path]]) -> MeasuredCell:
    cell = replicates[0][0]
    accepted = [record for _, record, _ in replicates if record["accepted"]]
    rates = {name: [record["flows"][name]["mean_mbps"] for record in accepted] for name in cell.names}
    arms = {name: summarise([rate for rate in own if rate is not None]) for name, own in rates.items()}
    kinds = {name: flow.protocol for name, flow in zip(cell.names, cell.flows, strict=True)}
    shares = [Share(name, kinds[name], one.mean, one.sd, one.n) for name, one in arms.items()]
    return MeasuredCell(
        cell_id=cell.cell_id,
        figure=cell.figure,
        label=full_label_of(cell),
        condition=condition_of(cell),
        arms=arms,
        kinds=kinds,
        verdict=verdict_of(shares) if len(shares) > 1 else "none",
        tested=len(shares) > 1 and min(one.n for one in arms.values()) > 1,
        seeds=_seeds([cell for cell, _, _ in replicates]),
        environments=tuple(read_json(folder / "environment.json") for _, _, folder in replicates),
    )


def _seeds(cells: list[Cell] | list[TransferCell]) -> tuple[int, ...]:
    """Seeds of the links' losses and delays; of links that draw none, nothing."""
    return tuple(cell.seed for cell in cells if cell.link.loss_pct or cell.link.jitter_ms)
