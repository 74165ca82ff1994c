"""Transfers: flows of one cell at once over one link, with the probes that look inside. Fairness and window timelines.

Called by notebooks/fairness.ipynb and notebooks/cwnd.ipynb; writes a raw record into a folder it is given:
`cell.json`, `environment.json`, `timeline.parquet` and `throughput.parquet` (data/raw/README.md).
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from longlook.client import CLIENTS
from longlook.client.base import Client, ClientSettings, LoadFailed
from longlook.errors import LonglookError
from longlook.experiment.environment import environment_record
from longlook.experiment.oracle import Evidence, Expectation, judge
from longlook.link.calibrate import calibrate
from longlook.probe import quic_packets, rtt_parts
from longlook.probe.capture import HEADERS_ONLY
from longlook.probe.stallwatch import StallWatch
from longlook.probe.tcp_probe import TcpProbe
from longlook.probe.thin import thin
from longlook.probe.throughput import binned, frames, mean_mbps
from longlook.record.campaign import iso_now
from longlook.scenario import derived_seed
from longlook.server import SERVERS
from longlook.server.base import Server, ServerSettings
from longlook.site.certificate import ORIGIN, make_certificate
from longlook.site.www import PAGE, Site, write_site
from longlook.stack import open_stack
from longlook.testbed.opening import open_link
from longlook.transfers import Flow, TransferCell

FIRST_PORT = 443
ATTEMPTS = 3
"""A transfer that was disturbed or went wrong is repeated; the last one is kept, and says what it is."""
MOST_STALLED = 0.005
"""Share of a transfer's time that the machine may have stalled, as for page loads."""
TIMELINE_BINS = 600
SERIES = [
    "cwnd_bytes",
    "ssthresh_bytes",
    "bytes_in_flight",
    "rtt_ms",
    "lost",
    "spurious",
    "down_ms",
    "hold_ms",
    "up_ms",
    "told_ms",
]
EXTREMES = ("cwnd_bytes", "bytes_in_flight", "down_ms", "hold_ms")
TIMELINE_COLUMNS = ["flow", "source", "time_s", *SERIES, "phase"]

Progress = Callable[[str], None]


@dataclass
class End:
    """One flow's two ends, and what became of it."""

    name: str
    flow: Flow
    protocol: str
    server: Server
    client: Client
    har_protocol: str
    keys: Path
    har: dict[str, Any] | None = None
    error: str | None = None
    finished_s: float | None = None
    responses_ms: list[float] = field(default_factory=list)
    """Per request from its arrival at the server to the first packet of the answer."""

    @property
    def port(self) -> int:
        return self.server.settings.port


@dataclass(frozen=True)
class Outcome:
    """What a transfer came to."""

    cell_id: str
    accepted: bool
    reject_reason: str | None
    flows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def timeout_s(cell: TransferCell) -> float:
    """Bound of a transfer that runs until its pages are loaded: as if the link gave 1 Mbit/s under jitter, 1/10 else."""
    megabits = cell.workload.object_bytes * cell.workload.count * 8 / 1e6
    rate = 4.0 if cell.link.jitter_ms else cell.link.bandwidth_mbps / 10
    return 30 + megabits / rate


def run_transfer(
    cell: TransferCell,
    folder: Path,
    campaign: str,
    testbed: str | dict = "default",
    link: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Measure one transfer and write its record into `folder`; `testbed` and `link` as of `plt.run_cell`."""
    began, started_at = time.monotonic(), iso_now()
    stack = open_stack(cell.stack)
    say = progress or (lambda text: None)
    rejected = []
    with contextlib.ExitStack() as owned:
        bed, driver = open_link(owned, testbed, link)
        driver.configure(cell.link, cell.seed)
        calibration = calibrate(bed, driver, cell.link)
        effective = driver.configure(cell.link, cell.seed)
        for attempt in range(ATTEMPTS):
            say(f"attempt {attempt + 1}")
            with contextlib.ExitStack() as once:
                scratch = Path(tempfile.mkdtemp(prefix="longlook-transfer-"))
                once.callback(shutil.rmtree, scratch, ignore_errors=True)
                scratch.chmod(0o755)
                site = write_site(scratch / "www", cell.workload, derived_seed(cell.seed, "content"))
                ends = _ends(once, cell, stack, bed, scratch, site)
                record = environment_record(
                    cell, stack, bed, driver, calibration, effective, {end.name: end for end in ends}
                )
                outcome, timeline, bins = _attempt(
                    cell, bed, driver, ends, scratch, site, derived_seed(cell.seed, attempt)
                )
            driver.verify()
            if outcome.accepted:
                break
            rejected.append(outcome.reject_reason)
            say(f"rejected: {outcome.reject_reason}")
    (folder / "environment.json").write_text(json.dumps(record, indent=1) + "\n")
    timeline.to_parquet(folder / "timeline.parquet", compression="zstd", index=False)
    bins.to_parquet(folder / "throughput.parquet", compression="zstd", index=False)
    _write_cell(folder, cell, campaign, outcome, rejected, started_at, time.monotonic() - began)
    return outcome


def _write_cell(folder, cell, campaign, outcome: Outcome, rejected, started_at, wall_s) -> None:
    record = {
        "schema": "longlook.transfer/1",
        "campaign": campaign,
        "cell_id": cell.cell_id,
        "cell": cell.model_dump(mode="json"),
        "started_at": started_at,
        "ended_at": iso_now(),
        "wall_s": round(wall_s, 3),
        "accepted": outcome.accepted,
        "complete": outcome.accepted,
        "reject_reason": outcome.reject_reason,
        "rejected_attempts": rejected,
        "flows": outcome.flows,
    }
    (folder / "cell.json").write_text(json.dumps(record, indent=1) + "\n")


def _ends(owned: contextlib.ExitStack, cell: TransferCell, stack, bed, scratch: Path, site: Site) -> list[End]:
    """A server on a port of its own and a browser for every flow."""
    certificate = make_certificate(scratch / "tls")
    ends = []
    for name, flow in zip(cell.names, cell.flows, strict=True):
        port = FIRST_PORT + len(ends)
        settings = ServerSettings(
            www=site.root,
            certificate=certificate.certificate,
            key=certificate.key,
            requests_per_page=site.requests,
            cca=flow.cca,
            emulated_connections=flow.emulated_connections,
            port=port,
            trace=flow.protocol == "quic",
            paced=flow.paced,
        )
        server = owned.enter_context(bed.server(SERVERS[stack.server(flow.protocol)], stack, settings))
        keys = scratch / f"{name}.keys"
        options = (*stack.client_options(flow.protocol, flow.cca, flow.quic_options), f"--ssl-key-log-file={keys}")
        wanted = ClientSettings(flow.protocol, ORIGIN, bed.hosts["server"].address, port, certificate.spki, options)
        client = owned.enter_context(CLIENTS[stack.client(flow.protocol)](bed, stack, wanted))
        ends.append(End(name, flow, flow.protocol, server, client, stack.har_protocol(flow.protocol), keys))
    return ends


def _attempt(
    cell, bed, driver, ends: list[End], scratch: Path, site: Site, seed: int
) -> tuple[Outcome, pd.DataFrame, pd.DataFrame]:
    tcp_ports = [end.port for end in ends if end.protocol == "tcp"]
    with contextlib.ExitStack() as probes:
        watch = probes.enter_context(StallWatch())
        probes.enter_context(bed.capture("client", scratch / "client.pcap", "tcp or udp", HEADERS_ONLY))
        if len(tcp_ports) < len(ends):
            probes.enter_context(bed.capture("server", scratch / "server.pcap", "udp"))
        kernel = probes.enter_context(bed.tcp_probe(tcp_ports, scratch / "tcp_probe.txt")) if tcp_ports else None
        driver.reseed(seed)
        began, ended, stalls = _transfer(cell, ends, watch)
        for end in ends:
            end.server.require_alive()
    traced = kernel.table() if kernel else None
    tables = [_timeline(end, scratch, traced, began, ended) for end in ends]
    timeline = pd.concat([table for table in tables if len(table)], ignore_index=True).reindex(columns=TIMELINE_COLUMNS)
    flows = {(end.protocol, end.port): end.name for end in ends}
    bins = binned(frames(scratch / "client.pcap"), flows, began, ended)
    reason = _wrong(cell, ends, site, stalls, ended - began, kernel)
    rates = mean_mbps(bins, cell.names)
    said = {
        end.name: {"label": end.flow.label, "mean_mbps": rates[end.name], "finished_s": end.finished_s}
        | _counts(timeline, end)
        for end in ends
    }
    return Outcome(cell.cell_id, reason is None, reason, said), timeline, bins


def _transfer(cell: TransferCell, ends: list[End], watch: StallWatch) -> tuple[float, float, list[float]]:
    """Start every load together; Unix times of start and end, and the machine's stalls in between, ms."""
    limit = cell.duration_s or cell.at_most_s or timeout_s(cell)
    gate = threading.Barrier(len(ends) + 1)
    over = threading.Event()

    def load(end: End) -> None:
        gate.wait()
        at = time.monotonic()
        try:
            end.har = end.client.load(PAGE, limit + 30)
            end.finished_s = round(time.monotonic() - at, 4)
        except (LoadFailed, LonglookError, OSError, ValueError) as error:
            if not over.is_set():
                end.error = str(error)

    threads = [threading.Thread(target=load, args=(end,), daemon=True) for end in ends]
    for thread in threads:
        thread.start()
    gate.wait()
    began, start = time.time(), time.monotonic()
    for thread in threads:
        thread.join(max(0.0, start + limit - time.monotonic()))
    ended = time.time()
    stalls = watch.gaps_ms(start, time.monotonic())
    over.set()
    for end in ends:
        end.client.abandon()
    for thread in threads:
        thread.join(10)
    return began, ended, stalls


def _timeline(end: End, scratch: Path, traced: pd.DataFrame | None, began: float, ended: float) -> pd.DataFrame:
    """What the probes saw of one flow, thinned; times from the start of the transfers, s. `traced`: the kernel's account of TCP."""
    parts = []
    if end.protocol == "tcp":
        table = traced[traced["port"] == end.port].rename(
            columns={"smoothed_rtt_ms": "rtt_ms", "retransmissions": "lost"}
        )
        parts.append(table.assign(source="tcp_probe"))
    else:
        own = end.server.congestion()
        if own is not None:
            parts.append(own.rename(columns={"smoothed_rtt_ms": "rtt_ms"}).assign(source=end.server.name))
        if end.keys.exists():
            packets = list(quic_packets.read_packets(scratch / "server.pcap", end.keys, end.port))
            parts.append(
                quic_packets.follow(packets).rename(columns={"latest_rtt_ms": "rtt_ms"}).assign(source="capture")
            )
            samples = rtt_parts.split(packets, rtt_parts.seen_at_client(scratch / "client.pcap", end.port))
            parts.append(samples.rename(columns={"latest_rtt_ms": "rtt_ms"}).assign(source="rtt_parts"))
            end.responses_ms = rtt_parts.response_times_ms(packets)
    found = []
    for part in parts:
        part = part[(part["time_s"] >= began) & (part["time_s"] <= ended)].reindex(columns=TIMELINE_COLUMNS)
        part = thin(part.assign(flow=end.name, time_s=(part["time_s"] - began).round(6)), EXTREMES, TIMELINE_BINS)
        found.append(part.astype(dict.fromkeys(SERIES, "float64")))
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=TIMELINE_COLUMNS)


def _counts(timeline: pd.DataFrame, end: End) -> dict[str, float | int | None]:
    """Packets declared lost and those of them needlessly, and the server's response times, where a probe could tell."""
    own = timeline[timeline["flow"] == end.name]
    times = sorted(end.responses_ms)
    found = (
        {"response_ms_median": round(times[len(times) // 2], 3), "response_ms_max": round(times[-1], 3)}
        if times
        else {}
    )
    for name in ("lost", "spurious"):
        highest = own[name].max()
        found[name] = None if pd.isna(highest) else int(highest)
    return found


def _wrong(
    cell: TransferCell, ends: list[End], site: Site, stalls: list[float], duration_s: float, kernel: TcpProbe | None
) -> str | None:
    """Why this transfer must not count; None if it may."""
    for end in ends:
        if end.server.cca_in_force() != end.flow.cca:
            return f"cca: {end.name}: {end.server.cca_in_force()} in force, {end.flow.cca} asked for"
        if end.error is not None:
            return f"load_failed: {end.name}: {end.error}"
        if cell.duration_s is None:
            if end.har is None:
                if cell.at_most_s is not None:
                    continue
                return f"load_failed: {end.name}: not loaded within {duration_s:.0f} s"
            wanted = Expectation(site.sizes, end.har_protocol, None, end.flow.cca, cell.link.rtt_ms)
            verdict = judge(end.har, wanted, Evidence(frozenset(), None, end.flow.cca))
            if not verdict.accepted:
                return f"{verdict.reason}: {end.name}: {verdict.detail}"
        elif end.har is not None:
            return f"load_failed: {end.name}: its object was too small, it ended after {end.finished_s} s"
    if kernel is not None and kernel.lost_events:
        return f"disturbed: the kernel's trace lost {kernel.lost_events} events"
    if sum(stalls) > MOST_STALLED * duration_s * 1e3:
        return f"disturbed: stalled for {sum(stalls):.0f} ms in {duration_s:.0f} s"
    return None
