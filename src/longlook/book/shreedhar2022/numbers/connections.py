"""Numbers of the chapter connections.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Sized
from itertools import pairwise

import numpy as np

from longlook.book.evidence import StudyColumn, by, records_of
from longlook.book.judged import claims_counted
from longlook.book.shreedhar2022.clock import over_all_links, wrapped
from longlook.book.shreedhar2022.names import (
    CLOCK,
    CLOUD,
    ENVOY,
    ENVOY_LSQUIC,
    FILES,
    FLOWS,
    HUGE,
    LARGE,
    LARGEST,
    LSQUIC,
    NEW,
    OLD,
    PLACES,
    SLOW,
    THROUGHPUT,
    USED,
    file_of,
    size_title,
)
from longlook.book.shreedhar2022.tables import SPAN_S, parts_over_time
from longlook.book.value import SPACE, Measured, NotMeasured, Number, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU, CONNECT
from longlook.published.claims import claims_of
from longlook.published.shreedhar2022 import DOWNLOAD, INDIA, MUNICH, STUDY, of_all_sites
from longlook.published.shreedhar2022 import QUIC as PRINTED_QUIC

ABOUT = "connections"
"""The claims that downloads decide."""
STORE = (CLOUD, LARGE, HUGE)


@number
def crossing(m: Measured, quic: str, tcp: str, *series: str) -> StatedNumber:
    """Between which sizes the mean throughput of one arm falls below that of the other."""
    own = StudyColumn(m.data, m.study, m.key)
    found = own.found(ratio=[quic, tcp], series=list(series), where={"object_bytes": list(FILES)}, **THROUGHPUT)
    if not found:
        raise NotMeasured(f"no campaign of {', '.join(series)}")
    ahead = [(int(one.square["object_bytes"]), one.estimate.value > 1) for one in found]
    what = f"means of {quic} and {tcp}, {len(ahead)} sizes"
    return StatedNumber(crossing_text(ahead), f"{what}; {origin(records_of(found))}")


def crossing_text(ahead: list[tuple[int, bool]]) -> str:
    """`between 5 MB and 10 MB`, from whether QUIC is ahead at each size, the smallest first."""
    turns = [(small, large) for (small, before), (large, after) in pairwise(ahead) if before and not after]
    if len(turns) == 1:
        small, large = (size_title(size).replace(" ", SPACE) for size in turns[0])
        return f"between {small} and {large}"
    if turns:
        return f"at {len(turns)} sizes"
    first, last = (size_title(size).replace(" ", SPACE) for size in (ahead[0][0], ahead[-1][0]))
    return f"nowhere up to {last}" if ahead[0][1] else f"below {first}"


@number
def _lead(m: Measured, at: int, clock: Callable[[list[float]], list[float]]) -> StatedNumber:
    """QUIC's lead over TLS 1.2 at a percentile over all links of the clock's sweep."""
    quic, tcp = (over_all_links(StudyColumn(m.data, m.study, m.key), arm) for arm in (LSQUIC, OLD))
    if not quic or not tcp:
        raise NotMeasured(f"{CLOCK} has not both arms")
    lead = float(np.percentile(tcp, at) - np.percentile(clock(quic), at))
    what = f"percentile {at} of {len(quic)} and {len(tcp)} downloads"
    return StatedNumber(f"{lead:,.0f}{SPACE}ms", f"{what}; {m.campaigns(CLOCK)}")


def _longer(arm: str, pace: str = "") -> Number:
    """By how much a handshake over TCP takes longer than QUIC's, both by curl, in Munich."""
    return lambda m: by(m, difference=[pace + arm, pace + ENVOY], metric=CONNECT.name, **PLACES[MUNICH]).one("ms")


def _cpu(arm: str) -> Number:
    """How many times the CPU of TLS 1.2's client QUIC's takes for 200 MB."""
    return lambda m: by(m, ratio=[arm, OLD], metric=CLIENT_CPU.name, **file_of(LARGEST)).one("times", 1)


@number
def _flows_part(m: Measured, place: int, when: str) -> StatedNumber:
    """QUIC's part of the line beside one flow of TCP."""
    found = parts_over_time(m.data, m.key)
    if found is None:
        raise NotMeasured(f"{FLOWS} is not measured")
    what = f"QUIC's part of all that arrived in the {when} {SPAN_S:g} s, over all runs"
    return StatedNumber(f"{100 * found[place]:.0f}{SPACE}%", f"{what}; {m.campaigns(FLOWS)}")


def _stated(claims: Sized) -> StatedNumber:
    return StatedNumber(str(len(claims)), "data/published/shreedhar2022/claims.toml")


def _printed_most(_: Measured) -> StatedNumber:
    known = of_all_sites()[INDIA, PRINTED_QUIC, DOWNLOAD].printed
    return StatedNumber(f"{known[99]:.0f}{SPACE}ms", "data/published/shreedhar2022/web.csv, 99th percentile")


NUMBERS: Numbers = {
    "tls13-longer": _longer(NEW),
    "tls12-longer": _longer(OLD),
    "tls12-longer-slow": _longer(OLD, SLOW),
    "crossing-fast": crossing(ENVOY, OLD, *STORE),
    "crossing-slow": crossing(SLOW + ENVOY, SLOW + OLD, *STORE),
    "cpu-curl": _cpu(ENVOY),
    "cpu-lsquic": _cpu(ENVOY_LSQUIC),
    "slow-used": lambda m: by(m, value=SLOW + ENVOY, **USED, **file_of(LARGEST)).one("%"),
    "flows-first": _flows_part(0, "first"),
    "flows-last": _flows_part(1, "last"),
    "lead-right": _lead(75, list),
    "lead-wrapped": _lead(75, wrapped),
    "wrapped-most": _printed_most,
    "claims-decided": lambda _: _stated(claims_of(STUDY).those(ABOUT).claims),
    "claims-undecided": lambda _: _stated(claims_of(STUDY).those(ABOUT).undecided),
    "claims-hold": lambda m: claims_counted(m, lambda said: said.startswith("holds") and " of " not in said, ABOUT),
    "claims-fail": lambda m: claims_counted(m, lambda said: said.startswith("does not hold"), ABOUT),
}  # fmt: skip
