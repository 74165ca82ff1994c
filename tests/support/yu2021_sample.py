"""Small results of the sweeps after Yu and Benson, with known times."""

from __future__ import annotations

from book_sample import interleaved, write_sweeps

SETTINGS = ("yu-burst", "yu-burst-5mb", "yu-200kb", "yu-each-way-little")
SWEEPS = ("yu-100kb", "yu-1mb", "yu-5mb", "yu-clients", "yu-servers", "yu-each-way", "yu-queue", "yu-first-loss")
LOADS = 4
TRIPS = {"quic": 2, "tcp": 3}
LATE_MS = 3.0
"""Of Chromium over HTTP/3."""
BY_CUBIC = 1.2
"""How many times as long the bytes take by CUBIC with 1 % loss."""
MBPS, BURST_MBPS = 10, 400


def time_ms(
    protocol: str, cca: str, client: str, size: int, rtt_ms: float, loss_pct: float, burst: bool = False
) -> float:
    """Round trips, and bytes with 5 % of headers at 10 Mbit/s; with a burst at 400, unless CUBIC loses 1 % of them."""
    late = LATE_MS if protocol == "quic" and client.startswith("chromium") else 0.0
    held = cca == "cubic" and loss_pct >= 1
    slow, mbps = BY_CUBIC if held else 1.0, BURST_MBPS if burst and not held else MBPS
    return TRIPS[protocol] * rtt_ms + size * 8 / (mbps * 1e3) * 1.05 * slow + late


def bytes_down(protocol: str, size: int, loss_pct: float) -> float:
    """TCP sends a fifth again with 1 % loss, QUIC a hundredth."""
    again = (0.2 if protocol == "tcp" else 0.01) if loss_pct >= 1 else 0.0
    return size * 1.05 * (1 + again)


def write_objects(processed, sweeps=SWEEPS):
    """Tables of all of them."""
    write_sweeps(processed, sweeps, "yu2021", _result)


def _result(campaign, experiment, cell):
    return interleaved(campaign, experiment, cell, _metrics, LOADS)


def _metrics(cell, arm, index):
    """Each load is 0.1 ms longer than the one before."""
    link, size = cell.link, cell.workload.total_bytes
    burst = link.burst_bytes is not None
    ms = time_ms(arm.protocol, arm.cca, arm.client, size, link.rtt_ms, link.loss_pct, burst) + index / 10
    metrics = {
        "ttlb_ms": ms, "connect_ms": (TRIPS[arm.protocol] - 1) * link.rtt_ms, "ttfb_ms": 50.0, "client_cpu_s": 0.1,
        "server_cpu_s": 0.1,
    }  # fmt: skip
    if arm.client != "chromium":
        sent = bytes_down(arm.protocol, size, link.loss_pct) + index
        metrics |= {"duration_ms": ms, "packets": 150.0, "packets_up": 50.0, "bytes_up": 5e3, "bytes_down": sent}
    return metrics
