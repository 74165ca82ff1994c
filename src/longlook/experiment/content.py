"""The bytes themselves, once per arm and cell: every object's hash, over the arm's server, client and protocol.

It happens after the loads that count, so that it cannot give them a session, a connection or a path that they would
not have; and over a fast link, since it is not about that. A client that hashes what it gets in every load is not
asked again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from longlook.client.base import Client, LoadFailed
from longlook.errors import LonglookError
from longlook.experiment.context import PORTS, Context
from longlook.plan.arm import Arm
from longlook.plan.link import Link
from longlook.site.tree import Site

FAST = Link(bandwidth_mbps=1000, rtt_ms=2)
SECONDS_PER_MEGABYTE, LEAST_S = 1.0, 60.0
"""Bound of a check; a client may be held to a fraction of a processor."""


class LoadingArm(Protocol):
    """An arm and its client."""

    arm: Arm
    client: Client


def check_content(context: Context, sides: Iterable[LoadingArm]) -> dict[str, int | str]:
    """Of each arm how many objects were right, or that every load told it. The link is a fast one afterwards."""
    context.link.configure(FAST, seed=0)
    return {side.arm.name: require_content(side.client, context.site, side.arm.name) for side in sides}


def check_content_anew(context: Context) -> dict[str, int | str]:
    """The same with servers and clients of its own."""
    context.link.configure(FAST, seed=0)
    found = {}
    for arm, port in zip(context.cell.arms, PORTS, strict=False):
        with context.server(arm, port), context.client(arm, port) as client:
            found[arm.name] = require_content(client, context.site, arm.name)
    return found


def require_content(client: Client, site: Site, name: str) -> int | str:
    """Raise with the first wrong object; how many were right, or `in every load`."""
    megabytes = sum(site.sizes.values()) / 1e6
    try:
        found = client.hashes(site.start[0], tuple(site.files), LEAST_S + SECONDS_PER_MEGABYTE * megabytes)
    except LoadFailed as failure:
        raise LonglookError(f"{name}: its objects could not be fetched to compare their bytes: {failure}") from None
    if found is None:
        return "in every load"
    for path, one in site.files.items():
        if found.get(path) != one.sha256:
            raise LonglookError(
                f"{name}: {path} is not the workload's: sha256 {str(found.get(path))[:12]}..., {one.sha256[:12]}... "
                "expected, whatever its size"
            )
    return len(site.files)
