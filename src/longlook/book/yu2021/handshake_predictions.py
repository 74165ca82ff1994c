"""What yu-group, yu-group-pace and yu-verify predicted, in the heads of their sweeps, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.round_trips import trips_text
from longlook.book.times import Times, ms_text
from longlook.book.varied import REFERENCE
from longlook.book.yu2021.evidence import FAR, QUIET, Condition, Measured
from longlook.book.yu2021.handshake_claims import HANDSHAKE_TRIPS
from longlook.book.yu2021.handshakes import (
    ASSUMED,
    GROUP,
    LINKS,
    METRICS,
    PACE,
    PAIRS_OF,
    VERIFY,
    beyond_other_protocol,
    later_ms,
    later_trips,
    more_by_protocol_ms,
)
from longlook.book.yu2021.predictions import Found, judged
from longlook.experiment.metrics import CONNECT, TTLB

LAST_BYTE_TRIPS: Mapping[Condition, float] = {QUIET: 0.25, FAR: 0.1}
ALIKE_TRIPS: Mapping[Condition, float] = {QUIET: 0.5, FAR: 0.1}
"""So far from what is predicted a number of round trips may be, by link."""
CHECK_MS = 2.0
WAITING_TRIPS, TOLD_TRIPS, LATE_TRIPS = (1.35, 1.65), (0.95, 1.25), (0.75, 1.25)


def predictions(*sweeps: str, data: BookData | None = None) -> HTML:
    """Those of some sweeps, as far as they are measured."""
    own = Measured(data or book_data.load(), REFERENCE)
    return predictions_table([one for sweep in sweeps if own.is_measured(sweep) for one in OF[sweep](own)])


def _by_link(said: str, found: Mapping[Condition, Found], trips: float, apart: Mapping[Condition, float]) -> Prediction:
    """One prediction whose bounds are each link's own."""
    parts = [
        judged(said, numbers, trips - apart[link], trips + apart[link], text=trips_text)
        for link, numbers in found.items()
    ]
    return Prediction(said, "; ".join(one.found for one in parts), all_of(*(one.holds for one in parts)))


def _later(own: Measured, metric: str) -> Mapping[Condition, Found]:
    return {
        link: {pair.label: later_trips(own, pair, metric) for pair in PAIRS_OF[GROUP] if pair.condition == link}
        for link in LINKS[GROUP]
    }


def of_group(own: Measured) -> list[Prediction]:
    alike = {link: {f"HTTP/3, {link.label}": beyond_other_protocol(own, link)} for link in LINKS[GROUP]}
    return [
        _by_link(
            "the handshake is longer by 0.75 to 1.25 round trips at 15 ms, by 0.95 to 1.05 at 115 ms",
            _later(own, CONNECT.name),
            1.0,
            HANDSHAKE_TRIPS,
        ),
        _by_link(
            "the last byte is later by 0.75 to 1.25 round trips at 15 ms, by 0.9 to 1.1 at 115 ms",
            _later(own, TTLB.name),
            1.0,
            LAST_BYTE_TRIPS,
        ),
        _by_link(
            "refused, a handshake of HTTP/3 is as long as one of HTTP/2 that is not: within 0.5 round trips at 15 ms, "
            "0.1 at 115 ms",
            alike,
            0.0,
            ALIKE_TRIPS,
        ),
    ]


def of_verify(own: Measured) -> list[Prediction]:
    handshake, last = ({pair.label: later_ms(own, pair, one) for pair in PAIRS_OF[VERIFY]} for one in METRICS)
    both: dict[str, Times | None] = {"HTTP/3 beyond HTTP/2": more_by_protocol_ms(own)}
    return [
        judged("a check makes the handshake at most 2 ms longer", handshake, -math.inf, CHECK_MS, text=ms_text),
        judged("the last byte comes at most 2 ms later", last, -math.inf, CHECK_MS, text=ms_text),
        judged("over HTTP/3 it adds what it adds over HTTP/2, within 2 ms", both, -CHECK_MS, CHECK_MS, text=ms_text),
    ]


def of_pace(own: Measured) -> list[Prediction]:
    handshake, last = ({pair: later_trips(own, pair, one) for pair in PAIRS_OF[PACE]} for one in METRICS)
    waiting, told = ({pair.label: found for pair, found in handshake.items() if pair.told == one} for one in ASSUMED)
    later = {pair.label: found for pair, found in last.items()}
    return [
        judged("with 333 ms assumed the handshake is longer by 1.35 to 1.65 round trips", waiting, *WAITING_TRIPS,
               text=trips_text),
        judged("with 15 ms assumed it is longer by 0.95 to 1.25 round trips", told, *TOLD_TRIPS, text=trips_text),
        judged("the last byte is later by 0.75 to 1.25 round trips in both", later, *LATE_TRIPS, text=trips_text),
    ]  # fmt: skip


OF: Mapping[str, Callable[[Measured], list[Prediction]]] = {GROUP: of_group, PACE: of_pace, VERIFY: of_verify}
