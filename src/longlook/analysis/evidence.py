"""The evidence of a study: what was published and measured, by condition and arm, and numbers made of it. Pure.

A column (`published`, `reference`, `yours`) is rows of the table `arms`, whatever they were made of. Where one has no
number there is none: neither a mean nor what would be made of it.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from longlook.analysis import estimate
from longlook.analysis.estimate import Estimate
from longlook.analysis.lowest import (
    Clients,
    Loads,
    growth_ratio,
    lowest,
    lowest_difference,
    lowest_excess,
    lowest_quotient,
    lowest_ratio,
    spread,
)
from longlook.analysis.quantifier import POOLS, Asked, decided
from longlook.analysis.quantities import BETWEEN, MADE, OF_ARMS, OF_BASES, OF_LOADS, OF_PAIRS, Numbered, of_runs
from longlook.analysis.welch import ALPHA, Summary, significant
from longlook.errors import LonglookError
from longlook.plan.conditions import Row
from longlook.plan.criteria import COLUMNS, LOG_LIKELIHOODS, OF_RUNS, Criterion, Squares, Where
from longlook.plan.squares import Square, base, beside, beside_base, is_arm, selects, squares, stepped

Three = tuple[Estimate, Estimate, Estimate]
Operand = Summary | Clients
"""What a statistic is made of: the mean of one arm, or every load of some."""


@dataclass(frozen=True)
class Column:
    """One column of a study's evidence."""

    of_series: Callable[[str], Sequence[Row]]
    """The rows of a series, by arm, metric and condition."""
    loads: Callable[[Row], Loads] = lambda row: ()
    """Every load of a row that counts, in the order measured; none where only summaries are known."""
    numbered: Numbered = lambda row, metric: {}
    """The same by number, of any metric."""
    metric: str = ""
    """In place of what a criterion names, where a column is judged by another clock."""
    planned: Sequence[Row] = ()
    """A row for each arm of each cell that should be there: what lacks has no samples, and is not left out of the
    arms of a pattern."""
    of_study: Callable[[str], Column] = lambda study: Column(lambda series: ())
    """The same column of another study."""
    of_sweep: Callable[[str], Column] = lambda sweep: Column(lambda series: ())
    """The same column, with no other campaign than the newest of one sweep in the series that it has."""

    def rows(self, series: Sequence[str], metric: str) -> list[Row]:
        """Those of a metric."""
        wanted = self.metric or metric
        there = [row for one in series for row in self.of_series(one)]
        found = [row for row in there if row["metric"] == wanted]
        if wanted in MADE and not found:
            measured, made = MADE[wanted]
            found = [{**row, "metric": wanted, "mean": made(row)} for row in there if row["metric"] == measured]
        known = {(row.get("cell_id"), row["arm"] or "") for row in found}
        own = (row for row in self.planned if row["series"] in series)
        lacking = [row for row in own if (row["cell_id"], row["arm"] or "") not in known]
        return found + [{**row, "metric": wanted, "n": 0, "is_planned": True} for row in lacking]

    def row(self, series: str, arm: str, metric: str = "", **where: Any) -> Row | None:
        """Of one arm under one condition, by columns of `arms`; None where there is none."""
        found = [row for row in self.rows([series], metric) if is_arm(arm, row) and selects(where, row)]
        return _one(found) if found else None

    def summary(self, series: str, arm: str, metric: str = "", **where: Any) -> Summary | None:
        """The same as a sample; None where no load counts."""
        row = self.row(series, arm, metric, **where)
        return None if row is None else _summary(row)

    def values(self, series: str, arm: str, metric: str = "", **where: Any) -> Loads:
        """Of every load that counts."""
        row = self.row(series, arm, metric, **where)
        return self.loads(row) if row is not None and row["n"] else ()

    def by_number(self, series: str, arm: str, metric: str = "", **where: Any) -> Mapping[Any, float]:
        """The same by number."""
        row = self.row(series, arm, metric, **where)
        return self.numbered(row, metric) if row is not None and row["n"] else {}

    def slope(
        self, series: str, arm: str, metric: str, along: str, values: Sequence[float], **where: Any
    ) -> Summary | None:
        """By how much the mean grows for each unit of a condition; None where one of its values has no number."""
        found = [row for row in self.rows([series], metric) if is_arm(arm, row) and selects(where, row)]
        return _slope(along, found, values)


@dataclass(frozen=True)
class Found:
    """One number of a criterion: a square's, with the rows that it is made of."""

    leaf: Criterion
    pair: tuple[str, ...]
    """Its arms, as the criterion has them."""
    estimate: Estimate
    left: Estimate
    right: Estimate
    rows: tuple[Row, ...]
    part: Criterion | None = None
    parts: tuple[Found, ...] = ()
    """Those of which it is the first, where together they are one part, and whose criterion that is."""
    greatest_p: float | None = None
    """Up to which a test of its family stays significant by Holm's correction; None without one: the interval says."""

    @property
    def square(self) -> Row:
        """The conditions, and the arm that is told of."""
        return self.rows[0]

    @cached_property
    def holds(self) -> bool | None:
        """Whether it is within the criterion's bounds; None where that is open, which what has to be significant is
        only without an interval."""
        if self.part is not None:
            asked = self.part.squares
            return come_to(asked, self.parts, asked.of if isinstance(asked, Squares) else len(self.parts))
        if self.leaf.significant == "same":
            both = self._less(self.left), self._less(self.right)
            return None if None in both else both[0] == both[1]
        if self.leaf.significant:
            less = self._less(self.estimate)
            return None if less is None else less == self.leaf.significant and self._inside
        return self.estimate.within(*self.leaf.bounds, by_value=self.leaf.by == "value")

    @property
    def opposite(self) -> bool:
        """Whether the other one of the two is significantly less; of what has bounds, whether it is beyond them."""
        same = self.leaf.significant == "same"
        first = self._less(self.left if same else self.estimate)
        if self.leaf.significant and self.leaf.bounds != (-math.inf, math.inf):
            return first == self.leaf.significant and not self._inside
        return {first, self._less(self.right) if same else self.leaf.significant} == {"left", "right"}

    @property
    def met(self) -> bool:
        """The same by the number alone, of what has bounds."""
        return self.holds is True if self.leaf.significant else self._inside

    @property
    def _inside(self) -> bool:
        return bool(self.estimate.within(*self.leaf.bounds, by_value=True))

    def _less(self, one: Estimate) -> str | None:
        """Which of two is significantly less, or none; None without an interval."""
        if math.isnan(one.low):
            return None
        once = 0.0 if self.leaf.difference else 1.0
        outside = one.high <= once or one.low >= once if self.greatest_p is None else one.p_value <= self.greatest_p
        return "none" if not outside else "left" if one.value < once else "right"


def come_to(asked: Asked, found: Sequence[Found], of: int) -> bool | None:
    """What the numbers of some squares come to, of so many that there should be."""
    if pool := POOLS.get(asked):
        pooled = Estimate(pool([one.estimate.value for one in found]))
        return None if len(found) < of else pooled.within(*found[0].leaf.bounds)
    return decided(asked, [one.holds for one in found], of, sum(one.opposite for one in found))


def numbers(leaf: Criterion, columns: Mapping[str, Column], column: str) -> list[Found]:
    """Of every square of a leaf that has all of its arms, square by square."""
    arms = columns[column].planned or [row for one in leaf.series or () for row in columns[column].of_series(one)]
    found = _numbers(stepped(leaf, arms), columns, column)
    if leaf.holm is None:
        return found
    family = found
    if leaf.holm is not True:
        other = leaf.model_copy(update={"ratio": None, "difference": None, "steps": leaf.holm, "where": {}})
        family = _numbers(stepped(other, arms), columns, column)
    tests = [one.estimate.p_value for one in family]
    kept = [p_value for p_value, is_kept in zip(tests, significant(tests), strict=True) if is_kept]
    return [replace(one, greatest_p=max(kept, default=-1.0)) for one in found]


def _numbers(leaf: Criterion, columns: Mapping[str, Column], column: str) -> list[Found]:
    own = columns[column].rows(leaf.series or (), leaf.metric or "")
    of_pairs = [(pair, [squares(leaf, arm, own) for arm in pair]) for pair in leaf.pairs]
    others = _others(leaf, columns, column)
    order = dict.fromkeys(square for _, arms in of_pairs for square in arms[0])
    made = (
        _number(leaf, pair, columns, column, *([one.get(square, []) for one in side] for side in (arms, other)))
        for square in order
        for (pair, arms), other in zip(of_pairs, others, strict=True)
    )
    return [one for one in made if one is not None]


def _others(leaf: Criterion, columns: Mapping[str, Column], column: str) -> list[list[Mapping[Square, list[Row]]]]:
    """Of each pair, the squares of all that its numbers are `over` or `against`, arm by arm."""
    found: list[list[Mapping[Square, list[Row]]]] = [[] for _ in leaf.pairs]
    if leaf.over is not None:
        source = columns[str(leaf.over.get("column", column))]
        source = source.of_sweep(str(leaf.over["sweep"])) if "sweep" in leaf.over else source
        _add_bases(found, leaf, leaf.over, *base(leaf), source)
    for against in leaf.against:
        where, series = beside(leaf, against)
        own_column = columns[against.column or column]
        source = own_column if against.study is None else own_column.of_study(against.study)
        rows = source.rows(series or (), against.metric or leaf.metric or "")
        for own, pair in zip(found, leaf.pairs_against(against), strict=True):
            own += [squares(leaf, one, rows, where) for one in pair]
        if against.over is not None:
            under = columns[str(against.over["column"])] if "column" in against.over else source
            _add_bases(found, leaf, against.over, *beside_base(leaf, against), under)
    return found


def _add_bases(
    found: list[list[Mapping[Square, list[Row]]]],
    leaf: Criterion,
    over: Where,
    where: Where,
    series: Sequence[str] | None,
    source: Column,
) -> None:
    """Of each pair, the squares that its arms are over: of several series that of the first which has it."""
    metric, arm = str(over.get("metric", leaf.metric or "")), over.get("arm")
    by_series = [source.rows([one], metric) for one in series or ()]
    for own, pair in zip(found, leaf.pairs, strict=True):
        for one in (name if arm is None else str(arm) for name in pair):
            each = [squares(leaf, one, rows, where) for rows in by_series]
            own.append(dict(ChainMap(*each)))


def _number(
    leaf: Criterion,
    pair: tuple[str, ...],
    columns: Mapping[str, Column],
    column: str,
    own: list[list[Row]],
    others: list[list[Row]],
) -> Found | None:
    """None where one of its arms has no number."""
    if leaf.quantity in OF_PAIRS:
        return _of_pairs(leaf, pair, columns[column], own, others)
    if leaf.quantity in OF_RUNS:
        return _of_runs(leaf, pair, columns[column], [*own, *others])
    beside_it = columns[str((leaf.over or {}).get("column", column))]
    if leaf.spread and leaf.statistic != "lowest-median":
        own, others = _ends(leaf, columns[column], [*own, *others]), []
        pair = tuple(rows[0]["arm"] or "" for rows in own if rows)
    found = [_operand(leaf, columns[column], rows) for rows in own]
    found += [_operand(leaf, beside_it, rows) for rows in others]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    if leaf.unit == "points":
        estimates = _points(leaf, known)
    elif leaf.quantity in OF_BASES:
        made = _of_bases(leaf, [one for one in known if isinstance(one, Summary)])
        if made is None:
            return None
        estimates = made
    elif leaf.statistic == "growth":
        later, other, base, other_base = (one[0] for one in known if isinstance(one, tuple))
        estimates = (growth_ratio((base, later), (other_base, other)),) * 3
    else:
        estimates = _of_medians(leaf, own, known) if leaf.statistic == "lowest-median" else _of_means(leaf, known)
    rows = tuple(row for rows in (*own, *others) for row in rows)
    if leaf.by == "several" and rows[0].get("campaign"):
        estimates = _of_several(estimates[0], known), *estimates[1:]
    if leaf.unit == "times":
        return Found(leaf, pair, _quotient(estimates), *estimates[1:], rows) if estimates[2].value > 0 else None
    estimates = _in_unit(leaf, estimates, rows[0])
    if len(own) == 1:
        first, left, right = (_between(one, rows[0]) for one in estimates)
        estimates = first, left, right
    return Found(leaf, pair, *estimates, rows)


def _of_pairs(
    leaf: Criterion, pair: tuple[str, ...], column: Column, own: list[list[Row]], others: list[list[Row]]
) -> Found | None:
    """A quantity of the loads of two arms, or how many times that of two others it is (of a difference by how much it
    is above that), by the numbers alone."""
    sides = [own, others] if leaf.against else [own]
    measured = [[[row for row in rows if row["n"]] for rows in side] for side in sides]
    made = [OF_PAIRS[leaf.quantity](column.numbered, side) for side in measured]
    known = [one if isinstance(one, tuple) else (one, one, one) for one in made if one is not None]
    if len(known) < len(made):
        return None
    found = known[0]
    if leaf.against:
        (one, _, _), (other, _, _) = known
        beside = one.value - other.value if leaf.difference else one.value / other.value
        found = Estimate(beside), one, other
    return Found(leaf, pair, *found, tuple(row for rows in (*own, *others) for row in rows))


def _of_bases(leaf: Criterion, known: Sequence[Summary]) -> Three | None:
    """A number of a mean and the one that it is over, or what it is beside that of another, by the numbers alone."""
    means, bases = known[::2], known[1::2]
    if leaf.ratio:  # two arms, then what each is over
        means, bases = known[:2], known[2:]
    made = [OF_BASES[leaf.quantity](*pair) for pair in zip(means, bases, strict=True)]
    told = [one for one in made if one is not None]
    if len(told) < len(made):
        return None
    own, other = told[0], told[-1]
    beside = own - other if leaf.quantity in LOG_LIKELIHOODS else own / other if other else math.inf
    return Estimate(own if len(told) == 1 else beside), Estimate(own), Estimate(other)


def _of_runs(leaf: Criterion, pair: tuple[str, ...], column: Column, sides: list[list[Row]]) -> Found | None:
    """A number of transfers over their time."""
    if not all(sides):
        return None
    made = of_runs(column.numbered, leaf, sides if leaf.spread else [[_one(rows)] for rows in sides])
    rows = tuple(row for rows in sides for row in rows)
    return None if made is None else Found(leaf, pair, *_in_unit(leaf, made, rows[0]), rows)


def _in_unit(leaf: Criterion, estimates: Three, row: Row) -> Three:
    if leaf.unit not in ("trips", "s"):
        return estimates
    first, left, right = (one.per(row["rtt_ms"] if leaf.unit == "trips" else 1000) for one in estimates)
    return first, left, right


def _of_several(found: Estimate, known: Sequence[Operand]) -> Estimate:
    """With an interval without an end where a side was measured once, or where counts never vary and differ in fewer
    loads than an exact test of ranks could tell apart."""
    sizes = [one.n if isinstance(one, Summary) else sum(map(len, one)) for one in known]
    few = found.value != 0 and found.low == found.high and 2 / math.comb(sum(sizes), sizes[0]) > ALPHA
    return replace(found, low=-math.inf, high=math.inf) if few or math.isnan(found.low) else found


def _ends(leaf: Criterion, column: Column, sides: list[list[Row]]) -> list[list[Row]]:
    """Of some arms the one with the greatest number, and the one with the least, or that of the others that they are
    over; none where one has no number."""
    greatest, least = ([(_operand(leaf, column, [row]), row) for row in rows] for rows in (sides[0], sides[-1]))
    known = [(one.mean, row) for one, row in (*greatest, *least) if isinstance(one, Summary)]
    if not greatest or not least or len(known) < len(greatest) + len(least):
        return [[], []]
    first, last = known[: len(greatest)], known[len(greatest) :]
    return [[max(first, key=lambda one: one[0])[1]], [min(last, key=lambda one: one[0])[1]]]


def _between(found: Estimate, row: Row) -> Estimate:
    """Of what a text says to lie between two numbers these are the ends, which its row has."""
    if row.get("least") is None:
        return found
    return Estimate(found.value, *(found.value * row[end] / row["mean"] for end in ("least", "most")))


def _points(leaf: Criterion, known: list[Any]) -> Three:
    """How many percentage points a ratio is outside what the others span, without an interval; one other is a point."""
    ratio = lowest_ratio if leaf.statistic == "lowest-median" else _ratio
    own, *others = (ratio(known[at], known[at + 1]) for at in range(0, len(known), 2))
    ends = [choose(one.value for one in others) for choose in (min, max)]
    nearest = min(max(own.value, ends[0]), ends[1])
    return Estimate(abs(own.value - nearest) * 100), own, Estimate(nearest)


def _quotient(estimates: Three) -> Estimate:
    """How many times one difference is the other, without an interval."""
    return Estimate(estimates[1].value / estimates[2].value)


def _ratio(left: Summary, right: Summary) -> Estimate:
    return estimate.times(right, left)


def _of_means(leaf: Criterion, known: list[Any]) -> Three:
    """A leaf's number, and those of its two sides."""
    if leaf.spread:
        return estimate.times(known[1], known[0]), estimate.interval(known[0]), estimate.interval(known[1])
    if leaf.ratio is None and leaf.difference is None:
        if leaf.against:
            own, over, other, other_over = known
            both = estimate.quotient((own, over), (other, other_over))
            return both, estimate.times(over, own), estimate.times(other_over, other)
        own = estimate.interval(known[0]) if leaf.over is None else estimate.times(known[1], known[0])
        return own, own, own
    if len(known) == 2:
        left, right = known
        form = estimate.times if leaf.ratio else estimate.difference
        return form(right, left), estimate.interval(left), estimate.interval(right)
    left, right, left_base, right_base = known
    if leaf.against:
        form = estimate.times if leaf.ratio else estimate.difference
        sides = form(right, left), form(right_base, left_base)
        if leaf.ratio:
            return estimate.quotient((left, right), (left_base, right_base)), *sides
        return estimate.minus(*sides), *sides
    if leaf.ratio:
        both = estimate.quotient((left, left_base), (right, right_base))
        return both, estimate.times(left_base, left), estimate.times(right_base, right)
    both = estimate.interval(estimate.combined((1, -1, -1, 1), (left, left_base, right, right_base)))
    return both, estimate.difference(left_base, left), estimate.difference(right_base, right)


def _of_medians(leaf: Criterion, own: list[list[Row]], known: list[Any]) -> Three:
    """The same by the lowest median of each side's arms."""
    if leaf.ratio is None and leaf.difference is None:
        alone = spread if leaf.spread else lowest
        if leaf.over is not None:
            return lowest_ratio(known[0], known[1]), lowest(known[0]), lowest(known[1])
        found = alone(known[0])
        return found, found, found
    if len(known) == 2:
        return _of_two_medians(leaf, own, known[0], known[1]), lowest(known[0]), lowest(known[1])
    first, second = (known[0], known[2]), (known[1], known[3])
    if leaf.against:
        first, second = (known[0], known[1]), (known[2], known[3])
    if leaf.ratio:
        return lowest_quotient(first, second), lowest_ratio(*first), lowest_ratio(*second)
    return lowest_excess(first, second), lowest_difference(*first), lowest_difference(*second)


def _of_two_medians(leaf: Criterion, own: list[list[Row]], left: Clients, right: Clients) -> Estimate:
    if leaf.ratio:
        return lowest_ratio(left, right)
    if [rows[0]["protocol"] for rows in own] == ["tcp", "quic"]:
        return -lowest_difference(right, left)  # QUIC is drawn first, whichever way it is written
    return lowest_difference(left, right)


def _operand(leaf: Criterion, column: Column, rows: list[Row]) -> Operand | None:
    """What a leaf's statistic is made of, of one side in one square."""
    if of_arm := OF_ARMS.get(leaf.quantity or ""):
        return of_arm(column.numbered, _one(rows), leaf.metric or "") if rows else None
    if leaf.statistic in ("lowest-median", "growth"):
        of_load = OF_LOADS.get(leaf.quantity)
        named = {} if leaf.quantity is None or of_load else {"metric": leaf.quantity}
        clients = tuple(column.loads({**row, **named}) if row["n"] else () for row in rows)
        clients = clients if of_load is None else tuple(tuple(map(of_load, loads)) for loads in clients)
        return clients if clients and all(clients) else None
    if leaf.statistic == "count":
        return None if not rows or _one(rows).get("is_planned") else Summary(rows[0]["n"], math.nan, 1)
    if leaf.statistic in ("least", "greatest"):
        loads = _each_load(leaf, column, _one(rows)) if rows and rows[0]["n"] else ()
        end = min if leaf.statistic == "least" else max
        return Summary(end(loads), math.nan, 1) if loads else None
    if leaf.statistic in ("sd", "cv"):
        found = _only(rows) if rows else None
        return found and Summary(found.sd / (found.mean if leaf.statistic == "cv" else 1), math.nan, 1)
    if leaf.along is not None:
        listed = leaf.where.get(leaf.along)
        return _slope(leaf.along, rows, listed if isinstance(listed, list) else [row[leaf.along] for row in rows])
    return _only(rows) if rows else None


def _each_load(leaf: Criterion, column: Column, row: Row) -> Loads:
    if leaf.quantity not in BETWEEN:
        return column.loads(row)
    later, earlier = (column.numbered(row, metric) for metric in BETWEEN[leaf.quantity])
    return tuple(later[number] - earlier[number] for number in later if number in earlier)


def _only(rows: list[Row]) -> Summary | None:
    return _summary(_one(rows))


def _one(rows: list[Row]) -> Row:
    if len(rows) > 1:
        differ = [name for name in COLUMNS if len({str(row.get(name)) for row in rows}) > 1]
        raise LonglookError(f"{len(rows)} cells on one square, which differ in {', '.join(differ)}; say which")
    return rows[0]


def _summary(row: Row) -> Summary | None:
    """None of an arm that has no sample. Times are ms, whichever unit their metric has."""
    if not row["n"]:
        return None
    unit = 1000 if row.get("unit") == "s" else 1
    sd = math.nan if row["sd"] is None else float(row["sd"]) * unit
    return Summary(float(row["mean"]) * unit, sd, int(row["n"]))


def _slope(along: str, rows: list[Row], values: Sequence[Any]) -> Summary | None:
    by_value = {row[along]: _summary(row) for row in rows}
    means = [mean for value in values if (mean := by_value.get(value)) is not None]
    if len(values) < 2 or len(means) < len(values):
        return None
    return estimate.slope([float(value) for value in values], means)
