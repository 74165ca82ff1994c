"""Numbers of the chapter gigabit.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.hypotheses import stated
from longlook.book.shreedhar2022.calls import calls_of
from longlook.book.shreedhar2022.evidence import ENVOY, LARGE, NGTCP2, OLD
from longlook.book.shreedhar2022.evidence import Downloads as Own
from longlook.book.shreedhar2022.gigabit import ENDS, GIGABIT, LARGEST, SIZES, rate, ratio, used
from longlook.book.shreedhar2022.numbers.connections import crossing_text
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.experiment.syscalls import NO_SEGMENTS, USUAL


def _own(m: Measured) -> Own:
    own = Own(m.data, m.key)
    if not own.has(GIGABIT):
        raise NotMeasured(f"{GIGABIT} is not measured")
    return own


def _told(text: str, what: str) -> StatedNumber:
    return StatedNumber(text, f"{what}; from data/raw/reference-{GIGABIT}*")


def _rate(arm: str) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = rate(_own(m), LARGEST, arm)
        if found is None:
            raise NotMeasured(f"{GIGABIT} has no {arm}")
        return _told(f"{found.mean:.1f}{SPACE}MB/s", f"mean throughput of {arm}, 200 MB")

    return number


def _used(arm: str, end: str) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        found = used(_own(m), LARGEST, arm, ENDS[end])
        if found is None:
            raise NotMeasured(f"{GIGABIT} has no {arm}")
        return _told(f"{100 * found:.0f}{SPACE}%", f"CPU of the {end} over what it is held to, {arm}, 200 MB")

    return number


def _part(m: Measured) -> StatedNumber:
    found = ratio(_own(m), LARGEST)
    if found is None:
        raise NotMeasured(f"{GIGABIT} has not both arms")
    return _told(f"{found.value:.2f}{SPACE}times", f"mean throughput of {ENVOY} over {OLD}, 200 MB")


def _part_at_100(m: Measured) -> StatedNumber:
    own = Own(m.data, m.key)
    quic, tcp = (own.rate(LARGEST, arm) for arm in (ENVOY, OLD))
    if quic is None or tcp is None:
        raise NotMeasured(f"{LARGE} is not measured")
    text = f"{quic.mean / tcp.mean:.2f}{SPACE}times"
    return StatedNumber(text, f"the same at 100 Mbit/s; from data/raw/reference-{LARGE}*")


def _crossing(m: Measured) -> StatedNumber:
    own = _own(m)
    ahead = [(size, found.value > 1) for size in SIZES if (found := ratio(own, size)) is not None]
    return _told(crossing_text(ahead), f"means of {ENVOY} and {OLD}, {len(ahead)} sizes")


def _calls(arm: str, offload: str, end: str, kind: str) -> Callable[[Measured], StatedNumber]:
    def number(_: Measured) -> StatedNumber:
        found = calls_of(arm, offload, end, kind)
        if found is None:
            raise NotMeasured("longlook syscalls has counted none")
        return StatedNumber(f"{found:,.0f}", "system calls for a megabyte, book/shreedhar2022/syscalls.csv")

    return number


NUMBERS: Numbers = {
    "calls-tcp": _calls(OLD, USUAL, "client", "all"),
    "calls-quic": _calls(ENVOY, USUAL, "client", "all"),
    "sends-gso": _calls(NGTCP2, USUAL, "server", "sends"),
    "sends-no-gso": _calls(NGTCP2, NO_SEGMENTS, "server", "sends"),
    "quic-rate": _rate(ENVOY),
    "tcp-rate": _rate(OLD),
    "part": _part,
    "part-100": _part_at_100,
    "crossing": _crossing,
    "quic-client": _used(ENVOY, "client"),
    "quic-server": _used(ENVOY, "server"),
    "tcp-client": _used(OLD, "client"),
    "stated-files": stated(GIGABIT),
}
