"""By how much QUIC is ahead of TLS over TCP, in ms and as a share; and how that changes as a download goes on.

Pure, but for the evidence that it is given.
"""

from __future__ import annotations

from typing import Protocol

from longlook.analysis.estimate import minus
from longlook.analysis.welch import Summary
from longlook.book.shreedhar2022.evidence import OLD, Where
from longlook.book.times import Times, difference, quotient
from longlook.experiment.metrics import CONNECT


class Evidence(Protocol):
    """Numbers of one column: None where it has none."""

    def summary(self, where: Where, arm: str, metric: str) -> Summary | None:
        """Of one arm under one condition."""

    def earlier(self, where: Where) -> Times | None:
        """By how many ms QUIC connects earlier than TLS 1.2."""

    def rate(self, size: int, arm: str) -> Summary | None:
        """Throughput of a file, MB/s."""

    def overall(self) -> Times | None:
        """QUIC's rate over TLS 1.2's, of downloads of about three minutes."""

    def cpu(self, size: int, arm: str, metric: str) -> Summary | None:
        """Of a file, s for a gigabyte or in any other unit: only ratios are made of it."""


def more(evidence: Evidence, where: Where, arm: str, than: str, metric: str = CONNECT.name) -> Times | None:
    """By how many ms an arm takes longer than another."""
    base, own = (evidence.summary(where, one, metric) for one in (than, arm))
    return None if base is None or own is None else difference(base, own)


def share(evidence: Evidence, where: Where, arm: str, metric: str) -> float | None:
    """By how many % of TLS 1.2's time an arm is ahead of it."""
    base, own = (evidence.summary(where, one, metric) for one in (OLD, arm))
    return None if base is None or own is None else (1 - own.mean / base.mean) * 100


def left(evidence: Evidence, where: Where, arm: str, begin: str, end: str) -> Times | None:
    """How many times its share of TLS 1.2's time at one stage an arm needs at a later one: above 1 its lead, as a
    share, has fallen."""
    found = [evidence.summary(where, one, metric) for metric in (end, begin) for one in (arm, OLD)]
    if any(one is None for one in found):
        return None
    own, base, own_before, base_before = (one for one in found if one is not None)
    return quotient((own, base), (own_before, base_before))


def gained(evidence: Evidence, where: Where, arm: str, begin: str, end: str) -> Times | None:
    """By how many ms an arm's lead over TLS 1.2 grows from one stage to a later one."""
    before, after = (more(evidence, where, OLD, arm, metric) for metric in (begin, end))
    return None if before is None or after is None else minus(after, before)
