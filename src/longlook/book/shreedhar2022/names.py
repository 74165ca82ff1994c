"""What the campaigns of Shreedhar et al. 2022 are called, by link, file and arm, and what tables ask of them."""

from __future__ import annotations

from typing import Any

from longlook.book import data as book_data
from longlook.book import evidence
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.experiment.metrics import CLIENT_CPU, CONNECT, SERVER_CPU, TTFB, TTLB
from longlook.published.shreedhar2022 import CONNECTION, DOWNLOAD, FIRST_BYTE, INDIA, MUNICH, STUDY, TLS12, TLS13, VM
from longlook.published.shreedhar2022 import QUIC as PRINTED_QUIC

WEB, FAR, MACHINE, CLOCK = "shreedhar-web", "shreedhar-web-far", "shreedhar-web-vm", "shreedhar-clock"
CLOUD, LARGE, HUGE = "shreedhar-cloud", "shreedhar-cloud-large", "shreedhar-cloud-largest"
FLOWS = "shreedhar-flows"
"""Series, each of a sweep of its name."""
SMALL_BYTES = 40 * 1024
ENVOY, NGTCP2, ENVOY_LSQUIC, LSQUIC, OLD, NEW = "envoy", "ngtcp2", "envoy-lsquic", "lsquic", "tls12", "tls13"
NAMES = {
    ENVOY: "QUIC, curl from Envoy",
    NGTCP2: "QUIC, curl from ngtcp2",
    ENVOY_LSQUIC: "QUIC, LSQUIC from Envoy",
    LSQUIC: "QUIC, LSQUIC from LSQUIC",
    OLD: "TLS 1.2, curl from Apache",
    NEW: "TLS 1.3, curl from Apache",
}
"""Arms, by the names that the sweeps give them; a slow client's has `SLOW` in front."""
SLOW = "slow-"
PACES = {"": "fast", SLOW: "slow"}
STAGES = (CONNECT.name, TTFB.name, TTLB.name)
"""Of a download: until the connection stands, until its first byte is there, until its last is."""
PRINTED_STAGES = dict(zip(STAGES, (CONNECTION, FIRST_BYTE, DOWNLOAD), strict=True))
PRINTED_AS = {LSQUIC: PRINTED_QUIC, OLD: TLS12, NEW: TLS13}
"""Whose printed percentiles an arm stands beside: LSQUIC's client is theirs."""
CPU_METRICS = (CLIENT_CPU.name, SERVER_CPU.name)
THROUGHPUT = {"quantity": "throughput_mb_s", "metric": TTLB.name}
"""MB/s, as theirs (10^6 bytes): the file over the time to its last byte, of each download."""
CPU = {"quantity": "cpu_s_per_gb", "metric": CLIENT_CPU.name}
"""Seconds of the client's processor for 1,000,000,000 bytes."""
USED = {"quantity": "cpu_used_pct", "metric": CLIENT_CPU.name}
"""How much of the part of a processor that it is held to a client used: near 100 its processor was the limit."""


def at(series: str, rtt_ms: float, object_bytes: int = SMALL_BYTES) -> dict[str, Any]:
    """A square of a series, as criteria say it."""
    return {"series": series, "where": {"rtt_ms": rtt_ms, "object_bytes": object_bytes}}


PLACES = {VM: at(MACHINE, 9), MUNICH: at(WEB, 10), INDIA: at(WEB, 55)}
"""Their vantage points."""
LONG = at(FAR, 150)
TITLES = {
    VM: "virtual machine, 1 Gbit/s, 9 ms",
    MUNICH: "Munich, 100 Mbit/s, 10 ms",
    INDIA: "Bhubaneswar, 20 Mbit/s, 55 ms",
}
CLOCK_RTTS_MS = (200.0, 290.0, 415.0, 580.0)
SIZES = (500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000)
LARGEST = 200_000_000
LARGE_SIZES = (50_000_000, 100_000_000, LARGEST)
HUGE_SIZES = (500_000_000, 1_000_000_000, 2_000_000_000)
FILES = (*SIZES, *LARGE_SIZES, *HUGE_SIZES)
"""Bytes, of every file of the cloud store that curl fetches at 100 Mbit/s; those of HUGE by a slow client alone."""
CLOUD_RTT_MS = 10.0


def file_of(size: int) -> dict[str, Any]:
    """Where a file of the cloud store's is fetched."""
    series = LARGE if size in LARGE_SIZES else HUGE if size in HUGE_SIZES else CLOUD
    return at(series, CLOUD_RTT_MS, size)


def newest(data: BookData | None, *series: str) -> StudyColumn:
    """The reader's own column where it has any of these series, else the reference one, measured or not."""
    return evidence.newest(data or book_data.load(), STUDY, *series)


def size_title(size: int) -> str:
    """`500 KB`, `20 MB`, `2 GB`; decimal, as theirs."""
    for unit, bytes_of in (("GB", 10**9), ("MB", 10**6)):
        if size >= bytes_of:
            return f"{size / bytes_of:g} {unit}"
    return f"{size / 1000:g} KB"
