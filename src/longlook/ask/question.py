"""A question as a sweep in memory: one site, each link once, HTTP/3 against HTTP/2; and its answer in one sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from longlook.analysis.paired import SMALL_PCT
from longlook.ask.profiles import Profile
from longlook.book.report import CellReport, Told
from longlook.plan.recorded import RecordedSite
from longlook.plan.sweep import Sweep
from longlook.plan.value import derived_seed
from longlook.stack.arms import complete

STACK = "todaypages"
QUIC, TCP = "h3", "h2"
ARMS = (
    {"name": QUIC, "protocol": "quic", "handshake": "1rtt", "cca": "cubic"},
    {"name": TCP, "protocol": "tcp", "cca": "cubic"},
)
LOADS, QUICK_LOADS = 20, 5
DEFAULT_LINKS = ("cable", "4g", "lte", "3g-fast")


def sweep_of(site: RecordedSite, links: Mapping[str, Profile], quick: bool) -> Sweep:
    """Every link is a series of its own."""
    return Sweep.parse(
        complete(
            {
                "name": f"ask-{site.name}",
                "study": "ask",
                "title": f"Does HTTP/3 pay for {site.label}?",
                "experiment": "pages",
                "stack": STACK,
                "loads": QUICK_LOADS if quick else LOADS,
                "seed": derived_seed("ask", site.digest),
                "cells": [_block(name, one, site) for name, one in links.items()],
            }
        )
    )


def _block(name: str, profile: Profile, site: RecordedSite) -> dict:
    link = profile.link
    return {
        "series": name,
        "arms": [dict(arm) for arm in ARMS],
        "workloads": [site],
        "bandwidth_mbps": link.bandwidth_mbps,
        "rtt_ms": link.rtt_ms,
        "loss_pct": link.loss_pct,
        "queue_bytes": link.queue_bytes,
    }


def answer(cells: Sequence[CellReport], metric: str, links: int) -> str:
    """One sentence, computed from the intervals of one metric on so many links, each of which was asked about."""
    found = [(cell, cell.told[0]) for cell in cells if cell.metric == metric]
    return f"Does HTTP/3 pay, by {metric}? {'; '.join(_parts(found, links))}."


def _parts(found: Sequence[tuple[CellReport, Told]], links: int) -> Iterator[str]:
    for finding, says in (("left", "it pays: it saves"), ("right", "it costs")):
        if own := [(cell, told) for cell, told in found if told.finding == finding]:
            saved = sorted(abs(cell.arms[1].median - cell.arms[0].median) for cell, _ in own)
            ends = " to ".join(dict.fromkeys(f"{one:.0f}" for one in (saved[0], saved[-1])))
            yield f"{says} {ends} {own[0][0].unit} of the median on {len(own)} of {links} links"
    if small := sum(told.finding == "small" for _, told in found):
        yield f"it does not on {small} of {links}: shown to differ by less than {SMALL_PCT:g} %"
    if unshown := [told for _, told in found if told.finding == "not shown"]:
        more = max(told.more_loads or 0 for told in unshown)
        rest = f", about {more} more loads of each would" if more else ""
        yield f"it cannot be told on {len(unshown)} of {links}{rest}"
    if left := links - len(found):
        yield f"it cannot be told on {left} of {links}, where no load counted"
