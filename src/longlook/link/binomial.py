"""How many of n packets a random loss takes: bounds, and how surely another loss falls outside them. Pure."""

from __future__ import annotations

import functools
import math

CONFIDENCE = 0.9999
"""Two-sided: a right link's count is outside of its bounds once in 10,000 times."""
_WIDTH = 12
"""Standard deviations beyond which nothing is added up; binomial tails there are below 1e-20."""


@functools.lru_cache(maxsize=64)
def _masses(n: int, share: float) -> tuple[int, tuple[float, ...]]:
    """The first count that matters, and the probability of each from there on."""
    if share <= 0 or share >= 1:
        return (0 if share <= 0 else n), (1.0,)
    spread = _WIDTH * math.sqrt(n * share * (1 - share)) + 2 * _WIDTH
    first, last = max(0, int(n * share - spread)), min(n, int(n * share + spread))
    lasting = math.lgamma(n + 1)
    masses = [
        math.exp(
            lasting - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(share) + (n - k) * math.log1p(-share)
        )
        for k in range(first, last + 1)
    ]
    total = sum(masses)
    return first, tuple(mass / total for mass in masses)


def bounds(n: int, share: float, confidence: float = CONFIDENCE) -> tuple[int, int]:
    """Lowest and highest count of n, each lost with probability `share`, that is not too unlikely."""
    tail = (1 - confidence) / 2
    first, masses = _masses(n, share)
    low, below = 0, 0.0
    while low < len(masses) - 1 and below + masses[low] <= tail:
        below += masses[low]
        low += 1
    high, above = len(masses) - 1, 0.0
    while high > 0 and above + masses[high] <= tail:
        above += masses[high]
        high -= 1
    return first + low, first + high


def power(n: int, share: float, actual: float, confidence: float = CONFIDENCE) -> float:
    """Probability that losses of share `actual` are seen not to be those of `share`."""
    low, high = bounds(n, share, confidence)
    first, masses = _masses(n, actual)
    return 1 - min(1.0, sum(mass for k, mass in enumerate(masses, first) if low <= k <= high))


def packets_needed(share: float, least: int, most: int) -> int:
    """So many that half the loss is noticed with a probability of 99 % and twice the loss with more; bounded. No loss
    expected: the least."""
    return least if share <= 0 else max(least, min(most, math.ceil(_EXPECTED / share)))


_EXPECTED = 125
"""Losses: bounds are then 84 and 171, so that 62 and 250 are told from them."""
