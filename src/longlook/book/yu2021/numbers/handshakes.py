"""Numbers of the chapter handshakes.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.hypotheses import stated
from longlook.book.judged import claim_verdict
from longlook.book.times import Times
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.yu2021.evidence import FAR, QUIET, Impairment
from longlook.book.yu2021.evidence import FileLoads as Own
from longlook.book.yu2021.handshakes import ASSUMED, GROUP, PACE, VERIFY, HandshakePair, later_ms, later_trips
from longlook.experiment.metrics import CONNECT, TTLB
from longlook.figure import style


def _later(m: Measured, pair: HandshakePair, metric: str) -> Times:
    found = later_ms(Own(m.data, m.key), pair, metric)
    if found is None:
        raise NotMeasured(f"{pair.series} is not measured")
    return found


def _ms(
    series: str, protocol: str, condition: Impairment = QUIET, metric: str = CONNECT.name
) -> Callable[[Measured], StatedNumber]:
    """By how much a median is above that of the arm with less to do: `16.9 ms`."""

    def number(m: Measured) -> StatedNumber:
        text = f"{_later(m, HandshakePair(series, protocol, condition), metric).value:z.1f}{SPACE}ms"
        return StatedNumber(text.replace("-", style.MINUS), f"difference of medians, {metric}; {_records(series)}")

    return number


def _trips(series: str, told: str, metric: str = CONNECT.name) -> Callable[[Measured], StatedNumber]:
    """By how many round trips a median over HTTP/3 and 15 ms is above that without a refused group."""

    def number(m: Measured) -> StatedNumber:
        found = later_trips(Own(m.data, m.key), HandshakePair(series, "quic", told=told), metric)
        if found is None:
            raise NotMeasured(f"{series} is not measured")
        what = f"difference of medians, {metric}, {ASSUMED[told]}"
        return StatedNumber(f"{found.value:.2f} round trips", f"{what}; {_records(series)}")

    return number


def _resolved(protocol: str, metric: str) -> Callable[[Measured], StatedNumber]:
    """Half of the interval's width: a smaller difference would not have been told from none."""

    def number(m: Measured) -> StatedNumber:
        found = _later(m, HandshakePair(VERIFY, protocol), metric)
        text = f"{(found.high - found.low) / 2:.1f}{SPACE}ms"
        return StatedNumber(text, f"half of the 99 % interval's width, {metric}; {_records(VERIFY)}")

    return number


def _records(series: str) -> str:
    return f"from data/raw/reference-{series}*"


NUMBERS: Numbers = {
    "group-h3": _ms(GROUP, "quic"),
    "group-h3-far": _ms(GROUP, "quic", FAR),
    "group-h2": _ms(GROUP, "tcp"),
    "group-h2-far": _ms(GROUP, "tcp", FAR),
    "group-trips": _trips(GROUP, ""),
    "group-trips-last": _trips(GROUP, "", TTLB.name),
    "pace-trips": _trips(PACE, ""),
    "pace-trips-told": _trips(PACE, " told"),
    "check-h3": _ms(VERIFY, "quic", metric=TTLB.name),
    "check-h2": _ms(VERIFY, "tcp", metric=TTLB.name),
    "resolved": _resolved("quic", TTLB.name),
    "resolved-handshake": _resolved("quic", CONNECT.name),
    "claim-group": lambda m: claim_verdict(m, "yu-11"),
    "claim-check": lambda m: claim_verdict(m, "yu-08", "a check by curl"),
    "stated-group": stated(GROUP),
    "stated-pace": stated(PACE),
    "stated-verify": stated(VERIFY),
}
