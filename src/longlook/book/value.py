"""Numbers for the sentences of the chapters: computed from the tables, never typed, each with where it comes from.

A chapter's numbers are defined in `book/<study>/numbers/<chapter>.py`, one line each, and stand in its text by name, as
in {value}`lead-small`:

    NUMBERS = {"lead-small": lambda m: m.gap("4.7b", workload=("5kb-x1", "10kb-x1")).span("ms")}

`m` is a `Measured`. Numbers are taken by square, so that the numbers of two arms or two series can be added,
subtracted, multiplied and divided square by square; `span`, `median`, `one` and others make a `StatedNumber` of them.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec

import pandas as pd

from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import by_holm
from longlook.book import flows
from longlook.book.chapter import QUIC_TCP, metric_of
from longlook.book.data import BookData
from longlook.errors import LonglookError
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.versus import Versus, decided
from longlook.record.parquet import records

NOT_YET = "not measured yet"
PLACE = ["workload", "bandwidth_mbps", "rtt_ms"]
"""What tells the squares of a series apart; what else differs has to be asked for."""
TELLING = ("label", "loss_pct", "jitter_ms", "queue_bytes", "queue_packets", "burst_bytes", "netem", "replicate", "cca")
MOST_FILES = 3
SPACE = "\N{NO-BREAK SPACE}"


class NotMeasured(LonglookError):
    """This copy has no campaign, or not every cell, that a number is made of."""


@dataclass(frozen=True)
class StatedNumber:
    """A number as it stands in a sentence, and where it comes from, for the reader who asks."""

    text: str
    origin: str


@dataclass(frozen=True)
class Quantity:
    """One number per square (or sample), what they are, and the records that they come from."""

    numbers: pd.Series
    what: str
    files: tuple[str, ...]

    def __add__(self, other: Quantity | float) -> Quantity:
        return self._with(other, operator.add, "+")

    def __sub__(self, other: Quantity | float) -> Quantity:
        return self._with(other, operator.sub, style.MINUS)

    def __mul__(self, other: Quantity | float) -> Quantity:
        return self._with(other, operator.mul, style.TIMES)

    def __truediv__(self, other: Quantity | float) -> Quantity:
        return self._with(other, operator.truediv, "/")

    def _with(self, other: Quantity | float, operate: Callable, sign: str) -> Quantity:
        """Square by square; a square that one of the two lacks is not measured."""
        if not isinstance(other, Quantity):
            return replace(self, numbers=operate(self.numbers, other), what=f"{self.what} {sign} {other:g}")
        if set(self.numbers.index) != set(other.numbers.index):
            raise NotMeasured(f"{self.what} and {other.what} are not of the same squares")
        files = tuple(dict.fromkeys((*self.files, *other.files)))
        numbers = operate(self.numbers, other.numbers.reindex(self.numbers.index))
        return Quantity(numbers, f"({self.what}) {sign} ({other.what})", files)

    def joined(self, *others: Quantity) -> Quantity:
        """The numbers of all, as one set."""
        every = (self, *others)
        files = dict.fromkeys(file for one in every for file in one.files)
        return Quantity(pd.concat([one.numbers for one in every]), "; ".join(one.what for one in every), tuple(files))

    def one(self, unit: str = "", digits: int = 0) -> StatedNumber:
        """The only number."""
        if len(self.numbers) != 1:
            raise LonglookError(f"{self.what}: {len(self.numbers)} numbers, not one; say which, or of which square")
        return self._value("", _text(self.numbers.iloc[0], digits) + _unit(unit))

    def signed(self) -> StatedNumber:
        """The only number as a percentage with its sign, `+72 %`."""
        self.one()
        return self._value("", f"{style.signed_pct(self.numbers.iloc[0])}{SPACE}%")

    def span(self, unit: str = "", digits: int = 0, joint: str = "to", figures: int | None = None) -> StatedNumber:
        """The least and the greatest, `32 to 34 ms`; one where they print the same. `figures`: of each in place of
        digits behind the point."""
        ends = self.numbers.min(), self.numbers.max()
        low, high = (_text(number, digits) if figures is None else f"{number:.{figures}g}" for number in ends)
        text = low if low == high else f"{low} {joint} {high}"
        return self._value("least to greatest of ", text + _unit(unit))

    def changes(self, joint: str = "to") -> StatedNumber:
        """Of ratios, the least and the greatest difference from once, `−14 to −11 %`."""
        low, high = (style.signed_pct((end - 1) * 100) for end in (self.numbers.min(), self.numbers.max()))
        text = low if low == high else f"{low} {joint} {high}"
        return self._value("least to greatest of ", f"{text}{SPACE}%")

    def median(self, unit: str = "", digits: int = 0, sign: bool = False) -> StatedNumber:
        """The median, `15 %`; with a plus where it is asked for and due."""
        middle = float(self.numbers.median())
        plus = "+" if sign and middle > 0 else ""
        return self._value("median of ", plus + _text(middle, digits) + _unit(unit))

    def least(self, unit: str = "", digits: int = 0) -> StatedNumber:
        """The least of them."""
        return self._value("least of ", _text(self.numbers.min(), digits) + _unit(unit))

    def greatest(self, unit: str = "", digits: int = 0) -> StatedNumber:
        """The greatest of them."""
        return self._value("greatest of ", _text(self.numbers.max(), digits) + _unit(unit))

    def count(self, true: Callable[[float], bool] | None = None) -> StatedNumber:
        """How many there are, or of how many something is true."""
        number = len(self.numbers) if true is None else sum(map(true, self.numbers))
        return self._value("how many of ", str(number))

    def by(self, *names: str) -> Quantity:
        """The same numbers, told apart by these alone: to compare squares that differ in the others."""
        index = self.numbers.index
        numbers = self.numbers.droplevel([name for name in index.names if name not in names])
        if numbers.index.has_duplicates:
            raise LonglookError(f"{self.what}: {', '.join(names)} does not tell its squares apart")
        return replace(self, numbers=numbers)

    def only(self, true: Callable[[float], bool]) -> Quantity:
        """Those that something is true of."""
        chosen = pd.Series([true(number) for number in self.numbers], index=self.numbers.index, dtype=bool)
        return replace(self, numbers=self.numbers[chosen])

    def at(self, other: Quantity) -> Quantity:
        """Those of the squares, or samples, that the other one has."""
        return replace(self, numbers=self.numbers[self.numbers.index.isin(other.numbers.index)])

    def size(self) -> Quantity:
        """Without its sign: by how much, whichever way."""
        return replace(self, numbers=self.numbers.abs(), what=f"|{self.what}|")

    def _value(self, how: str, text: str) -> StatedNumber:
        if self.numbers.isna().any() or not len(self.numbers):
            raise NotMeasured(f"{self.what}: not every number is there")
        many = f" ({len(self.numbers)} numbers)" if len(self.numbers) > 1 else ""
        return StatedNumber(text, f"{how}{self.what}{many}; {origin(self.files)}")


def origin(files: Sequence[str]) -> str:
    """The records that a number is made of; of many the first ones."""
    more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
    return f"from {', '.join(files[:MOST_FILES])}{more}"


def _text(number: float, digits: int) -> str:
    """Rounded as the eye expects (half away from zero), with a real minus sign."""
    factor = 10**digits
    rounded = math.floor(abs(number) * factor + 0.5 + 1e-9) / factor
    return (style.MINUS if number < 0 and rounded else "") + f"{rounded:,.{digits}f}"


def _unit(unit: str) -> str:
    return f"{SPACE}{unit}" if unit else ""


def kept_by_holm(rows: pd.DataFrame) -> Counter[Verdict]:
    """Of squares that are one family, rows with a contrast, how many stay significant by Holm's correction: by
    verdict."""
    return by_holm((one.winner, one.p_value) for one in map(decided, records(rows)))


@dataclass(frozen=True)
class Measured:
    """Where a chapter's numbers come from: one column of one study's tables, the reference campaigns unless stated
    otherwise."""

    data: BookData
    study: str
    key: str = "reference"

    @property
    def published(self) -> Measured:
        """The same questions to the printed tables."""
        return replace(self, key=PUBLISHED.key)

    def arm(self, series: str, arm: str, metric: str = PLT.name, statistic: str = "mean", **where: Any) -> Quantity:
        """A statistic (`mean`, `sd`, `median`, `n`) of one arm by square; `where`: conditions, one value or several
        each."""
        rows = self.data.rows("arms", self.study, series, self.key)
        rows = rows[(rows["arm"] == arm) & (rows["metric"] == metric)]
        rows = _chosen(rows, series, where)
        return Quantity(_by_place(rows, series, statistic), f"{series} {arm} {statistic} {metric}", self._files(rows))

    def pct(self, series: str, contrast: tuple[str, str] = QUIC_TCP, metric: str = PLT.name, **where: Any) -> Quantity:
        """The percentage difference by square."""
        rows = self._contrasts(series, contrast, metric, where)
        what = f"{series} {contrast[0]} against {contrast[1]}, percentage difference of {metric}"
        return Quantity(_by_place(rows, series, "pct_diff"), what, self._files(rows))

    def gap(self, series: str, contrast: tuple[str, str] = QUIC_TCP, metric: str = PLT.name, **where: Any) -> Quantity:
        """By how much the right arm's mean is above the left one's, by square: of times, the left one's lead."""
        left, right = contrast
        return self.arm(series, right, metric, **where) - self.arm(series, left, metric, **where)

    def significant(
        self, series: str, contrast: tuple[str, str] = QUIC_TCP, metric: str = PLT.name, **where: Any
    ) -> Quantity:
        """By square 1 where the left arm is significantly better, -1 where the right one is, 0 else; by pairs of loads
        where there are any."""
        rows = self._contrasts(series, contrast, metric, where)
        winners = pd.Series([decided(row).winner for row in records(rows)], index=rows.index, dtype=object)
        numbers = _by_place(rows.assign(sign=winners.map({"left": 1, "right": -1, "none": 0})), series, "sign")
        what = f"{series} significant differences of {metric}, {contrast[0]} against {contrast[1]}"
        return Quantity(numbers, what, self._files(rows))

    def after_holm(self, series: Sequence[str], contrast: tuple[str, str] = QUIC_TCP) -> StatedNumber:
        """In how many squares the left arm stays significantly better by Holm's correction: those of all these series
        are one family."""
        rows = pd.concat([self._contrasts(one, contrast, PLT.name, {}) for one in series])
        kept = kept_by_holm(rows)
        return StatedNumber(
            str(kept["left"]), f"of {len(rows)} squares, by Holm's correction; {origin(self._files(rows))}"
        )

    def campaigns(self, *series: str) -> str:
        """Where a number comes from that is made of all that some series have."""
        names = self.data.rows("cells", self.study, series, self.key)["campaign"].unique()
        return origin([f"data/raw/{one}" for one in names])

    def agreeing(self, table: str, column: str, series: Sequence[str]) -> StatedNumber:
        """Of `means` or `verdicts` of some series, published against measured: how many rows say yes, `18 of 20 (90
        %)`."""
        own = pd.concat([self.data.agreeing(table, self.study, one, self.key) for one in series])
        said = own[own[column].notna()]
        if said.empty:
            raise NotMeasured(f"no published {table} are measured in {', '.join(series)}")
        yes = int(said[column].map(bool).sum())
        text = f"{yes} of {len(said)} ({100 * yes / len(said):.0f}{SPACE}%)"
        return StatedNumber(text, f"{column} of agreement_{table}; {origin(self._files(said))}")

    def samples(self, series: str, metric: str, **where: Any) -> Quantity:
        """Every transfer of a series that counts; `where` may also name `arm`, `label`, `protocol`, `run`."""
        rows = _chosen(flows.transfers(self.data, self.study, series, self.key), series, where)
        numbers = rows.set_index(["label", "workload", "run", "arm"])[metric].dropna()
        return Quantity(numbers, f"{series} {metric} of each transfer", self._files(rows))

    def timeline(self, series: str, **where: Any) -> pd.DataFrame:
        """Rows of `timelines`, with the workload, for numbers that need more than a mean."""
        cells = self.data.of("cells", self.study, series)[["campaign", "cell_id", "workload"]]
        rows = self.data.rows("timelines", self.study, series, self.key).merge(cells, on=["campaign", "cell_id"])
        return _chosen(rows, series, where)

    def of_timeline(self, number: float, what: str, rows: pd.DataFrame) -> Quantity:
        """A number that was made of rows of `timelines`."""
        return Quantity(pd.Series([number]), what, self._files(rows))

    def _contrasts(
        self, series: str, contrast: tuple[str, str], metric: str, where: Mapping[str, object]
    ) -> pd.DataFrame:
        both = self.data.squares(self.study, series, self.key, Versus(*contrast, metric_of(metric)))
        return _chosen(both, series, where)

    def _files(self, rows: pd.DataFrame) -> tuple[str, ...]:
        if self.key == PUBLISHED.key:
            return (f"data/published/{self.study}",)
        pairs = rows[["campaign", "cell_id"]].drop_duplicates().itertuples(index=False, name=None)
        return tuple(f"data/raw/{campaign}/{cell}" for campaign, cell in pairs)


Number = Callable[[Measured], StatedNumber]
"""How a number of a sentence is made."""
Asked = ParamSpec("Asked")


def number(state: Callable[Concatenate[Measured, Asked], StatedNumber]) -> Callable[Asked, Number]:
    """Makes of a function that states a number of a column one that takes what else is asked, for `NUMBERS`."""

    def asked(*these: Asked.args, **those: Asked.kwargs) -> Number:
        return lambda m: state(m, *these, **those)

    return asked


def _chosen(rows: pd.DataFrame, series: str, where: Mapping[str, object]) -> pd.DataFrame:
    """Rows with these values; every value that is asked for must be there."""
    unknown = sorted(set(where) - set(rows.columns))
    if unknown:
        raise LonglookError(f"series {series}: no condition {', '.join(unknown)}")
    if rows.empty:
        raise NotMeasured(f"series {series} is not measured")
    for name, wanted in where.items():
        if wanted is None:  # a condition that is not stated
            rows = rows[rows[name].isna()]
            continue
        values = wanted if isinstance(wanted, tuple) else (wanted,)
        missing = [value for value in values if not (rows[name] == value).any()]
        if missing:
            raise NotMeasured(f"series {series} has no {name} = {', '.join(map(str, missing))}")
        rows = rows[rows[name].isin(values)]
    return rows


def _by_place(rows: pd.DataFrame, series: str, column: str) -> pd.Series:
    twice = rows[rows.duplicated(PLACE, keep=False)]
    if len(twice):
        differ = [
            name for name in rows.columns if twice[name].map(style.value_text).nunique() > 1 and name not in PLACE
        ]
        names = ", ".join(name for name in differ if name in TELLING)
        raise LonglookError(f"series {series}: several cells on one square; name one of {names or 'their conditions'}")
    return rows.set_index(PLACE)[column].astype(float)
