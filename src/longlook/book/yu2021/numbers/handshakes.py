"""Numbers of the chapter handshakes.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.evidence import StudyColumn, by, records_of
from longlook.book.judged import claim_verdict
from longlook.book.value import SPACE, Measured, NotMeasured, Number, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.book.yu2021.handshakes import GROUP, PACE, VERIFY, HandshakePair, later
from longlook.book.yu2021.names import FAR, QUIET, Impairment
from longlook.experiment.metrics import CONNECT, TTLB


def _ms(series: str, protocol: str, condition: Impairment = QUIET, metric: str = CONNECT.name) -> Number:
    """By how much a median is above that of the arm with less to do: `16.9 ms`."""
    return lambda m: by(m, **later(HandshakePair(series, protocol, condition), metric)).one("ms", 1)


def _trips(series: str, told: str, metric: str = CONNECT.name) -> Number:
    """By how many round trips a median over HTTP/3 and 15 ms is above that without a refused group."""
    pair = HandshakePair(series, "quic", told=told)
    return lambda m: (by(m, **later(pair, metric)) / pair.condition.rtt_ms).one("round trips", 2)


@number
def _resolved(m: Measured, metric: str) -> StatedNumber:
    """Half of the interval's width over HTTP/3: a smaller difference would not have been told from none."""
    found = StudyColumn(m.data, m.study, m.key).found(**later(HandshakePair(VERIFY, "quic"), metric))
    if not found:
        raise NotMeasured(f"{VERIFY} is not measured")
    text = f"{(found[0].estimate.high - found[0].estimate.low) / 2:.1f}{SPACE}ms"
    return StatedNumber(text, f"half of the 99 % interval's width, {metric}; {origin(records_of(found))}")


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
    "resolved": _resolved(TTLB.name),
    "resolved-handshake": _resolved(CONNECT.name),
    "claim-group": lambda m: claim_verdict(m, "yu-11"),
    "claim-check": lambda m: claim_verdict(m, "yu-08", "a check by curl"),
}
