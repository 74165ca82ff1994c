"""What the campaigns of Shreedhar et al. 2022 found, by link, file and arm. Times are ms, rates MB/s (10^6 bytes)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from longlook.analysis.welch import Summary, summarise, summary_of
from longlook.book.data import COLUMNS, BookData
from longlook.book.times import Times, difference, times
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
CURL = (ENVOY, NGTCP2, OLD, NEW)
"""Those whose client is curl."""
STAGES = (CONNECT.name, TTFB.name, TTLB.name)
"""Of a download: until the connection stands, until its first byte is there, until its last is."""
PRINTED_STAGES = dict(zip(STAGES, (CONNECTION, FIRST_BYTE, DOWNLOAD), strict=True))
PRINTED_AS = {LSQUIC: PRINTED_QUIC, OLD: TLS12, NEW: TLS13}
"""Whose printed percentiles an arm stands beside: LSQUIC's client is theirs."""
CPU_METRICS = (CLIENT_CPU.name, SERVER_CPU.name)


@dataclass(frozen=True)
class LinkAndFile:
    """A condition of a series."""

    series: str
    rtt_ms: float
    object_bytes: int = SMALL_BYTES


PLACES = {VM: LinkAndFile(MACHINE, 9), MUNICH: LinkAndFile(WEB, 10), INDIA: LinkAndFile(WEB, 55)}
"""Their vantage points."""
LONG, LONGEST = LinkAndFile(FAR, 150), LinkAndFile(FAR, 200)
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


def file_of(size: int) -> LinkAndFile:
    """Where a file of the cloud store's is fetched."""
    series = LARGE if size in LARGE_SIZES else HUGE if size in HUGE_SIZES else CLOUD
    return LinkAndFile(series, CLOUD_RTT_MS, size)


def size_title(size: int) -> str:
    """`500 KB`, `20 MB`, `2 GB`; decimal, as theirs."""
    for unit, bytes_of in (("GB", 10**9), ("MB", 10**6)):
        if size >= bytes_of:
            return f"{size / bytes_of:g} {unit}"
    return f"{size / 1000:g} KB"


def percentile(values: Sequence[float], at: float) -> float:
    """Linear between two samples, as theirs."""
    return float(np.percentile(values, at))


Summaries = Mapping[tuple[float, int, str, str], Summary]
Samples = Mapping[tuple[float, int, str, str], Sequence[float]]
"""By round trip, bytes, arm and metric."""


@dataclass(frozen=True)
class Downloads:
    """Those of the newest campaigns of one column."""

    data: BookData
    key: str
    """`reference` or `yours`."""

    def has(self, series: str) -> bool:
        """Whether any download of a series counts."""
        return bool(_summaries(self.data, series, self.key))

    def summary(self, where: LinkAndFile, arm: str, metric: str) -> Summary | None:
        """None where there is no download that counts."""
        return _summaries(self.data, where.series, self.key).get((where.rtt_ms, where.object_bytes, arm, metric))

    def values(self, where: LinkAndFile, arm: str, metric: str) -> Sequence[float]:
        """Of every download that counts."""
        return _values(self.data, where.series, self.key).get((where.rtt_ms, where.object_bytes, arm, metric), ())

    def percentile(self, where: LinkAndFile, arm: str, metric: str, at: int) -> float | None:
        """None where there is no download that counts."""
        values = self.values(where, arm, metric)
        return percentile(values, at) if len(values) else None

    def rate(self, size: int, arm: str) -> Summary | None:
        """Throughput as theirs, MB/s: the file over the time to its last byte, of each download."""
        return throughput(self, file_of(size), arm)

    def cpu(self, size: int, arm: str, metric: str) -> Summary | None:
        """Seconds of a processor for a gigabyte (1,000,000,000 bytes), of client or server."""
        return per_gigabyte(self, file_of(size), arm, metric)

    def clocked(self, arm: str) -> dict[float, Sequence[float]]:
        """Round trip -> times to the last byte over it, of the series on the clock."""
        own = {rtt: self.values(LinkAndFile(CLOCK, rtt), arm, TTLB.name) for rtt in CLOCK_RTTS_MS}
        return {rtt: values for rtt, values in own.items() if len(values)}


def more(evidence: Downloads, where: LinkAndFile, arm: str, than: str, metric: str = CONNECT.name) -> Times | None:
    """By how many ms an arm takes longer than another."""
    base, own = (evidence.summary(where, one, metric) for one in (than, arm))
    return None if base is None or own is None else difference(base, own)


def throughput(evidence: Downloads, where: LinkAndFile, arm: str) -> Summary | None:
    """MB/s of each download: the file over the time to its last byte."""
    values = evidence.values(where, arm, TTLB.name)
    return summarise([where.object_bytes / 1e3 / took_ms for took_ms in values]) if len(values) else None


def throughput_ratio(evidence: Downloads, where: LinkAndFile, quic: str, tcp: str) -> Times | None:
    """Throughput of one arm over another's."""
    base, own = (throughput(evidence, where, arm) for arm in (tcp, quic))
    return None if base is None or own is None else times(base, own)


def per_gigabyte(evidence: Downloads, where: LinkAndFile, arm: str, metric: str) -> Summary | None:
    """A metric of whole downloads, for 1,000,000,000 bytes."""
    own, per = evidence.summary(where, arm, metric), 1e9 / where.object_bytes
    return None if own is None else Summary(own.mean * per, own.sd * per, own.n)


def used(evidence: Downloads, where: LinkAndFile, arm: str, metric: str, held: float) -> float | None:
    """How much of the part of a processor that it is held to an end used, 0 to 1: near 1 it was the limit."""
    cpu, took = (evidence.summary(where, arm, one) for one in (metric, TTLB.name))
    return None if cpu is None or took is None else cpu.mean / (took.mean / 1e3 * held)


@lru_cache(maxsize=32)
def _summaries(data: BookData, series: str, key: str) -> Summaries:
    rows = data.rows("arms", STUDY, series, key)
    return {
        (float(row["rtt_ms"]), int(row["object_bytes"]), row["arm"], row["metric"]): summary_of(row)
        for row in rows[rows["n"] > 0].to_dict("records")
    }


@lru_cache(maxsize=32)
def _values(data: BookData, series: str, key: str) -> Samples:
    own = data.rows("samples", STUDY, series, key)
    own = own[own["accepted"].astype(bool) & ~own["set_aside"].astype(bool)].dropna(subset=["value"])
    where = data.of("cells", STUDY, series)[["campaign", "cell_id", "rtt_ms", "object_bytes"]]
    own = own.merge(where, on=["campaign", "cell_id"])
    return {
        (float(rtt), int(size), arm, metric): group.tolist()
        for (rtt, size, arm, metric), group in own.groupby(["rtt_ms", "object_bytes", "arm", "metric"])["value"]
    }


def columns(data: BookData, *series: str) -> list[tuple[str, Downloads]]:
    """Headings and numbers of the columns that have any of these series."""
    found = [(title, Downloads(data, key)) for key, _, title in COLUMNS]
    return [(title, own) for title, own in found if any(own.has(one) for one in series)]


def newest(data: BookData, *series: str) -> tuple[str, Downloads] | None:
    """The reader's own column where it has any of these series, else the reference one; None where neither has."""
    return next(reversed(columns(data, *series)), None)
