"""What shreedhar-tls12-waits, -checks, -versions and -files-1gbit predicted, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.round_trips import in_trips, trips_text
from longlook.book.shreedhar2022 import gigabit, versions
from longlook.book.shreedhar2022.checked import Check, judge
from longlook.book.shreedhar2022.clients import (
    AUTHORITIES,
    CHECKED,
    CHECKS,
    FAR_LINK,
    LINKS,
    QUIC,
    SPEEDS,
    TCP,
    UNCHECKED,
    WAITS,
    WAITS_NEW,
    WAITS_OLD,
    added,
    lead,
)
from longlook.book.shreedhar2022.evidence import ENVOY, NEW, OLD, Measured, Where, size_title
from longlook.book.shreedhar2022.leads import factor, more
from longlook.book.times import Times, ms_text, percent_text
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import CONNECT, TTFB, TTLB

OFF_MS = 4.0
WAITS_TRIPS, LATER_TRIPS, NO_WAIT_TRIPS = (0.9, 1.2), (0.9, 1.4), 0.1
FAR_LEAD_MS = (380.0, 420.0)
ONE_CHECK_MS = {"": 2.0, "slow": 20.0, "slower": 20.0}
OPENSSL_MS, BORINGSSL_MS = (8.0, 60.0), (0.5, 20.0)
SLOWER_TIMES = {"slow": (3.0, 5.0), "slower": (7.0, 12.0)}
EQUAL_MS, THEIRS_MS = 120.0, (135.0, 540.0)
NAMES = {QUIC: "QUIC", TCP: "TLS 1.2"}
AHEAD_AT, BEHIND_FROM = 500_000, 5_000_000
BEHIND = (0.25, 0.7)
"""Of the throughput of TLS 1.2: below it by 30 to 75 %."""
MOST_USED, HALF, FILLED_MB_S = 0.9, 0.5, 100.0


def predictions(sweep: str, data: BookData | None = None) -> HTML:
    """Of one sweep."""
    return predictions_table(judged(sweep, data or book_data.load()))


def judged(sweep: str, data: BookData) -> list[Prediction]:
    """None before it is measured."""
    evidence = Measured(data, REFERENCE)
    return list(JUDGES[sweep](evidence)) if evidence.has(sweep) else []


def of_waits(evidence: Measured) -> Iterator[Prediction]:
    """A client that waits for the end of a handshake."""
    yield judge(
        "by the system's curl TLS 1.3 takes one round trip longer than QUIC and TLS 1.2 two, to within 4 ms",
        [
            Check(f"{name}, {where.rtt_ms:g} ms", more(evidence, where, arm, ENVOY), count * where.rtt_ms - OFF_MS,
                  count * where.rtt_ms + OFF_MS)
            for where, (arm, name, count) in product(LINKS, ((WAITS_NEW, "TLS 1.3", 1), (WAITS_OLD, "TLS 1.2", 2)))
        ],
        ms_text,
    )  # fmt: skip
    yield judge(
        "by the system's curl TLS 1.2 takes 0.9 to 1.2 round trips longer than TLS 1.3, by the one that does not wait "
        "less than 0.1 at 55 and 200 ms",
        [
            *(Check(f"waits, {where.rtt_ms:g} ms", _longer(evidence, where, WAITS_OLD, WAITS_NEW), *WAITS_TRIPS)
              for where in LINKS),
            *(Check(f"does not, {where.rtt_ms:g} ms", _longer(evidence, where, OLD, NEW), high=NO_WAIT_TRIPS)
              for where in LINKS[1:]),
        ],
        trips_text,
    )  # fmt: skip
    yield judge(
        "with TLS 1.2 the first and the last byte come 0.9 to 1.4 round trips later by the client that waits",
        [
            Check(f"{byte} byte, {where.rtt_ms:g} ms", _longer(evidence, where, WAITS_OLD, OLD, metric), *LATER_TRIPS)
            for where, (byte, metric) in product(LINKS, (("first", TTFB.name), ("last", TTLB.name)))
        ],
        trips_text,
    )
    quic, tcp = (evidence.percentile(FAR_LINK, arm, CONNECT.name, 50) for arm in (ENVOY, WAITS_OLD))
    found = None if quic is None or tcp is None else Times(tcp - quic)
    yield judge(
        "at 200 ms QUIC's lead over TLS 1.2 by the client that waits is 380 to 420 ms at the median",
        [Check("connection", found, *FAR_LEAD_MS)],
        ms_text,
    )


def _longer(evidence: Measured, where: Where, arm: str, than: str, metric: str = CONNECT.name) -> Times | None:
    return in_trips(more(evidence, where, arm, than, metric), where.rtt_ms)


def of_checks(evidence: Measured) -> Iterator[Prediction]:
    """Checks that are equal, and as unequal as theirs."""
    yield judge(
        "to check one certificate takes at most 2 ms with a fast client and 20 ms with a slow one",
        [
            Check(f"{NAMES[protocol]}, {title}", added(evidence, protocol, CHECKED, UNCHECKED, speed),
                  high=ONE_CHECK_MS[speed])
            for (speed, title), protocol in product(SPEEDS.items(), NAMES)
        ],
        ms_text,
    )  # fmt: skip
    openssl, boringssl = (added(evidence, protocol, AUTHORITIES, CHECKED, "") for protocol in (TCP, QUIC))
    yield judge(
        "140 authorities take a fast client 8 to 60 ms with OpenSSL, and 0.5 to 20 ms with BoringSSL",
        [Check("OpenSSL", openssl, *OPENSSL_MS), Check("BoringSSL", boringssl, *BORINGSSL_MS)],
        ms_text,
    )
    yield judge(
        "with OpenSSL they take 3 to 5 times as long with a quarter of a processor, 7 to 12 times with a tenth",
        [
            Check(SPEEDS[speed], _times(openssl, added(evidence, TCP, AUTHORITIES, CHECKED, speed)), *bounds)
            for speed, bounds in SLOWER_TIMES.items()
        ],
        factor,
    )
    yield judge(
        "with a tenth of a processor QUIC's lead over TLS 1.2 is less than 120 ms with equal checks, and 135 to 540 ms "
        "with theirs",
        [
            Check("equal", lead(evidence, CHECKED, CHECKED, "slower"), high=EQUAL_MS),
            Check("theirs", lead(evidence, UNCHECKED, AUTHORITIES, "slower"), *THEIRS_MS),
        ],
        ms_text,
    )


def _times(base: Times | None, other: Times | None) -> Times | None:
    return None if base is None or other is None or base.value <= 0 else Times(other.value / base.value)


def of_gigabit(evidence: Measured) -> Iterator[Prediction]:
    """Files at 1 Gbit/s."""
    sizes = [AHEAD_AT, *(size for size in gigabit.SIZES if size >= BEHIND_FROM)]
    yield judge(
        "QUIC's throughput is above that of TLS 1.2 at 500 KB, and below it from 5 MB on",
        [
            Check(size_title(size), gigabit.ratio(evidence, size), *((1,) if size == AHEAD_AT else (0, 1)))
            for size in sizes
        ],
        percent_text,
    )
    yield judge(
        "at 200 MB it is below by 30 to 75 %",
        [Check(size_title(gigabit.LARGEST), gigabit.ratio(evidence, gigabit.LARGEST), *BEHIND)],
        percent_text,
    )
    yield judge(
        "at 50 and 200 MB one end of QUIC uses at least 90 % of the processor that it may use",
        [Check(size_title(size), _busier(evidence, size), low=MOST_USED) for size in gigabit.SIZES[-2:]],
        share,
    )
    client, server = (_used(evidence, gigabit.LARGEST, OLD, end) for end in gigabit.ENDS.values())
    rate = gigabit.rate(evidence, gigabit.LARGEST, OLD)
    ends = [Check("client", client, low=MOST_USED), Check("server", server, 0, HALF)]
    link = [Check("throughput", None if rate is None else Times(rate.mean), high=FILLED_MB_S)]
    parts = [judge("", ends, share), judge("", link, lambda one: f"{one.value:.1f} MB/s")]
    yield Prediction(
        "at 200 MB so does the client of TLS 1.2, its server uses less than half, and the link is filled to less than "
        "80 %",
        "; ".join(one.found for one in parts),
        all_of(*(one.holds for one in parts)),
    )


def _busier(evidence: Measured, size: int) -> Times | None:
    found = [one.value for end in gigabit.ENDS.values() if (one := _used(evidence, size, ENVOY, end)) is not None]
    return Times(max(found)) if found else None


def _used(evidence: Measured, size: int, arm: str, end: str) -> Times | None:
    found = gigabit.used(evidence, size, arm, end)
    return None if found is None else Times(found)


def share(found: Times) -> str:
    """`93 %`."""
    return f"{100 * found.value:.0f} %"


JUDGES: Mapping[str, Callable[[Measured], Iterator[Prediction]]] = {
    WAITS: of_waits,
    CHECKS: of_checks,
    versions.VERSIONS: versions.judged,
    gigabit.GIGABIT: of_gigabit,
}
"""Sweep -> what is made of its campaign."""
