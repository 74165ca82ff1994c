"""What the sweeps of Shreedhar et al. 2022 predicted, and what came of it. By the reference campaigns.

The predictions stand in the heads of sweeps/shreedhar2022/ and were written before anything was tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import product

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.flows import Contest, contests
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.shreedhar2022.checked import Check, judge
from longlook.book.shreedhar2022.claims import CLIENTS, HALF_A_TRIP, SERVERS, TITLES, TRIPS
from longlook.book.shreedhar2022.clock import wrapped
from longlook.book.shreedhar2022.evidence import (
    CLOCK,
    CLOCK_RTTS_MS,
    CLOUD,
    CPU_METRICS,
    CURL,
    ENVOY,
    ENVOY_LSQUIC,
    FAR,
    FLOWS,
    LARGE,
    LARGE_SIZES,
    LARGEST,
    LONG,
    LONGEST,
    LSQUIC,
    MACHINE,
    NAMES,
    NEW,
    NGTCP2,
    OLD,
    PLACES,
    SIZES,
    SLOW,
    STAGES,
    WEB,
    Measured,
    Where,
    percentile,
    size_title,
)
from longlook.book.shreedhar2022.leads import factor, gained, left, minus, more
from longlook.book.shreedhar2022.over_ten_seconds import PAIR
from longlook.book.times import Times, ms_text, percent_text, times
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import CLIENT_CPU, CONNECT, TTLB
from longlook.published.shreedhar2022 import CONNECTION, INDIA, MUNICH, STUDY, TLS12, TLS13, VM, WRAP_MS, of_all_sites
from longlook.published.shreedhar2022 import QUIC as PRINTED_QUIC

NEAR, NEARER = 0.2, 0.05
FIFTH = 0.2
MOST_SLOWER_MS, SLOWER_OFF_MS = 60.0, 10.0
LATER_TRIPS = (0.8, 2.2)
OLD_TRIPS, OLD_OFF = 5, 0.1
LARGER = (1.1, 1.3)
AHEAD_UP_TO, BEHIND_FROM = 5_000_000, 5_000_000
LEAST_CPU, LEAST_SERVER_CPU, SAME_CPU = 2.5, 10.0, (0.85, 1.15)
FAST_BEHIND, SLOW_BEHIND = (0.95, 1.0), (0.6, 0.85)
LEAST_SHARE, LEAST_JAIN, ONE_OF_FOUR = 1.1, 0.95, (0.25, 0.5)


def predictions(sweep: str, data: BookData | None = None) -> HTML:
    """Of one sweep."""
    return predictions_table(judged(sweep, data or book_data.load()))


def judged(sweep: str, data: BookData) -> list[Prediction]:
    """None before it is measured."""
    evidence = Measured(data, REFERENCE)
    if sweep == FLOWS:
        return of_flows({one.label: one for one in contests(data, STUDY, FLOWS, REFERENCE)})
    return list(JUDGES[sweep](evidence)) if evidence.has(sweep) else []


def _trips(evidence: Measured, wheres: Iterable[Where], off: float) -> Prediction:
    checks = [
        Check(f"{name}, {where.rtt_ms:g} ms", more(evidence, where, arm, ENVOY), *_around(trips * where.rtt_ms, off))
        for where, (arm, (name, trips)) in product(wheres, TRIPS.items())
    ]
    said = f"to within {off:.0%} TLS 1.3's handshake takes one round trip longer than QUIC's and TLS 1.2's two, by curl"
    return judge(said.replace("%", " %"), checks, ms_text)


def _around(value: float, off: float) -> tuple[float, float]:
    return value * (1 - off), value * (1 + off)


def _median(evidence: Measured, where: Where, arm: str) -> Times | None:
    found = evidence.percentile(where, arm, CONNECT.name, 50)
    return None if found is None else Times(found)


def _printed(place: str, protocol: str) -> float:
    """The printed median of the connection time; NaN, which nothing is below, where it is no time."""
    found = of_all_sites()[place, protocol, CONNECTION].time_ms(50)
    return math.nan if found is None else found


def _slower(evidence: Measured, where: Where, arm: str) -> Times | None:
    return more(evidence, where, SLOW + arm, arm)


def of_web(evidence: Measured) -> Iterator[Prediction]:
    """Munich and Bhubaneswar."""
    homes = {TITLES[place]: PLACES[place] for place in (MUNICH, INDIA)}
    yield _trips(evidence, homes.values(), NEAR)
    yield judge(
        "the fast client's median connection time in Munich is below a fifth of the printed one",
        [
            Check(
                NAMES[arm],
                _median(evidence, PLACES[MUNICH], arm),
                high=FIFTH * _printed(MUNICH, protocol),
            )
            for arm, protocol in ((OLD, TLS12), (NEW, TLS13))
        ],
        ms_text,
    )
    yield judge(
        f"the slow client connects less than {MOST_SLOWER_MS:g} ms later than the fast one, with each of curl's arms",
        [
            Check(f"{title}, {NAMES[arm]}", _slower(evidence, where, arm), high=MOST_SLOWER_MS)
            for (title, where), arm in product(homes.items(), CURL)
        ],
        ms_text,
    )
    first, middle, last = STAGES
    yield judge(
        "as a share of TLS 1.2's time QUIC's lead falls to the first byte; to the last byte it falls from ngtcp2, and "
        "not from Envoy (above 1: it has fallen)",
        [
            *_steps(evidence, homes, {ENVOY: (1, math.inf), NGTCP2: (1, math.inf)}, (first, middle), "first"),
            *_steps(evidence, homes, {ENVOY: (-math.inf, 1), NGTCP2: (1, math.inf)}, (middle, last), "last"),
        ],
        factor,
    )
    yield judge(
        "in ms the lead changes by less than half a round trip from the connection to the first byte",
        [
            Check(
                f"{title}, {server}",
                gained(evidence, where, arm, first, middle),
                -HALF_A_TRIP * where.rtt_ms,
                HALF_A_TRIP * where.rtt_ms,
            )
            for (title, where), (arm, server) in product(homes.items(), SERVERS.items())
        ],
        ms_text,
    )


def _steps(
    evidence: Measured,
    homes: dict[str, Where],
    bounds: dict[str, tuple[float, float]],
    stages: tuple[str, str],
    byte: str,
) -> Iterator[Check]:
    for (title, where), (arm, (low, high)) in product(homes.items(), bounds.items()):
        yield Check(f"{title}, {SERVERS[arm]}, {byte} byte", left(evidence, where, arm, *stages), low, high)


def of_far(evidence: Measured) -> Iterator[Prediction]:
    """Long paths."""
    yield _trips(evidence, (LONG, LONGEST), NEARER)
    checks = []
    for arm in CURL:
        far, near = (_slower(evidence, where, arm) for where in (LONG, PLACES[INDIA]))
        found = None if far is None or near is None else minus(far, near)
        checks.append(Check(NAMES[arm], found, -SLOWER_OFF_MS, SLOWER_OFF_MS))
    yield judge(
        f"a slow client costs a connection as much at 150 ms as at 55, to within {SLOWER_OFF_MS:g} ms, with each of "
        "curl's arms",
        checks,
        ms_text,
    )
    yield judge(
        "from ngtcp2 the last byte comes one to two round trips (0.8 to 2.2) later than from Envoy",
        [
            Check(
                f"{where.rtt_ms:g} ms",
                more(evidence, where, NGTCP2, ENVOY, TTLB.name),
                *(trips * where.rtt_ms for trips in LATER_TRIPS),
            )
            for where in (LONG, LONGEST)
        ],
        ms_text,
    )


def of_machine(evidence: Measured) -> Iterator[Prediction]:
    """Their virtual machine."""
    where = PLACES[VM]
    yield _trips(evidence, (where,), NEAR)
    yield judge(
        "the fast client's median connection time is below the printed one",
        [
            Check(NAMES[arm], _median(evidence, where, arm), high=_printed(VM, protocol))
            for arm, protocol in ((ENVOY, PRINTED_QUIC), (OLD, TLS12), (NEW, TLS13))
        ],
        ms_text,
    )


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


def _ratio(evidence: Measured, size: int, arm: str, base: str) -> Times | None:
    tcp, quic = evidence.rate(size, base), evidence.rate(size, arm)
    return None if tcp is None or quic is None else times(tcp, quic)


def _cpu(evidence: Measured, size: int, arm: str, metric: str = CLIENT_CPU.name) -> Times | None:
    tcp, quic = (evidence.cpu(size, one, metric) for one in (OLD, arm))
    return None if tcp is None or quic is None else times(tcp, quic)


def _clients_cpu(evidence: Measured, size: int) -> list[Check]:
    return [Check(client, _cpu(evidence, size, arm), low=LEAST_CPU) for arm, client in CLIENTS.items()]


def of_cloud(evidence: Measured) -> Iterator[Prediction]:
    """500 KB to 20 MB."""
    yield judge(
        "with a fast client QUIC's throughput is above TLS 1.2's up to 5 MB",
        [Check(size_title(size), _ratio(evidence, size, ENVOY, OLD), low=1) for size in SIZES if size <= AHEAD_UP_TO],
        percent_text,
    )
    yield judge(
        "with a slow client it is above at 500 KB, and below from 5 MB on",
        [
            Check(size_title(SIZES[0]), _ratio(evidence, SIZES[0], SLOW + ENVOY, SLOW + OLD), low=1),
            *(
                Check(size_title(size), _ratio(evidence, size, SLOW + ENVOY, SLOW + OLD), high=1)
                for size in SIZES
                if size >= BEHIND_FROM
            ),
        ],
        percent_text,
    )
    yield judge(
        f"at 20 MB QUIC's client takes at least {LEAST_CPU:g} times the CPU of TLS 1.2's",
        _clients_cpu(evidence, SIZES[-1]),
        factor,
    )


def of_large(evidence: Measured) -> Iterator[Prediction]:
    """50 to 200 MB."""
    yield judge(
        "with a fast client QUIC's throughput is below TLS 1.2's, by less than 5 %",
        [Check(size_title(size), _ratio(evidence, size, ENVOY, OLD), *FAST_BEHIND) for size in LARGE_SIZES],
        percent_text,
    )
    slow = [
        check
        for size in LARGE_SIZES
        for check in (
            Check(size_title(size), _ratio(evidence, size, SLOW + ENVOY, SLOW + OLD), *SLOW_BEHIND),
            Check(f"LSQUIC's, {size_title(size)}", _ratio(evidence, size, SLOW + ENVOY_LSQUIC, SLOW + ENVOY), 1),
        )
    ]
    yield judge("with a slow client it is below by 15 to 40 %, and LSQUIC's client is above curl", slow, percent_text)
    server = _cpu(evidence, LARGEST, ENVOY, CPU_METRICS[1])
    yield judge(
        f"at 200 MB QUIC's client takes at least {LEAST_CPU:g} times the CPU of TLS 1.2's, its server ten times",
        [*_clients_cpu(evidence, LARGEST), Check("Envoy over Apache", server, low=LEAST_SERVER_CPU)],
        factor,
    )
    small, large = (evidence.cpu(size, ENVOY, CLIENT_CPU.name) for size in (SIZES[-1], LARGEST))
    same = None if small is None or large is None else times(small, large)
    yield judge(
        "for a megabyte curl takes as much CPU at 200 MB as at 20 MB, to within 15 %",
        [Check("curl from Envoy", same, *SAME_CPU)],
        factor,
    )


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
                [Check("QUIC over TCP", ratio, low=LEAST_SHARE)], factor),
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


JUDGES: dict[str, Callable[[Measured], Iterator[Prediction]]] = {
    WEB: of_web,
    FAR: of_far,
    MACHINE: of_machine,
    CLOCK: of_clock,
    CLOUD: of_cloud,
    LARGE: of_large,
}
"""Sweep -> what is made of its campaign, and of those that it is held against."""
