"""What netem's parameters do to packets in theory: shares under correlation, delays, bounds of losses. Pure."""

from __future__ import annotations

import functools
import itertools
import math
import statistics

from longlook.link.binomial import CONFIDENCE, bounds
from longlook.plan.link import GEMODEL, Link

STEPS, ROUNDS = 4000, 40
"""Of the distribution of correlated numbers."""
SLACK = 1.0
"""Of the logarithm of a probability: for the state that a chain begins in."""
Bounds = tuple[int, int]


@functools.lru_cache(maxsize=16)
def crowd(rho: float) -> tuple[float, ...]:
    """Distribution function of the numbers of x = rho * x + (1 - rho) * fresh, at 0, 1/`STEPS`, ..., 1."""
    found = [step / STEPS for step in range(STEPS + 1)]
    for _ in range(ROUNDS if rho else 0):
        middles = (sum(two) / 2 / STEPS for two in itertools.pairwise(found))
        area = [0.0, *itertools.accumulate(middles)]

        def under(x: float, area: list[float] = area) -> float:
            if x <= 0:
                return 0.0
            if x >= 1:
                return area[-1] + x - 1
            step = int(x * STEPS)
            return area[step] + (x * STEPS - step) * (area[step + 1] - area[step])

        found = [
            rho / (1 - rho) * (under(step / STEPS / rho) - under((step / STEPS - 1 + rho) / rho))
            for step in range(STEPS + 1)
        ]
    return tuple(found)


def share(pct: float | None, correlation_pct: float | None) -> float:
    """Of the packets that something befalls (0 to 1), of which so many percent are to be drawn with a correlation."""
    if pct is None or pct >= 100:
        return 0.0 if pct is None else 1.0
    at, found = pct / 100 * STEPS, crowd((correlation_pct or 0) / 100)
    step = int(at)
    return found[step] + (at - step) * (found[step + 1] - found[step])


def corrupted(link: Link) -> float:
    """Share of a direction's packets."""
    return share(link.corrupt_pct, link.corrupt_correlation_pct)


def duplicated(link: Link) -> float:
    """Share of a direction's packets."""
    return share(link.duplicate_pct, link.duplicate_correlation_pct)


def delay_ms(link: Link) -> tuple[float, float]:
    """Mean and standard deviation of one direction's delays under normal jitter, cut at 0."""
    numbers = crowd((link.jitter_correlation_pct or 0) / 100)
    normal, spread = statistics.NormalDist(), link.jitter_sd_ms or 0.0
    delays = [max(0.0, link.rtt_ms / 2 + spread * normal.inv_cdf((step + 0.5) / STEPS)) for step in range(STEPS)]
    weights = [after - before for before, after in itertools.pairwise(numbers)]
    mean = sum(d * w for d, w in zip(delays, weights, strict=True)) / sum(weights)
    return mean, math.sqrt(sum(w * (d - mean) ** 2 for d, w in zip(delays, weights, strict=True)) / sum(weights))


def share_bounds(n: int, expected: float, correlation_pct: float | None = None) -> Bounds:
    """Least and most of n packets; a correlation makes neighbours less independent."""
    low, high = bounds(n, expected)
    rho, mean = (correlation_pct or 0) / 100, n * expected
    wider = math.sqrt((1 + rho) / (1 - rho))
    return max(0, math.floor(mean - wider * (mean - low))), min(n, math.ceil(mean + wider * (high - mean)))


def loss_bounds(link: Link, way: str, n: int) -> Bounds:
    """Least and most of n packets of one direction that are counted as lost: a binomial's or a Gilbert-Elliott model's.

    Of a packet that is to be lost and to be doubled one passes, and a copy may be lost too: of each packet's losses
    a few are not counted.
    """
    doubled, lost = duplicated(link), link.loss_share(way)
    if link.gemodel_p_pct is None:
        return bounds(n, lost * (1 - doubled * lost))
    low, high = chain_bounds(n, *(getattr(link, name) / 100 for name in GEMODEL))
    return math.floor(low * (1 - doubled)), math.ceil(high * (1 + doubled))


def chain_bounds(n: int, p: float, r: float, bad: float, good: float) -> Bounds:
    """Least and most losses of a Gilbert-Elliott model by Chernoff's inequality: its bursts make counts so uneven that
    neither a binomial nor a normal distribution bounds them. A right link's is outside less than once in 10,000 times.
    """
    unlikely = SLACK - math.log((1 - CONFIDENCE) / 2)

    def growth(t: float) -> float:
        """Logarithm of the factor per packet of the mean of exp(t * losses)."""
        kept, gone = 1 - good + good * math.exp(t), 1 - bad + bad * math.exp(t)
        half, product = (kept * (1 - p) + gone * (1 - r)) / 2, kept * gone * (1 - p - r)
        return math.log(half + math.sqrt(max(0.0, half * half - product)))

    tilts = [10 ** (power / 40) for power in range(-200, 41)]
    most = min((n * growth(t) + unlikely) / t for t in tilts)
    least = max((n * growth(-t) + unlikely) / -t for t in tilts)
    return max(0, math.floor(least)), min(n, math.ceil(most))
