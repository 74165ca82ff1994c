"""Cells with known samples, for the tests of what is computed from them."""

from __future__ import annotations

from typing import Any

from longlook.analysis.result import CellResult
from longlook.experiment.registry import experiment_of
from longlook.plan.cell import Cell
from longlook.plan.link import Link
from longlook.record.samples import Sample

QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium", "emulated_connections": 2}
TCP = {"stack": "quicv1", "protocol": "tcp", "server": "apache", "client": "chromium"}
COLD = QUIC | {"handshake": "1rtt"}


def make_cell(size_kb: int = 5, count: int = 1, **changes: Any) -> Cell:
    """QUIC against TCP: one object on a link of 10 Mbit/s and 36 ms. Keys of a link may stand beside the others."""
    link = {"bandwidth_mbps": 10, "rtt_ms": 36}
    link |= {key: changes.pop(key) for key in Link.model_fields.keys() & changes.keys()}
    cell = {
        "study": "muthuraj2024",
        "series": "4.6a",
        "experiment": "plt",
        "arms": [QUIC, TCP],
        "workload": {"size_kb": size_kb, "count": count},
        "link": link,
    }
    return Cell.parse(cell | changes)


def around(mean: float, sd: float, n: int) -> list[float]:
    """n numbers of this mean and sample standard deviation."""
    if n < 2:
        return [mean] * n
    half, odd = divmod(n, 2)
    step = sd * ((n - 1) / (2 * half)) ** 0.5
    return [mean - step] * half + [mean] * odd + [mean + step] * half


def result_of(cell: Cell, *known: tuple[float, float, int], campaign: str = "mine-20260101T000000") -> CellResult:
    """A cell whose arms have samples of these (mean, sd, n), in its experiment's first metric."""
    experiment = experiment_of(cell)
    samples = [
        Sample(
            arm=arm.name,
            index=index,
            attempt=0,
            order=index,
            accepted=True,
            set_aside=False,
            reject_reason=None,
            disturbed=False,
            zero_rtt=None,
            metrics={experiment.primary.name: value},
        )
        for arm, (mean, sd, n) in zip(cell.arms, known, strict=True)
        for index, value in enumerate(around(mean, sd, n), start=1)
    ]
    return CellResult(campaign=campaign, experiment=experiment, cells=(cell,), samples=tuple(samples))
