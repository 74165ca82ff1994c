"""Numbers of the chapter store.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.hypotheses import stated
from longlook.book.shreedhar2022.evidence import (
    CLOUD,
    ENVOY,
    HUGE,
    HUGE_SIZES,
    LARGE,
    LARGEST,
    NEW,
    NGTCP2,
    OLD,
    SIZES,
    SLOW,
    LinkAndFile,
    file_of,
    throughput,
    throughput_ratio,
    used,
)
from longlook.book.shreedhar2022.evidence import Downloads as Own
from longlook.book.shreedhar2022.numbers.connections import crossing_text
from longlook.book.shreedhar2022.store import BROWSER, after_first_byte, by_browser, cpu_ratio
from longlook.book.shreedhar2022.tables import SLOW_SHARE
from longlook.book.times import Times
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU, TTFB, TTLB

Number = Callable[[Measured], StatedNumber]


def _told(series: str, text: str, what: str) -> StatedNumber:
    return StatedNumber(text, f"{what}; from data/raw/reference-{series}*")


def _own(m: Measured, series: str) -> Own:
    own = Own(m.data, m.key)
    if not own.has(series):
        raise NotMeasured(f"{series} is not measured")
    return own


def _crossing(pace: str) -> Number:
    """Between which sizes a browser's mean throughput over QUIC falls below that over TCP."""

    def number(m: Measured) -> StatedNumber:
        own = _own(m, BROWSER)
        found = {size: throughput_ratio(own, by_browser(size), pace + ENVOY, pace + NEW) for size in SIZES}
        ahead = [(size, one.value > 1) for size, one in found.items() if one is not None]
        return _told(BROWSER, crossing_text(ahead), f"means of {pace}{ENVOY} and {pace}{NEW}, {len(ahead)} sizes")

    return number


def _times(series: str, find: Callable[[Own], Times | None], digits: int, what: str) -> Number:
    def number(m: Measured) -> StatedNumber:
        found = find(_own(m, series))
        if found is None:
            raise NotMeasured(f"{series} has not both arms")
        return _told(series, f"{found.value:.{digits}f}{SPACE}times", what)

    return number


def _used(series: str, where: LinkAndFile) -> Number:
    def number(m: Measured) -> StatedNumber:
        found = used(_own(m, series), where, SLOW + ENVOY, CLIENT_CPU.name, SLOW_SHARE)
        if found is None:
            raise NotMeasured(f"{series} has no slow client")
        return _told(series, f"{100 * found:.0f}{SPACE}%", "CPU of the slow client over QUIC over what it is held to")

    return number


def _rate(arm: str) -> Number:
    def number(m: Measured) -> StatedNumber:
        found = throughput(_own(m, HUGE), file_of(HUGE_SIZES[-1]), arm)
        if found is None:
            raise NotMeasured(f"{HUGE} has no {arm}")
        return _told(HUGE, f"{found.mean:.2f}{SPACE}MB/s", f"mean throughput of {arm}, 2 GB, {found.n} downloads")

    return number


def _first_byte(where: LinkAndFile, arm: str) -> Number:
    def number(m: Measured) -> StatedNumber:
        found = _own(m, where.series).summary(where, arm, TTFB.name)
        if found is None:
            raise NotMeasured(f"{where.series} has no {arm}")
        text = f"{found.mean / 1e3:.1f}{SPACE}s" if found.mean >= 1000 else f"{found.mean:.0f}{SPACE}ms"
        return _told(where.series, text, f"mean time to the first byte, {arm}")

    return number


def _after(size: int) -> Number:
    def number(m: Measured) -> StatedNumber:
        where = file_of(size)
        found = after_first_byte(_own(m, where.series), where, SLOW + ENVOY, SLOW + OLD)
        if found is None:
            raise NotMeasured(f"{where.series} has not both arms")
        return _told(where.series, f"{found:.3f}{SPACE}times", "throughput from the first byte on, QUIC over TLS 1.2")

    return number


def _seconds(m: Measured) -> StatedNumber:
    found = _own(m, HUGE).summary(file_of(HUGE_SIZES[-1]), SLOW + ENVOY, TTLB.name)
    if found is None:
        raise NotMeasured(f"{HUGE} has no {SLOW + ENVOY}")
    return _told(HUGE, f"{found.mean / 1e3:.0f}{SPACE}s", "mean time to the last byte of 2 GB over QUIC")


def _curl(own: Own) -> Times | None:
    return cpu_ratio(own, file_of(SIZES[-1]), ENVOY, NEW)


def _part(size: int) -> Callable[[Own], Times | None]:
    return lambda own: throughput_ratio(own, file_of(size), SLOW + ENVOY, SLOW + OLD)


BROWSER_LARGEST = by_browser(SIZES[-1])
CPU = "CPU of the client over QUIC over that over TCP with TLS 1.3"
NUMBERS: Numbers = {
    "crossing-browser": _crossing(""),
    "crossing-browser-slow": _crossing(SLOW),
    "slow-part": _times(BROWSER, lambda own: throughput_ratio(own, BROWSER_LARGEST, SLOW + ENVOY, SLOW + NEW), 2,
                        "mean throughput over QUIC over that over TCP, 20 MB, slow browser"),
    "slow-used": _used(BROWSER, BROWSER_LARGEST),
    "cpu-browser": _times(BROWSER, lambda own: cpu_ratio(own, BROWSER_LARGEST, ENVOY, NEW), 1,
                          f"{CPU}, browser, 20 MB"),
    "slow-cpu": _times(BROWSER, lambda own: cpu_ratio(own, BROWSER_LARGEST, SLOW + ENVOY, ENVOY), 2,
                       "CPU of the slow browser over that of the fast one, QUIC, 20 MB"),
    "cpu-curl": _times(CLOUD, _curl, 1, f"{CPU}, curl, 20 MB"),
    "part-2gb": _times(HUGE, _part(HUGE_SIZES[-1]), 3, "mean throughput of QUIC over that of TLS 1.2, 2 GB"),
    "part-200mb": _times(LARGE, _part(LARGEST), 3, "mean throughput of QUIC over that of TLS 1.2, 200 MB"),
    "cpu-2gb": _times(HUGE, lambda own: cpu_ratio(own, file_of(HUGE_SIZES[-1]), SLOW + ENVOY, SLOW + OLD), 1,
                      "CPU of the client over QUIC over that of TLS 1.2's, 2 GB"),
    "used-2gb": _used(HUGE, file_of(HUGE_SIZES[-1])),
    "rate-quic": _rate(SLOW + ENVOY),
    "rate-tcp": _rate(SLOW + OLD),
    "seconds-2gb": _seconds,
    "first-byte-small": _first_byte(file_of(SIZES[0]), ENVOY),
    "first-byte-20mb": _first_byte(file_of(SIZES[-1]), ENVOY),
    "first-byte-ngtcp2": _first_byte(file_of(SIZES[-1]), NGTCP2),
    "first-byte-200mb": _first_byte(file_of(LARGEST), SLOW + ENVOY),
    "first-byte-2gb": _first_byte(file_of(HUGE_SIZES[-1]), SLOW + ENVOY),
    "first-byte-tcp": _first_byte(file_of(HUGE_SIZES[-1]), SLOW + OLD),
    "after-2gb": _after(HUGE_SIZES[-1]),
    "after-200mb": _after(LARGEST),
    "stated-browser": stated(BROWSER),
    "stated-largest": stated(HUGE),
}  # fmt: skip
