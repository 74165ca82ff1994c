"""Who gets what of a shared bottleneck: rates per flow over the runs of a scenario, and Jain's index. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.welch import Summary

MATERIAL = 1.1
"""Rates that differ by less are called fair whatever their p: five runs on a deterministic link tell 2.43 from 2.54."""


def jain(rates: Sequence[float]) -> float:
    """(sum x)^2 / (n sum x^2) of the flows' rates: 1 where all are equal, 1/n where one has everything (Jain 1984)."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else float("nan")


def between_protocols(protocols: Sequence[str]) -> tuple[int, int]:
    """Which two flows decide: the first one, and the first of the other protocol or else the second."""
    other = next((index for index, one in enumerate(protocols) if one != protocols[0]), None)
    return 0, other if other is not None else min(1, len(protocols) - 1)


def share_contrast(left: Summary, right: Summary) -> Contrast:
    """Rates of two flows; a difference of less than a tenth is none."""
    found = contrast(left, right, "high")
    if found.verdict in ("left", "right") and max(left.mean, right.mean) < MATERIAL * min(left.mean, right.mean):
        return replace(found, verdict="none")
    return found
