"""What the reader's own campaigns contradict of the reference ones, whose numbers the findings are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from longlook.book.data import BookData
from longlook.experiment.metrics import PLT, TTLB
from longlook.figure import style
from longlook.figure.versus import ARM_WORDS, SIDES, Decision, decided
from longlook.record.parquet import records

TIMES = (PLT.name, TTLB.name)
"""Metrics of which a shorter one is the better."""
MOST = 6
"""So many are named."""


def contradicts(own: Decision, reference: Decision) -> bool:
    """Whether a reader's loads exclude the difference that the reference's show: it lies outside their 99 % interval,
    or they show the opposite."""
    if reference.winner not in SIDES or own.winner in (reference.winner, None):
        return False
    if not own.ends:
        return own.winner in SIDES
    low, high = own.ends
    return not low <= reference.pct <= high


def contradicted(data: BookData, study: str, series: Sequence[str]) -> str:
    """The reader's contradictions in a sentence; empty where there is none."""
    if data.rows("cells", study, series, "yours").empty:
        return ""
    known, own = (dict(_decisions(data, study, series, key)) for key in ("reference", "yours"))
    both = [place for place in known if place in own]
    found = [place for place in both if contradicts(own[place], known[place])]
    if not found:
        return ""
    cells = {row["key"]: row for row in records(data.rows("cells", study, series, "yours"))}
    named = [_told(cells[place[0]], place, known[place], own[place]) for place in found[:MOST]]
    more = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
    whole = f"{len(found)} of {len(both)} comparisons that both have"
    return f"**Yours contradicts the reference campaigns in {whole}**: {'; '.join([*named, *more])}."


Place = tuple[str, str, str, str]
"""A cell's key, its two arms, the metric."""


def _decisions(data: BookData, study: str, series: Sequence[str], key: str) -> Iterator[tuple[Place, Decision]]:
    for row in records(data.rows("contrasts", study, series, key)):
        if row["metric"] in TIMES and not row["control"]:
            yield (row["key"], row["left"], row["right"], row["metric"]), decided(row)


def _told(cell: Mapping[Hashable, Any], place: Place, reference: Decision, own: Decision) -> str:
    left, right = (ARM_WORDS.get(one, one) for one in place[1:3])
    lead = f"{left if reference.winner == 'left' else right} faster by {style.pct_text(reference.pct)} %"
    link = style.link_label(cell["rtt_ms"], cell["loss_pct"] or None, cell["jitter_ms"])
    condition = f"{style.page_label(cell)} at {cell['bandwidth_mbps']:g} Mbit/s, {link}"
    return f"{condition}: {lead}, yours {own.text}, {own.shown}"
