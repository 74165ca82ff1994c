"""Numbers of the chapter matrix.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from longlook.analysis.course import KB, Course, median_over_time
from longlook.book.evidence import by
from longlook.book.matrix import browsers, early, windows
from longlook.book.matrix.evidence import LOSSY, QUIET, SMALL
from longlook.book.matrix.pairs import SLOW, Pair
from longlook.book.value import SPACE, Measured, NotMeasured, Number, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import CLIENT_CPU, CONNECT, PLT, TTFB, TTLB
from longlook.plan.arm import Cca
from longlook.plan.conditions import Row

Only = Callable[[Row], bool]
GOODPUT = {"quantity": "goodput_mbps", "metric": TTLB.name}
CPU = {"quantity": "both_cpu_s_per_gb", "metric": CLIENT_CPU.name}
"""Seconds for 1,000,000,000 bytes, which are ms for a MB."""
NO_BBR = ["cubic", "reno"]
OTHERS = ["envoy", "ngtcp2", "lsquic", "quicgo"]


def _slowed(square: Row) -> bool:
    """Whether the slow one is at either end."""
    return SLOW in (square["server"], square["client"])


def _quick(square: Row) -> bool:
    return not _slowed(square)


def _of(m: Measured, series: str, said: Mapping[str, Any], only: Only = bool, **where: Any) -> Quantity:
    """Of every pair, by controller, that has these conditions."""
    return by(m, only, series=series, value="*", each=["arm", "server", "client", "cca"], where=where, **said)


def _span(series: str, said: Mapping[str, Any], unit: str, digits: int = 0, only: Only = bool, **where: Any) -> Number:
    """The least and the greatest mean of some pairs."""
    return lambda m: _of(m, series, said, only, **where).span(unit, digits)


def _goodput(series: str, digits: int = 0, only: Only = bool, **where: Any) -> Number:
    return _span(series, GOODPUT, "Mbit/s", digits, only, **where)


def _bbr_over_cubic(only: Only) -> Number:
    said = {"where": {"cca": "bbr"}, "over": {"cca": "cubic"}, **GOODPUT}
    return lambda m: by(m, only, series=LOSSY, value="*", each=["protocol", "server", "client"], **said).span(
        "times", 1
    )


def _cpu_of_python(series: str) -> Number:
    said = {"metric": CLIENT_CPU.name}
    return lambda m: (_of(m, series, said, client=SLOW, cca="bbr") / 1000).span("s", 1)


def _ends(values: Iterable[float], digits: int = 0) -> str:
    ordered = sorted(values)
    low, high = (f"{one:.{digits}f}" for one in (ordered[0], ordered[-1]))
    return low if low == high else f"{low} to {high}"


@number
def _spared(m: Measured, size: int, metric: str, chosen: Callable[[Pair], bool] = lambda _: True) -> StatedNumber:
    """What early data spares, the least and the greatest of some pairs."""
    found = early.values(early.measured(m.data, m.key), size, metric, chosen)
    if not found:
        raise NotMeasured(f"no campaign of {early.SERIES}")
    low, high = (early.signed(one) for one in (min(found.values()), max(found.values())))
    text = f"{low if low == high else f'{low} to {high}'}{SPACE}ms"
    what = f"{early.MOMENTS[metric]} of {early.SIZES[size]}, 1-RTT less 0-RTT, {early.whose(found)}"
    return StatedNumber(text, f"{what}; {m.campaigns(early.SERIES)}")


def _traced(m: Measured, bbr: bool | None = None) -> list[Course]:
    """All downloads that were watched; or of those with loss the ones by BBR, or by the others."""
    found = windows.measured(m.data, m.key)
    own = [one for (_, cca, loss), one in found.items() if bbr is None or (loss > 0 and (cca == "bbr") is bbr)]
    if not own:
        raise NotMeasured(f"no campaign of {windows.SERIES}")
    return own


def _traces(m: Measured) -> StatedNumber:
    what = "downloads that were watched from inside"
    return StatedNumber(str(len(_traced(m))), f"{what}; {m.campaigns(windows.SERIES)}")


@number
def _in_flight(m: Measured, bbr: bool) -> StatedNumber:
    """With loss, the least and the greatest median."""
    medians = [median_over_time(one.in_flight) / KB for one in _traced(m, bbr)]
    what = f"bytes in flight with 1 % loss, medians over time of {len(medians)} downloads, least to greatest"
    return StatedNumber(f"{_ends(medians)}{SPACE}KB", f"{what}; {m.campaigns(windows.SERIES)}")


@number
def _kept(m: Measured, server: str, cca: Cca) -> StatedNumber:
    """With loss, what a cut leaves of the window."""
    own = windows.measured(m.data, m.key).get((server, cca, 1.0))
    if own is None or own.cuts.empty:
        raise NotMeasured(f"{server} has cut no window by {cca} in {windows.SERIES}")
    what = f"median of {len(own.cuts)} cuts of the window"
    return StatedNumber(f"{own.kept:.2f}", f"{what}; {m.campaigns(windows.SERIES)}")


def _resumed(m: Measured) -> StatedNumber:
    found = early.values(early.measured(m.data, m.key), early.SMALL, TTLB.name)
    if not found:
        raise NotMeasured(f"no campaign of {early.SERIES}")
    what = "pairs that resume with early data"
    return StatedNumber(str(len(found)), f"{what}; {m.campaigns(early.SERIES)}")


NUMBERS: Numbers = {
    "pairs": lambda m: _of(m, QUIET, GOODPUT).count(),
    "goodput-quick": _goodput(QUIET, only=_quick),
    "goodput-slow": _goodput(QUIET, only=_slowed),
    "bbr-over-cubic": _bbr_over_cubic(_quick),
    "bbr-over-cubic-slow": _bbr_over_cubic(_slowed),
    "loss-pairs": lambda m: _of(m, LOSSY, GOODPUT).count(),
    "loss-to-slow": _goodput(LOSSY, 1, client=SLOW, server=OTHERS, cca=NO_BBR),
    "loss-to-others": _goodput(LOSSY, 1, _quick, protocol="quic", cca=NO_BBR),
    "loss-from-slow": _goodput(LOSSY, 1, server=SLOW, cca=NO_BBR),
    "slow-bbr-loss": _goodput(LOSSY, client=SLOW, cca="bbr"),
    "slow-bbr-quiet": _goodput(QUIET, client=SLOW, cca="bbr"),
    "slow-cpu-loss": _cpu_of_python(LOSSY),
    "slow-cpu-quiet": _cpu_of_python(QUIET),
    **{f"handshake-{one}": _span(SMALL, {"metric": CONNECT.name}, "ms", protocol=one) for one in ("quic", "tcp")},
    **{f"cpu-{one}": _span(QUIET, CPU, "ms per MB", protocol=one, cca="cubic") for one in ("quic", "tcp")},
    "plt-quick": _span(browsers.PAGE.series, {"metric": PLT.name}, "ms", loss_pct=0, server=[*OTHERS, "apache"]),
    "files-quick": _goodput(browsers.FILES.series, object_bytes=browsers.BYTES, server=[*OTHERS, *browsers.TCP]),
    "files-slow": _goodput(browsers.FILES.series, object_bytes=browsers.BYTES, server=SLOW),
    "files-bbr": _goodput(browsers.LOSSY.series, cca="bbr"),
    "files-cubic": _goodput(browsers.LOSSY.series, cca=NO_BBR),
    "early-pairs": _resumed,
    "early-small": _spared(early.SMALL, TTLB.name),
    "early-first": _spared(early.LARGE, TTFB.name),
    "early-last": _spared(early.LARGE, TTLB.name),
    "early-paced": _spared(early.SMALL, TTLB.name, early.is_paced),
    "traces": _traces,
    "in-flight-cubic": _in_flight(bbr=False),
    "in-flight-bbr": _in_flight(bbr=True),
    "kept-quicgo": _kept("quicgo", "reno"),
    "kept-aioquic": _kept("aioquic", "reno"),
}
