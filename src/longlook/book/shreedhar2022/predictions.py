"""What shreedhar-clock and shreedhar-flows predicted, and what came of it. By the reference campaigns."""

from __future__ import annotations

from collections.abc import Iterator

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.flows import Contest, contests
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.shreedhar2022.checked import Check, judge
from longlook.book.shreedhar2022.clock import wrapped
from longlook.book.shreedhar2022.evidence import (
    CLOCK,
    CLOCK_RTTS_MS,
    FLOWS,
    LSQUIC,
    OLD,
    Measured,
    Where,
    percentile,
)
from longlook.book.shreedhar2022.over_ten_seconds import PAIR
from longlook.book.times import Times, ms_text, times_text
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import TTLB
from longlook.published.shreedhar2022 import STUDY, WRAP_MS

OLD_TRIPS, OLD_OFF = 5, 0.1
LARGER = (1.1, 1.3)
LEAST_SHARE, LEAST_JAIN, ONE_OF_FOUR = 1.1, 0.95, (0.25, 0.5)


def predictions(sweep: str, data: BookData | None = None) -> HTML:
    """Of one sweep."""
    return predictions_table(judged(sweep, data or book_data.load()))


def judged(sweep: str, data: BookData) -> list[Prediction]:
    """None before it is measured."""
    evidence = Measured(data, REFERENCE)
    if sweep == FLOWS:
        return of_flows({one.label: one for one in contests(data, STUDY, FLOWS, REFERENCE)})
    return list(of_clock(evidence)) if evidence.has(sweep) else []


def _around(value: float, off: float) -> tuple[float, float]:
    return value * (1 - off), value * (1 + off)


def of_clock(evidence: Measured) -> Iterator[Prediction]:
    """The clock that wraps."""
    yield judge(
        "TLS 1.2 takes five round trips to the last byte, to within 10 %",
        [Check(f"{rtt:g} ms", _mean(evidence, rtt, OLD), *_around(OLD_TRIPS * rtt, OLD_OFF)) for rtt in CLOCK_RTTS_MS],
        ms_text,
    )
    times_of = {arm: evidence.clocked(arm) for arm in (LSQUIC, OLD)}
    if any(len(own) < len(CLOCK_RTTS_MS) for own in times_of.values()):
        return
    near, middle, _, far = CLOCK_RTTS_MS
    quic = times_of[LSQUIC]
    ends = {rtt: (min(quic[rtt]), max(quic[rtt])) for rtt in (near, middle, far)}
    yield Prediction(
        "LSQUIC's downloads take longer than 1000 ms at 580 ms, all of them, and less at 200 and 290 ms",
        "; ".join(f"{rtt:g} ms: {low:.0f} to {high:.0f} ms" for rtt, (low, high) in ends.items()),
        ends[far][0] > WRAP_MS and max(ends[near][1], ends[middle][1]) < WRAP_MS,
    )
    wrapped_medians = {rtt: percentile(wrapped(quic[rtt]), 50) for rtt in (middle, far)}
    yield Prediction(
        "modulo 1000 ms the median at 580 ms is below that at 290 ms",
        "; ".join(f"{rtt:g} ms: {value:.0f} ms" for rtt, value in wrapped_medians.items()),
        wrapped_medians[far] < wrapped_medians[middle],
    )
    ahead = [percentile(times_of[OLD][rtt], 50) - percentile(quic[rtt], 50) for rtt in CLOCK_RTTS_MS]
    all_quic, all_old = ([one for rtt in CLOCK_RTTS_MS for one in times_of[arm][rtt]] for arm in (LSQUIC, OLD))
    larger = {}
    for at in (50, 75):
        old, right, wrong = (percentile(own, at) for own in (all_old, all_quic, wrapped(all_quic)))
        larger[at] = (old - wrong) / (old - right)
    yield Prediction(
        "read rightly QUIC's median is ahead of TLS 1.2's on each link; over all links the wrapped clock makes its "
        "lead 10 to 30 % larger",
        f"ahead by {min(ahead):.0f} to {max(ahead):.0f} ms; "
        + "; ".join(f"{at}th percentile: {value:.2f} times" for at, value in larger.items()),
        min(ahead) > 0 and all(LARGER[0] <= value <= LARGER[1] for value in larger.values()),
    )


def _mean(evidence: Measured, rtt_ms: float, arm: str) -> Times | None:
    own = evidence.summary(Where(CLOCK, rtt_ms), arm, TTLB.name)
    return None if own is None else Times(own.mean)


def of_flows(found: dict[str, Contest]) -> list[Prediction]:
    """Flows at once; none before all of what is predicted is measured."""
    pair, crowd = found.get(PAIR), found.get("1 QUIC + 3 TCP")
    equals = {label: found[label] for label in ("2 QUIC", "2 TCP") if label in found}
    if pair is None or crowd is None or len(equals) < 2:
        return []
    ratio = Times(pair.ratio.value, pair.ratio.low, pair.ratio.high)
    rates = [share.rate.mean for share in crowd.shares]
    part = rates[0] / sum(rates)
    return [
        judge("one QUIC flow has more than 1.1 times the rate of the TCP flow beside it",
                [Check("QUIC over TCP", ratio, low=LEAST_SHARE)], times_text),
        Prediction(
            f"two of QUIC, and two of TCP, share fairly: Jain's index is at least {LEAST_JAIN:g}",
            "; ".join(f"{label}: {one.jain:.3f}" for label, one in equals.items()),
            all(one.jain >= LEAST_JAIN for one in equals.values()),
        ),
        Prediction(
            "beside three flows of TCP the one of QUIC has more than a quarter of all, and less than half",
            f"{100 * part:.0f} %",
            ONE_OF_FOUR[0] < part < ONE_OF_FOUR[1],
        ),
    ]  # fmt: skip
