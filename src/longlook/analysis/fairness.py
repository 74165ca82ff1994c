"""Jain's fairness index."""

from __future__ import annotations

from collections.abc import Sequence


def jain(rates: Sequence[float]) -> float:
    """(sum x)^2 / (n sum x^2) of the flows' rates: 1 where all are equal, 1/n where one flow has everything (Jain 1984)."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else float("nan")
