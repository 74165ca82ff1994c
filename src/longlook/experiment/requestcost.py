"""What each request costs a server, where an arm says it: read back from the server's own log, once per cell.

A server measures a cost out in CPU time of its own, and logs by the wall clock how long it was at work at each request.
The quickest tenth of a cell's requests is held against what was asked for, since others who want the processor add to
many requests and never to all: above it by what a request costs anyway, by more if something is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from longlook.errors import LonglookError
from longlook.plan.arm import Arm
from longlook.server.base import RunningServer

QUICKEST_PCT = 10
GRAIN_US = 2.0
"""Both clocks are read to the microsecond."""
OWN_US, OWN_SHARE = 150.0, 0.1
"""What a request may cost beyond: the server's own work, and a share for who else wants the processor."""


class ServingArm(Protocol):
    """An arm and its server."""

    arm: Arm
    server: RunningServer


def spent(sides: Mapping[str, ServingArm]) -> dict[str, float]:
    """Name of each arm that states a cost -> what its server logged of the quickest tenth of requests, us.

    Raises where one is wrong.
    """
    import numpy as np

    found: dict[str, float] = {}
    for name, side in sides.items():
        if side.arm.request_cost_us is None:
            continue
        told = side.server.request_us()
        own = round(float(np.percentile(told, QUICKEST_PCT)), 1) if told else None
        if (problem := wrong(side.arm, own)) is not None or own is None:
            raise LonglookError(f"arm {name}: {problem}")
        found[name] = own
    return found


def wrong(arm: Arm, spent_us: float | None) -> str | None:
    """Why this is not what a request was to cost the arm's server; None where it is, or where no cost is stated."""
    asked = arm.request_cost_us
    if asked is None:
        return None
    if spent_us is None:
        return f"{arm.server} did not tell how long it was at work at a request, {asked} us were asked for"
    if asked - GRAIN_US <= spent_us <= asked * (1 + OWN_SHARE) + OWN_US:
        return None
    return f"{arm.server} was at work for {spent_us:g} us at a request, {asked} us were asked for"
