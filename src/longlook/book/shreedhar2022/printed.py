"""What the paper and its notebooks print of the quantities that the claims are about. Means without deviations."""

from __future__ import annotations

import math
from functools import cache

from longlook.analysis.welch import Summary
from longlook.book.shreedhar2022.evidence import ENVOY, LARGEST, OLD, PLACES, SLOW, Where
from longlook.book.times import Times
from longlook.experiment.metrics import CLIENT_CPU
from longlook.published.shreedhar2022 import QUIC as PRINTED_QUIC
from longlook.published.shreedhar2022 import (
    STORE_QUIC,
    STORE_TLS,
    cpu_pct,
    media_lead_ms,
    overall_rate_ratio,
    throughput,
)


class Printed:
    """The published column, as `Evidence`."""

    def summary(self, where: Where, arm: str, metric: str) -> Summary | None:
        """Its connections are to public sites, over no link of these."""
        return None

    def earlier(self, where: Where) -> Times | None:
        """Of connections to YouTube's media servers, from the homes in Munich and in Bhubaneswar: medians."""
        known = {PLACES[place]: value for place, value in media_lead_ms().items()}
        return Times(known[where]) if where in known else None

    def rate(self, size: int, arm: str) -> Summary | None:
        """Its client, a Raspberry Pi, is the slow one."""
        protocol = {SLOW + ENVOY: STORE_QUIC, SLOW + OLD: STORE_TLS}.get(arm)
        found = throughput().get(size, {})
        return Summary(found[protocol], math.nan, 1) if protocol in found else None

    def overall(self) -> Times | None:
        """Of videos, from Bhubaneswar."""
        return Times(overall_rate_ratio())

    def cpu(self, size: int, arm: str, metric: str) -> Summary | None:
        """Of one core, %, while 200 MB are fetched at about the same rate."""
        protocol = {ENVOY: PRINTED_QUIC, OLD: STORE_TLS}.get(arm)
        known = cpu_pct() if size == LARGEST and metric == CLIENT_CPU.name else {}
        return Summary(known[protocol], math.nan, 1) if protocol in known else None


@cache
def printed() -> Printed:
    """The published column."""
    return Printed()
