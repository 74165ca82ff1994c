"""`make bench`: rounds of interleaved measurements, and a table of their medians beside the targets."""

from __future__ import annotations

import shutil
import statistics
import sys

from longlook.bench import measure, subjects
from longlook.bench.subjects import BenchedLink, LinkpipeSubject, NetemSubject, OwnBed, RattanSubject
from longlook.testbed.netns import NetnsTestbed

ROUNDS = 3

TARGET_DELAY_P50_MS = 0.3
TARGET_DELAY_P99_MS = 0.5
TARGET_TCP_SHARE = 0.95
TARGET_LOSSLESS_MBPS = 100.0
HIGHEST_TARGET_MBPS = 500.0
"""Beyond it the rows say where this machine ends: its processors are shared by the ends and the emulator."""

FIGURES = (
    *("rtt_p50_ms", "rtt_p99_ms", "rtt_max_ms", "plain_p50_ms", "plain_p99_ms", "plain_max_ms"),
    *("tcp_wire_mbps", "tcp_cpu_pct", "udp_cpu_pct", "udp_lost"),
)
FORMAT = "{:>7g} {:9}{:>9.2f}{:>8.2f}{:>8.2f}{:>10.2f}{:>8.2f}{:>8.2f}{:>10.1f}{:>9.1f}{:>9.1f}{:>10.0f}"
"""A row of the table: rate, link, and the figures."""


def run_bench(seconds: float, testbed: str, rounds: int = ROUNDS) -> str:
    """Measure every subject at every rate, `rounds` times, in an order that alternates; the table as text."""
    notes: list[str] = []
    results: dict[tuple[float, str], list[dict[str, float]]] = {}
    with NetnsTestbed(testbed) as bed:
        bed.set_cca("server", "cubic")
        subjects.add_plain_pair(bed)
        kinds = _kinds(bed, notes)
        for turn in range(rounds):
            for kind in kinds if turn % 2 == 0 else reversed(kinds):
                for rate in kind.rates:
                    print(f"round {turn + 1} of {rounds}: {kind.name} at {rate:g} Mbit/s", file=sys.stderr)
                    results.setdefault((rate, kind.name), []).append(_once(kind, rate, bed, seconds))
    return format_report({key: medians(rows) for key, rows in results.items()}, rounds, notes)


def _kinds(bed: NetnsTestbed, notes: list[str]) -> list[type[BenchedLink]]:
    kinds: list[type[BenchedLink]] = [LinkpipeSubject]
    if shutil.which("cargo"):
        print("rattan: building it once takes about five minutes", file=sys.stderr)
        subjects.install_rattan()
        kinds.append(RattanSubject)
    else:
        notes.append("rattan was not measured: no cargo on this machine")
    if subjects.has_netem(bed):
        kinds.append(NetemSubject)
    else:
        notes.append("netem was not measured: this kernel has no sch_netem")
    return kinds


def _once(kind: type[BenchedLink], rate: float, bed: NetnsTestbed, seconds: float) -> dict[str, float]:
    subject = kind(rate, bed) if issubclass(kind, OwnBed) else kind(rate)
    beside = LinkpipeSubject(rate, bed)  # only its ends are used: the plain pair lies beside the link
    with subject:
        return measure.plain(beside) | measure.questions(subject, seconds)


def medians(rows: list[dict[str, float]]) -> dict[str, float]:
    """Per figure the median over the rounds; losses are summed, so that none hides."""
    summed = {"udp_sent", "udp_lost", "udp_queue_drops", "lost_outside"}
    return {key: (sum if key in summed else statistics.median)(row[key] for row in rows) for key in rows[0]}


def targets(rate: float, one: dict[str, float], rattan: dict[str, float] | None) -> dict[str, tuple[bool, str]]:
    """What linkpipe should reach -> (reached, the figures)."""
    p50 = one["rtt_p50_ms"] - subjects.RTT_MS - one["plain_p50_ms"]
    p99 = one["rtt_p99_ms"] - subjects.RTT_MS - one["plain_p99_ms"]
    share = one["tcp_wire_mbps"] / rate
    found = {
        f"added delay error p50 <= {TARGET_DELAY_P50_MS} ms": (abs(p50) <= TARGET_DELAY_P50_MS, f"{p50:+.2f} ms"),
        f"p99 within {TARGET_DELAY_P99_MS} ms of the plain veth's": (p99 <= TARGET_DELAY_P99_MS, f"{p99:+.2f} ms"),
        f"TCP steady state >= {TARGET_TCP_SHARE:.0%} of the rate": (share >= TARGET_TCP_SHARE, f"{share:.1%}"),
    }
    if rate <= TARGET_LOSSLESS_MBPS:
        lost = one["udp_lost"] - one["udp_queue_drops"] + one["lost_outside"]
        found["no packet lost outside queue and loss"] = (lost == 0, f"{lost:.0f} of {one['udp_sent']:.0f}")
    if rattan:
        ratio = one["tcp_cpu_pct"] / rattan["tcp_cpu_pct"]
        found["CPU below rattan's (aim: half)"] = (ratio < 1, f"{ratio:.2f} of it")
    return found


def format_report(table: dict[tuple[float, str], dict[str, float]], rounds: int, notes: list[str]) -> str:
    """Aligned columns: one row per rate and link, then one line per target."""
    columns = [
        *("Mbit/s", "link", "RTT p50", "p99", "max ms", "veth p50", "p99", "max ms"),
        *("TCP wire", "CPU TCP", "CPU UDP", "UDP lost"),
    ]
    lines = [
        f"medians of {rounds} interleaved rounds, RTT {subjects.RTT_MS:g} ms set, queue 2 x BDP; CPU in % of one core"
    ]
    lines.append("{:>7} {:9}{:>9}{:>8}{:>8}{:>10}{:>8}{:>8}{:>10}{:>9}{:>9}{:>10}".format(*columns))
    for (rate, name), one in sorted(table.items()):
        figures = [one[key] for key in FIGURES]
        lines.append(FORMAT.format(rate, name, *figures))
    lines.append("")
    for (rate, name), one in sorted(table.items()):
        if name == LinkpipeSubject.name and rate <= HIGHEST_TARGET_MBPS:
            for what, (reached, said) in targets(rate, one, table.get((rate, RattanSubject.name))).items():
                lines.append(f"{'reached' if reached else 'MISSED ':8}{rate:>5g} Mbit/s  {what}: {said}")
    return "\n".join([*lines, *notes])
