"""Numbers of the chapter store.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.book.evidence import by
from longlook.book.shreedhar2022.names import (
    ENVOY,
    HUGE_SIZES,
    LARGEST,
    NEW,
    NGTCP2,
    OLD,
    SIZES,
    SLOW,
    THROUGHPUT,
    USED,
    file_of,
)
from longlook.book.shreedhar2022.numbers.connections import crossing
from longlook.book.shreedhar2022.store import BROWSER, by_browser
from longlook.book.value import Measured, Number, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU, TTFB, TTLB

SLOW_PAIR = [SLOW + ENVOY, SLOW + OLD]
LARGE_FILE, HUGE_FILE = file_of(LARGEST), file_of(HUGE_SIZES[-1])
BY_BROWSER, BY_CURL = by_browser(SIZES[-1]), file_of(SIZES[-1])


def _first_byte(where: Mapping[str, Any], arm: str, unit: str = "ms") -> Number:
    per, digits = {"ms": (1, 0), "s": (1000, 1)}[unit]
    return lambda m: (_mean(m, where, arm, TTFB.name) / per).one(unit, digits)


def _mean(m: Measured, where: Mapping[str, Any], arm: str, metric: str) -> Quantity:
    return by(m, value=arm, metric=metric, **where)


@number
def _after(m: Measured, where: Mapping[str, Any]) -> StatedNumber:
    """Throughput from the first byte on, QUIC over TLS 1.2."""
    quic, tcp = (_mean(m, where, arm, TTLB.name) - _mean(m, where, arm, TTFB.name) for arm in SLOW_PAIR)
    return (tcp / quic).one("times", 3)


def _part(where: Mapping[str, Any], pair: list[str], digits: int) -> Number:
    return lambda m: by(m, ratio=pair, **THROUGHPUT, **where).one("times", digits)


def _cpu(where: Mapping[str, Any], *pair: str, digits: int = 1) -> Number:
    """Of the client."""
    return lambda m: by(m, ratio=list(pair), metric=CLIENT_CPU.name, **where).one("times", digits)


def _used(where: Mapping[str, Any]) -> Number:
    return lambda m: by(m, value=SLOW + ENVOY, **USED, **where).one("%")


def _rate(arm: str) -> Number:
    return lambda m: by(m, value=arm, **THROUGHPUT, **HUGE_FILE).one("MB/s", 2)


NUMBERS: Numbers = {
    "crossing-browser": crossing(ENVOY, NEW, BROWSER),
    "crossing-browser-slow": crossing(SLOW + ENVOY, SLOW + NEW, BROWSER),
    "slow-part": _part(BY_BROWSER, [SLOW + ENVOY, SLOW + NEW], 2),
    "slow-used": _used(BY_BROWSER),
    "cpu-browser": _cpu(BY_BROWSER, ENVOY, NEW),
    "slow-cpu": _cpu(BY_BROWSER, SLOW + ENVOY, ENVOY, digits=2),
    "cpu-curl": _cpu(BY_CURL, ENVOY, NEW),
    "part-2gb": _part(HUGE_FILE, SLOW_PAIR, 3),
    "part-200mb": _part(LARGE_FILE, SLOW_PAIR, 3),
    "cpu-2gb": _cpu(HUGE_FILE, *SLOW_PAIR),
    "used-2gb": _used(HUGE_FILE),
    "rate-quic": _rate(SLOW + ENVOY),
    "rate-tcp": _rate(SLOW + OLD),
    "seconds-2gb": lambda m: (_mean(m, HUGE_FILE, SLOW + ENVOY, TTLB.name) / 1000).one("s"),
    "first-byte-small": _first_byte(file_of(SIZES[0]), ENVOY),
    "first-byte-20mb": _first_byte(BY_CURL, ENVOY),
    "first-byte-ngtcp2": _first_byte(BY_CURL, NGTCP2),
    "first-byte-200mb": _first_byte(LARGE_FILE, SLOW + ENVOY),
    "first-byte-2gb": _first_byte(HUGE_FILE, SLOW + ENVOY, "s"),
    "first-byte-tcp": _first_byte(HUGE_FILE, SLOW + OLD),
    "after-2gb": _after(HUGE_FILE),
    "after-200mb": _after(LARGE_FILE),
}
