"""Whole traces of flows, kept as a qlog beside their thinned timelines: one file of a cell, a trace of each flow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import zstandard

from longlook.experiment.flow import Flow
from longlook.experiment.reading import TRACES
from longlook.plan.cell import Cell
from longlook.probe import qlog
from longlook.probe.quic_packets import followed
from longlook.record.durable import write_bytes

LEVEL = 19
"""Of Zstandard: a trace of 10 MB then takes about a sixth of a megabyte."""


def trace(cell: Cell, campaign: str, flow: Flow, began: float) -> qlog.Trace | None:
    """Of one flow, from its start (Unix time, s); None where its packets could not be read."""
    if not flow.packets:
        return None
    server = f"{flow.server.name} {flow.server.version()}"
    seen, declared = followed(flow.packets)
    own = flow.own
    told = own is not None and bool(own["cwnd_bytes"].notna().any())
    window = "the server's own account" if told else "told by nobody"
    said = (
        f"Campaign {campaign}, cell {cell.id}, {flow.name}: {flow.arm.label}. 1-RTT packets by a capture beside the "
        f"server, decrypted with the keys of its client ({flow.arm.client}); a packet is lost where its data is sent "
        f"again. The window is {window}."
    )
    events = qlog.in_order(
        qlog.packets(flow.packets, began),
        qlog.losses(declared, began),
        () if own is None else qlog.metrics(own[own["time_s"] >= began], qlog.OWN, began),
        qlog.metrics(seen, qlog.SEEN, began),
    )
    return qlog.Trace(cell.full_label, server, said, began, events)


def write_traces(folder: Path, cell: Cell, found: Sequence[qlog.Trace]) -> None:
    """TRACES of a cell, a trace of each flow."""
    text = qlog.document(cell.full_label, found).encode()
    write_bytes(folder / TRACES, zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(text))
