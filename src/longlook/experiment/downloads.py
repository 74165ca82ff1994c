"""Downloads: interleaved arms with a capture beside the server, which has each connection from first packet to last.

How they are read again: `connected.py`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from longlook.experiment.connected import CONNECTIONS, client_port
from longlook.experiment.context import PORTS, Context, scratch_folder
from longlook.experiment.interleaved import CellSummary, Progress, run_interleaved
from longlook.plan.cell import Cell
from longlook.plan.link import Link
from longlook.probe.capture import HEADERS_ONLY
from longlook.probe.connections import LoadConnection, connections, read_packets
from longlook.record.samples import read_records


def run_downloads(
    cell: Cell,
    folder: Path,
    campaign: str,
    testbed: str | dict = "default",
    link: str | None = None,
    progress: Progress | None = None,
) -> CellSummary:
    """Measure one cell of downloads and write its record into `folder`: as interleaved.run_interleaved, and
    `connections.parquet`."""
    return run_interleaved(cell, folder, campaign, testbed, link, progress, beside=_captured)


@contextlib.contextmanager
def _captured(context: Context) -> Iterator[None]:
    """Capture beside the server while inside; at the end each load's connection is written down."""
    with scratch_folder("longlook-packets-") as scratch:
        pcap = scratch / "server.pcap"
        with context.bed.capture("server", pcap, "tcp or udp", HEADERS_ONLY):
            yield
            time.sleep(closing_s(context.cell.link))  # what the last connection's end takes: physics
        found = connections(read_packets(pcap, PORTS), list(_loads(context)))
    found.to_parquet(context.folder / CONNECTIONS, compression="zstd", index=False)


def closing_s(link: Link) -> float:
    """In which a connection that both ends want closed has been closed: two round trips, and time for what was lost."""
    return 2 * link.slowest_ms / 1e3 + 0.5


def _loads(context: Context) -> Iterator[LoadConnection]:
    """Those of the cell's loads so far that say which connection was theirs."""
    for record in read_records(context.folder):
        port = client_port(record)
        if port is not None:
            ahead_s = context.clock.ahead_of_this_s(record["started_at"])  # captures go by the wall clock
            began = datetime.fromisoformat(record["started_at"]).timestamp() + ahead_s
            protocol = context.cell.arm(record["arm"]).protocol
            yield LoadConnection(record["arm"], record["index"], record["attempt"], began, protocol, port)
