"""Numbers of the chapter slow-start.md, each as it stands in its text."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from scipy.stats import fisher_exact

from longlook.book.value import Measured, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers

MANY = "10kb-x100"
KB = 1024
EARLY_KB = 200
"""A window that never passes this left slow start early: the others grow beyond three times as much."""


def _windows(m: Measured, workload: str = MANY) -> Quantity:
    """Largest windows of QUIC's loads, KB."""
    return m.samples("4.8", "cwnd_max_bytes", workload=workload, protocol="quic") / KB


def _early(m: Measured) -> Quantity:
    return _windows(m).only(lambda window: window < EARLY_KB)


def _late(m: Measured) -> Quantity:
    return _windows(m).only(lambda window: window >= EARLY_KB)


def _windows_with(m: Measured, emulated: int) -> Quantity:
    """Of the loads with this N."""
    own = m.samples("4.8", "cwnd_max_bytes", workload=MANY, label=f"QUIC, N = {emulated}")
    return own / KB


@number
def _early_of(m: Measured, emulated: int) -> StatedNumber:
    """How many loads with this N leave early, of how many: `3 of 5`."""
    own = _windows_with(m, emulated)
    early = own.count(lambda window: window < EARLY_KB)
    return replace(early, text=f"{early.text} of {len(own.numbers)}")


def _by_chance(m: Measured) -> Quantity:
    """Fisher's exact test: how likely early exits are to fall so unequally on the two N if N does not matter."""
    both = [_windows_with(m, emulated) for emulated in (2, 1)]
    early = [int((own.numbers < EARLY_KB).sum()) for own in both]
    _, p_value = fisher_exact([[count, len(own.numbers) - count] for count, own in zip(early, both, strict=True)])
    joined = both[0].joined(both[1])
    what = "4.8 Fisher's exact test of early exits by N, two-sided p"
    return replace(joined, numbers=pd.Series([p_value]), what=what)


def _of_early(m: Measured, metric: str) -> Quantity:
    return m.samples("4.8", metric, workload=MANY, protocol="quic").at(_early(m))


def _smallest(m: Measured) -> Quantity:
    """The early load with the smallest window."""
    least = _early(m).numbers.min()
    return _early(m).only(lambda window: window == least)


def _others(m: Measured) -> Quantity:
    least = _early(m).numbers.min()
    return _early(m).only(lambda window: window > least)


def _jump(m: Measured) -> Quantity:
    """By how much the sender's own estimate of the RTT rises at once in that load, ms."""
    label, _, run, _ = _smallest(m).numbers.index[0]
    rows = m.timeline("4.8", label=label, workload=MANY, replicate=run, source="envoy")
    return m.of_timeline(float(rows["rtt_ms"].dropna().diff().max()), "4.8 largest rise of Envoy's RTT estimate", rows)


NUMBERS: Numbers = {
    "early": lambda m: _early(m).count(),
    "early-n2": _early_of(2),
    "early-n1": _early_of(1),
    "early-by-chance": lambda m: _by_chance(m).one("", 2),
    "early-ten": lambda m: _windows(m, "100kb-x10").count(lambda window: window < EARLY_KB),
    "early-window": lambda m: _early(m).span("KB"),
    "early-time": lambda m: _of_early(m, "finished_s").span("s", 1),
    "late-window": lambda m: _late(m).least("KB"),
    "late-time": lambda m: m.samples("4.8", "finished_s", workload=MANY, protocol="quic").at(_late(m)).span("s", 1),
    "tcp-time": lambda m: m.samples("4.8", "finished_s", workload=MANY, protocol="tcp").span("s", 1),
    "early-queue": lambda m: _of_early(m, "queue_max_ms").greatest("ms", 1),
    "early-wait": lambda m: _of_early(m, "hold_max_ms").at(_others(m)).span("ms"),
    "jump": lambda m: _jump(m).one("ms"),
}
