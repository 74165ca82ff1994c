"""Small results of the matrix's sweeps, with known times."""

from __future__ import annotations

from book_sample import write_sweeps

from longlook.analysis.result import CellResult
from longlook.experiment.registry import named
from longlook.record.samples import Sample

SWEEPS = ("matrix", "matrix-loss", "matrix-loss-rest", "matrix-handshake")
LOADS = 3
REJECTED = ("aioquic", "aioquic")
"""Server and client of the pair whose downloads are all rejected in the sweep `matrix`."""


def write_matrix(processed, sweeps=SWEEPS):
    """Tables in which a pair takes the same time under every condition, but for loss."""
    write_sweeps(processed, sweeps, "matrix", _result)


def _result(campaign, experiment, cell):
    samples = [_sample(cell, arm, index, place) for index in range(LOADS + 1) for place, arm in enumerate(cell.arms)]
    return CellResult(campaign, named(experiment, "sample"), (cell,), tuple(samples), counts=())


def _sample(cell, arm, index, place):
    wrong = cell.series == "matrix" and (arm.server, arm.client) == REJECTED and index > 0
    return Sample(
        arm=arm.name, index=index, attempt=0, order=100 * index + place, accepted=not wrong, set_aside=index == 0,
        reject_reason="disturbed" if wrong else None, disturbed=wrong, zero_rtt=None,
        metrics=_metrics(cell, arm, index),
    )  # fmt: skip


def _metrics(cell, arm, index):
    """10 MB in 1.25 s (64 Mbit/s), in 4 s with aioquic (20 Mbit/s); by CUBIC in 8 s under loss, by Envoy in 5 s."""
    ms = 4000.0 if "aioquic" in (arm.server, arm.client) else 1250.0
    if cell.link.loss_pct and arm.cca == "cubic":
        ms = 5000.0 if arm.server == "envoy" else 8000.0
    if cell.workload.total_bytes < 1e6:
        ms = 80.0 if arm.protocol == "quic" else 112.0
    if cell.series == "matrix-early":
        ms = 44.0 if arm.handshake == "0rtt" else 80.0
    quic = arm.protocol == "quic"
    return {
        "ttlb_ms": ms + index, "connect_ms": 40.0 if quic else 75.0, "ttfb_ms": ms - 2.0,
        "client_cpu_s": 0.2 if quic else 0.05, "server_cpu_s": 0.1 if quic else 0.03,
    }  # fmt: skip
