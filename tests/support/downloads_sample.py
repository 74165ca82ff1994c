"""Small results of Halme's sweeps, with known times."""

from __future__ import annotations

from book_sample import write_sweeps

from longlook.analysis.result import CellResult
from longlook.experiment.registry import named
from longlook.record.samples import Sample

SWEEPS = (
    "halme-table-2",
    "halme-table-3",
    "halme-table-4",
    "halme-table-5",
    "halme-not-printed",
    "halme-small-files",
    "halme-parallel",
    "halme-aioquic-then",
    "halme-one-direction",
)
TIMES_S = {"aioquic": 10.2, "lsquic": 10.0, "ngtcp2": 10.3, "tcp": 9.9, "then": 15.3, "then told": 10.2, "today": 10.2}
"""Of each arm, everywhere."""
BESIDE = 1.5
"""How many times its time alone everything takes beside another."""
LOADS = 4


def write_downloads(processed, sweeps=SWEEPS):
    """Tables of sweeps in which an arm takes the same time under every condition."""
    write_sweeps(processed, sweeps, "halme2021", _result, joined=True)


def _result(campaign, experiment, *cells):
    cell = cells[0]
    together = cell.mode == "together"
    samples = [
        _sample(arm.name, index, place, _metrics(TIMES_S[arm.name], index, cell.link.rtt_ms, together), together)
        for index in (range(len(cells)) if together else range(LOADS + 1))
        for place, arm in enumerate(cell.arms)
    ]
    counts = (len(cell.arms),) * len(cells) if together else ()
    return CellResult(campaign, named(experiment, "sample"), cells, tuple(samples), counts=counts)


def _metrics(time_s, index, rtt_ms, together):
    """A millisecond more with every load."""
    if together:
        return {"mean_mbps": 0.5, "finished_s": BESIDE * time_s, "connect_ms": 3.5 * 2 * rtt_ms}
    ms = time_s * 1e3 + index
    return {
        "ttlb_ms": ms, "connect_ms": 2.0 * rtt_ms, "ttfb_ms": 3.0 * rtt_ms, "client_cpu_s": 0.1, "server_cpu_s": 0.2,
        "duration_ms": ms + 10, "packets": 1200.0 + index, "packets_up": 300.0, "bytes_up": 30_000.0,
        "bytes_down": 1_060_000.0,
    }  # fmt: skip


def _sample(arm, index, place, metrics, together):
    return Sample(
        arm=arm, index=index, attempt=0, order=len(metrics) * index + place, accepted=True,
        set_aside=index == 0 and not together, reject_reason=None, disturbed=False, zero_rtt=None, metrics=metrics,
    )  # fmt: skip
