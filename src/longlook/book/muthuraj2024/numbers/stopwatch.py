"""Numbers of the chapter stopwatch.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from longlook.book.evidence import asked_alike, each_number, records_of
from longlook.book.judged import held, judged_of, numbers_of, percent_of
from longlook.book.muthuraj2024 import circumstances, means, steps
from longlook.book.muthuraj2024.circumstances import Agreement, Held
from longlook.book.muthuraj2024.emulab_2024 import NAME
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import PLT

HUNDRED = {"workload": "10kb-x100"}
FAST: dict[str, Any] = {**HUNDRED, "bandwidth_mbps": 100.0}
OPEN = {**HUNDRED, "bandwidth_mbps": (50.0, 100.0), "rtt_ms": 36.0}
"""A hundred objects on links that do not limit them."""
FAR = {**FAST, "rtt_ms": 112.0}
LARGE = {"workload": "10000kb-x1", "bandwidth_mbps": 10.0}
ALONE = "loss-each-way-4.6b"
"""The series of them that were measured alone on the machine."""
LIVE = "live-driver"
EVEN = "client-45pct-period2500us"


def _held(arm: str):
    return lambda m: m.arm(means.STOPPED, arm, **FAST).one("ms")


@number
def _cost(m: Measured, series: str, step: str, where: dict) -> StatedNumber:
    return m.arm(series, step, **where).span("ms", joint="and")


TABLES = "data/published/muthuraj2024 and data/processed/arms.csv"


@number
def _published(m: Measured, series: str, where: dict) -> StatedNumber:
    return m.published.arm(series, "quic", **where).span("ms", joint="and")


@number
def _of_all(m: Measured, said: Callable[[Agreement], str]) -> StatedNumber:
    """Of all published cells together."""
    found = circumstances.three_ways(m.data)
    if not found:
        raise NotMeasured("no published cell is measured")
    origin = f"{TABLES}: {len(found)} published cells, their campaigns, and those of the circumstances {NAME}"
    return StatedNumber(said(circumstances.agreement(found)), origin)


def _agreeing(found: Held) -> str:
    return f"{found.agreeing} of {found.cells} ({100 * found.share:.0f}{SPACE}%)"


def _within(found: Held) -> str:
    return f"{found.within} of {2 * found.cells}"


@number
def _goals(m: Measured, way: circumstances.Way) -> StatedNumber:
    found = circumstances.goals(circumstances.three_ways(m.data))
    if not found:
        raise NotMeasured("no published cell is measured")
    origin = f"{TABLES}: " + "; ".join(f"{one.words}: {one.said(way)}" for one in found)
    return StatedNumber(f"{sum(one.reached(way) for one in found)} of {len(found)}", origin)


@number
def _alone(m: Measured, protocol: str) -> StatedNumber:
    """Means of 10 MB alone on the machine by those beside other testbeds, N = 2: of the second prediction."""
    judged = [one for one in judged_of("loss-each-way-10mb-alone", m.data, m.key) if one.criterion.all]
    found = [one for own in judged for one in each_number(own.found) if one.square["series"] == ALONE]
    shares = [one.estimate.value for one in found if one.square["protocol"] == protocol]
    if not shares:
        raise NotMeasured("10 MB alone on the machine are not measured")
    return StatedNumber(
        f"{min(shares):.2f} to {max(shares):.2f}", origin(records_of(chain(*(one.found for one in judged))))
    )


def _first(protocol: str):
    """The mean of 10 MB at 10 Mbit/s in the first campaign, by the one alone, %."""
    return lambda m: ((m.arm("loss-each-way", protocol, **LARGE) / m.arm(ALONE, protocol, **LARGE) - 1) * 100).signed()


def _shown(m: Measured) -> StatedNumber:
    """Verdicts that agree without the circumstances whose predictions cannot be shown to have come first."""
    found = circumstances.without_unshown(m.data)
    if not found:
        raise NotMeasured("no published square is measured")
    return StatedNumber(
        _agreeing(circumstances.agreement(found).scripts), "book/hypotheses.csv, data/processed/arms.csv"
    )


def _sending(protocol: str, cost_us: int, rtt_ms: float = 36.0, statistic: str = "mean"):
    """A hundred objects by what each send costs the client."""
    arm = f"{protocol}-send{cost_us}us"
    return lambda m: m.arm(steps.SENDS, arm, statistic=statistic, **HUNDRED, rtt_ms=rtt_ms).one("ms")


def _live(protocol: str, workload: str, before: int = 0):
    """By how much longer a page takes with a driver that reads along, by pairs."""
    return lambda m: percent_of(m, LIVE, 2, f"{protocol}-quicv1live", before, workload=workload)


def _late(m: Measured, workload: str):
    """By how much TCP's published means are above those here, on links that do not limit it."""
    where: dict[str, Any] = {"workload": workload, "bandwidth_mbps": (50.0, 100.0), "rtt_ms": 36.0}
    return m.published.arm("4.6d", "tcp", **where) - m.arm("4.6d", "tcp", **where)


NUMBERS: Numbers = {
    "agree-text": _of_all(lambda found: _agreeing(found.text)),
    "agree-scripts": _of_all(lambda found: _agreeing(found.scripts)),
    "agree-shown": _shown,
    "agree-most": _of_all(lambda found: f"{found.ceiling.expected:.0f} ({100 * found.ceiling.share:.0f}{SPACE}%)"),
    "within-text": _of_all(lambda found: _within(found.text)),
    "within-scripts": _of_all(lambda found: _within(found.scripts)),
    "changed": _of_all(lambda found: str(found.changed)),
    "goals-text": _goals(circumstances.as_text),
    "goals-scripts": _goals(circumstances.as_scripts),
    "free-quic": _held("quic-client-full"),
    "free-tcp": _held("tcp-client-full"),
    "even-quic": _held(f"quic-{EVEN}"),
    "even-tcp": _held(f"tcp-{EVEN}"),
    "bytes-quic": lambda m: m.arm("exact-bytes", "quic", **HUNDRED).span("ms"),
    "bytes-tcp": lambda m: m.arm("exact-bytes", "tcp", **HUNDRED).span("ms"),
    "figure-quic": lambda m: asked_alike(m, "exact-bytes").arm("4.6d", "quic", PLT.name, "mean", **OPEN).span("ms"),
    "figure-tcp": lambda m: asked_alike(m, "exact-bytes").arm("4.6d", "tcp", PLT.name, "mean", **OPEN).span("ms"),
    "figure-tcp-50": lambda m: (
        asked_alike(m, "apache-wsgi").arm("4.6d", "tcp", **HUNDRED, bandwidth_mbps=50.0).one("ms")
    ),
    "flask-tcp-50": lambda m: m.arm("apache-wsgi", "apache", **HUNDRED).one("ms"),
    "g-none": _cost(steps.GQUIC37, "nocost", OPEN),
    "g-200": _cost(steps.GQUIC37, "cost200us", OPEN),
    "g-800": _cost(steps.GQUIC37, "cost800us", OPEN),
    "g-published": _published("4.5d", OPEN),
    "g-far-none": _cost(steps.GQUIC37, "nocost", FAR),
    "g-far-800": _cost(steps.GQUIC37, "cost800us", FAR),
    "v-none": _cost(steps.QUICV1, "nocost", OPEN),
    "v-800": _cost(steps.QUICV1, "cost800us", OPEN),
    "v-published": _published("4.6d", OPEN),
    "v-far-900": lambda m: m.arm(means.QUICV1, "quic-cost900us", statistic="sd", **HUNDRED, rtt_ms=112.0).span("ms"),
    "s-late-100": lambda m: _late(m, "10kb-x100").span("ms", joint="and"),
    "s-late-200": lambda m: _late(m, "5kb-x200").span("ms", joint="and"),
    "s-late-each": lambda m: (_late(m, "10kb-x100") / 100).joined(_late(m, "5kb-x200") / 200).span("ms", 1),
    "s-quic-none": _sending("quic", 0),
    "s-quic-700": _sending("quic", 700),
    "s-quic-more": lambda m: percent_of(m, steps.SENDS, 2),
    "s-quic-published": lambda m: m.published.arm("4.6d", "quic", PLT.name, "mean", **FAST, rtt_ms=36.0).one("ms"),
    "s-tcp-none": _sending("tcp", 0),
    "s-tcp-700": _sending("tcp", 700),
    "s-far-sd": _sending("quic", 700, 112.0, "sd"),
    "s-hold": held(steps.SENDS),
    "s-hold-first": held(steps.SENDS, before=1),
    "l-quic-100": _live("quic", "10kb-x100"),
    "l-tcp-100": _live("tcp", "10kb-x100"),
    "l-quic-more": _live("quic", "5kb-x200"),
    "l-tcp-more": _live("tcp", "5kb-x200"),
    "l-quic-before": _live("quic", "5kb-x200", 1),
    "l-tcp-before": _live("tcp", "5kb-x200", 1),
    "l-share": lambda m: (numbers_of(m, LIVE, 6) * 100).one("%"),
    "large-quic": _alone("quic"),
    "large-tcp": _alone("tcp"),
    "large-first-quic": _first("quic"),
    "large-first-tcp": _first("tcp"),
    "v-far-published": lambda m: m.published.arm(
        "4.6f", "quic", statistic="sd", **HUNDRED, bandwidth_mbps=(50.0, 100.0)
    ).span("ms"),
}
