"""What shreedhar-cloud-browser and -largest predicted, and what came of it. By the reference campaigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.shreedhar2022.checked import Check, judge
from longlook.book.shreedhar2022.client_predictions import share
from longlook.book.shreedhar2022.evidence import (
    ENVOY,
    HUGE,
    HUGE_SIZES,
    LARGEST,
    NEW,
    OLD,
    SIZES,
    SLOW,
    Measured,
    file_of,
    per_gigabyte,
    size_title,
    throughput,
    throughput_ratio,
    used,
)
from longlook.book.shreedhar2022.leads import factor
from longlook.book.shreedhar2022.store import BROWSER, by_browser, cpu_ratio
from longlook.book.shreedhar2022.tables import SLOW_SHARE
from longlook.book.times import Times, percent_text, quotient, times
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import CLIENT_CPU

AHEAD_UP_TO, BEHIND_FROM, BEHIND = 2_000_000, 10_000_000, (0.95, 1.0)
SLOW_BEHIND, LEAST_USED = (0.55, 0.9), 0.85
BROWSER_CPU, LEAST_OVER_CURL = (1.2, 2.2), 1.1
HUGE_BEHIND, SAME_PART, HUGE_CPU, SAME_CPU = (0.94, 0.98), (0.99, 1.01), (1.3, 1.8), (0.85, 1.15)


def predictions(sweep: str, data: BookData | None = None) -> HTML:
    """Of one sweep."""
    return predictions_table(judged(sweep, data or book_data.load()))


def judged(sweep: str, data: BookData) -> list[Prediction]:
    """None before it is measured."""
    evidence = Measured(data, REFERENCE)
    return list(JUDGES[sweep](evidence)) if evidence.has(sweep) else []


def of_browser(evidence: Measured) -> Iterator[Prediction]:
    """Files by Chromium."""
    bounds = {size: (1.0,) for size in SIZES if size <= AHEAD_UP_TO} | {
        size: BEHIND for size in SIZES if size >= BEHIND_FROM
    }
    yield judge(
        "by a fast browser QUIC's throughput is above TCP's up to 2 MB, and below it from 10 MB on, by less than 5 %",
        [
            Check(size_title(size), throughput_ratio(evidence, by_browser(size), ENVOY, NEW), *own)
            for size, own in bounds.items()
        ],
        percent_text,
    )
    where = by_browser(SIZES[-1])
    busy = used(evidence, where, SLOW + ENVOY, CLIENT_CPU.name, SLOW_SHARE)
    parts = [
        judge(
            "",
            [Check("20 MB", throughput_ratio(evidence, where, SLOW + ENVOY, SLOW + NEW), *SLOW_BEHIND)],
            percent_text,
        ),
        judge("", [Check("of its quarter", None if busy is None else Times(busy), low=LEAST_USED)], share),
    ]
    yield Prediction(
        "by a slow browser QUIC's throughput at 20 MB is below TCP's by 10 to 45 %, and it uses at least 85 % of what "
        "it may use",
        "; ".join(one.found for one in parts),
        all_of(*(one.holds for one in parts)),
    )
    yield judge(
        "at 20 MB QUIC costs a fast browser 1.2 to 2.2 times the CPU that TCP does",
        [Check("QUIC over TCP", cpu_ratio(evidence, where, ENVOY, NEW), *BROWSER_CPU)],
        factor,
    )
    checks = []
    for arm, name in ((ENVOY, "QUIC"), (NEW, "TCP, TLS 1.3")):
        curl, own = (evidence.summary(one, arm, CLIENT_CPU.name) for one in (file_of(SIZES[-1]), where))
        found = None if curl is None or own is None else times(curl, own)
        checks.append(Check(name, found, low=LEAST_OVER_CURL))
    yield judge("at 20 MB a fast browser takes at least 1.1 times the CPU of curl", checks, factor)


def of_largest(evidence: Measured) -> Iterator[Prediction]:
    """500 MB to 2 GB."""
    arms = SLOW + ENVOY, SLOW + OLD
    yield judge(
        "with a slow client QUIC's throughput is below that of TLS 1.2 at each size, by 2 to 6 %",
        [
            Check(size_title(size), throughput_ratio(evidence, file_of(size), *arms), *HUGE_BEHIND)
            for size in HUGE_SIZES
        ],
        percent_text,
    )
    small, large = file_of(LARGEST), file_of(HUGE_SIZES[-1])
    rates = [throughput(evidence, where, arm) for where in (large, small) for arm in arms]
    known = [one for one in rates if one is not None]
    part = quotient((known[0], known[1]), (known[2], known[3])) if len(known) == len(rates) else None
    yield judge(
        "its part of the throughput of TLS 1.2 is at 2 GB what it is at 200 MB, to within 1 %",
        [Check("2 GB over 200 MB", part, *SAME_PART)],
        percent_text,
    )
    yield judge(
        "for a gigabyte QUIC's client takes 1.3 to 1.8 times the CPU of TLS 1.2's at each size",
        [Check(size_title(size), cpu_ratio(evidence, file_of(size), *arms), *HUGE_CPU) for size in HUGE_SIZES],
        factor,
    )
    base, own = (per_gigabyte(evidence, where, arms[0], CLIENT_CPU.name) for where in (small, large))
    yield judge(
        "for a gigabyte curl over QUIC takes as much CPU at 2 GB as at 200 MB, to within 15 %",
        [Check("2 GB over 200 MB", None if base is None or own is None else times(base, own), *SAME_CPU)],
        factor,
    )


JUDGES: Mapping[str, Callable[[Measured], Iterator[Prediction]]] = {BROWSER: of_browser, HUGE: of_largest}
"""Sweep -> what is made of its campaign."""
