"""Pearson's correlation of numbered points, and by how much two differ, with bootstrap intervals. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from longlook.analysis.estimate import Estimate
from longlook.analysis.lowest import resampled

Point = tuple[float, float]
LEAST = 3
"""Points that a correlation is made of."""


def correlation(points: Sequence[Point]) -> Estimate | None:
    """None of too few points."""
    if len(points) < LEAST:
        return None
    return resampled(tuple(np.array(one) for one in zip(*points, strict=True)), _pearson, paired=True)


def correlation_difference(one: Mapping[int, Point], other: Mapping[int, Point]) -> Estimate | None:
    """One less another, of the numbers that both have."""
    pairs = [(*one[number], *other[number]) for number in one if number in other]
    if len(pairs) < LEAST:
        return None

    def less(x: np.ndarray, y: np.ndarray, other_x: np.ndarray, other_y: np.ndarray, axis: int = -1) -> np.ndarray:
        return _pearson(x, y, axis) - _pearson(other_x, other_y, axis)

    return resampled(tuple(np.array(row) for row in zip(*pairs, strict=True)), less, paired=True)


def _pearson(x: np.ndarray, y: np.ndarray, axis: int = -1) -> np.ndarray:
    """0 where one of the two does not vary, as of a few points drawn anew."""
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    size = np.asarray(np.sqrt((x**2).sum(axis=axis) * (y**2).sum(axis=axis)))
    return np.divide((x * y).sum(axis=axis), size, out=np.zeros_like(size), where=size > 0)
