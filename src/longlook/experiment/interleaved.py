"""Interleaved arms: one cell, sample by sample in a random order, judged load by load.

Writes a raw record (data/raw/README.md) into a folder it is given.
"""

from __future__ import annotations

import contextlib
import itertools
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.experiment import controllers, requestcost, slowstart
from longlook.experiment.content import check_content
from longlook.experiment.context import PORTS, Context, opened
from longlook.experiment.cross import CrossTraffic
from longlook.experiment.cross_quic import QuicCrossTraffic
from longlook.experiment.environment import write_environment
from longlook.experiment.floor import floor
from longlook.experiment.linkcheck import held_to
from longlook.experiment.schedule import Plan, Try, draw_of, load_seed, schedule, settled
from longlook.experiment.side import Side, Surroundings
from longlook.experiment.told import main_metric, tolerated_in
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.probe.stallwatch import StallWatch
from longlook.probe.stopwatch import StopWatch
from longlook.record.samples import SAMPLES_NAME, SCHEMA, Sample, SamplesWriter, sample_of
from longlook.server import SERVERS
from longlook.server.base import RunningServer
from longlook.stack.adapters import QUIC_FLOWS

FAILURES_IN_A_ROW = 4
"""So many unfinished loads of one arm, one after the other, end the cell: something is broken, not unlucky."""

Progress = Callable[[str, int, int], None]
Beside = Callable[[Context], contextlib.AbstractContextManager[None]]
"""What else goes on while a cell's loads are measured."""


def _nothing(_context: Context) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


@dataclass(frozen=True)
class CellSummary:
    """What a cell came to; means over the accepted loads that are not set aside."""

    cell_id: str
    wall_s: float
    accepted: dict[str, int]
    rejected: dict[str, int]
    mean_ms: dict[str, float | None]
    complete: bool
    """Every arm has as many accepted loads as the cell asks for."""


def timeout_s(cell: Cell) -> float:
    """Generous bound for one load: 30 s plus ten times the bytes at the bandwidth (lossy links crawl), or at 10 Mbit/s
    under jitter, where the window decides and not the link."""
    megabits = cell.workload.total_bytes * 8 / 1e6
    rate = cell.link.share_mbps if not cell.link.swing_ms else min(cell.link.bandwidth_mbps, 10)
    return 30 + 10 * megabits / rate + 50 * cell.link.rtt_ms / 1e3


def run_interleaved(
    cell: Cell,
    folder: Path,
    campaign: str,
    testbed: str | dict = "default",
    link: str | None = None,
    progress: Progress | None = None,
    beside: Beside = _nothing,
) -> CellSummary:
    """Measure one cell and write its record into `folder`; `testbed` and `link` as of context.opened."""
    began = time.monotonic()
    samples: list[Sample] = []
    with opened(cell, folder, campaign, testbed, link) as context, contextlib.ExitStack() as owned:
        flows = _cross_traffic(context) if cell.link.cross_flows else None
        sides = _sides(owned, context, flows)
        write_environment(context, sides)
        with (
            held_to(context.link, cell),
            SamplesWriter(folder / SAMPLES_NAME) as writer,
            beside(context),
            flows or contextlib.nullcontext(),
        ):
            for record in _records(context, sides, progress):
                writer.append(record)
                samples.append(sample_of(record))
        costs = requestcost.spent(sides)
        windows = {name: window for name, side in sides.items() if (window := side.server.initial_window_bytes())}
        content = check_content(context, sides.values())
    summary = summarise(cell, samples, time.monotonic() - began)
    context.write_cell(summary.wall_s, schedule(cell), summary.complete, content, costs, windows)
    return summary


def _cross_traffic(context: Context) -> CrossTraffic:
    link = context.cell.link
    if link.cross_protocol == "quic":
        return QuicCrossTraffic(context.bed, link, context.stacks[QUIC_FLOWS[0]], context.certificate)
    return CrossTraffic(context.bed, link)


def _sides(owned: contextlib.ExitStack, context: Context, flows: CrossTraffic | None) -> dict[str, Side]:
    """Servers, and one client per arm; all ended with `owned`."""
    cell = context.cell
    around = Surroundings(
        context.link,
        context.site,
        owned.enter_context(StallWatch()),
        timeout_s(cell),
        cell.link.rtt_ms,
        slowest_ms=cell.link.slowest_ms,
        reorders=cell.link.reorders,
        ecn=bool(cell.link.ecn),
        cross_traffic=flows,
        stops=owned.enter_context(StopWatch()),
        floors={arm.name: floor(cell, arm) for arm in cell.arms},
        clock=context.clock,
        within=tolerated_in(cell),
    )
    servers = _servers(owned, context)
    sides = {}
    for arm in cell.arms:
        server = servers[arm.name]
        client = owned.enter_context(context.client(arm, server.settings.port))
        sides[arm.name] = Side(arm, client, server, context.protocol_name(arm), around)
    return sides


def _servers(owned: contextlib.ExitStack, context: Context) -> dict[str, RunningServer]:
    """By arm; arms that one server can serve have the same. Every protocol's begin at the first port: QUIC and TCP may
    share a number."""
    found: dict[tuple, RunningServer] = {}
    ports = {protocol: iter(PORTS) for protocol in ("quic", "tcp")}
    if any(arm.server_file or arm.learns for arm in context.cell.arms):
        # What tells of HTTP/3 has both; a program may open both: Caddy does, and would share the other's connections.
        ports["tcp"] = ports["quic"]
    by_arm = {}
    for arm in context.cell.arms:
        asked = (context.server_side(arm), *served_by(arm))
        if asked not in found:
            found[asked] = owned.enter_context(context.server(arm, next(ports[arm.protocol])))
        by_arm[arm.name] = found[asked]
    return by_arm


def served_by(arm: Arm) -> tuple:
    """Equal for arms that the same server can serve: all of an arm that its server knows, but for the software."""
    return (
        arm.server,
        arm.server_file,
        arm.discovery,
        arm.protocol,
        arm.cca,
        arm.emulated_connections,
        arm.server_cpu_pct,
        arm.cpu_period_us if arm.server_cpu_pct is not None else None,
        arm.request_cost_us,
        arm.initial_rtt_ms,
        arm.reordering_threshold,
        arm.server_groups,
        arm.paced,
        arm.handshake == "0rtt" and arm.server in SERVERS and SERVERS[arm.server].offer.early_when_asked,
    )


def _records(context: Context, sides: Mapping[str, Side], progress: Progress | None) -> Iterator[dict[str, Any]]:
    """Yield one record per load, in the order measured, until every arm has its loads or the bound is reached."""
    cell = context.cell
    plan, failures, order, total = Plan(cell), dict.fromkeys(sides, 0), itertools.count(), len(schedule(cell))
    starts, ccas = slowstart.own(cell), controllers.own(cell)
    learnt = {arm.name: sides[arm.name].discover() for arm in cell.arms if arm.learns}
    for loads in plan:
        records: list[dict[str, Any]] = []
        for name, index, attempt in loads:
            if name in starts:
                slowstart.set_slow_start(context.bed, starts[name])
            if name in ccas:
                controllers.set_controller(context.bed, ccas[name])
            record = _measured(context, sides[name], (name, index, attempt), next(order))
            if index == 0 and name in learnt:
                record["discovery"] = learnt[name]
            slowstart.require(context.bed, slowstart.SlowStart.of(cell.arm(name)))
            records.append(record)
            failures[name] = failures[name] + 1 if record["reject_reason"] == "load_failed" else 0
            if failures[name] == FAILURES_IN_A_ROW:
                yield from records
                sides[name].server.require_alive()
                raise LonglookError(
                    f"{cell.id}: {failures[name]} loads in a row did not finish; last: {record['reject_detail']}"
                )
        yield from settled(plan, loads, records)
        if progress:
            progress(loads[-1][0], total - len(plan), total)


def _measured(context: Context, side: Side, due: Try, order: int) -> dict[str, Any]:
    """The record of one load; `order`: how many came before it."""
    (name, index, attempt), cell = due, context.cell
    draw = draw_of(attempt)
    seed = load_seed(cell, name, index, draw)
    if not cell.link.cross_flows:  # nothing is drawn there, and queues are to stay as the flows have left them
        context.link.reseed(seed)
    place = {"schema": SCHEMA, "campaign": context.campaign, "cell_id": cell.id, "attempt": attempt, "draw": draw}
    place["order"] = order
    if (offset_ms := cell.link.trace_offset_ms(seed)) is not None:
        place["trace_offset_ms"] = offset_ms
    context.clock.look()  # so that what was set before is not taken for this load's
    place["started_at"] = context.clock.text()
    record = place | side.load(index)
    if not cell.arm(name).keeps_connection:
        side.client.drop_connections()
    return record


def summarise(cell: Cell, samples: Sequence[Sample], wall_s: float) -> CellSummary:
    """Counts and means; only accepted loads after the cold one enter a mean."""
    counted = {name: [one for one in samples if one.arm == name and one.counts] for name in cell.arm_names}
    reasons = Counter(one.reject_reason for one in samples if one.reject_reason is not None)
    return CellSummary(
        cell_id=cell.id,
        wall_s=wall_s,
        accepted={name: len(own) for name, own in counted.items()},
        rejected=dict(reasons),
        mean_ms={name: _mean_ms(own) for name, own in counted.items()},
        complete=all(len(own) >= cell.loads for own in counted.values()),
    )


def _mean_ms(samples: Sequence[Sample]) -> float | None:
    times = [took for one in samples if (took := main_metric(one.metrics)) is not None]
    return statistics.fmean(times) if times else None
