"""Quantities that criteria name: numbers of loads that no statistic of one metric is. Pure.

Each is made of the numbered loads of one arm, or of two cell by cell; their names stand in `plan/criteria.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from longlook.analysis.agreement import prediction_reach
from longlook.analysis.convention import log_mean, log_variance, scatters
from longlook.analysis.correlation import Point, correlation, correlation_difference
from longlook.analysis.early_exit import early_loads
from longlook.analysis.estimate import Estimate
from longlook.analysis.fairness import jain, ratio_of_means, ratio_of_runs
from longlook.analysis.lowest import Loads, lowest_ratio
from longlook.analysis.paired import paired
from longlook.analysis.power import detectable
from longlook.analysis.welch import Summary, summarise
from longlook.plan.conditions import Row
from longlook.plan.criteria import APART, CPU_METRICS, FIRST_LOST, REACH, TENTHS, WHOLE, Criterion

Numbered = Callable[[Row, str], Mapping[Any, float]]
"""Of a row and a metric, the number and attempt of each load that counts, or the number of each run, -> its value."""
Sides = Sequence[Sequence[Row]]
Run = tuple[float, ...]


def late_share(numbered: Numbered, sides: Sides) -> Estimate | None:
    """Share of the loads of one arm whose connection stood later than that of the other's load of the same number,
    which met the same losses; of several cells together."""
    kept, every = (sum(map(len, some)) for some in zip(*_raced(numbered, sides), strict=True)) if sides[0] else (0, 0)
    return Estimate(1 - kept / every) if every else None


def kept_median(numbered: Numbered, sides: Sides) -> Estimate | None:
    """How many times the median page load time of all of one cell's loads that of those is which are not late."""
    ((kept, every),) = _raced(numbered, sides) or [((), ())]
    return lowest_ratio((kept,), (every,)) if kept else None


def _raced(numbered: Numbered, sides: Sides) -> list[tuple[Loads, Loads]]:
    """Of each cell, page load times of the first arm's loads that are not late, and of all that both arms have."""
    others = {row["cell_id"]: row for row in sides[1]}
    found = []
    for row in sides[0]:
        other = others.get(row["cell_id"])
        if other is None:
            continue
        times, stood, raced = numbered(row, "plt_ms"), numbered(row, "connect_ms"), numbered(other, "connect_ms")
        both = [index for index in times if index in stood and index in raced]
        kept = tuple(times[index] for index in both if stood[index] <= raced[index])
        found.append((kept, tuple(times[index] for index in both)))
    return found


def first_loss_correlation(numbered: Numbered, sides: Sides) -> tuple[Estimate, Estimate, Estimate] | None:
    """Of one arm the correlation of the time to the last byte with the number of the first lost packet; of two by how
    much that of the first is above that of the second."""
    found = [_first_losses(numbered, side[0]) for side in sides if side]
    each = [correlation(list(own.values())) for own in found]
    both = each[0] if len(sides) == 1 and each else correlation_difference(*found) if len(found) == 2 else None
    return None if both is None or each[0] is None or each[-1] is None else (both, each[0], each[-1])


def _first_losses(numbered: Numbered, row: Row) -> dict[int, Point]:
    first, took = numbered(row, FIRST_LOST), numbered(row, "ttlb_ms")
    return {index: (first[index], took[index]) for index in took if index in first}


def paired_ratio(numbered: Numbered, sides: Sides) -> Estimate | None:
    """How many times what another arm's loads take one's of the same number do, which met the same losses: by the mean
    of the logarithms (`paired.py`)."""
    if not all(sides):
        return None
    own, base = (numbered(row, str(row["metric"])) for (row,) in sides)
    found = paired(base, own)
    if not found.pairs:
        return None
    return Estimate(math.exp(found.log_ratio), math.exp(found.low), math.exp(found.high), found.p_value)


def rate_ratio(numbered: Numbered, sides: Sides) -> Estimate | None:
    """How many times the rate of one flow that of another is, over all runs that both are in, by campaign; of means
    alone, as if the two filled the link."""
    if not all(sides):
        return None
    (one,), (other,) = sides
    rates, others = (numbered(row, "mean_mbps") for row in (one, other))
    runs = [run for run in rates if run in others]
    by_campaign: dict[object, list[tuple[float, float]]] = {}
    for run in runs:
        by_campaign.setdefault(run[0] if isinstance(run, tuple) else None, []).append((rates[run], others[run]))
    found = ratio_of_runs(*by_campaign.values()) if runs else None
    if len(runs) == 1 and one.get("sd") is not None:
        left, right = (Summary(row["mean"], row["sd"], row["n"]) for row in (one, other))
        found, runs = ratio_of_means(left, right), [*range(left.n)]
    return None if found is None else Estimate(found.value, found.low, found.high, runs=tuple(runs))


def rate_share(numbered: Numbered, sides: Sides) -> Estimate | None:
    """What part of the rate of some flows one of them has, by the means over the runs."""
    part, every = (sum(float(row["mean"]) for row in side) for side in sides)
    return Estimate(part / every) if all(sides) else None


def jain_index(numbered: Numbered, sides: Sides) -> Estimate | None:
    """Jain's index of the flows of a pattern, by the means over the runs."""
    ((*flows,),) = sides
    return Estimate(jain([float(row["mean"]) for row in flows])) if flows else None


def least_told_pct(numbered: Numbered, sides: Sides) -> Estimate | None:
    """The least difference of two means, as a percentage of the first, that their loads tell in four of five
    repetitions."""
    if not all(sides):
        return None
    first, second = (Summary(row["mean"], row["sd"], row["n"]) for (row,) in sides)
    return Estimate(detectable(first, second) / first.mean * 100)


def _work_ms(row: Row) -> float:
    """Of a server at all requests of a page, where each has a stated cost."""
    return row["object_count"] * (row["request_cost_us"] or 0) / 1e3


def early(numbered: Numbered, sides: Sides) -> Estimate | None:
    """How many loads of one arm left slow start early, by those of another, whose requests cost nothing."""
    if not all(sides):
        return None
    (own,), (usual,) = sides
    loads, others = (tuple(numbered(row, "plt_ms").values()) for row in (own, usual))
    return Estimate(early_loads(loads, others, _work_ms(own))) if loads and others else None


def plt_without_work_ms(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """Page load time less what the server works at its requests."""
    return _summed(row, numbered, lambda found: [ms - _work_ms(row) for ms in found], "plt_ms")


def wrapped_ms(took_ms: float) -> float:
    """What a clock that loses its seconds makes of a time."""
    return took_ms % 1000


def wrapped_lead(numbered: Numbered, sides: Sides, percentile: int) -> Estimate | None:
    """How many times its lead over the other arm one seems to have at a percentile of all cells' loads, where its own
    times alone are told by a clock that loses its seconds."""
    own, others = ([ms for row in side for ms in numbered(row, "ttlb_ms").values()] for side in sides)
    if not own or not others:
        return None
    told, right, base = (np.percentile(some, percentile) for some in (list(map(wrapped_ms, own)), own, others))
    return Estimate(float((base - told) / (base - right)))


def throughput_mb_s(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """Bytes of the file over the time to its last one, of each load, in 1,000,000 bytes a second."""
    return _summed(row, numbered, lambda found: [row["object_bytes"] / 1e3 / ms for ms in found], "ttlb_ms")


def goodput_mbps(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """Bits of the file over the mean time to its last one; the deviation follows from that of the time."""
    took = _summed(row, numbered, list, "ttlb_ms")
    mean = None if took is None else row["object_bytes"] * 8 / 1e3 / took.mean
    return None if took is None or mean is None else Summary(mean, mean * took.sd / took.mean, took.n)


def cpu_s_per_gb(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """CPU time of an end for 1,000,000,000 bytes."""
    cpu_s, per = _summed(row, numbered, list, metric), 1e9 / row["object_bytes"]
    return None if cpu_s is None else Summary(cpu_s.mean * per, cpu_s.sd * per, cpu_s.n)


def cpu_used_pct(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """How much of what it may have of a processor an end used, without an interval: near 100 it was the limit."""
    cpu, took = (_summed(row, numbered, list, one) for one in (metric, "ttlb_ms"))
    held_pct = row[metric.replace("_s", "_pct")]
    if cpu is None or took is None or held_pct is None:
        return None
    return Summary(cpu.mean / (took.mean / 1e3 * held_pct / 100) * 100, math.nan, 1)


def busier_cpu_used_pct(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """The same of the end that used more of its own."""
    ends = [cpu_used_pct(numbered, row, one) for one in CPU_METRICS]
    return max((one for one in ends if one is not None), key=lambda one: one.mean, default=None)


def both_cpu_s_per_gb(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """CPU time of both ends for 1,000,000,000 bytes: means add up, and deviations at the most do."""
    ends = [cpu_s_per_gb(numbered, row, one) for one in CPU_METRICS]
    if (client := ends[0]) is None or (server := ends[1]) is None:
        return None
    return Summary(client.mean + server.mean, client.sd + server.sd, client.n)


def stall_s(numbered: Numbered, row: Row, metric: str) -> Summary | None:
    """How long a stall of a session took, over the sessions that stood still; None where none did."""
    stalls, stood_ms = (numbered(row, one) if row["n"] else {} for one in ("stalls", "stalled_ms"))
    found = [stood_ms[index] / count / 1e3 for index, count in stalls.items() if count and index in stood_ms]
    return summarise(found) if found else None


def _summed(row: Row, numbered: Numbered, of: Callable[[Loads], list[float]], metric: str) -> Summary | None:
    found = tuple(numbered(row, metric).values()) if row["n"] else ()
    return summarise(of(found)) if found else None


def reach(own: Summary, known: Summary) -> float | None:
    """How far a mean is from a known one, in times of how far its prediction interval reaches."""
    whole = prediction_reach(known, own.n)
    return (own.mean - known.mean) / whole if whole else None


def relative_error(own: Summary, known: Summary) -> float | None:
    """By what share of a known mean another is off."""
    return abs(own.mean / known.mean - 1)


def log10_likelihood(own: Summary, known: Summary, of: Callable[[Summary, Summary], float]) -> float | None:
    """Of what is known, if it is of the same kind as a sample; None where either does not scatter."""
    return of(known, own) / math.log(10) if scatters(own) and scatters(known) else None


def of_runs(numbered: Numbered, leaf: Criterion, sides: Sides) -> tuple[Estimate, Estimate, Estimate] | None:
    """A number of transfers over their time, and those of its two sides: of each arm's repeats that in the middle by
    its whole time, between the least and the greatest with any choice of them."""
    names = TENTHS if leaf.quantity == APART else (leaf.quantity or "",)
    runs = [_by_whole_time(numbered, row, names) for side in sides for row in side]
    if not all(runs):
        return None
    left, right = (_chosen(lambda one: one[0], [own]) for own in (runs[0], runs[-1]))
    return _chosen(_form(leaf), runs), left, right


def _by_whole_time(numbered: Numbered, row: Row, names: Sequence[str]) -> list[Run]:
    """These numbers of every repeat that has them all."""
    if not row["n"]:
        return []
    found, whole = [numbered(row, name) for name in names], numbered(row, WHOLE)
    there = [run for run in found[0] if all(run in one for one in found)]
    return [tuple(one[run] for one in found) for run in sorted(there, key=lambda run: whole.get(run, 0.0))]


def _chosen(form: Callable[..., float], runs: Sequence[Sequence[Run]]) -> Estimate:
    own = form(*(some[(len(some) - 1) // 2] for some in runs))
    every = [form(*one) for one in product(*runs)]
    return Estimate(own, min(every), max(every)) if len(every) > 1 else Estimate(own)


def _form(leaf: Criterion) -> Callable[..., float]:
    if leaf.quantity == APART:
        return lambda own, base: 100 * max(abs(a - b) for a, b in zip(own, base, strict=True)) / base[-1]
    if leaf.spread:
        return lambda *each: max(each)[0] / min(each)[0]
    if leaf.difference:
        return lambda own, base: own[0] - base[0]
    if leaf.ratio or leaf.over is not None:
        return lambda own, base: own[0] / base[0] if base[0] else math.inf if own[0] else 1.0
    return lambda own: own[0]


OF_PAIRS: Mapping[str | None, Callable[[Numbered, Sides], Estimate | tuple[Estimate, Estimate, Estimate] | None]] = {
    "late_share": late_share,
    "kept_median": kept_median,
    "first_loss_correlation": first_loss_correlation,
    "paired_ratio": paired_ratio,
    "early_loads": early,
    "least_told_pct": least_told_pct,
    "rate_ratio": rate_ratio,
    "rate_share": rate_share,
    "jain": jain_index,
    "wrapped_lead_p50": partial(wrapped_lead, percentile=50),
    "wrapped_lead_p75": partial(wrapped_lead, percentile=75),
}
OF_BASES: Mapping[str | None, Callable[[Summary, Summary], float | None]] = {
    REACH: reach,
    "relative_error": relative_error,
    "log10_mean_likelihood": partial(log10_likelihood, of=log_mean),
    "log10_variance_likelihood": partial(log10_likelihood, of=log_variance),
    "log10_likelihood": partial(
        log10_likelihood, of=lambda known, own: log_mean(known, own) + log_variance(known, own)
    ),
}
OF_LOADS: Mapping[str | None, Callable[[float], float]] = {"wrapped_ms": wrapped_ms}
BETWEEN: Mapping[str | None, tuple[str, str]] = {"after_last_byte_ms": ("duration_ms", "ttlb_ms")}
OF_ARMS: Mapping[str, Callable[[Numbered, Row, str], Summary | None]] = {
    "throughput_mb_s": throughput_mb_s,
    "goodput_mbps": goodput_mbps,
    "cpu_s_per_gb": cpu_s_per_gb,
    "both_cpu_s_per_gb": both_cpu_s_per_gb,
    "cpu_used_pct": cpu_used_pct,
    "busier_cpu_used_pct": busier_cpu_used_pct,
    "stall_s": stall_s,
    "plt_without_work_ms": plt_without_work_ms,
}

HALF_A_TRIP_LATER = ("lsquic", "aiohttp")


def _handshake_ms(row: Row) -> float:
    """Until the handshake is over where it is read: by the client's log, or, of these servers, by a capture beside
    them, where the packet that ends it arrives half a round trip after the client sent it."""
    return float(row["mean"]) + (row["rtt_ms"] / 2 if row["server"] in HALF_A_TRIP_LATER else 0.0)


MADE: Mapping[str, tuple[str, Callable[[Row], float]]] = {"handshake_ms": ("connect_ms", _handshake_ms)}
"""Metric that no load has -> the one that it is made of, and the mean of it."""
