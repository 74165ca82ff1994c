"""Numbers of what it depends on whether QUIC pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longlook.analysis.contrast import Verdict
from longlook.book.agreement import ComparedSquare, by_link
from longlook.book.muthuraj2024.numbers.agreement import of_squares
from longlook.book.value import Measured, Quantity
from longlook.book.value_role import Numbers


def _shaken(found: Sequence[ComparedSquare]) -> Sequence[ComparedSquare]:
    return by_link(found).get("with jitter", ())


def _won(winner: Verdict, *pages: str) -> Callable[[Sequence[ComparedSquare]], str]:
    """Of the squares of these pages with jitter, how many a side wins: `24 of 24`."""

    def counted(found: Sequence[ComparedSquare]) -> str:
        own = [one for one in _shaken(found) if one.row["workload"] in pages]
        return f"{sum(one.decided.winner == winner for one in own)} of {len(own)}"

    return counted


def _many(m: Measured) -> Quantity:
    """Who is faster with a hundred small objects and more, without added latency: figures 4.6d and 4.5d."""

    def won(series: str) -> Quantity:
        return m.significant(series, workload=("10kb-x100", "5kb-x200"), bandwidth_mbps=(50.0, 100.0))

    return won("4.6d").joined(won("4.5d"))


NUMBERS: Numbers = {
    "first-small": lambda m: m.pct("4.7b", workload="5kb-x1").span("%"),
    "first-1mb": lambda m: m.pct("4.7b", workload="1000kb-x1").span("%", 1),
    "first-1mb-ms": lambda m: m.gap("4.7b", workload="1000kb-x1").span("ms"),
    "first-10mb": lambda m: m.pct("4.7b", workload="10000kb-x1").span("%", 1),
    "many": lambda m: _many(m).count(),
    "many-quic": lambda m: _many(m).count(lambda won: won > 0),
    "many-tcp": lambda m: _many(m).count(lambda won: won < 0),
    "many-tcp-published": lambda m: _many(m.published).count(lambda won: won < 0),
    "jitter": of_squares(lambda found: len(_shaken(found))),
    "jitter-quic": of_squares(lambda found: sum(one.decided.winner == "left" for one in _shaken(found))),
    "jitter-tcp": of_squares(lambda found: sum(one.decided.winner == "right" for one in _shaken(found))),
    "jitter-small": of_squares(_won("left", "5kb-x1", "10kb-x1", "100kb-x1", "200kb-x1")),
    "jitter-large": of_squares(_won("right", "10000kb-x1")),
}
