"""Numbers of the chapter gigabit.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.evidence import by
from longlook.book.shreedhar2022.calls import calls_of
from longlook.book.shreedhar2022.names import ENVOY, LARGEST, NGTCP2, OLD, THROUGHPUT, USED, file_of
from longlook.book.shreedhar2022.numbers.connections import crossing
from longlook.book.shreedhar2022.store import ENDS, GIGABIT, fetched
from longlook.book.value import Measured, NotMeasured, Number, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.experiment.syscalls import NO_SEGMENTS, USUAL

WHERE, PAIR = fetched(LARGEST), [ENVOY, OLD]


def _used(arm: str, end: str) -> Number:
    return lambda m: by(m, value=arm, **{**USED, "metric": ENDS[end]}, **WHERE).one("%")


@number
def _calls(_: Measured, arm: str, offload: str, end: str, kind: str) -> StatedNumber:
    found = calls_of(arm, offload, end, kind)
    if found is None:
        raise NotMeasured("longlook syscalls has counted none")
    return StatedNumber(f"{found:,.0f}", "system calls for a megabyte, book/shreedhar2022/syscalls.csv")


NUMBERS: Numbers = {
    "calls-tcp": _calls(OLD, USUAL, "client", "all"),
    "calls-quic": _calls(ENVOY, USUAL, "client", "all"),
    "sends-gso": _calls(NGTCP2, USUAL, "server", "sends"),
    "sends-no-gso": _calls(NGTCP2, NO_SEGMENTS, "server", "sends"),
    "quic-rate": lambda m: by(m, value=ENVOY, **THROUGHPUT, **WHERE).one("MB/s", 1),
    "tcp-rate": lambda m: by(m, value=OLD, **THROUGHPUT, **WHERE).one("MB/s", 1),
    "part": lambda m: by(m, ratio=PAIR, **THROUGHPUT, **WHERE).one("times", 2),
    "part-100": lambda m: by(m, ratio=PAIR, **THROUGHPUT, **file_of(LARGEST)).one("times", 2),
    "crossing": crossing(ENVOY, OLD, GIGABIT),
    "quic-client": _used(ENVOY, "client"),
    "quic-server": _used(ENVOY, "server"),
    "tcp-client": _used(OLD, "client"),
}
