"""Arms that run together: flows at once over one link, with the probes that look inside. Fairness and window timelines.

Writes a raw record into a folder it is given: `cell.json`, `environment.json`, `samples.jsonl.zst`, `timeline.parquet`
and `throughput.parquet`, with whole traces `traces.qlog.zst` (data/raw/README.md).
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.client.base import LoadFailed, Request
from longlook.errors import LonglookError
from longlook.experiment import ends, requestcost
from longlook.experiment.carried import span
from longlook.experiment.content import check_content_anew
from longlook.experiment.context import Context, opened, scratch_folder
from longlook.experiment.environment import write_environment
from longlook.experiment.flow import Flow, start_flows
from longlook.experiment.linkcheck import held_to
from longlook.experiment.metrics import CONNECT
from longlook.experiment.opened import Counts, opened_between
from longlook.experiment.schedule import ATTEMPTS_TOGETHER as ATTEMPTS
from longlook.experiment.schedule import INDEX_TOGETHER as INDEX
from longlook.experiment.timeline import TIMELINE_COLUMNS, counts, timeline
from longlook.experiment.traces import trace, write_traces
from longlook.experiment.verdict import wrong
from longlook.plan.cell import Cell
from longlook.plan.link import Link
from longlook.plan.value import derived_seed
from longlook.probe.capture import HEADERS_ONLY
from longlook.probe.qlog import Trace
from longlook.probe.stallwatch import StallWatch
from longlook.probe.stopwatch import StopWatch
from longlook.probe.tcp_probe import TcpTrace
from longlook.probe.throughput import binned, frames, mean_mbps
from longlook.record.samples import SAMPLES_NAME, SCHEMA, SamplesWriter

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What a transfer came to."""

    cell_id: str
    accepted: bool
    reject_reason: str | None
    flows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Attempt:
    """One try: the verdict, what each flow came to, and the tables."""

    number: int
    started_at: str
    reason: str | None
    flows: Mapping[str, Mapping[str, Any]]
    controllers: Mapping[str, Mapping[str, str]]
    """Of each flow, as of in_force.InForce.record."""
    costs: Mapping[str, Mapping[str, Any]]
    stalls_ms: Sequence[float]
    stopped_s: Mapping[str, float]
    clock_step_s: float
    timeline: pd.DataFrame
    throughput: pd.DataFrame
    traces: Sequence[Trace]
    """Whole ones, where they are asked for."""


def timeout_s(cell: Cell) -> float:
    """Bound of a transfer until all is loaded: as if the link gave 4 Mbit/s under jitter, a tenth of its rate else."""
    megabits = cell.workload.total_bytes * 8 / 1e6
    rate = 4.0 if cell.link.swing_ms else cell.link.bandwidth_mbps / 10
    return 30 + megabits / rate


def run_together(
    cell: Cell,
    folder: Path,
    campaign: str,
    testbed: str | dict = "default",
    link: str | None = None,
    progress: Progress | None = None,
    whole: bool = False,
) -> Outcome:
    """Measure one cell's arms at once and write its record into `folder`; `testbed` and `link` as of context.opened.
    `whole`: whole traces too, of QUIC (traces.py)."""
    began = time.monotonic()
    say = progress or (lambda text: None)
    with (
        opened(cell, folder, campaign, testbed, link) as context,
        SamplesWriter(folder / SAMPLES_NAME) as writer,
    ):
        with held_to(context.link, cell):
            for number in range(ATTEMPTS):
                say(f"attempt {number + 1}")
                attempt = _attempt(context, number, whole)
                for record in _records(context, attempt):
                    writer.append(record)
                if attempt.reason is None:
                    break
                say(f"rejected: {attempt.reason}")
        content = check_content_anew(context)
    attempt.timeline.to_parquet(folder / "timeline.parquet", compression="zstd", index=False)
    attempt.throughput.to_parquet(folder / "throughput.parquet", compression="zstd", index=False)
    if whole:
        write_traces(folder, cell, attempt.traces)
    accepted = attempt.reason is None
    order = [(name, INDEX) for name in cell.arm_names]
    context.write_cell(time.monotonic() - began, order, accepted, content, attempt.costs)
    labels = {arm.name: {"label": arm.label} | dict(attempt.flows[arm.name]) for arm in cell.arms}
    return Outcome(cell.id, accepted, attempt.reason, labels)


def _records(context: Context, attempt: Attempt) -> Iterator[dict[str, Any]]:
    """A sample per flow; what was wrong with one is wrong with all."""
    reason = None if attempt.reason is None else attempt.reason.partition(":")[0]
    offset_ms = context.cell.link.trace_offset_ms(derived_seed(context.cell.seed, attempt.number))
    for place, (name, told) in enumerate(attempt.flows.items()):
        yield {
            "schema": SCHEMA,
            "campaign": context.campaign,
            "cell_id": context.cell.id,
            "arm": name,
            "index": INDEX,
            "attempt": attempt.number,
            "order": attempt.number * len(attempt.flows) + place,
            "started_at": attempt.started_at,
            **({} if offset_ms is None else {"trace_offset_ms": offset_ms}),
            "accepted": reason is None,
            "set_aside": False,
            "reject_reason": reason,
            "reject_detail": attempt.reason,
            "disturbed": reason == "disturbed",
            "controller": dict(attempt.controllers[name]),
            "metrics": {metric: value for metric, value in told.items() if value is not None},
            "stalls_ms": list(attempt.stalls_ms),
            "stopped_s": dict(attempt.stopped_s),
            "clock_step_s": attempt.clock_step_s,
        }


def _attempt(context: Context, number: int, whole: bool) -> Attempt:
    """Start the flows and the probes, transfer, judge; servers and clients are this attempt's own."""
    import pandas as pd

    with contextlib.ExitStack() as owned:
        scratch = owned.enter_context(scratch_folder("longlook-transfer-"))
        flows = start_flows(owned, context, scratch)
        write_environment(context, {flow.name: flow for flow in flows})
        context.clock.look()
        started_at = context.clock.text()
        with contextlib.ExitStack() as probes:
            watch, stops = probes.enter_context(StallWatch()), probes.enter_context(StopWatch())
            ends_pids = (pid for flow in flows for pid in (*flow.client.pids, *flow.server.pids))
            stops.watch((*ends_pids, *context.link.pids))
            kernel = _probes(probes, context, flows, scratch)
            counted, before = context.link.connections(), _ends(context, flows)
            context.link.reseed(derived_seed(context.cell.seed, number))
            began, ended, stalls, stopped = _transfer(context, flows, watch, stops)
            changed, after = context.link.changed(), _ends(context, flows)
            _count_connections(context.cell.link, flows, counted, context.link.connections())
            for flow in flows:
                flow.server.require_alive()
            step_s = context.clock.look()
            costs = requestcost.spent({flow.name: flow for flow in flows})
            controllers = {flow.name: flow.in_force.record() for flow in flows}
        traced = kernel.table() if kernel else None
        tables = [timeline(flow, scratch, traced, began, ended) for flow in flows]
        traces = [trace(context.cell, context.campaign, flow, began) for flow in flows] if whole else []
        joined = pd.concat([table for table in tables if len(table)] or tables, ignore_index=True)
        names: dict[tuple[str, int], str] = {(flow.arm.protocol, flow.port): flow.name for flow in flows}
        bins = binned(frames(scratch / "client.pcap"), names, began, ended)
        link, hosts = ends.between(before, after), span(before, after)
        reason = wrong(context.cell, flows, context.site, stalls, ended - began, kernel, stopped, link, hosts, step_s)
        if changed is not None:
            reason = f"link_changed: {changed}"
    joined = joined.reindex(columns=TIMELINE_COLUMNS)
    told = _told(context, flows, joined, bins)
    kept = [one for one in traces if one is not None]
    return Attempt(number, started_at, reason, told, controllers, costs, stalls, stopped, step_s, joined, bins, kept)


def _ends(context: Context, flows: Sequence[Flow]) -> ends.Reading:
    """Of the hosts' interfaces, which all flows share, and of the link."""
    return ends.reading(context.link, flows[0].client, flows[0].server)


def _count_connections(link: Link, flows: Sequence[Flow], before: Counts | None, after: Counts | None) -> None:
    """Tell every flow how many it opened, by the link's count."""
    slowest_ms = link.slowest_ms + link.drain_s * 1e3
    for flow in flows:
        beside = {other.place for other in flows if other is not flow}
        flow.opened = opened_between(before, after, flow.arm.protocol, flow.port, slowest_ms, beside)


def _probes(owned: contextlib.ExitStack, context: Context, flows: Sequence[Flow], scratch: Path) -> TcpTrace | None:
    """Captures, and the kernel's trace where there is TCP."""
    bed = context.bed
    ports = [flow.port for flow in flows if flow.arm.protocol == "tcp"]
    owned.enter_context(bed.capture("client", scratch / "client.pcap", "tcp or udp", HEADERS_ONLY))
    if len(ports) < len(flows):
        owned.enter_context(bed.capture("server", scratch / "server.pcap", "udp"))
    return owned.enter_context(bed.tcp_probe(ports, scratch / "tcp_probe.txt")) if ports else None


def _told(
    context: Context, flows: Sequence[Flow], joined: pd.DataFrame, bins: pd.DataFrame
) -> dict[str, dict[str, Any]]:
    """Metrics of each flow, by name; None where no probe could tell."""
    rates = mean_mbps(bins, [flow.name for flow in flows])
    return {
        flow.name: {"mean_mbps": rates[flow.name], "finished_s": flow.finished_s}
        | counts(joined, flow)
        | _set_up(context.cell, flow)
        for flow in flows
    }


def _set_up(cell: Cell, flow: Flow) -> dict[str, float | None]:
    """How long a flow that is one download took to connect, as its client tells."""
    if cell.workload.kind != "download":
        return {}
    return {CONNECT.name: None if flow.seen is None else flow.seen.connect_ms}


def _transfer(
    context: Context, flows: Sequence[Flow], watch: StallWatch, stops: StopWatch
) -> tuple[float, float, list[float], dict[str, float]]:
    """Start every load together; Unix times of start and end, the machine's stalls in between, ms, and who was stopped
    for how long, s."""
    cell = context.cell
    limit = cell.duration_s or cell.at_most_s or timeout_s(cell)
    gate, over = threading.Barrier(len(flows) + 1), threading.Event()
    request = Request(context.site.start, limit + 30)
    threads = [threading.Thread(target=_load, args=(flow, request, gate, over), daemon=True) for flow in flows]
    for thread in threads:
        thread.start()
    gate.wait()
    began, start = time.time(), time.monotonic()
    for thread in threads:
        thread.join(max(0.0, start + limit - time.monotonic()))
    ended = began + time.monotonic() - start
    stalls, stopped = watch.gaps_ms(start, time.monotonic()), stops.stopped(start, time.monotonic())
    for flow in flows:
        stopped |= flow.server.stopped(time.monotonic() - start)
    for flow in flows:
        flow.ask_cca()
    over.set()
    for flow in flows:
        flow.client.abandon()
    for thread in threads:
        thread.join(10)
    return began, ended, stalls, stopped


def _load(flow: Flow, request: Request, gate: threading.Barrier, over: threading.Event) -> None:
    """What becomes of one flow's load, unless all was over before."""
    gate.wait()
    at = time.monotonic()
    try:
        flow.seen = flow.client.fetch(request)
        flow.finished_s = round(time.monotonic() - at, 4)
        flow.ask_cca()
    except (LoadFailed, LonglookError, OSError, ValueError) as error:
        if not over.is_set():
            flow.error = str(error)
