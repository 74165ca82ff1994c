"""Does the work of a QUIC server at a batch of requests end hybrid slow start early? Two rules, no parameter. Pure.

Hybrid slow start leaves off when the samples of the round trip rise by an eighth, by 4 ms at the least and 16 ms at the
most. A server of one thread that works at a batch of requests, one after another, reads no acknowledgement meanwhile.
How much of that work is in a sample? By the first rule all of it. By the second what is left of it when the first
acknowledgement arrives, a round trip after the first answer went out; a batch that is worked off by then delays none.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Literal

Rule = Literal["all of the work", "work beyond a round trip"]
RULES: tuple[Rule, ...] = ("all of the work", "work beyond a round trip")
SHARE, LEAST_MS, MOST_MS = 1 / 8, 4.0, 16.0
AT_ONCE = 100
"""Requests that a browser has open on one connection at most."""

LATER = 1.4
"""How many times the usual a load takes at least that left slow start early, beyond the work."""


def early_loads(loads_ms: Sequence[float], usual_ms: Sequence[float], work_ms: float) -> int:
    """How many loads took longer than their requests' work and slow start explain; `usual_ms`: loads without work."""
    return sum(one > LATER * statistics.median(usual_ms) + work_ms for one in loads_ms)


def borne_ms(rtt_ms: float) -> float:
    """By how much samples of the round trip may rise before slow start leaves off."""
    return min(max(rtt_ms * SHARE, LEAST_MS), MOST_MS)


def rise_ms(rule: Rule, requests: int, cost_us: float, rtt_ms: float) -> float:
    """By how much the samples rise while the server works at the requests that arrive together."""
    work_ms = min(requests, AT_ONCE) * cost_us / 1e3
    return max(work_ms - (rtt_ms if rule == "work beyond a round trip" else 0.0), 0.0)


def excess_ms(rule: Rule, requests: int, cost_us: float, rtt_ms: float) -> float:
    """What that is above what is borne; above 0 slow start ends early."""
    return rise_ms(rule, requests, cost_us, rtt_ms) - borne_ms(rtt_ms)
