"""Which meaning of a loss do published means support: divided between the directions, or as much in each? Pure.

A study's text says that a link loses 1 %, half of it each way. Its scripts may have set 1 % each way. Each published
cell with loss is held against two measured ones that differ in nothing but that. Of each arm the likelihood of the
published mean and standard deviation is taken, given the measured sample: that of the mean from the t distribution of
Welch's statistic, that of the variance from the F distribution of its ratio, as if both were samples of one kind. What
is reported is the decimal logarithm of the ratio of both likelihoods, summed over arms and cells: above zero the
published numbers support a loss each way. Other differences than the loss are in both, and cancel only in part: where
neither fits, the ratio says which is nearer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scipy.stats import f as fisher
from scipy.stats import t as student

from longlook.analysis.agreement import printed_summary
from longlook.analysis.welch import Summary
from longlook.plan.cell import Cell
from longlook.published.cells import PublishedCell

DECISIVE = 2.0
"""A hundred times as likely."""
Measured = Mapping[tuple[str, str], Mapping[str, Summary]]
"""(study, key of a cell) -> protocol of an arm -> its loads."""


@dataclass(frozen=True)
class TableConvention:
    """One published table with loss, as far as both meanings of it were measured."""

    study: str
    table: str
    published_cells: int
    """With loss."""
    cells: int
    """Of them compared."""
    log10_by_means: float
    log10_by_variances: float
    nearer_each_way: int
    """Means, of `means`, that are nearer to the published one with as much loss each way."""
    means: int

    @property
    def log10_ratio(self) -> float:
        return self.log10_by_means + self.log10_by_variances

    @property
    def supports(self) -> str:
        """`each way`, `divided` or `undecided`."""
        if abs(self.log10_ratio) < DECISIVE:
            return "undecided"
        return "each way" if self.log10_ratio > 0 else "divided"


def each_way(cell: Cell) -> Cell:
    """The same cell with as much loss in each direction as the text says of both."""
    doubled = cell.link.model_copy(update={"loss_pct": 2 * cell.link.loss_pct})
    return cell.model_copy(update={"link": doubled})


def as_the_text_says(cell: Cell) -> Cell:
    """The cell as it is."""
    return cell


def conventions(
    published: Iterable[PublishedCell], measured: Measured, divided: Callable[[Cell], Cell] = as_the_text_says
) -> tuple[TableConvention, ...]:
    """Every published table that has cells with loss, in their order. `divided` makes of a published cell the one that
    a loss each way is held against; so that may have another cause of its own."""
    tables: dict[tuple[str, str], list[PublishedCell]] = {}
    for one in published:
        if one.cell.link.loss_pct and one.metric == "plt_ms":
            tables.setdefault((one.cell.study, one.table), []).append(one)
    return tuple(_table(table, own, measured, divided) for table, own in tables.items())


def _table(
    name: tuple[str, str], own: list[PublishedCell], measured: Measured, divided: Callable[[Cell], Cell]
) -> TableConvention:
    means, variances, nearer, cells, seen = [], [], 0, 0, 0
    for one in own:
        once, twice = (measured.get((name[0], cell.key)) for cell in (divided(one.cell), each_way(one.cell)))
        if once is None or twice is None:
            continue
        cells += 1
        for arm in one.known_arms:
            known = printed_summary(one.arms[arm.name])
            halves, wholes = once.get(arm.protocol), twice.get(arm.protocol)
            if halves is None or wholes is None or not all(map(scatters, (known, halves, wholes))):
                continue
            means.append(log_mean(known, wholes) - log_mean(known, halves))
            variances.append(log_variance(known, wholes) - log_variance(known, halves))
            nearer += abs(wholes.mean - known.mean) < abs(halves.mean - known.mean)
            seen += 1
    by_means, by_variances = (math.fsum(one) / math.log(10) for one in (means, variances))
    return TableConvention(*name, len(own), cells, by_means, by_variances, nearer, seen)


def scatters(one: Summary) -> bool:
    """Whether its standard deviation is known, and not 0."""
    return one.n > 1 and math.isfinite(one.sd) and one.sd > 0


def log_mean(known: Summary, sample: Summary) -> float:
    """Natural logarithm of the density of a mean, if it is of the same kind as the sample."""
    squares = known.sd**2 / known.n, sample.sd**2 / sample.n
    scale = math.sqrt(sum(squares))
    freedom = sum(squares) ** 2 / (squares[0] ** 2 / (known.n - 1) + squares[1] ** 2 / (sample.n - 1))
    return float(student.logpdf((known.mean - sample.mean) / scale, freedom)) - math.log(scale)


def log_variance(known: Summary, sample: Summary) -> float:
    """The same of its variance."""
    return float(fisher.logpdf((known.sd / sample.sd) ** 2, known.n - 1, sample.n - 1)) - 2 * math.log(sample.sd)
