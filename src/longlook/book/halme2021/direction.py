"""Whether it matters in which direction the loss of tables 3 and 5 was, and what became of the predictions.

They stand in sweeps/halme2021/halme-one-direction.toml and were written before the campaign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.halme2021.evidence import NAMES, TABLES, Measured, Where, printed
from longlook.book.halme2021.tables import titled
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times, percent_text, times
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.table import html_table

DOWN = {"3": Where("down-3"), "5": Where("down-5")}
"""Of a table of the thesis: the series with the same loss from the server to the client alone."""
RIVAL, SECOND, LAST = "lsquic", "ngtcp2", "aioquic"
NEAR, INCLUDE_ONCE = (0.75, 1.25), 7
STEADY, CLOSE = (("3", "aioquic"), ("3", "lsquic"), ("3", "ngtcp2"), ("5", "aioquic")), (0.8, 1.2)
"""Those that scatter least, and within what their intervals are to lie."""
QUICKER, SLOW_TABLE = 1.2, "5"
BEGINS_LATE_S, ENDS_LATE_S = 0.1, 2.0


@dataclass(frozen=True)
class Row:
    """One table: durations of each arm, ms, with loss each way and down only; by how much each download's connection
    with loss down only outlasts its last byte, s."""

    table: str
    each_way: Mapping[str, Summary]
    down: Mapping[str, Summary]
    ends_s: Mapping[str, Sequence[float]]

    def ratio(self, arm: str) -> Times:
        """Down only over each way."""
        return times(self.each_way[arm], self.down[arm])

    def printed_over_down(self, arm: str) -> float:
        """Of the means: the thesis prints no standard deviations."""
        return _printed(self.table, arm).mean / self.down[arm].mean

    @property
    def order(self) -> list[str]:
        """The quickest with loss down only first."""
        return sorted(self.down, key=lambda arm: self.down[arm].mean)


def rows(data: BookData) -> list[Row]:
    """Of the reference campaigns; tables that have all arms both ways."""
    evidence, found = Measured(data, REFERENCE), []
    for name, where in DOWN.items():
        each_way, down = (_means(evidence, one) for one in (TABLES[name], where))
        if len(each_way) == len(down) == len(NAMES):
            ends = {arm: evidence.after_last_byte_s(where, arm) for arm in NAMES}
            found.append(Row(name, each_way, down, ends))
    return found


def _means(evidence: Measured, where: Where) -> dict[str, Summary]:
    found = {arm: evidence.summary(where, arm, DURATION.name) for arm in NAMES}
    return {arm: one for arm, one in found.items() if one is not None}


def _printed(table: str, arm: str) -> Summary:
    found = printed().summary(TABLES[table], arm, DURATION.name)
    assert found is not None, (table, arm)
    return found


def table(data: BookData | None = None) -> HTML:
    """Mean durations as printed, with loss each way and down only, and how far the last two are apart."""
    found = rows(data or book_data.load())
    if not found:
        return HTML(style.NOTHING_YET)
    lines = [line for row in found for line in _lines(row)]
    head = ["table", "by", "printed, s", "each way, s", "down only, s", "down only vs each way"]
    starts = range(0, len(lines), len(NAMES))
    return HTML(html_table(head, lines, escape=False, numeric=range(2, len(head)), starts=starts))


def _lines(row: Row) -> Iterator[list[str]]:
    for place, arm in enumerate(NAMES):
        means = (_printed(row.table, arm), row.each_way[arm], row.down[arm])
        seconds = [f"{one.mean / 1e3:.2f}" for one in means]
        yield [titled(row.table) if place == 0 else "", NAMES[arm], *seconds, percent_text(row.ratio(arm))]


def begin_late(ends_s: Sequence[float]) -> int:
    """Connections that begin for the server after their client has sent again: they are shorter than their loads."""
    return sum(one < -BEGINS_LATE_S for one in ends_s)


def end_late(ends_s: Sequence[float]) -> int:
    """Connections that go on when the file has long been there."""
    return sum(one > ENDS_LATE_S for one in ends_s)


def predictions(data: BookData | None = None) -> HTML:
    """What the sweep predicted, and what was found."""
    return predictions_table(judged(rows(data or book_data.load())))


def judged(found: Sequence[Row]) -> list[Prediction]:
    """Of both tables; none before they are measured."""
    by_table = {row.table: row for row in found}
    if by_table.keys() != DOWN.keys():
        return []
    return [_alike(found), _steady(by_table), _ordered(found), _quicker(by_table[SLOW_TABLE]), _alone(by_table)]


def _alike(found: Sequence[Row]) -> Prediction:
    ratios = [row.ratio(arm) for row in found for arm in NAMES]
    values, once = [one.value for one in ratios], sum(one.low <= 1 <= one.high for one in ratios)
    low, high = NEAR
    return Prediction(
        f"of the {len(ratios)} mean durations all are {low:g} to {high:g} times those with loss each way, and of at "
        f"least {INCLUDE_ONCE} the 99 % interval includes once",
        f"{min(values):.2f} to {max(values):.2f} times; {once} of {len(ratios)} include once",
        low <= min(values) and max(values) <= high and once >= INCLUDE_ONCE,
    )


def _steady(found: Mapping[str, Row]) -> Prediction:
    ratios = {(table, arm): found[table].ratio(arm) for table, arm in STEADY}
    low, high = CLOSE
    return Prediction(
        f"aioquic's in both tables, LSQUIC's and ngtcp2's in table 3: the interval lies between {low:g} and {high:g}",
        "; ".join(f"{NAMES[arm]}, table {table}: {percent_text(one)}" for (table, arm), one in ratios.items()),
        all_of(*(one.within(*CLOSE) for one in ratios.values())),
    )


def _ordered(found: Sequence[Row]) -> Prediction:
    right = all(row.order[:2] == [RIVAL, SECOND] for row in found)
    last = all(row.order[-1] == LAST for row in found if row.table == SLOW_TABLE)
    return Prediction(
        f"LSQUIC is first and ngtcp2 second in both tables, aioquic last in table {SLOW_TABLE}, as printed and with "
        "loss each way",
        "; ".join(f"table {row.table}: {', '.join(NAMES[arm] for arm in row.order)}" for row in found),
        right and last,
    )


def _quicker(row: Row) -> Prediction:
    over = {arm: row.printed_over_down(arm) for arm in (RIVAL, SECOND)}
    return Prediction(
        f"in table {row.table} the printed means of LSQUIC and ngtcp2 are at least {QUICKER:g} times those with loss "
        "down only, too",
        ", ".join(f"{NAMES[arm]} {one:.2f} times" for arm, one in over.items()),
        all(one >= QUICKER for one in over.values()),
    )


def _alone(found: Mapping[str, Row]) -> Prediction:
    everyone = [one for row in found.values() for own in row.ends_s.values() for one in own]
    rival = found[SLOW_TABLE].ends_s[RIVAL]
    late, after = begin_late(everyone), end_late(rival)
    return Prediction(
        f"no connection begins for the server more than {BEGINS_LATE_S:g} s later than for its client, and none of "
        f"LSQUIC's in table {SLOW_TABLE} ends more than {ENDS_LATE_S:g} s after the last byte",
        f"{late} of {len(everyone)} begin so late, {after} of {len(rival)} end so late",
        late == 0 and after == 0,
    )
