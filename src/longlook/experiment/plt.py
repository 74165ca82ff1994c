"""The page-load-time experiment: one cell, two arms, interleaved, judged load by load.

Called by notebooks/plt.ipynb; writes a raw record (data/raw/README.md) into a folder it is given.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from longlook.client import CLIENTS
from longlook.client.base import ClientSettings
from longlook.errors import LonglookError
from longlook.experiment.arm import Arm, Surroundings
from longlook.experiment.environment import environment_record
from longlook.experiment.schedule import Plan, load_seed, schedule
from longlook.link.calibrate import calibrate
from longlook.probe.stallwatch import StallWatch
from longlook.record.campaign import iso_now
from longlook.record.campaigns import RunsWriter
from longlook.scenario import Cell, derived_seed
from longlook.server import SERVERS
from longlook.server.base import ServerSettings
from longlook.site.certificate import ORIGIN, make_certificate
from longlook.site.www import write_site
from longlook.stack import open_stack
from longlook.testbed.opening import open_link

PORT = 443
FAILURES_IN_A_ROW = 4
"""So many unfinished loads of one arm, one after the other, end the cell: something is broken, not unlucky."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Summary:
    """What a cell came to; means over the accepted loads after the cold one."""

    cell_id: str
    wall_s: float
    plt_sum_s: float
    accepted: dict[str, int]
    rejected: dict[str, int]
    mean_ms: dict[str, float | None]
    complete: bool
    """Every arm has as many accepted loads as the cell asks for."""


def timeout_s(cell: Cell) -> float:
    """Generous bound for one load: 30 s plus ten times the bytes at the bandwidth (lossy links crawl), or at 1 Mbit/s
    under jitter, where the window decides and not the link."""
    megabits = cell.workload.object_bytes * cell.workload.count * 8 / 1e6
    rate = cell.link.bandwidth_mbps if not cell.link.jitter_ms else min(cell.link.bandwidth_mbps, 10)
    return 30 + 10 * megabits / rate + 50 * cell.link.rtt_ms / 1e3


def run_cell(
    cell: Cell,
    folder: Path,
    campaign: str,
    testbed: str | dict = "default",
    link: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Measure one cell and write its record into `folder`. `testbed`: the name of one on this machine, or a description
    (testbed/description.py); `link`: a driver other than the testbed's own."""
    began, started_at = time.monotonic(), iso_now()
    stack = open_stack(cell.stack)
    rows: list[dict[str, Any]] = []
    with contextlib.ExitStack() as owned:
        bed, driver = open_link(owned, testbed, link)
        if cell.tcp_initial_window is not None:
            bed.set_initial_window("server", cell.tcp_initial_window)
        driver.configure(cell.link, cell.seed)
        calibration = calibrate(bed, driver, cell.link)
        effective = driver.configure(cell.link, cell.seed)  # anew: calibration draws jitter from seeds of its own
        arms = _arms(owned, cell, stack, bed, driver)
        record = environment_record(cell, stack, bed, driver, calibration, effective, arms)
        (folder / "environment.json").write_text(json.dumps(record, indent=1) + "\n")
        with RunsWriter(folder / "runs.jsonl.zst") as writer:
            for row in _loads(cell, arms, driver, campaign, progress):
                writer.append(row)
                rows.append({key: row[key] for key in ("arm", "load_index", "accepted", "reject_reason", "plt_ms")})
        driver.verify()
    summary = summarise(cell, rows, time.monotonic() - began)
    (folder / "cell.json").write_text(
        json.dumps(
            {
                "schema": "longlook.cell/1",
                "campaign": campaign,
                "cell_id": cell.cell_id,
                "cell": cell.model_dump(mode="json"),
                "schedule": schedule(cell),
                "started_at": started_at,
                "ended_at": iso_now(),
                "wall_s": round(summary.wall_s, 3),
                "plt_sum_s": round(summary.plt_sum_s, 3),
                "complete": summary.complete,
            },
            indent=1,
        )
        + "\n"
    )
    return summary


def _arms(owned: contextlib.ExitStack, cell: Cell, stack, bed, driver) -> dict[str, Arm]:
    """Site, servers and one browser per arm, all ended with `owned`."""
    folder = Path(tempfile.mkdtemp(prefix="longlook-cell-"))
    owned.callback(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    site = write_site(folder / "www", cell.workload, derived_seed(cell.seed, "content"))
    certificate = make_certificate(folder / "tls")
    settings = ServerSettings(
        www=site.root,
        certificate=certificate.certificate,
        key=certificate.key,
        requests_per_page=site.requests,
        cca=cell.cca,
        emulated_connections=cell.emulated_connections,
        port=PORT,
    )
    around = Surroundings(driver, site, owned.enter_context(StallWatch()), timeout_s(cell), cell.link.rtt_ms)
    servers = {}
    for protocol in sorted(set(cell.protocols)):
        own = replace(settings, cpu_pct=cell.quic_server_cpu_pct) if protocol == "quic" else settings
        servers[protocol] = owned.enter_context(bed.server(SERVERS[stack.server(protocol)], stack, own))
    arms = {}
    for name, protocol, handshake in zip(cell.arms, cell.protocols, cell.handshakes, strict=True):
        wanted = ClientSettings(
            protocol=protocol,
            origin=ORIGIN,
            address=bed.hosts["server"].address,
            port=PORT,
            spki=certificate.spki,
            options=stack.client_options(protocol, cell.cca, cell.quic_options),
            cpu_pct=cell.client_cpu_pct,
        )
        client = owned.enter_context(CLIENTS[stack.client(protocol)](bed, stack, wanted))
        arms[name] = Arm(
            name,
            client,
            servers[protocol],
            stack.har_protocol(protocol),
            cell.cca,
            around,
            cold=protocol == "quic" and handshake == "1rtt",
        )
    return arms


def _loads(cell: Cell, arms: dict[str, Arm], driver, campaign: str, progress: Progress | None):
    """Yield one record per load, in the order measured, until every arm has its loads or the bound is reached."""
    plan, failures, total = Plan(cell), dict.fromkeys(arms, 0), len(schedule(cell))
    for order, (name, index, attempt) in enumerate(plan):
        arm = arms[name]
        driver.reseed(load_seed(cell, name, index, attempt))
        started = iso_now()
        row = arm.load(index)
        arm.client.drop_connections()
        yield {
            "schema": "longlook.run/1",
            "campaign": campaign,
            "cell_id": cell.cell_id,
            "attempt": attempt,
            "order": order,
            "started_at": started,
        } | row
        failures[name] = failures[name] + 1 if row["reject_reason"] == "load_failed" else 0
        if failures[name] == FAILURES_IN_A_ROW:
            arm.server.require_alive()
            raise LonglookError(
                f"{cell.cell_id}: {failures[name]} loads in a row did not finish; last: {row['reject_detail']}"
            )
        if not row["accepted"] and index > 0:
            plan.repeat(name, index, attempt)
        if progress:
            progress(name, total - len(plan), total)


def summarise(cell: Cell, rows: list[dict[str, Any]], wall_s: float) -> Summary:
    """Counts and means; only accepted loads after the cold one enter a mean."""
    counted = {
        arm: [r["plt_ms"] for r in rows if r["arm"] == arm and r["accepted"] and r["load_index"] > 0]
        for arm in cell.arms
    }
    reasons: dict[str, int] = {}
    for row in rows:
        if not row["accepted"]:
            reasons[row["reject_reason"]] = reasons.get(row["reject_reason"], 0) + 1
    return Summary(
        cell_id=cell.cell_id,
        wall_s=wall_s,
        plt_sum_s=sum(row["plt_ms"] or 0 for row in rows) / 1e3,
        accepted={arm: len(values) for arm, values in counted.items()},
        rejected=reasons,
        mean_ms={arm: statistics.fmean(values) if values else None for arm, values in counted.items()},
        complete=all(len(values) >= cell.loads for values in counted.values()),
    )
