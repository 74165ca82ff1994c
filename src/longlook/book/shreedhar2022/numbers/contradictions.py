"""Numbers of the chapter contradictions.md: most of them are of the chapters that measure them, too."""

from __future__ import annotations

from longlook.book.evidence import by
from longlook.book.flows import contests
from longlook.book.shreedhar2022.names import ENVOY, FLOWS, OLD, PLACES
from longlook.book.shreedhar2022.numbers import clients, connections, gigabit, store, video
from longlook.book.shreedhar2022.tables import PAIR
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CONNECT
from longlook.published.shreedhar2022 import INDIA, STUDY

SHARED = {
    clients: ("waits-longer", "lead-theirs"),
    connections: ("lead-right", "lead-wrapped", "crossing-fast", "crossing-slow", "cpu-curl", "cpu-lsquic"),
    gigabit: ("crossing", "calls-quic", "calls-tcp", "part-100"),
    store: ("part-2gb",),
    video: ("startup-quic-10", "startup-tcp-10", "stalls-quic-10", "stalls-tcp-10"),
}


@number
def _apart(m: Measured, of: str) -> StatedNumber:
    """How far QUIC's and TLS 1.2's mean connection times from Bhubaneswar lie apart, in % of that of the arm `of`."""
    quic, tcp, base = (by(m, value=arm, metric=CONNECT.name, **PLACES[INDIA]) for arm in (ENVOY, OLD, of))
    return ((tcp - quic) / base * 100).one("%")


def _flows_ratio(m: Measured) -> StatedNumber:
    found = [one for one in contests(m.data, STUDY, FLOWS, m.key) if one.label == PAIR]
    if not found:
        raise NotMeasured(f"{FLOWS} is not measured")
    (pair,) = found
    return StatedNumber(
        f"{pair.ratio.value:.2f}{SPACE}times",
        f"QUIC's rate over TCP's; from {', '.join(f'data/raw/{one}' for one in pair.campaigns)}",
    )


NUMBERS: Numbers = {
    **{name: page.NUMBERS[name] for page, names in SHARED.items() for name in names},
    "share-india": _apart(OLD),
    "over-india": _apart(ENVOY),
    "flows-ratio": _flows_ratio,
}
