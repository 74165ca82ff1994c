"""`longlook predict`: a sweep's criteria as a reader checks them before the measurement, and what became of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from longlook import paths
from longlook.analysis.quantifier import POOLS
from longlook.book import data as book_data
from longlook.book.data import COLUMNS
from longlook.book.evidence import columns_of
from longlook.book.judged import judged, tables_of, verdict_as_sealed
from longlook.book.templates import row
from longlook.errors import LonglookError
from longlook.plan.cell import MOST_REPEATS_PER_LOAD
from longlook.plan.criteria import Criterion
from longlook.plan.squares import number_of
from longlook.plan.sweep import Sweep
from longlook.record.campaigns import find_campaign
from longlook.record.criteria import standing

SAID = {
    "sealed": "criteria sealed before the data",
    "prose": "put into data after the campaign began",
    "changed": "criteria changed since they were sealed",
}

SIGNIFICANT = {"none": "not significant", "same": "as significant as what it is against"}


def foretold(sweep: Sweep) -> Iterator[str]:
    """A line for each prediction: its squares, its bounds, its rule."""
    if sweep.criteria is None:
        raise LonglookError(f"sweep {sweep.name} predicts nothing: it has no [[predictions]]")
    yield f"{sweep.name}: {len(sweep.predictions)} predictions, criteria {sweep.criteria.digest[:12]}"
    rows = sweep.judged_rows()
    for one in sweep.predictions:
        leaves = list(one.leaves(sweep.rule))
        yield f"{one.n}. {one.says}"
        pooled = dict.fromkeys(own.squares for own in (one, *(part for leaf in leaves for part in leaf.part_of)))
        many = f"{sum(number_of(leaf, rows) for leaf in leaves)} numbers"
        many += "".join(f", their {word}" for word in pooled if word in POOLS)
        yield f"   {many}; {'; '.join(dict.fromkeys(map(_asked, leaves)))}"
    yield _ends(sweep)


def _ends(sweep: Sweep) -> str:
    """How much is measured, and what may stop it: there is one rule, which no result can change."""
    cells = sweep.cells()
    loads, campaigns = " or ".join(map(str, sorted({one.loads for one in cells}))), sweep.rule.campaigns
    often = "once" if campaigns == 1 else f"in {campaigns} campaigns"
    return (
        f"measured {often}: each of {len(cells)} cells ends with {loads} "
        f"loads of each arm that count, whatever they show, or with {MOST_REPEATS_PER_LOAD} times as many repeats; a "
        "campaign beyond that counts too, and is marked as one that began with results known"
    )


def _asked(leaf: Criterion) -> str:
    form = next((form for form in ("ratio", "difference", "spread", "steps", "value") if getattr(leaf, form)), "arms")
    low, high = leaf.bounds
    bounds = (
        f"at most {high:g}" if math.isinf(low) else f"at least {low:g}" if math.isinf(high) else f"{low:g} to {high:g}"
    )
    if leaf.significant:
        found = SIGNIFICANT.get(leaf.significant, f"significantly less on the {leaf.significant}")
        found += "" if leaf.holm is None else ", by Holm"
        bounds = found if low == -high == -math.inf else f"{found}, and {bounds}"
    arms = " and ".join(" over ".join(pair) if form == "ratio" else " and ".join(pair) for pair in leaf.pairs)
    if leaf.over is not None:
        arms += f", over {' '.join(map(str, leaf.over))} changed"
    for one in leaf.against:
        pairs = "; ".join(" and ".join(pair) for pair in one.ratio or one.difference or ())
        arms += f", against {' '.join(filter(None, [one.study, one.column, *(one.series or ()), *one.where, pairs]))}"
    bounds += f" {leaf.unit}" if leaf.unit else ""
    made = leaf.quantity or f"{form} of {leaf.statistic or 'mean'} {leaf.metric}"
    rule = "value" if leaf.unit == "points" else leaf.by or "interval"
    return f"{made}, {arms}: {bounds}, by {rule}"


def became(sweep: Sweep, campaign: str) -> Iterator[str]:
    """A line for each prediction: its verdict in one campaign, and what was found."""
    info = find_campaign(paths.RAW, campaign).info
    if info["sweep"] != sweep.name:
        raise LonglookError(f"campaign {campaign} is of sweep {info['sweep']}, not of {sweep.name}")
    known = book_data.load()
    if known.where("arms", campaign=campaign).empty:
        raise LonglookError(f"campaign {campaign} is in no table yet: longlook process")
    column = next(key for key, role, _ in COLUMNS if role == info["role"])
    columns = columns_of(tables_of(sweep.name, known, campaign), sweep.study)
    yield f"{campaign}: {SAID[standing(info, sweep.criteria)]}"
    for one in judged(sweep, columns, column):
        found = row(one, sweep.rule.words)
        yield f"{found.verdict}: {found.said}"
        yield f"   {found.found}{verdict_as_sealed(one, info, sweep, columns, column)}"
