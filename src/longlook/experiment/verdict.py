"""Whether arms that ran together may count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longlook.experiment.carried import Hosts, Link, begun_anew, bypassed, other_traffic, wrong_window
from longlook.experiment.floor import connections_of
from longlook.experiment.flow import Flow
from longlook.experiment.oracle import Evidence, Expectation, judge, stopped_text
from longlook.experiment.reasons import REASONS
from longlook.experiment.told import states_groups
from longlook.host.clock import set_by
from longlook.plan.cell import Cell
from longlook.plan.quic_options import differing
from longlook.probe.tcp_probe import TcpTrace
from longlook.site.tree import Site

MOST_STALLED = 0.005
"""Share of a transfer's time that the machine may have stalled, as for page loads."""


def wrong(
    cell: Cell,
    flows: Sequence[Flow],
    site: Site,
    stalls: Sequence[float],
    duration_s: float,
    kernel: TcpTrace | None,
    stopped_s: Mapping[str, float],
    link: Link,
    hosts: Hosts,
    clock_step_s: float = 0.0,
) -> str | None:
    """Why these flows must not count, for all of them together; None if they may. It begins with a key of `REASONS`.

    `stopped_s`: programs of the cell that somebody stopped, and for how long; none ever is by itself. `link`, `hosts`:
    what they counted meanwhile (carried.py). `clock_step_s`: by how much the wall clock was set meanwhile, by which
    captures and servers' logs go.
    """
    for flow in flows:
        if found := _wrong_flow(cell, flow, site, duration_s):
            return found
    arrived = sum(one.size_bytes for flow in flows if flow.seen is not None for one in flow.seen.objects)
    if detail := bypassed(link, arrived, hosts):
        return _said("bypassed", detail)
    if stopped_s:
        return _said("disturbed", stopped_text(stopped_s))
    if clock_step_s:
        return _said("disturbed", f"the wall clock was {set_by(clock_step_s)} meanwhile")
    if kernel is not None and kernel.lost_events:
        return _said("disturbed", f"the kernel's trace lost {kernel.lost_events} events")
    if sum(stalls) > MOST_STALLED * duration_s * 1e3:
        return _said("disturbed", f"stalled for {sum(stalls):.0f} ms in {duration_s:.0f} s")
    return None


def _wrong_flow(cell: Cell, flow: Flow, site: Site, duration_s: float) -> str | None:
    wanted, found = flow.arm.cca, flow.in_force
    if found.cca != wanted:
        return _said("cca", f"{flow.name}: {found.cca} in force, {wanted} asked for")
    if found.options is not None and (strange := next(differing(found.options, flow.arm.quic_options, wanted), None)):
        return _said("connection_options", f"{flow.name}: {strange}")
    if flow.error is not None:
        return _said("load_failed", f"{flow.name}: {flow.error}")
    connections = connections_of(flow.arm, len(site.files))
    if flow.opened is not None and (many := flow.opened.too_many(connections)):
        return _said("several_connections", f"{flow.name}: {many}")
    if detail := other_traffic(flow.opened):
        return _said("other_traffic", f"{flow.name}: {detail}")
    if detail := begun_anew(flow.opened, states_groups(flow.arm)):
        return _said("handshake", f"{flow.name}: {detail}")
    if detail := wrong_window(flow.opened, flow.arm.initial_window, wanted, connections):
        return _said("initial_window", f"{flow.name}: {detail}")
    if cell.duration_s is not None:
        if flow.seen is None:
            return None
        return _said("load_failed", f"{flow.name}: its object was too small, it ended after {flow.finished_s} s")
    if flow.seen is None:
        if cell.at_most_s is not None:
            return None
        return _said("load_failed", f"{flow.name}: not loaded within {duration_s:.0f} s")
    expected = Expectation(site.files, flow.protocol_name, None, wanted, cell.link.rtt_ms, connections=connections)
    verdict = judge(flow.seen, expected, Evidence(frozenset(), None, wanted))
    return None if verdict.accepted else _said(verdict.reason, f"{flow.name}: {verdict.detail}")


def _said(reason: str | None, detail: str) -> str:
    if reason not in REASONS:
        raise ValueError(f"no reason {reason!r} (known: {', '.join(REASONS)})")
    return f"{reason}: {detail}"
