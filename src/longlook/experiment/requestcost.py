"""What each request costs a server, and each send a client, where an arm says it: read back once per cell.

Whoever has a cost measures it out in CPU time of its own, and tells by the wall clock how long it was at work. The
least of a cell (of a server, whose requests are other work too, the quickest tenth) is held against what was asked
for, since others who want the processor add to many and never to all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from longlook.client.base import Client
from longlook.errors import LonglookError
from longlook.plan.arm import Arm
from longlook.server.base import RunningServer

QUICKEST_PCT = 10
GRAIN_US = 2.0
"""Both clocks are read to the microsecond."""
OWN_US, OWN_SHARE = 150.0, 0.1
"""What a request may cost beyond: the server's own work, and a share for who else wants the processor."""
OWN_SEND_US = 10.0
"""The same of a send: two readings of a clock."""


class MeasuredArm(Protocol):
    """An arm, its server and its client."""

    arm: Arm
    server: RunningServer
    client: Client


def spent(sides: Mapping[str, MeasuredArm]) -> dict[str, dict[str, Any]]:
    """`request_us`: name of each arm that states a cost -> what its server logged of the quickest tenth of requests,
    us. `sends`: the same of a client: how many sends had a cost, and the least of them, us. Either only where an arm
    states one.

    Raises where one is wrong.
    """
    import numpy as np

    requests: dict[str, float] = {}
    sends: dict[str, dict[str, float]] = {}
    for name, side in sides.items():
        if side.arm.request_cost_us is not None:
            told = side.server.request_us()
            own = round(float(np.percentile(told, QUICKEST_PCT)), 1) if told else None
            _require(name, wrong(side.arm, own))
            requests |= {name: own} if own is not None else {}
        if side.arm.send_cost_us is not None:
            count, least_us = side.client.sends() or (0, 0.0)
            sends[name] = {"sends": count, "least_us": round(least_us, 1)}
            _require(name, wrong_sends(side.arm, sends[name]))
    return {key: value for key, value in (("request_us", requests), ("sends", sends)) if value}


def _require(name: str, problem: str | None) -> None:
    if problem is not None:
        raise LonglookError(f"arm {name}: {problem}")


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


def wrong_sends(arm: Arm, told: Mapping[str, float] | None) -> str | None:
    """Why this is not what a send was to cost the arm's client; None where it is, or where no cost is stated."""
    asked = arm.send_cost_us
    if asked is None:
        return None
    if not told or told["sends"] < 1:
        return f"{arm.client} counted no send with a cost of {asked} us: its network service was not found"
    if asked - GRAIN_US <= told["least_us"] <= asked * (1 + OWN_SHARE) + OWN_SEND_US:
        return None
    return f"{arm.client} was at work for {told['least_us']:g} us after a send, {asked} us were asked for"
