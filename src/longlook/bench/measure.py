"""The questions asked of every link: round trips, TCP in steady state, UDP below the rate; with the emulator's CPU."""

from __future__ import annotations

import contextlib
import json
import os
import select
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator

from longlook.bench.subjects import PLAIN, BenchedLink, cpu_ns
from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Running
from longlook.link.ping import echo_times_ms

PINGS = 150
PING_INTERVAL_S = 0.01
START_TIMEOUT_S = 10.0
SETTLE_S = 2.0
"""Slow start is over: only what comes after counts as steady state."""
UDP_SHARE = 0.9
UDP_PAYLOAD = 1448
WIRE_PER_GOODPUT = 1514 / 1448
"""Ethernet frame bytes per byte of TCP payload with time stamps."""


def round_trips_ms(subject: BenchedLink, address: str) -> list[float]:
    """Sorted RTTs from the client end; a few pings before warm the path."""
    found: list[float] = []
    for count in (5, PINGS):
        argv = ["ping", "-n", "-c", str(count), "-i", str(PING_INTERVAL_S), "-W", "2", address]
        ping = subject.popen("client", argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        out, _ = ping.communicate(timeout=30)
        found = sorted(echo_times_ms(out))
    if not found:
        raise LonglookError(f"{subject.name}: no answer to ping from {address}")
    return found


def percentile(values: list[float], share: float) -> float:
    """Of sorted values, the one below which this share lies."""
    return values[min(len(values) - 1, int(len(values) * share))]


def iperf(subject: BenchedLink, seconds: float, options: list[str]) -> tuple[dict, float]:
    """iperf3 from server to client: its JSON, and the emulator's CPU in percent of a core after settling."""
    # Without --forceflush iperf3 keeps its "listening" line in a buffer as long as it writes to a pipe.
    server = subject.popen(
        "server", ["iperf3", "-s", "-1", "--forceflush"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        _wait_for(server, "listening")
        argv = ["iperf3", "-c", subject.address, "-J", "-R", "-t", f"{seconds:g}", "-i", "0.5", *options]
        client = subject.popen("client", argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with _metered(subject, seconds) as shares:
            out, _ = client.communicate(timeout=seconds + 30)
    finally:
        process.stop(server)
    report = json.loads(out)
    if "error" in report:
        raise LonglookError(f"iperf3 over {subject.name}: {report['error']}")
    return report, shares[0]


def _wait_for(program: Running, word: str) -> None:
    """Until the program has written this word (read past Python's own buffer, which `select` cannot see)."""
    deadline = time.monotonic() + START_TIMEOUT_S
    said, stream = b"", process.piped(program.stdout)
    while select.select([stream], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(stream.fileno(), 4096)
        said += chunk
        if word.encode() in said:
            return
        if not chunk:
            break
    raise LonglookError(
        f"{program.args[-1]}: no {word!r} within {START_TIMEOUT_S:g} s; it said {said.decode(errors='replace')!r}"
    )


@contextlib.contextmanager
def _metered(subject: BenchedLink, seconds: float) -> Iterator[list[float]]:
    """The emulator's CPU in percent of a core, once it has settled; complete on leaving. An interrupted measurement has
    none: what is metered may be gone already."""
    shares, over = list[float](), threading.Event()

    def meter() -> None:
        if over.wait(SETTLE_S):
            return
        before, began = cpu_ns(subject.pids()), time.monotonic_ns()
        if not over.wait(max(0.5, seconds - SETTLE_S - 0.5)):
            shares.append(100 * (cpu_ns(subject.pids()) - before) / (time.monotonic_ns() - began))

    thread = threading.Thread(target=meter)
    thread.start()
    try:
        yield shares
        thread.join()
    finally:
        over.set()
        thread.join()


def questions(subject: BenchedLink, seconds: float) -> dict[str, float]:
    """Every answer for one link, in one go."""
    rtts = round_trips_ms(subject, subject.address)
    report, tcp_cpu = iperf(subject, seconds, [])
    steady = [one["sum"]["bits_per_second"] / 1e6 for one in report["intervals"] if one["sum"]["start"] >= SETTLE_S]
    queue_drops = subject.losses().get("dropped_queue", 0)
    rate = subject.link.bandwidth_mbps * UDP_SHARE * UDP_PAYLOAD / 1490  # of frames, 42 bytes of headers each
    report_udp, udp_cpu = iperf(subject, seconds, ["-u", "-b", f"{rate}M", "-l", str(UDP_PAYLOAD), "-w", "8M"])
    losses = subject.losses()
    return {
        "rtt_p50_ms": percentile(rtts, 0.5),
        "rtt_p99_ms": percentile(rtts, 0.99),
        "rtt_max_ms": rtts[-1],
        "tcp_wire_mbps": statistics.median(steady) * WIRE_PER_GOODPUT,
        "tcp_cpu_pct": tcp_cpu,
        "udp_cpu_pct": udp_cpu,
        "udp_sent": report_udp["end"]["sum"]["packets"],
        "udp_lost": report_udp["end"]["sum"]["lost_packets"],
        "udp_queue_drops": losses.get("dropped_queue", 0) - queue_drops,
        "lost_outside": sum(losses.get(key, 0) for key in ("socket_drops", "memory_drops", "send_errors")),
    }


def plain(subject: BenchedLink) -> dict[str, float]:
    """Round trips over the plain veth pair beside the link."""
    rtts = round_trips_ms(subject, PLAIN["server"])
    return {"plain_p50_ms": percentile(rtts, 0.5), "plain_p99_ms": percentile(rtts, 0.99), "plain_max_ms": rtts[-1]}
