"""What UDP streams say of one direction of a link: delay, rate, queue, losses, order. The reduction is pure."""

from __future__ import annotations

import json
import math
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.host.hosts import Hosts, Role
from longlook.host.process import piped
from longlook.link.binomial import packets_needed
from longlook.link.stream import ENDINGS
from longlook.plan.link import Link

STREAM = Path(__file__).with_name("stream.py")
PORT = 7777
ENDS: dict[str, tuple[Role, Role]] = {
    "server_to_client": ("server", "client"),
    "client_to_server": ("client", "server"),
}
PROBES, PROBE_INTERVAL_S, PROBE_BYTES = 40, 0.004, 100
BURSTS = 3
BURST_BYTES, SMALLEST_BYTES = 1442, 64
"""Of frames; smaller where the queue would hold less than `QUEUED_PACKETS`."""
QUEUED_PACKETS = 20
OVERFILLED = 1.5
"""Times the queue's bytes that a burst offers at once: a queue that is longer takes them all."""
BURST_S = 0.12
"""For so long, at least, a burst keeps the line busy."""
LOSS_BYTES = 64
LOSS_LINE_SHARE, LOSS_MOST_MBPS = 0.9, 20.0
"""The stream for losses leaves the queue empty, and is no faster than a receiver in Python surely is."""
AT_ONCE_SHARE = 0.5
"""Of a queue that is limited in packets: the stream for losses, whose packets are small, sends no more at once."""
LOSS_PACKETS_LEAST, LOSS_PACKETS_MOST = 4000, 30_000
MARGIN_S = 0.02
POINTS = 160
"""Of a burst at most, for its slope."""


@dataclass(frozen=True)
class WayMeasured:
    """One direction, once."""

    one_way_ms: float | None
    """Median from the sender's call to the kernel's reception by both hosts' clocks, less the packet's own time on the
    line."""
    one_way_ms_spread: float | None
    """Half the distance of its quartiles."""
    rates_mbps: list[float]
    """Of each burst, Ethernet frames."""
    queues_bytes: list[float]
    """What arrived of each burst, less what was served while it was sent."""
    filled: bool
    """Every burst offered more than the queue may hold."""
    loss_sent: int
    loss_lost: int
    reordered: int
    duplicates: int
    sent: int
    received: int
    """Distinct, of all phases and the stream's end."""

    @property
    def mbps(self) -> float:
        """Median of the bursts."""
        return statistics.median(self.rates_mbps) if self.rates_mbps else 0.0

    @property
    def queue_bytes(self) -> float:
        """Median of the bursts."""
        return statistics.median(self.queues_bytes) if self.queues_bytes else 0.0

    def record(self) -> dict[str, Any]:
        """As it goes into the record."""
        return asdict(self) | {"mbps": self.mbps, "queue_bytes": self.queue_bytes}


def burst_bytes(link: Link) -> int:
    """Frame size of the bursts; a queue that is limited in packets holds as many of any size."""
    if link.queue_packets is not None:
        return BURST_BYTES
    return max(SMALLEST_BYTES, min(BURST_BYTES, link.longest_queue_bytes // QUEUED_PACKETS))


def held_at_most(link: Link) -> int:
    """What its queue may hold of the bursts' frames, bytes."""
    if link.queue_packets is not None:
        return link.queue_packets * burst_bytes(link)
    return link.longest_queue_bytes


def phases(link: Link, way: str) -> list[dict[str, Any]]:
    """What is sent in one direction: probes, bursts, and a stream for losses."""
    link = link.one_way(way)
    size, queue, lost = burst_bytes(link), held_at_most(link), link.loss_pct_of(way) / 100
    drain_s = queue * 8 / (link.bandwidth_mbps * 1e6)
    served = BURST_S * link.bandwidth_mbps * 1e6 / 8
    burst = {
        "kind": "fill",
        "frame_bytes": size,
        "mbps": link.bandwidth_mbps,
        "backlog_bytes": OVERFILLED * queue,
        "hold_s": max(0.0, BURST_S - drain_s),
        "count": int((2 * OVERFILLED * queue + served) / size) + 50,
        "settle_s": drain_s + MARGIN_S,
    }
    losses = {
        "kind": "paced",
        "frame_bytes": LOSS_BYTES,
        "mbps": min(LOSS_LINE_SHARE * link.bandwidth_mbps, LOSS_MOST_MBPS),
        "count": packets_needed(lost, LOSS_PACKETS_LEAST, LOSS_PACKETS_MOST),
        "settle_s": MARGIN_S,
    }
    if link.queue_packets is not None:
        losses["at_once"] = max(1, int(AT_ONCE_SHARE * link.queue_packets))
        burst["top_up"] = int(4 * lost * served / size) + 1
    return [spaced(PROBES, PROBE_INTERVAL_S), *[burst] * BURSTS, losses]


def spaced(count: int, interval_s: float) -> dict[str, Any]:
    """A phase of small packets far apart."""
    return {
        "kind": "spaced",
        "count": count,
        "interval_s": interval_s,
        "frame_bytes": PROBE_BYTES,
        "settle_s": MARGIN_S,
    }


class Stream:
    """Phases in one direction. Its two programs start at once, which takes as long as the phases do; they begin with
    `go` or `result`, which waits for their end."""

    def __init__(self, testbed: Hosts, way: str, asked: Sequence[dict[str, Any]], port: int = PORT):
        sender, receiver = ENDS[way]
        target = [testbed.hosts[receiver].address, str(port)]
        script = [sys.executable, "-S", str(STREAM)]
        self._ear = testbed.popen(receiver, [*script, "receive", *target], stdout=subprocess.PIPE, text=True)
        argv = [*script, "send", *target, json.dumps(list(asked))]
        self._mouth = testbed.popen(sender, argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._receiver, self._gone = receiver, False

    def go(self) -> None:
        """Begin, once."""
        if self._gone:
            return
        self._gone = True
        if piped(self._ear.stdout).readline().strip() != "ready":
            raise LonglookError(f"the stream's receiver did not start on {self._receiver}")
        stdin = piped(self._mouth.stdin)
        stdin.write("go\n")
        stdin.flush()

    def result(self, timeout_s: float = 60.0) -> tuple[list[dict[str, Any]], dict[int, list[list[int]]]]:
        """What was sent (per phase `times`, `filled`), and per phase what arrived: number, sent, arrived (ns)."""
        self.go()
        try:
            said, _ = self._mouth.communicate(timeout=timeout_s)
            heard, _ = self._ear.communicate(timeout=timeout_s)
            told = json.loads(heard)
            self.endings_lost = ENDINGS - told["endings"]
            self.marked: list[tuple[int, int]] = [(phase, number) for phase, number in told["marked"]]
            return json.loads(said), {int(phase): rows for phase, rows in told["arrivals"].items()}
        except (subprocess.TimeoutExpired, ValueError, KeyError) as error:
            raise LonglookError(f"the stream over the link came to nothing: {error!r}") from None


class Way:
    """One direction of a link without jitter: programs started at once, `seen` measures."""

    def __init__(self, testbed: Hosts, link: Link, way: str):
        self._link, self._asked = link.one_way(way), phases(link, way)
        self._stream = Stream(testbed, way, self._asked)

    def seen(self) -> WayMeasured:
        """Measured now."""
        sent, arrived = self._stream.result()
        return reduced(self._link, self._asked, sent, arrived, self._stream.endings_lost)


def reduced(
    link: Link, asked: Sequence[dict], sent: Sequence[dict], arrived: dict[int, list[list[int]]], endings_lost: int = 0
) -> WayMeasured:
    """The numbers of one direction; of the `ENDINGS` packets that end a stream so many did not arrive."""
    first = {phase: _first_arrivals(rows) for phase, rows in arrived.items()}
    rates, queues, filled = [], [], True
    for number, phase in enumerate(asked):
        if phase["kind"] == "fill":
            own = first.get(number, [])
            rates.append(slope_mbps([row[2] for row in own], phase["frame_bytes"]))
            queues.append(held_bytes(len(own), sent[number]["times"], phase["frame_bytes"], rates[-1]))
            filled = filled and bool(sent[number]["filled"])
    delays = one_way_ms(first.get(0, []), PROBE_BYTES * 8 / (link.bandwidth_mbps * 1e3))
    last = len(asked) - 1
    return WayMeasured(
        one_way_ms=statistics.median(delays) if delays else None,
        one_way_ms_spread=_spread(delays),
        rates_mbps=rates,
        queues_bytes=queues,
        filled=filled,
        loss_sent=len(sent[last]["times"]),
        loss_lost=len(sent[last]["times"]) - len(first.get(last, [])),
        reordered=sum(_reordered(rows) for rows in arrived.values()),
        duplicates=sum(len(rows) - len(first[phase]) for phase, rows in arrived.items()),
        sent=sum(len(one["times"]) for one in sent) + ENDINGS,
        received=sum(len(rows) for rows in first.values()) + ENDINGS - endings_lost,
    )


def one_way_ms(rows: Sequence[Sequence[int]], own_ms: float) -> list[float]:
    """Delays of packets (number, sent, arrived), less `own_ms`, their time on the line."""
    return [(arrived - sent) / 1e6 - own_ms for _, sent, arrived in rows]


def slope_mbps(arrivals_ns: Sequence[int], frame_bytes: int) -> float:
    """Rate at which back-to-back frames arrived: the median slope of all pairs (Theil and Sen), which single late
    packets do not move; 0 for fewer than three. A lost packet took no time on the line, so that ranks count and not
    numbers."""
    count = len(arrivals_ns)
    ranks = (
        sorted({round(index * (count - 1) / (POINTS - 1)) for index in range(POINTS)})
        if count > POINTS
        else range(count)
    )
    points = [(rank, arrivals_ns[rank]) for rank in ranks]
    apart = max(1, len(points) // 2)
    slopes = [
        (later[1] - early[1]) / (later[0] - early[0])
        for index, early in enumerate(points)
        for later in points[index + apart :]
    ]
    if len(slopes) < 2 or (ns := statistics.median(slopes)) <= 0:
        return 0.0
    return frame_bytes * 8e3 / ns


def held_bytes(arrived: int, times_ns: Sequence[int], frame_bytes: int, mbps: float) -> float:
    """What a queue held of a burst that overflowed it: what arrived, less what the line had served by the last
    packet."""
    if not times_ns:
        return 0.0
    served = (times_ns[-1] - times_ns[0]) * mbps / 8e3
    return arrived * frame_bytes - served


def _first_arrivals(rows: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Without the duplicates, in the order of arrival."""
    seen: dict[int, Sequence[int]] = {}
    for row in rows:
        seen.setdefault(row[0], row)
    return list(seen.values())


def _reordered(rows: Sequence[Sequence[int]]) -> int:
    """Late ones by RFC 4737: an earlier number after a later one."""
    latest, late = -1, 0
    for number, *_ in rows:
        late += number < latest
        latest = max(latest, number)
    return late


def _spread(values: Sequence[float]) -> float | None:
    if len(values) < 4:
        return None
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2 if math.isfinite(high - low) else None
