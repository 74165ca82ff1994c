"""Do re-measured cells agree with the published ones? Pure. (`pairing` is for two campaigns.)

A re-measured cell is the published one where its study, series and key are: every condition is that of the study's
text. In every pair `a` is published and `b` measured anew. `compared` reads the tables that are made of this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from scipy.special import stdtrit

from longlook.analysis.result import CellResult
from longlook.analysis.twofold import MeanPair, Twofold, means_and_verdicts, same_arms
from longlook.analysis.welch import Summary
from longlook.published.cells import PublishedCell, PublishedMean

PREDICTION = 0.99


@dataclass(frozen=True)
class CellAgreement(Twofold):
    """One cell of a published table and of a campaign. Its arms have the names that they have in the campaign."""

    published: PublishedCell
    result: CellResult

    def protocol(self, mean: MeanPair) -> str:
        """Of the arm of one of its means."""
        return self.result.cell.arm(mean.arm).protocol


def agreements(published: Iterable[PublishedCell], results: Iterable[CellResult]) -> tuple[CellAgreement, ...]:
    """Every published cell that is among the results, in the order of the published ones."""
    by_cell: dict[tuple[str, str, str], list[CellResult]] = {}
    for result in results:
        cell = result.cell
        by_cell.setdefault((cell.study, cell.series, cell.key), []).append(result)
    return tuple(agreement(one, result) for one in published for result in by_cell.get(one.place, ()))


def agreement(published: PublishedCell, result: CellResult) -> CellAgreement:
    """One cell in both; arms stand in the order of the published table, without those that it has no mean of."""
    pairs = [pair for pair in same_arms(published.cell, result.cell) if pair[0].name in published.arms]
    cell = published.cell.model_copy(update={"arms": tuple(theirs for _, theirs in pairs)})
    printed = [published.arms[arm.name] for arm, _ in pairs]
    known = [
        (printed_summary(mean), result.summary(theirs.name, published.metric))
        for mean, (_, theirs) in zip(printed, pairs, strict=True)
    ]
    found = means_and_verdicts(cell, known, result.experiment.metric(published.metric).better or "low")
    return CellAgreement(found.means, found.verdicts, published, result)


def printed_summary(printed: PublishedMean) -> Summary:
    """A printed mean as a sample."""
    return Summary(printed.mean, printed.sd, printed.n)


def printed_of(one: PublishedCell, protocol: str) -> Summary:
    """That of the cell's arm of a protocol; it has one of each."""
    return printed_summary(one.arms[next(arm.name for arm in one.cell.arms if arm.protocol == protocol)])


def within_prediction(mean: MeanPair) -> bool | None:
    """Whether `b` is a mean that as many further samples of the kind of `a` have in 99 of 100 cases; None: untold."""
    return meets(mean.a, mean.b)


def meets(known: Summary, own: Summary) -> bool | None:
    """The same of any two samples: whether `own` has a mean within the prediction interval of `known`."""
    reach = prediction_reach(known, own.n)
    return None if reach is None else bool(abs(own.mean - known.mean) <= reach)


def prediction_reach(known: Summary, n: int) -> float | None:
    """How far from `known` the mean of `n` further samples lies at most, in 99 of 100 cases; None: untold."""
    if known.n < 2 or n < 1 or not math.isfinite(known.sd):
        return None
    return _quantile(known.n - 1) * known.sd * math.sqrt(1 / known.n + 1 / n)


@cache
def _quantile(freedom: int) -> float:
    """Of Student's t: there are few sample sizes, and each call of scipy's takes 0.2 ms."""
    return float(stdtrit(freedom, (1 + PREDICTION) / 2))
