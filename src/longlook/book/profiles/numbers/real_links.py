"""Numbers of the chapter real-links.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longlook.book.judged import numbers_of, percent_of, squares_of
from longlook.book.value import Measured, Number, Quantity, StatedNumber
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import SPEED_INDEX

SLOW = ("3g-fast", "slow-4g")
QUICK = ("dense-4g", "lte", "4g")
LINKS = ("cable", *QUICK, *SLOW)
FIRST, EARLY, PROGRAMS = ("h3", "h2"), ("h3-early", "h2"), ("apache", "h2")
LIGHT, HEAVY = "10kb-x10", "10kb-x100"
CHANGING, DISCOVERY, QUEUES, BESIDE, PI = "changing-rate", "discovery", "queues", "beside", "queues-pi"
REFUSED, LARGE = "refused", ("large-quiche", "large-haproxy")
CABLE_MS, FAR_MS = 28.0, 170.0
SITE, CADDY = "server-programs", "server-caddy"
OF_PAGES = {"light": ("server-pages", 1, 1), "heavy": ("server-pages", 2, 2)}
"""Page -> the sweep in which programs are compared with themselves, and its predictions of the cable and of 4G."""
OF_SITE = {
    "envoy": (SITE, 5, 3),
    "nginx": (SITE, 5, 1),
    "nginx-1m": (SITE, 5, 2),
    "haproxy": (SITE, 5, 3),
    "caddy": (CADDY, 4, 1),
}
"""Program -> the same with the site, and of LTE too."""
RTT_MS = {"cable": CABLE_MS, "lte": 70.0, "4g": FAR_MS}


def _all(of: Callable[[str], Quantity], links: Sequence[str] = LINKS) -> Quantity:
    return Quantity.joined(*map(of, links))


def _faster(contrast: tuple[str, str], **where: str) -> Number:
    return lambda m: _all(lambda link: m.significant(link, contrast, **where)).count(lambda sign: sign == 1)


def _ms(contrast: tuple[str, str]) -> Number:
    return lambda m: _all(lambda link: m.gap(link, contrast, workload=LIGHT)).span("ms")


def _pct(contrast: tuple[str, str], links: Sequence[str]) -> Number:
    """By how much longer HTTP/2 takes with the page of a hundred objects."""
    return lambda m: _all(lambda link: m.pct(link, contrast, workload=HEAVY), links).span("%", 1)


def _less(n: int, sweep: str = CHANGING) -> Number:
    """By how much less time HTTP/3 takes, by pairs: of a prediction's squares."""
    return lambda m: ((numbers_of(m, sweep, n) * -1 + 1) * 100).span("%")


def _times(n: int) -> Number:
    """How many times as long pages take over another queue: of a prediction's conditions."""
    return lambda m: numbers_of(m, QUEUES, n).span("times", 2)


def _light(series: str) -> Number:
    """By how much longer HTTP/2 takes with ten objects over the cable's link, by its queue."""
    return lambda m: percent_of(m, QUEUES, 5, "h3", lead=True, series=series, rtt_ms=CABLE_MS)


def _beside(n: int, sweep: str = BESIDE, **where: float) -> Number:
    """The same with a flow beside, over one of the two links or both."""
    return lambda m: numbers_of(m, sweep, n, **where).span("times", 2)


def _lead(n: int, rtt_ms: float) -> Number:
    """By how much longer HTTP/2 takes with a hundred objects and a flow beside."""
    return lambda m: percent_of(m, BESIDE, n, "h3", lead=True, rtt_ms=rtt_ms)


def _large(left: str, right: str, digits: int) -> Number:
    """How many times as long a file of 5 MB takes with the left arm."""
    return lambda m: _all(lambda series: m.arm(series, left) / m.arm(series, right), LARGE).span("times", digits)


def _speed_index(m: Measured, arm: str) -> Quantity:
    """Of the site over the cable."""
    return m.arm(SITE, arm, SPEED_INDEX.name, rtt_ms=CABLE_MS)


def _program(program: str, rtt_ms: float, page: str = "site") -> Number:
    """By how much longer HTTP/2 of a program takes than its HTTP/3."""
    sweep, cable, far = OF_SITE[program] if page == "site" else OF_PAGES[page]
    n = cable if rtt_ms == CABLE_MS else far
    return lambda m: percent_of(m, sweep, n, f"{program}-h3", lead=True, rtt_ms=rtt_ms)


def _envoy_again(m: Measured) -> StatedNumber:
    """Envoy's times beside Caddy's, against those beside nginx's and HAProxy's."""
    return Quantity.joined(*(m.arm(CADDY, arm) / m.arm(SITE, arm) for arm in ("envoy-h3", "envoy-h2"))).span("times", 2)


def _caddy_h2(m: Measured) -> StatedNumber:
    """The time of Caddy's HTTP/2 against Envoy's, over LTE and 4G."""
    far = RTT_MS["lte"], RTT_MS["4g"]
    return (m.arm(CADDY, "caddy-h2", rtt_ms=far) / m.arm(CADDY, "envoy-h2", rtt_ms=far)).span("times", 2)


OF_PROGRAMS: dict[str, Number] = {
    f"{program}-site-{link}": _program(program, rtt_ms) for program in OF_SITE for link, rtt_ms in RTT_MS.items()
} | {
    f"{program}-{page}-{link}": _program(program, rtt_ms, page)
    for page in OF_PAGES
    for program in ("envoy", "nginx", "haproxy")
    for link, rtt_ms in RTT_MS.items()
    if link != "lte"
}
NUMBERS: Numbers = OF_PROGRAMS | {
    "squares": lambda m: _all(lambda link: m.pct(link, FIRST)).count(),
    "faster": _faster(FIRST),
    "faster-early": _faster(EARLY),
    "light-faster": _faster(FIRST, workload=LIGHT),
    "heavy-faster": _faster(FIRST, workload=HEAVY),
    "light-faster-early": _faster(EARLY, workload=LIGHT),
    "heavy-faster-early": _faster(EARLY, workload=HEAVY),
    "faster-holm": lambda m: m.after_holm(LINKS, FIRST),
    "faster-early-holm": lambda m: m.after_holm(LINKS, EARLY),
    "light": _ms(FIRST),
    "light-early": _ms(EARLY),
    "heavy-cable": _pct(FIRST, LINKS[:1]),
    "heavy-slow": _pct(FIRST, SLOW),
    "heavy-slow-early": _pct(EARLY, SLOW),
    "heavy-quick": _pct(FIRST, QUICK),
    "heavy-quick-early": _pct(EARLY, QUICK),
    "changing-light": _less(1),
    "changing-heavy": _less(2),
    "changing-scatter": lambda m: numbers_of(m, CHANGING, 3).span(digits=1),
    "learnt": lambda m: numbers_of(m, DISCOVERY, 1).span("times", 2),
    "learnt-shown": lambda m: squares_of(m, DISCOVERY, 1),
    "learnt-h2": _less(2, DISCOVERY),
    "refused-cable": lambda m: numbers_of(m, REFUSED, 1).span("ms"),
    "refused-far": lambda m: numbers_of(m, REFUSED, 2).span("ms"),
    "refused-first": lambda m: numbers_of(m, REFUSED, 3).span("times", 2),
    "refused-h2": _less(4, REFUSED),
    "managed-cable": _times(1),
    "managed-far": _times(2),
    "second": _times(3),
    "light-bdp": _light("bdp"),
    "light-second": _light("second"),
    "light-fq": _light("fq"),
    "beside-cable": _beside(1, rtt_ms=CABLE_MS),
    "beside-far": _beside(1, rtt_ms=FAR_MS),
    "beside-fq-cable": _beside(2, rtt_ms=CABLE_MS),
    "beside-fq-far": _beside(2, rtt_ms=FAR_MS),
    "beside-light-far": _beside(3, rtt_ms=FAR_MS),
    "beside-lead-cable": _lead(5, CABLE_MS),
    "beside-lead-far": _lead(5, FAR_MS),
    "beside-lead-fq-cable": _lead(6, CABLE_MS),
    "beside-lead-fq-far": _lead(6, FAR_MS),
    "pi-light": _beside(1, PI),
    "pi-far": _beside(2, PI),
    "pi-cable": _beside(3, PI),
    "pi-dual": _beside(4, PI),
    "pi-lead-light": _beside(5, PI),
    "pi-lead-cable": _beside(6, PI, rtt_ms=CABLE_MS),
    "pi-lead-far": _beside(6, PI, rtt_ms=FAR_MS),
    "large-quic": _large("quic-cubic", "quic-bbr", 1),
    "large-tcp": _large("tcp-cubic", "tcp-bbr", 1),
    "large-cubic": _large("quic-cubic", "tcp-cubic", 2),
    "large-bbr": _large("quic-bbr", "tcp-bbr", 2),
    "large-pairs": lambda m: Quantity.joined(
        *(m.significant(one, (f"quic-{cca}", f"tcp-{cca}")) for one in LARGE for cca in ("cubic", "bbr"))
    ).count(lambda sign: sign == 1),
    "large-s": lambda m: (m.arm(LARGE[0], "quic-cubic") / 1e3).one("s", 1),
    "caddy-h3": lambda m: numbers_of(m, CADDY, 3).span("times", 2),
    "caddy-h2": _caddy_h2,
    "envoy-again": _envoy_again,
    "paint-4g": lambda m: numbers_of(m, SITE, 4).span("ms"),
    "speed-1m": lambda m: (_speed_index(m, "nginx-1m-h3") / _speed_index(m, "nginx-h2")).one("times", 2),
    "programs": lambda m: _all(lambda link: m.pct(link, PROGRAMS)).span("%", 1),
}
