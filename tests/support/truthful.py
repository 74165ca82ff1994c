"""Synthetic campaigns whose records bear each other out, as those of measured ones do."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
from campaigns import STACK_DIGEST, make_sweep

from longlook.experiment.reading import MAY_LACK, THROUGHPUT, TIMELINE
from longlook.experiment.recheck import spoken
from longlook.experiment.registry import experiment_of
from longlook.experiment.schedule import Plan, draw_of, load_seed, schedule, settled
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.sweep import Sweep
from longlook.probe.throughput import BIN_S, mean_mbps
from longlook.record.campaign import CELL_SCHEMA
from longlook.record.campaigns import Campaign, open_campaign
from longlook.record.durable import fsync_folder
from longlook.record.manifest import MANIFEST_NAME, write_manifest
from longlook.record.samples import SAMPLES_NAME, SCHEMA, SamplesWriter, read_records
from longlook.server import SERVERS
from longlook.site.expected import sizes

BEGAN = timedelta(hours=6)
"""Before now: loads have had time to be measured."""
STEP = timedelta(seconds=4)


def truthful(
    root: Path, sweep: Sweep | None = None, role: str = "local", *, seal: bool = True, seed: int = 1
) -> Campaign:
    """A campaign with every cell of a sweep; figure 4.6a, two cells of three loads, unless another is given."""
    generator = random.Random(seed)
    with patch("longlook.record.campaigns.utc_now", lambda: datetime.now(UTC) - BEGAN):
        campaign = open_campaign(root, sweep or make_sweep(), role, STACK_DIGEST)
    moment = datetime.fromisoformat(campaign.info["created"]) + timedelta(seconds=5)
    for cell in campaign.cells():
        partial = campaign.begin_cell(cell)
        write = _together if cell.mode == "together" else _interleaved
        ended, drawn = write(partial, campaign, cell, generator, moment)
        _write(partial / "cell.json", _cell_record(campaign, cell, drawn, moment, ended))
        _write(partial / "environment.json", _environment(campaign, cell))
        _write(partial / "executed.ipynb", {})
        campaign.finish_cell(partial, experiment_of(cell).files)
        moment = ended + STEP
    if seal:
        campaign.seal()
    campaign.close()
    return campaign


def _write(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")


def _cell_record(campaign: Campaign, cell: Cell, drawn: list, began: datetime, ended: datetime) -> dict[str, Any]:
    return {
        "schema": CELL_SCHEMA,
        "campaign": campaign.id,
        "cell_id": cell.id,
        "cell": cell.model_dump(mode="json"),
        "schedule": drawn,
        "started_at": _iso(began),
        "ended_at": _iso(ended),
        "wall_s": (ended - began).total_seconds(),
        "complete": True,
        "repeated_together": cell.repeated_together,
        "request_us": {arm.name: arm.request_cost_us + 40.0 for arm in cell.arms if arm.request_cost_us is not None},
        "sends": {
            arm.name: {"sends": 9, "least_us": arm.send_cost_us + 0.4}
            for arm in cell.arms
            if arm.send_cost_us is not None
        },
    }


def _environment(campaign: Campaign, cell: Cell) -> dict[str, Any]:
    link = cell.link
    measured, configured = {"rtt_ms_median": link.rtt_ms + 0.2, "pings": 30}, {}
    same = {"delay_ms": link.rtt_ms / 2, "queue_packets": link.queue_limit_packets or 0, "seed": cell.seed}
    if link.burst_bytes is not None:
        same["burst_bytes"] = link.burst_bytes
    if link.queue_discipline is not None:
        same["queue_discipline"] = {"kind": link.queue_discipline, "ecn": bool(link.ecn)}
    for way in ("server_to_client", "client_to_server"):
        one, lost_pct = link.one_way(way), link.loss_pct_of(way)
        measured |= {f"{way}_mbps": one.bandwidth_mbps * 1.002, f"{way}_train_lost_pct": lost_pct}
        own = {"bandwidth_mbps": one.bandwidth_mbps, "queue_bytes": one.effective_queue_bytes or 0}
        configured[way] = same | own | {"loss_pct": lost_pct}
        if one.trace is not None:
            told = {"path": one.trace.name, "sha256": one.trace.sha256, "offset_ms": link.trace_offset_ms(cell.seed)}
            configured[way]["trace"] = told
    return {
        "schema": "longlook.environment/1",
        "stack": cell.stacks[0],
        "stack_digest": campaign.info["stack_digest"],
        "components": {"chromium": {"version": "111.0.5555.0", "sha256": "cd" * 32, "provider": "portable"}},
        "cca": {arm.name: arm.cca for arm in cell.arms},
        "link_driver": "linkpipe",
        "sysctls": {role: {"net.ipv4.tcp_ecn": "1" if link.ecn else "2"} for role in ("server", "client")},
        "link_configuration": configured,
        "calibration": {
            "set": link.model_dump() | {"queue_bytes": link.effective_queue_bytes},
            "measured": measured,
            "tolerance": {"rtt_ms": 1.0, "rate_pct": 3.0, "lost_packets_pct": 3.0, "stall_ms": 10.0},
            "within_tolerance": True,
            "attempts": [{"measured": measured, "problems": []}],
        },
    }


def _interleaved(folder: Path, campaign: Campaign, cell: Cell, generator: random.Random, moment: datetime):
    """The loads of a schedule, of which the second counted one of the last arm was disturbed; it is measured again, or
    its pair."""
    plan, order = Plan(cell), itertools.count()
    with SamplesWriter(folder / SAMPLES_NAME) as writer:
        for loads in plan:
            records = []
            for arm, index, attempt in loads:
                stalls = [20.0] if (arm, index, attempt) == (cell.arm_names[-1], 2, 0) else []
                moment += STEP
                place = {"schema": SCHEMA, "campaign": campaign.id, "cell_id": cell.id, "attempt": attempt}
                place |= {"draw": draw_of(attempt), "order": next(order)}
                if cell.link.trace is not None:
                    place["trace_offset_ms"] = cell.link.trace_offset_ms(load_seed(cell, arm, index, draw_of(attempt)))
                records.append(place | _load(cell, arm, index, stalls, generator, moment))
            for record in settled(plan, loads, records):
                writer.append(record)
    return moment + STEP, [list(one) for one in schedule(cell)]


def _load(
    cell: Cell, name: str, index: int, stalls: list[float], generator: random.Random, moment: datetime
) -> dict[str, Any]:
    arm = cell.arm(name)
    protocol = spoken(arm.stack, arm.protocol, arm.client)
    took = (100 if arm.protocol == "quic" else 180) + generator.random() * 5
    connection = str(generator.getrandbits(63))
    make = _timings if cell.workload.kind == "download" else _har
    metrics, artefact = make(cell, protocol, took, connection, generator, moment)
    sent = float(cell.workload.total_bytes + 5000)
    early = index > 0 and not arm.is_cold if arm.protocol == "quic" else None
    return {
        "arm": name,
        "index": index,
        "started_at": _iso(moment),
        "set_aside": index == 0,
        "accepted": not stalls,
        "reject_reason": "disturbed" if stalls else None,
        "reject_detail": "stalled for 20.0 ms in 1 gaps" if stalls else None,
        "disturbed": bool(stalls),
        "stalls_ms": stalls,
        "stopped_s": {},
        "opened_over_link": {"opened": 1, "handshake_lost": 0, "others": {}} | _asked(arm),
        "cross_traffic": [{"cca": cell.link.cross_cca, "mbps": 2.5}] * (cell.link.cross_flows or 0),
        "controller": {"cca": arm.cca, "evidence": SERVERS[arm.server].cca_source},
        "cpu": {"client_s": 0.1, "server_s": 0.02, "link_s": 0.01, "machine_busy": 0.3}
        | {"client_wait_s": 0.01, "server_wait_s": 0.001, "link_wait_s": 0.0, "server_threads": 1.2},
        "link": {
            "server_to_client": {"packets_out": 100, "bytes_out": sent, "dropped_loss": 0, "socket_drops": 0},
            "client_to_server": {"packets_out": 50, "bytes_out": 4000.0, "dropped_loss": 0, "socket_drops": 0},
        },
        "connections": [connection],
        "protocols_seen": [protocol],
        "resumed": early,
        "zero_rtt": early,
        "metrics": {key: round(value, 3) for key, value in metrics.items()}
        | {"client_cpu_s": 0.1, "server_cpu_s": 0.02},
        "artefact": artefact,
    }


def _asked(arm: Arm) -> dict[str, Any]:
    """By a browser that adds an option of its own."""
    return {"asked": [[*arm.quic_options, "RVCM"]]} if arm.protocol == "quic" else {}


def _har(cell: Cell, protocol: str, took: float, connection: str, generator: random.Random, moment: datetime):
    dns = generator.random()
    timings = {"onContentLoad": 60 + generator.random(), "onLoad": took + dns}
    entries = [
        {
            "url": f"https://longlook.test{path}",
            "startedDateTime": _iso(moment),
            "time": round(50 + generator.random(), 3),
            "status": 200,
            "httpVersion": protocol,
            "size": size,
            "transferSize": size + 100,
            "connection": connection,
            "timings": {"dns": round(dns, 3), "connect": 1.7},
        }
        for path, size in sizes(cell.workload).items()
    ]
    for one in entries:
        one["timings"]["wait"] = round(one["time"] - sum(one["timings"].values()), 3)
    log = {
        "creator": {"name": "t"},
        "page": {"startedDateTime": _iso(moment), "pageTimings": timings},
        "entries": entries,
    }
    metrics = {"plt_ms": took, "on_load_ms": took + dns, "on_content_load_ms": timings["onContentLoad"], "dns_ms": dns}
    return metrics, {"kind": "har", "log": log}


def _timings(cell: Cell, protocol: str, took: float, connection: str, generator: random.Random, moment: datetime):
    (path,) = sizes(cell.workload)
    begin = generator.random() / 1000
    trip = cell.link.rtt_ms
    connect = {"h3": 1, "h2": 2}[protocol] * trip + generator.random()
    first = connect + trip + generator.random()
    artefact = {
        "kind": "timings",
        "path": path,
        "connection": connection,
        "status": 200,
        "http": {"h3": 30, "h2": 3}[protocol],
        "size": cell.workload.size_bytes,
        "sha256": "ab" * 32,
        "namelookup_s": begin,
        "appconnect_s": begin + connect / 1e3,
        "starttransfer_s": begin + first / 1e3,
        "total_s": begin + took / 1e3,
    }
    return {"ttlb_ms": took, "ttfb_ms": first, "connect_ms": connect}, artefact


def _together(folder: Path, campaign: Campaign, cell: Cell, generator: random.Random, moment: datetime):
    seconds = cell.duration_s or 10.0
    share = cell.link.bandwidth_mbps * 1e6 / 8 * BIN_S / len(cell.arms)
    bins = pd.DataFrame(
        [
            (name, place * BIN_S, int(share * generator.uniform(0.8, 0.95)))
            for name in cell.arm_names
            for place in range(int(seconds / BIN_S))
        ],
        columns=["flow", "time_s", "bytes"],
    )
    points = [
        {"flow": name, "source": "capture", "cwnd_bytes": 14600.0}
        | {"time_s": min(round(place + generator.random(), 6), seconds - 0.1)}
        | {"ssthresh_bytes": float("nan"), "bytes_in_flight": float(generator.randrange(1000, 60000)), "rtt_ms": 36.0}
        | {"lost": float(place), "spurious": 0.0, "phase": None}
        | dict.fromkeys(MAY_LACK, float("nan"))
        for name in cell.arm_names
        for place in range(20)
    ]
    pd.DataFrame(points).to_parquet(folder / TIMELINE)
    bins.to_parquet(folder / THROUGHPUT)
    rates = mean_mbps(bins, cell.arm_names)
    finished = {} if cell.duration_s else {"finished_s": seconds - 0.1}
    with SamplesWriter(folder / SAMPLES_NAME) as writer:
        for order, name in enumerate(cell.arm_names):
            writer.append(
                {
                    "schema": SCHEMA,
                    "campaign": campaign.id,
                    "cell_id": cell.id,
                    "arm": name,
                    "index": 1,
                    "attempt": 0,
                    "order": order,
                    "started_at": _iso(moment),
                    "accepted": True,
                    "set_aside": False,
                    "reject_reason": None,
                    "reject_detail": None,
                    "disturbed": False,
                    "controller": {"cca": cell.arm(name).cca, "evidence": SERVERS[cell.arm(name).server].cca_source},
                    "metrics": {"mean_mbps": rates[name], "lost": 19, "spurious": 0} | finished,
                    "stalls_ms": [],
                }
            )
    return moment + timedelta(seconds=seconds + 5), [[name, 1] for name in cell.arm_names]


# What a forger does who knows how manifests are made.


@contextmanager
def forged(campaign: Path) -> Iterator[Path]:
    """Change anything of a sealed campaign inside; its manifest is then made anew."""
    was_sealed = (campaign / MANIFEST_NAME).exists()
    yield campaign
    if was_sealed:
        (campaign / MANIFEST_NAME).unlink(missing_ok=True)
        write_manifest(campaign)
        fsync_folder(campaign)


def change_json(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Rewrite one JSON file."""
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def change_samples(cell: Path, change: Callable[[list[dict[str, Any]]], Any]) -> None:
    """Rewrite a cell's samples, which may then be wrong in ways that `SamplesWriter` refuses."""
    records = list(read_records(cell))
    changed = change(records)
    write_samples(cell, changed if isinstance(changed, list) else records)


def write_samples(cell: Path, records: list[Any]) -> None:
    """A cell's samples, whatever they are."""
    import zstandard

    text = "".join(json.dumps(one) + "\n" for one in records)
    (cell / SAMPLES_NAME).write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(text.encode()))
