"""Small results of the sweeps of Shreedhar et al. 2022, with known times."""

from __future__ import annotations

from book_sample import interleaved, write_sweeps

from longlook.analysis.result import CellResult
from longlook.experiment.registry import named
from longlook.record.samples import Sample

SWEEPS = (
    "shreedhar-web",
    "shreedhar-web-far",
    "shreedhar-web-vm",
    "shreedhar-clock",
    "shreedhar-cloud",
    "shreedhar-cloud-large",
    "shreedhar-flows",
)
LOADS = 4
TRIPS = {"envoy": (1, 2, 2), "envoy-lsquic": (1, 2, 2), "lsquic": (1, 2, 2), "ngtcp2": (1, 2, 3), "tls12": (3, 4, 5),
         "tls13": (2, 3, 4)}  # fmt: skip
"""Round trips until the connection stands, the first byte is there, the last one is."""
SLOWER_MS = 5.0
"""What a slow client takes longer for its handshake."""
MS_PER_MB = {"envoy": 86.0, "envoy-lsquic": 85.0, "ngtcp2": 86.0, "tls12": 84.0, "tls13": 84.0}
SLOW_MS_PER_MB = {"envoy": 112.0, "envoy-lsquic": 92.0, "tls12": 84.0}
AHEAD_MS = 30.0
"""What TCP's slow start takes longer for a large file."""
CPU_S_PER_GB = {"envoy": (28.0, 30.0), "envoy-lsquic": (23.0, 25.0), "ngtcp2": (33.0, 20.0), "tls12": (8.0, 2.0),
                "tls13": (8.0, 2.0)}  # fmt: skip
MBPS = {"quic": 60.0, "tcp": 30.0}


def write_shreedhar(processed, sweeps=SWEEPS):
    """Tables in which round trips decide small files, and what a megabyte costs large ones."""
    write_sweeps(processed, sweeps, "shreedhar2022", _result, joined=True)


def _result(campaign, experiment, *cells):
    return (_together if cells[0].mode == "together" else _interleaved)(campaign, experiment, *cells)


def _together(campaign, experiment, *cells):
    samples = [
        _sample(arm.name, run, place, {"mean_mbps": MBPS[arm.protocol] + run / 10})
        for run, cell in enumerate(cells)
        for place, arm in enumerate(cell.arms)
    ]
    return CellResult(
        campaign, named(experiment, "sample"), cells, tuple(samples), counts=tuple(len(cell.arms) for cell in cells)
    )


def _interleaved(campaign, experiment, cell):
    return interleaved(campaign, experiment, cell, _metrics, LOADS)


def _metrics(cell, arm, index):
    """A tenth of a ms more with every load."""
    slow, name = arm.client_cpu_pct is not None, arm.name.removeprefix("slow-")
    rtt, size, more = cell.link.rtt_ms, cell.workload.total_bytes, index / 10
    begin = SLOWER_MS * slow + more
    connect, first, last = (trips * rtt + begin for trips in TRIPS[name])
    if size >= 500_000:
        per_mb = (SLOW_MS_PER_MB if slow else MS_PER_MB)[name]
        last = first + size / 1e6 * per_mb + (AHEAD_MS if arm.protocol == "tcp" else 0.0)
    client, server = (seconds * size / 1e9 for seconds in CPU_S_PER_GB.get(name, (25.0, 25.0)))
    return {
        "ttlb_ms": last, "connect_ms": connect, "ttfb_ms": first, "client_cpu_s": client + index / 1e6,
        "server_cpu_s": server + index / 1e6,
    }  # fmt: skip


def _sample(arm, index, order, metrics):
    return Sample(
        arm=arm, index=index, attempt=0, order=order, accepted=True, set_aside=False, reject_reason=None,
        disturbed=False, zero_rtt=None, metrics=metrics,
    )  # fmt: skip
