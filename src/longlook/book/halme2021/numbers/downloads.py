"""Numbers of the chapter downloads.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from longlook.book.evidence import StudyColumn, by
from longlook.book.halme2021.evidence import NAMES, QUIC, TABLES, after_last_byte_s
from longlook.book.halme2021.tables import DOWN, down_over_each_way
from longlook.book.judged import claims_counted
from longlook.book.value import SPACE, Measured, NotMeasured, Number, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import DURATION, PACKETS
from longlook.published.claims import claims_of
from longlook.published.halme2021 import STUDY

SERIES = [one.series for one in TABLES.values()]
BEGINS_LATE_S, ENDS_LATE_S = 0.1, 2.0
"""A connection begins so late for its server, after its client has sent again, or goes on when the file is there."""


def _mean(table: str, arm: str, metric: str = DURATION.name) -> Callable[[Measured], Quantity]:
    return lambda m: m.arm(TABLES[table].series, arm, metric=metric)


def _seconds(table: str, arm: str) -> Number:
    return lambda m: (_mean(table, arm, DURATION.name)(m) / 1000).one("s", 2)


@number
def _more(m: Measured, table: str, arm: str, metric: str = DURATION.name) -> StatedNumber:
    """By how many per cent more than TCP's."""
    found = (_mean(table, arm, metric)(m) / _mean(table, "tcp", metric)(m) - 1) * 100
    return found.one("%")


def _rejected(m: Measured) -> StatedNumber:
    """Of all downloads of the reference campaigns that took turns."""
    own = [m.data.rows("samples", m.study, one, m.key) for one in SERIES]
    loads = pd.concat(own).drop_duplicates(["campaign", "cell_id", "order"])
    if loads.empty:
        raise NotMeasured("tables 2 to 5 are not measured")
    share = 100 * (~loads["accepted"].astype(bool)).mean()
    return StatedNumber(f"{share:.0f}{SPACE}%", f"{len(loads)} downloads; {m.campaigns(*SERIES)}")


def _slow(arm: str) -> Number:
    """Of the aioquic of then, 200 ms one way."""
    return lambda m: (m.arm("aioquic-then", arm, metric=DURATION.name, rtt_ms=400.0) / 1000).one("s", 2)


@number
def _late(m: Measured, arms: Sequence[str], is_late: Callable[[float], bool]) -> StatedNumber:
    """Of the downloads of table 5 by some implementations: how many connections are so much shorter, or longer."""
    own = StudyColumn(m.data, m.study, m.key)
    ends = [one for arm in arms for one in after_last_byte_s(own, TABLES["5"], arm)]
    if not ends:
        raise NotMeasured("table 5 is not measured")
    text = f"{sum(map(is_late, ends))} of {len(ends)}"
    return StatedNumber(text, f"downloads; {m.campaigns(TABLES['5'].series)}")


def _down_ratios(m: Measured) -> StatedNumber:
    """The mean durations with loss down only, in times of those with loss each way."""
    found = Quantity.joined(*(by(m, **down_over_each_way(name, *NAMES)) for name in DOWN))
    return found.span("times", 2)


NUMBERS: Numbers = {
    "rejected": _rejected,
    "begin-late-5": _late(tuple(NAMES), lambda ends_s: ends_s < -BEGINS_LATE_S),
    "lsquic-ends-late-5": _late(["lsquic"], lambda ends_s: ends_s > ENDS_LATE_S),
    "down-ratios": _down_ratios,
    "then-400": _slow("then"),
    "told-400": _slow("then told"),
    "claims": lambda m: StatedNumber(
        str(len(claims_of(STUDY).claims)), "claims that its tables and text make: data/published/halme2021"
    ),
    "claims-hold": lambda m: claims_counted(m, lambda said: said == "holds"),
    "claims-fail": lambda m: claims_counted(m, lambda said: said == "does not hold"),
    "claims-partly": lambda m: claims_counted(m, lambda said: said not in ("holds", "does not hold")),
    **{f"{arm}-{table}": _seconds(table, arm) for arm, table in (("aioquic", "4"), ("tcp", "2"), ("tcp", "4"))},
    **{f"{arm}-4-pct": _more("4", arm) for arm in QUIC},
    **{f"{arm}-2-packets": _more("2", arm, PACKETS.name) for arm in QUIC},
}
