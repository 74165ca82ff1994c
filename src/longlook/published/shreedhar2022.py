"""Shreedhar et al. 2022: percentiles of connection times and downloads, numbers of its text, cloud store and video.

The percentiles and means are what the authors' public notebooks print; the paper has figures without numbers. They are
of public sites and a public store, so that no cell here is the same: they are no `PublishedCell`s.

Their QUIC client printed the nanoseconds of a time without its seconds. Such numbers are flagged as wrapped, and are no
times: `Distribution.time_ms` has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.plan.conditions import ARM, PLACE
from longlook.plan.conditions import Row as ArmRow
from longlook.published.files import rows

STUDY = "shreedhar2022"
VM, MUNICH, INDIA = "vm", "munich", "india"
PLACES = {
    "VM in LRZ network, Munich": VM,
    "Raspberry Pi 3B, 100 Mbit/s home line, Munich": MUNICH,
    "Raspberry Pi 3B, 20 Mbit/s home line, Bhubaneswar": INDIA,
}
"""As the files call a vantage point -> as it is called here."""
ALL_SITES = "landing page of sites with QUIC (5,721 of Alexa top 1M)"
QUIC, TLS12, TLS13 = "Q044", "h1.1+h2 over TLS 1.2 over TCP", "h1.1+h2 over TLS 1.3 over TCP"
"""Protocols as the files call them; of QUIC the newest that the notebooks print."""
CONNECTION, FIRST_BYTE, DOWNLOAD = "connection_time_ms", "ttfb_ms", "download_time_ms"
PERCENTILES = (25, 50, 75, 90, 99)
WRAP_MS = 1000.0
"""What their QUIC client's times are modulo."""
STORE = "Google Drive download"
STORE_QUIC, STORE_TLS = "gQUIC (Q039+Q043+Q044)", "TLS 1.2 over TCP"
BESIDE = "Google Drive 200 MB, "
"""What the workload of flows at once begins with; ` at once` ends it."""
STREAMED, MEDIA = "YouTube video_streaming, headless Chrome, 3 minutes", "YouTube media servers"
STALLS, SWITCHES = "stalls_count", "quality_switches_count"
"""Averages of table III."""
COUNTS = {STALLS: "stalls", SWITCHES: "switches"}
STARTUP_S, EARLIER_PCT = "startup_delay_s", "startup_delay_improvement_pct"
"""Medians: how long it takes to begin, and by how much QUIC's takes less than TCP's."""
STALLED_LONGER_PCT = "stall_duration_longer_pct"
"""By how much, at most, TCP's median is longer than QUIC's."""
PROTOCOLS = {"QUIC": "quic", "TCP": "tcp", "TLS/TCP": "tcp"}
"""Of the sessions, as the file calls them -> as they are called here."""


@dataclass(frozen=True)
class Distribution:
    """Printed percentiles of one metric, of all samples of all sites of a workload."""

    place: str
    workload: str
    ip_version: str
    protocol: str
    metric: str
    """With its unit."""
    printed: Mapping[int, float]
    """By percentile."""
    n: int | None
    """Samples; None where the notebook does not say."""
    wrapped: bool
    """The clock lost its seconds: every number is what is left of a time modulo `WRAP_MS`."""

    def time_ms(self, percentile: int) -> float | None:
        """None where the clock had wrapped: what is printed is no time then."""
        return None if self.wrapped else self.printed[percentile]


@dataclass(frozen=True)
class Row:
    """A number of the text, or one of the cloud store's."""

    place: str
    """One of PLACES; as the file has it where it is another (`all`)."""
    workload: str
    protocol: str
    compared_with: str
    metric: str
    """With its unit."""
    statistic: str
    value: float
    n: int | None
    basis: str
    """`printed`, or `printed in public notebook output`."""
    source: str
    note: str
    size_bytes: int | None = None
    """Of a file; their KB and MB are decimal."""
    loss_pct: float | None = None
    """Each way; None where none is set."""


def web(folder: Path | None = None) -> list[Distribution]:
    """Every set of percentiles, in the order of the file."""
    found: dict[tuple[str, ...], list[tuple[str, dict[str, str]]]] = {}
    for where, row in rows(STUDY, "web.csv", folder):
        key = tuple(row.get(name, "") for name in ("vantage_point", "workload", "ip_version", "protocol", "metric"))
        found.setdefault(key, []).append((where, row))
    return [_distribution(lines) for lines in found.values()]


def _distribution(lines: list[tuple[str, dict[str, str]]]) -> Distribution:
    where, first = lines[0]
    try:
        place = PLACES[first["vantage_point"]]
        printed = {}
        for line, row in lines:
            where = line  # for the message
            printed[int(row["statistic"].removeprefix("percentile_"))] = float(row["value"])
            if (row["n"], row["wrapped_at_1000_ms"]) != (first["n"], first["wrapped_at_1000_ms"]):
                raise ValueError("not of the same samples, or not of the same clock, as the percentiles before it")
        if tuple(printed) != PERCENTILES:
            raise ValueError(f"percentiles {', '.join(map(str, printed))}, not {', '.join(map(str, PERCENTILES))}")
        same = (first["workload"], first["ip_version"], first["protocol"], first["metric"])
        return Distribution(place, *same, printed, _count(first), first["wrapped_at_1000_ms"] == "1")
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None


def of_all_sites(folder: Path | None = None) -> dict[tuple[str, str, str], Distribution]:
    """Those of all sites over IPv4, by place, protocol and metric."""
    return {
        (one.place, one.protocol, one.metric): one
        for one in web(folder)
        if one.workload == ALL_SITES and one.ip_version == "IPv4"
    }


def text(folder: Path | None = None) -> list[Row]:
    """Numbers of section V, of abstract and captions, in the order of the file."""
    return [_row(where, row) for where, row in rows(STUDY, "text.csv", folder)]


def cloud(folder: Path | None = None) -> list[Row]:
    """Numbers of section VI and of the notebooks about the cloud store, in the order of the file."""
    return [_row(where, row) for where, row in rows(STUDY, "cloud.csv", folder)]


def video(folder: Path | None = None) -> list[Row]:
    """Numbers of section VII and of the notebooks about video, in the order of the file."""
    return [_row(where, row) for where, row in rows(STUDY, "video.csv", folder)]


def _row(where: str, row: Mapping[str, str]) -> Row:
    kept = ("workload", "protocol", "compared_with", "metric", "statistic", "basis", "source", "note")
    try:
        size, loss = row.get("size_kb", ""), row.get("loss_pct", "")
        return Row(
            **{name: row[name] for name in kept},
            place=PLACES.get(row["vantage_point"], row["vantage_point"]),
            value=float(row["value"]),
            n=_count(row),
            size_bytes=int(size) * 1000 if size else None,
            loss_pct=float(loss) if loss else None,
        )
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None


def _count(row: Mapping[str, str]) -> int | None:
    return int(row["n"]) if row["n"] else None


def throughput(folder: Path | None = None) -> dict[int, dict[str, float]]:
    """Size in bytes -> mean throughput in MB/s, of STORE_QUIC and STORE_TLS; sizes that both are printed of."""
    found: dict[int, dict[str, float]] = {}
    for one in cloud(folder):
        if one.workload == STORE and one.metric == "throughput_mbyte_per_s" and one.size_bytes is not None:
            found.setdefault(one.size_bytes, {})[one.protocol] = one.value
    return {size: own for size, own in sorted(found.items()) if len(own) > 1}


def cpu_pct(folder: Path | None = None) -> dict[str, float]:
    """Protocol -> CPU of the client while 200 MB are fetched, % of one core, one run each."""
    return {
        one.protocol: one.value
        for one in cloud(folder)
        if one.metric == "cpu_utilisation_pct" and one.basis != "printed"
    }


def flows(folder: Path | None = None) -> dict[str, list[tuple[str, float]]]:
    """Flows at once, as the sweep labels them (`1 QUIC + 1 TCP`) -> protocol and mean rate in MB/s of each, one run."""
    found: dict[str, list[tuple[str, float]]] = {}
    for one in cloud(folder):
        if one.workload.startswith(BESIDE) and one.statistic == "mean":
            label = one.workload.removeprefix(BESIDE).removesuffix(" at once")
            found.setdefault(label, []).append((one.protocol.partition(" ")[0].lower(), one.value))
    return {label: sorted(own, key=lambda flow: flow[0]) for label, own in found.items()}


CLOUD_SERIES = {20_000_000: "shreedhar-cloud", 200_000_000: "shreedhar-cloud-large", 10**10: "shreedhar-cloud-largest"}
"""Of files up to so many bytes."""
LARGE_BYTES, LONG_BYTES = 200_000_000, 2_000_000_000
RTTS_MS = {MUNICH: 10.0, INDIA: 55.0}


def means(folder: Path | None = None) -> list[ArmRow]:
    """What is printed of what the claims are about as rows of `arms`: times to the last byte by their client, a
    Raspberry Pi, which is the slow one; its CPU for 200 MB, of which only ratios count; by how much QUIC connects to
    YouTube's media servers earlier; and a video's download, in times of TLS 1.2."""
    found: list[ArmRow] = []

    def add(
        series: str,
        arm: str,
        metric: str,
        mean: float,
        object_bytes: int | None = None,
        rtt_ms: float = 10.0,
        loss_pct: float = 0.0,
    ) -> None:
        same = dict.fromkeys((*PLACE, *ARM)) | {"series": series, "arm": arm, "metric": metric, "rtt_ms": rtt_ms}
        same |= {"loss_pct": 2 * loss_pct, "loss_each_way_pct": loss_pct}
        found.append(same | {"mean": mean, "sd": None, "n": 1, "object_bytes": object_bytes})

    for size, rates in throughput(folder).items():
        series = next(name for most, name in CLOUD_SERIES.items() if size <= most)
        for arm, protocol in (("slow-envoy", STORE_QUIC), ("slow-tls12", STORE_TLS)):
            add(series, arm, "ttlb_ms", size / 1e3 / rates[protocol], size)
    cpu = cpu_pct(folder)
    for arm, protocol in (("envoy", QUIC), ("tls12", STORE_TLS)):
        add(CLOUD_SERIES[LARGE_BYTES], arm, "client_cpu_s", cpu[protocol], LARGE_BYTES)
    for place, lead_ms in media_lead_ms(folder).items():
        add("shreedhar-web", "media tls12", "connect_ms", lead_ms, None, RTTS_MS[place])
        add("shreedhar-web", "media quic", "connect_ms", 0.0, None, RTTS_MS[place])
    add(CLOUD_SERIES[10**10], "video quic", "ttlb_ms", 1 / overall_rate_ratio(folder), LONG_BYTES)
    add(CLOUD_SERIES[10**10], "video tls12", "ttlb_ms", 1.0, LONG_BYTES)
    for (metric, loss_pct, arm), value in streamed(folder).items():
        if metric in COUNTS:
            add("shreedhar-video", f"printed {arm}", COUNTS[metric], value, loss_pct=loss_pct)
        elif metric == STARTUP_S:
            add("shreedhar-video-short", arm, "startup_ms", value * 1e3, loss_pct=loss_pct)
        elif metric == EARLIER_PCT and (STARTUP_S, loss_pct, arm) not in streamed(folder):
            add("shreedhar-video-short", "quic", "startup_ms", 1 - value / 100, loss_pct=loss_pct)
            add("shreedhar-video-short", "tcp", "startup_ms", 1.0, loss_pct=loss_pct)
        elif metric == STALLED_LONGER_PCT:
            add("shreedhar-video", "printed tcp", "stall_s", 1 + value / 100, loss_pct=loss_pct)
            add("shreedhar-video", "printed quic", "stall_s", 1.0, loss_pct=loss_pct)
    return found


def streamed(folder: Path | None = None) -> dict[tuple[str, float, str], float]:
    """What is printed of the sessions that stream: metric, loss each way in % and protocol (`quic`, `tcp`) -> value, in
    the unit that the metric names."""
    found: dict[tuple[str, float, str], float] = {}
    for where, row in rows(STUDY, "video.csv", folder):
        one = _row(where, row)
        if one.workload != STREAMED:
            continue
        if one.loss_pct is None or one.protocol not in PROTOCOLS:
            raise LonglookError(f"{where}: sessions have a loss, and a protocol of {', '.join(PROTOCOLS)}")
        key = (one.metric, one.loss_pct, PROTOCOLS[one.protocol])
        if key in found:
            raise LonglookError(f"{where}: {one.metric} of {one.protocol} with {one.loss_pct:g} % is there twice")
        found[key] = one.value
    return found


def overall_rate_ratio(folder: Path | None = None) -> float:
    """QUIC's rate over that of TLS 1.2, of videos that are downloaded for three minutes from Bhubaneswar (section
    VII)."""
    (found,) = (one.value for one in video(folder) if one.metric == "download_rate_difference_pct")
    return 1 / (1 + found / 100)


def media_lead_ms(folder: Path | None = None) -> dict[str, float]:
    """Place -> by how many ms QUIC connects to YouTube's media servers earlier than TLS 1.2 at the median, as section
    VII has it."""
    return {
        one.place: one.value
        for one in video(folder)
        if one.workload == MEDIA and one.statistic == "QUIC faster at the median"
    }
