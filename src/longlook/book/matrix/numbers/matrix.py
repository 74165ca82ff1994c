"""Numbers of the chapter matrix.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from longlook.analysis.course import KB, Course, median_over_time
from longlook.analysis.welch import Summary
from longlook.book.hypotheses import stated
from longlook.book.matrix import browsers, early, windows
from longlook.book.matrix.evidence import CPU, CPU_OF_CLIENT, GOODPUT, HANDSHAKE, LOSSY, QUIET, SMALL, STUDY, column
from longlook.book.matrix.evidence import PairQuantity as Shown
from longlook.book.matrix.pairs import SLOW, Pair
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import TTFB, TTLB
from longlook.plan.arm import Cca

Chosen = Callable[[Pair], bool]


def _found(m: Measured, series: str, quantity: Shown, chosen: Chosen = lambda _: True) -> Mapping[Pair, Summary]:
    numbers = column(m.data, m.key).numbers(series, quantity)
    own = {pair: one for pair, one in numbers.items() if chosen(pair)}
    if not own:
        raise NotMeasured(f"no campaign of {series}")
    return own


def _told(m: Measured, series: str, text: str, what: str) -> StatedNumber:
    campaigns = m.data.rows("cells", STUDY, series, m.key)["campaign"].unique()
    return StatedNumber(text, f"{what}; from {', '.join(f'data/raw/{name}' for name in campaigns)}")


def _span(series: str, quantity: Shown, chosen: Chosen, digits: int = 0) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest mean of some pairs."""

    def number(m: Measured) -> StatedNumber:
        means = [one.mean for one in _found(m, series, quantity, chosen).values()]
        text = f"{_ends(means, digits)}{SPACE}{quantity.unit}"
        return _told(m, series, text, f"{quantity.title}, means of {len(means)} pairs, least to greatest")

    return number


def _ends(values: Iterable[float], digits: int = 0) -> str:
    ordered = sorted(values)
    low, high = (f"{one:.{digits}f}" for one in (ordered[0], ordered[-1]))
    return low if low == high else f"{low} to {high}"


def _pairs(series: str) -> Callable[[Measured], StatedNumber]:
    def number(m: Measured) -> StatedNumber:
        return _told(m, series, str(len(_found(m, series, GOODPUT))), "pairs of server and client, by controller")

    return number


def _bbr_over_cubic(slow: bool) -> Callable[[Measured], StatedNumber]:
    """Of the pairs with the slow one at either end, or of all others."""

    def number(m: Measured) -> StatedNumber:
        found = _found(m, LOSSY, GOODPUT, lambda pair: pair.is_slow is slow)
        both = [
            one.mean / found[cubic].mean
            for pair, one in found.items()
            if pair.cca == "bbr" and (cubic := Pair(pair.protocol, pair.server, pair.client, "cubic")) in found
        ]
        if not both:
            raise NotMeasured(f"no pair of {LOSSY} has both controllers")
        return _told(m, LOSSY, f"{_ends(both, 1)} times", f"goodput by BBR over that by CUBIC, {len(both)} pairs")

    return number


def _page(m: Measured) -> StatedNumber:
    found = browsers.PAGE.measured(m.data, m.key)
    means = [own.mean for (_, loss, server, _), own in found.items() if loss == 0 and server != browsers.SLOW]
    if not means:
        raise NotMeasured(f"no campaign of {browsers.PAGE.series}")
    what = f"page load time without loss, means of {len(means)} arms, least to greatest"
    return _told(m, browsers.PAGE.series, f"{_ends(means)}{SPACE}ms", what)


def _spared(size: int, metric: str, chosen: Chosen = lambda _: True) -> Callable[[Measured], StatedNumber]:
    """What early data spares, the least and the greatest of some pairs."""

    def number(m: Measured) -> StatedNumber:
        found = early.values(early.measured(m.data, m.key), size, metric, chosen)
        if not found:
            raise NotMeasured(f"no campaign of {early.SERIES}")
        low, high = (early.signed(one) for one in (min(found.values()), max(found.values())))
        text = f"{low if low == high else f'{low} to {high}'}{SPACE}ms"
        what = f"{early.MOMENTS[metric]} of {early.SIZES[size]}, 1-RTT less 0-RTT, {early.whose(found)}"
        return _told(m, early.SERIES, text, what)

    return number


def _traced(m: Measured, bbr: bool | None = None) -> list[Course]:
    """All downloads that were watched; or of those with loss the ones by BBR, or by the others."""
    found = windows.measured(m.data, m.key)
    own = [one for (_, cca, loss), one in found.items() if bbr is None or (loss > 0 and (cca == "bbr") is bbr)]
    if not own:
        raise NotMeasured(f"no campaign of {windows.SERIES}")
    return own


def _traces(m: Measured) -> StatedNumber:
    return _told(m, windows.SERIES, str(len(_traced(m))), "downloads that were watched from inside")


def _in_flight(bbr: bool) -> Callable[[Measured], StatedNumber]:
    """With loss, the least and the greatest median."""

    def number(m: Measured) -> StatedNumber:
        medians = [median_over_time(one.in_flight) / KB for one in _traced(m, bbr)]
        what = f"bytes in flight with 1 % loss, medians over time of {len(medians)} downloads, least to greatest"
        return _told(m, windows.SERIES, f"{_ends(medians)}{SPACE}KB", what)

    return number


def _files(slow: bool) -> Callable[[Measured], StatedNumber]:
    """Goodput of the large file by Chromium, from the slow server or from all others."""

    def number(m: Measured) -> StatedNumber:
        found = browsers.FILES.measured(m.data, m.key)
        large = [(server, one) for (*what, server, _), one in found.items() if what == [browsers.BYTES, TTLB.name]]
        return _mbps(m, browsers.FILES.series, [one for server, one in large if (server == browsers.SLOW) is slow])

    return number


def _lost_files(bbr: bool) -> Callable[[Measured], StatedNumber]:
    """The same with loss, of all servers, by BBR or by what else they have."""

    def number(m: Measured) -> StatedNumber:
        found = browsers.LOSSY.measured(m.data, m.key)
        own = [one for (_, cca, *_), one in found.items() if (cca == browsers.BBR) is bbr]
        return _mbps(m, browsers.LOSSY.series, own)

    return number


def _mbps(m: Measured, series: str, own: list[Summary]) -> StatedNumber:
    if not own:
        raise NotMeasured(f"no campaign of {series}")
    what = f"goodput by Chromium, means of {len(own)} arms, least to greatest"
    return _told(m, series, f"{_ends(browsers.goodput_mbps(one) for one in own)}{SPACE}Mbit/s", what)


def _kept(server: str, cca: Cca) -> Callable[[Measured], StatedNumber]:
    """With loss, what a cut leaves of the window."""

    def number(m: Measured) -> StatedNumber:
        own = windows.measured(m.data, m.key).get((server, cca, 1.0))
        if own is None or own.cuts.empty:
            raise NotMeasured(f"{server} has cut no window by {cca} in {windows.SERIES}")
        return _told(m, windows.SERIES, f"{own.kept:.2f}", f"median of {len(own.cuts)} cuts of the window")

    return number


def _resumed(m: Measured) -> StatedNumber:
    found = early.values(early.measured(m.data, m.key), early.SMALL, TTLB.name)
    if not found:
        raise NotMeasured(f"no campaign of {early.SERIES}")
    return _told(m, early.SERIES, str(len(found)), "pairs that resume with early data")


def _of(protocol: str) -> Chosen:
    return lambda pair: pair.protocol == protocol


def _quic_by(cca: str) -> Chosen:
    return lambda pair: pair.protocol == "quic" and pair.cca == cca


def _by_cubic(protocol: str) -> Chosen:
    return lambda pair: pair.protocol == protocol and pair.cca == "cubic"


def _windowed(pair: Pair) -> bool:
    """Of QUIC, by a controller whose window loss keeps small."""
    return pair.protocol == "quic" and pair.cca != "bbr"


def _python_by_bbr(pair: Pair) -> bool:
    return pair.client == SLOW and pair.cca == "bbr"


NUMBERS: Numbers = {
    "pairs": _pairs(QUIET),
    "goodput-quick": _span(QUIET, GOODPUT, lambda pair: not pair.is_slow),
    "goodput-slow": _span(QUIET, GOODPUT, lambda pair: pair.is_slow),
    "bbr-over-cubic": _bbr_over_cubic(slow=False),
    "bbr-over-cubic-slow": _bbr_over_cubic(slow=True),
    "loss-pairs": _pairs(LOSSY),
    **{f"loss-{cca}": _span(LOSSY, GOODPUT, _quic_by(cca)) for cca in ("cubic", "reno")},
    "loss-to-slow": _span(LOSSY, GOODPUT, lambda pair: _windowed(pair) and SLOW == pair.client != pair.server, 1),
    "loss-to-others": _span(LOSSY, GOODPUT, lambda pair: _windowed(pair) and not pair.is_slow, 1),
    "loss-from-slow": _span(LOSSY, GOODPUT, lambda pair: _windowed(pair) and pair.server == SLOW, 1),
    "slow-bbr-loss": _span(LOSSY, GOODPUT, _python_by_bbr),
    "slow-bbr-quiet": _span(QUIET, GOODPUT, _python_by_bbr),
    "slow-cpu-loss": _span(LOSSY, CPU_OF_CLIENT, _python_by_bbr, 1),
    "slow-cpu-quiet": _span(QUIET, CPU_OF_CLIENT, _python_by_bbr, 1),
    "loss-tcp": _span(LOSSY, GOODPUT, lambda pair: pair.protocol == "tcp" and pair.cca != "bbr"),
    **{f"handshake-{protocol}": _span(SMALL, HANDSHAKE, _of(protocol)) for protocol in ("quic", "tcp")},
    **{f"cpu-{protocol}": _span(QUIET, CPU, _by_cubic(protocol)) for protocol in ("quic", "tcp")},
    "plt-quick": _page,
    "files-quick": _files(False),
    "files-slow": _files(True),
    "files-bbr": _lost_files(bbr=True),
    "files-cubic": _lost_files(bbr=False),
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
    "stated-matrix": stated("matrix"),
    "stated-loss": stated("matrix-loss"),
    "stated-loss-rest": stated("matrix-loss-rest"),
    "stated-chromium-loss": stated("matrix-chromium-loss"),
    "stated-handshake": stated("matrix-handshake"),
    "stated-browser": stated("matrix-browser"),
    "stated-early": stated("matrix-early"),
    "stated-chromium": stated("matrix-chromium"),
    "stated-windows": stated("matrix-windows"),
}
