"""How many verdicts of a published table would an exact replication share? Pure, and equal on every run.

Twenty loads of a scattered quantity do not repeat their own verdict every time. So each arm's loads are drawn anew,
as many as were published, from a distribution with the published mean and standard deviation, and tested as the study
tested its own: the share of draws that come to the published verdict is the most that a replication can be expected to
reach. Loads are drawn from a gamma distribution, which like page load times has no values below zero and a tail to the
right; `kind` shows how little that matters. What a study printed is a draw itself, whose true mean and spread are not
known: near the edge of significance the ceiling is an estimate too (`halves` holds it against our own samples).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import stdtr

from longlook.analysis.agreement import printed_summary
from longlook.analysis.contrast import Verdict, contrast
from longlook.analysis.welch import ALPHA, Summary
from longlook.experiment import metrics
from longlook.published.cells import PublishedCell

ALL = ("", "")
LOADING = (metrics.PLT.name, metrics.BY_STAMPS.name)
DRAWS = 2000
RANGE = (2.5, 97.5)
"""Percentiles: in 95 of 100 exact replications the number of equal verdicts lies between them."""
SPLITS, DRAWS_OF_A_HALF = 20, 100
LEAST_LOADS = 20
Kind = Literal["gamma", "normal", "lognormal"]


@dataclass(frozen=True)
class Ceiling:
    """Of one published table, or of several."""

    cells: int
    """With a verdict."""
    expected: float
    """Verdicts that an exact replication shares on average."""
    low: int
    high: int

    @property
    def share(self) -> float:
        return self.expected / self.cells if self.cells else float("nan")


@dataclass(frozen=True)
class Halves:
    """Cells of ours, each split at random in two halves, many times."""

    cells: int
    observed: float
    """Share of splits whose halves come to the same verdict."""
    predicted: float
    """The share that the ceiling's method expects, from one half."""


def ceilings(published: Iterable[PublishedCell], kind: Kind = "gamma") -> dict[tuple[str, str], Ceiling]:
    """(study, table) -> its ceiling, and ALL -> that of all tables; of cells with means of two arms, and page loads."""
    counts: dict[tuple[str, str], list[np.ndarray]] = {}
    for one in published:
        if len(one.known_arms) == 2 and one.metric in LOADING:
            left, right = (printed_summary(one.arms[arm.name]) for arm in one.known_arms)
            same = _shares_verdict(left, right, DRAWS, kind, one.cell.key)
            if same is not None:
                counts.setdefault((one.cell.study, one.table), []).append(same)
                counts.setdefault(ALL, []).append(same)
    return {table: _ceiling(own) for table, own in counts.items()}


def _ceiling(own: Sequence[np.ndarray]) -> Ceiling:
    equal = np.sum(own, axis=0)
    low, high = np.percentile(equal, RANGE, method="nearest")
    return Ceiling(len(own), float(equal.mean()), int(low), int(high))


def shares_verdict(left: Summary, right: Summary, draws: int, kind: Kind, seed: str) -> np.ndarray | None:
    """For each draw of both arms whether its verdict is that of the summaries; None where these have none."""
    known = contrast(left, right).verdict
    return None if known is None else _share_verdicts([(left, right)], [known], draws, kind, [seed])[0]


def _share_verdicts(
    pairs: Sequence[tuple[Summary, Summary]], known: Sequence[Verdict], draws: int, kind: Kind, seeds: Sequence[str]
) -> np.ndarray:
    """A row for each pair of arms, all of as many loads: for each draw whether its verdict is the known one."""
    drawn = []
    for pair, seed in zip(pairs, seeds, strict=True):
        rng = np.random.default_rng(zlib.crc32(f"{kind} {seed}".encode()))
        drawn.append([_drawn(rng, arm, (draws, arm.n), kind) for arm in pair])
    left, right = (np.stack(own) for own in zip(*drawn, strict=True))
    return verdicts(_statistics(left), _statistics(right)) == np.array([[CODES[one]] for one in known])


_shares_verdict = lru_cache(maxsize=1024)(shares_verdict)
"""Published cells are asked for again and again."""
CODES: Mapping[Verdict, int] = {"left": -1, "none": 0, "right": 1}


def verdicts(left: tuple[np.ndarray, np.ndarray, int], right: tuple[np.ndarray, np.ndarray, int]) -> np.ndarray:
    """Welch's test of many pairs at once, each of mean, variance and n: CODES of the verdicts, lower being better."""
    (left_mean, left_variance, left_n), (right_mean, right_variance, right_n) = left, right
    squares = left_variance / left_n, right_variance / right_n
    total = np.maximum(squares[0] + squares[1], np.finfo(float).tiny)
    share = squares[0] / total
    freedom = 1 / (share**2 / (left_n - 1) + (1 - share) ** 2 / (right_n - 1))
    p_values = 2 * stdtr(freedom, -np.abs(left_mean - right_mean) / np.sqrt(total))
    return np.where(p_values < ALPHA, np.sign(left_mean - right_mean), 0).astype(int)


def _statistics(drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Means and variances of draws, whose loads are along the last axis, and how many these are."""
    return drawn.mean(axis=-1), drawn.var(axis=-1, ddof=1), drawn.shape[-1]


def _drawn(rng: np.random.Generator, arm: Summary, shape: tuple[int, int], kind: Kind) -> np.ndarray:
    if arm.sd == 0 or kind == "normal":
        return rng.normal(arm.mean, arm.sd, shape)
    ratio = (arm.sd / arm.mean) ** 2
    if kind == "gamma":
        return rng.gamma(1 / ratio, arm.mean * ratio, shape)
    return rng.lognormal(np.log(arm.mean) - np.log1p(ratio) / 2, np.sqrt(np.log1p(ratio)), shape)


def halves(cells: Mapping[str, tuple[Sequence[float], Sequence[float]]], kind: Kind = "gamma") -> Halves:
    """Cells by name, each with the loads of both arms; those with fewer than LEAST_LOADS an arm are left out."""
    observed, predicted, used = [], [], 0
    for name, arms in sorted(cells.items()):
        if min(map(len, arms)) < LEAST_LOADS:
            continue
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        used += 1
        firsts, known, seeds = [], [], []
        for split in range(SPLITS):
            first, second = _split(rng, arms)
            one, other = contrast(*first).verdict, contrast(*second).verdict
            if one is not None and other is not None:
                observed.append(one == other)
                firsts.append(first)
                known.append(one)
                seeds.append(f"{name} {split}")
        if firsts:
            again = _share_verdicts(firsts, known, DRAWS_OF_A_HALF, kind, seeds)
            predicted += again.mean(axis=1).tolist()
    nothing = float("nan")
    return Halves(used, *(float(np.mean(one)) if one else nothing for one in (observed, predicted)))


def _split(
    rng: np.random.Generator, arms: Sequence[Sequence[float]]
) -> tuple[tuple[Summary, Summary], tuple[Summary, Summary]]:
    parts = []
    for loads in arms:
        mixed = rng.permutation(np.asarray(loads, dtype=float))
        middle = len(mixed) // 2
        parts.append(
            [Summary(float(own.mean()), float(own.std(ddof=1)), len(own)) for own in np.split(mixed, [middle])]
        )
    (left_one, left_two), (right_one, right_two) = parts
    return (left_one, right_one), (left_two, right_two)
