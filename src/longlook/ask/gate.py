"""A requirement as a gate: `plt: h3 <= h2 + 5 %`, of medians, on every link."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longlook.book.report import CellReport
from longlook.errors import LonglookError
from longlook.experiment.base import Experiment
from longlook.plan.value import nearest

FORM = re.compile(r"\s*(\w+)\s*:\s*h3\s*<=\s*h2\s*(?:([+-])\s*(\d+(?:\.\d+)?)\s*%\s*)?")
NAMES = {"plt_ms": "plt", "ttfb_ms": "ttfb", "lcp_ms": "lcp", "fcp_ms": "fcp", "speed_index_ms": "si"}
"""Metric -> what it is called in a requirement."""


@dataclass(frozen=True)
class Gate:
    """The median over HTTP/3 is at most so many times that over HTTP/2."""

    metric: str
    most_pct: float

    def failures(self, cells: Sequence[CellReport], quic: str, tcp: str, wanted: int) -> Iterator[str]:
        """A line for each link and visit where it does not hold, and one for those where no load of an arm counted."""
        own = [cell for cell in cells if cell.metric == self.metric]
        if lacking := wanted - len(own):
            yield f"in {lacking} of {wanted} cells no load counted"
        for cell in own:
            medians = {arm.arm: arm.median for arm in cell.arms}
            most = medians[tcp] * (1 + self.most_pct / 100)
            if not medians[quic] <= most:
                over = f"{self.metric} over h3 {medians[quic]:.1f} {cell.unit}"
                yield f"{cell.title}: {over}, required at most {most:.1f}"


def parse(text: str, experiment: Experiment) -> Gate:
    """Raise `LonglookError` for what is no requirement, or of no metric that is measured."""
    match = FORM.fullmatch(text)
    if match is None:
        raise LonglookError(f"{ascii(text)[:80]} is no requirement: one is 'plt: h3 <= h2 + 5 %'")
    name, sign, pct = match.groups()
    known = {short: experiment.metric(metric).title for metric, short in NAMES.items()}
    if name not in known:
        raise LonglookError(f"no metric {name!r} is measured{nearest(name, known)} (known: {', '.join(known)})")
    return Gate(known[name], (-1 if sign == "-" else 1) * float(pct or 0))
