"""Numbers of the chapter connections.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Sized
from itertools import pairwise

from longlook.book.hypotheses import stated
from longlook.book.judged import claims_counted
from longlook.book.shreedhar2022.clock import over_all_links, wrapped
from longlook.book.shreedhar2022.evidence import (
    CLOCK,
    CLOUD,
    ENVOY,
    ENVOY_LSQUIC,
    FAR,
    FILES,
    FLOWS,
    LARGE,
    LARGEST,
    LSQUIC,
    MACHINE,
    NEW,
    OLD,
    PLACES,
    SLOW,
    WEB,
    more,
    percentile,
    size_title,
)
from longlook.book.shreedhar2022.evidence import Downloads as Own
from longlook.book.shreedhar2022.over_ten_seconds import SPAN_S, parts
from longlook.book.shreedhar2022.tables import used
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU
from longlook.published.claims import claims_of
from longlook.published.shreedhar2022 import DOWNLOAD, INDIA, MUNICH, STUDY, of_all_sites
from longlook.published.shreedhar2022 import QUIC as PRINTED_QUIC

ABOUT = "connections"
"""The claims that downloads decide."""
Number = Callable[[Measured], StatedNumber]


def _own(m: Measured, *series: str) -> Own:
    own = Own(m.data, m.key)
    missing = [one for one in series if not own.has(one)]
    if missing:
        raise NotMeasured(f"no campaign of {', '.join(missing)}")
    return own


def _told(m: Measured, series: str, text: str, what: str) -> StatedNumber:
    campaigns = m.data.rows("cells", STUDY, series, m.key)["campaign"].unique()
    return StatedNumber(text, f"{what}; from {', '.join(f'data/raw/{name}' for name in campaigns)}")


def _longer(arm: str, pace: str = "") -> Number:
    """By how much a handshake over TCP takes longer than QUIC's, both by curl, in Munich."""

    def number(m: Measured) -> StatedNumber:
        found = more(_own(m, WEB), PLACES[MUNICH], pace + arm, pace + ENVOY)
        if found is None:
            raise NotMeasured(f"{WEB} has not both arms")
        return _told(m, WEB, f"{found.value:.0f}{SPACE}ms", f"means of {pace}{arm} less those of {pace}{ENVOY}")

    return number


def _crossing(pace: str) -> Number:
    """Between which sizes QUIC's mean throughput (curl, Envoy) falls below that of TLS 1.2."""

    def number(m: Measured) -> StatedNumber:
        own = _own(m, CLOUD, LARGE)
        rates = [(size, own.rate(size, pace + ENVOY), own.rate(size, pace + OLD)) for size in FILES]
        ahead = [(size, quic.mean > tcp.mean) for size, quic, tcp in rates if quic is not None and tcp is not None]
        what = f"means of {pace}{ENVOY} and {pace}{OLD}, {len(ahead)} sizes"
        return _told(m, LARGE, crossing_text(ahead), what)

    return number


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


def _cpu(arm: str) -> Number:
    """How many times the CPU of TLS 1.2's client QUIC's takes for 200 MB."""

    def number(m: Measured) -> StatedNumber:
        own = _own(m, LARGE)
        tcp, quic = (own.cpu(LARGEST, one, CLIENT_CPU.name) for one in (OLD, arm))
        if tcp is None or quic is None or not tcp.mean:
            raise NotMeasured(f"{LARGE} has not both arms")
        return _told(m, LARGE, f"{quic.mean / tcp.mean:.1f}{SPACE}times", f"CPU of the client, {arm} over {OLD}")

    return number


def _used(m: Measured) -> StatedNumber:
    found = used(_own(m, LARGE), LARGEST, SLOW + ENVOY)
    if found is None:
        raise NotMeasured(f"{LARGE} has no slow client")
    return _told(m, LARGE, f"{100 * found:.0f}{SPACE}%", "CPU of the slow client over what it is held to, 200 MB")


def _lead(at: int, clock: Callable[[list[float]], list[float]]) -> Number:
    """QUIC's lead over TLS 1.2 at a percentile over all links of the clock's sweep."""

    def number(m: Measured) -> StatedNumber:
        own = _own(m, CLOCK)
        quic, tcp = (over_all_links(own, arm) for arm in (LSQUIC, OLD))
        if not quic or not tcp:
            raise NotMeasured(f"{CLOCK} has not both arms")
        lead = percentile(tcp, at) - percentile(clock(quic), at)
        return _told(m, CLOCK, f"{lead:,.0f}{SPACE}ms", f"percentile {at} of {len(quic)} and {len(tcp)} downloads")

    return number


def _flows_part(place: int, when: str) -> Number:
    """QUIC's part of the line beside one flow of TCP."""

    def number(m: Measured) -> StatedNumber:
        found = parts(m.data, m.key)
        if found is None:
            raise NotMeasured(f"{FLOWS} is not measured")
        what = f"QUIC's part of all that arrived in the {when} {SPAN_S:g} s, over all runs"
        return _told(m, FLOWS, f"{100 * found[place]:.0f}{SPACE}%", what)

    return number


def _stated(claims: Sized) -> StatedNumber:
    return StatedNumber(str(len(claims)), "data/published/shreedhar2022/claims.toml")


def _printed_most(_: Measured) -> StatedNumber:
    known = of_all_sites()[INDIA, PRINTED_QUIC, DOWNLOAD].printed
    return StatedNumber(f"{known[99]:.0f}{SPACE}ms", "data/published/shreedhar2022/web.csv, 99th percentile")


NUMBERS: Numbers = {
    "tls13-longer": _longer(NEW),
    "tls12-longer": _longer(OLD),
    "tls12-longer-slow": _longer(OLD, SLOW),
    "crossing-fast": _crossing(""),
    "crossing-slow": _crossing(SLOW),
    "cpu-curl": _cpu(ENVOY),
    "cpu-lsquic": _cpu(ENVOY_LSQUIC),
    "slow-used": _used,
    "flows-first": _flows_part(0, "first"),
    "flows-last": _flows_part(1, "last"),
    "lead-right": _lead(75, list),
    "lead-wrapped": _lead(75, wrapped),
    "wrapped-most": _printed_most,
    "claims-decided": lambda _: _stated(claims_of(STUDY).those(ABOUT).claims),
    "claims-undecided": lambda _: _stated(claims_of(STUDY).those(ABOUT).undecided),
    "claims-hold": lambda m: claims_counted(m, lambda said: said.startswith("holds") and " of " not in said, ABOUT),
    "claims-fail": lambda m: claims_counted(m, lambda said: said.startswith("does not hold"), ABOUT),
    **{f"stated-{series.removeprefix('shreedhar-')}": stated(series)
       for series in (WEB, FAR, MACHINE, CLOCK, CLOUD, LARGE, FLOWS)},
}  # fmt: skip
