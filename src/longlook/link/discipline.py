"""A link whose queues manage themselves, measured: when an overload's packets are dropped, or marked, against CoDel's
control law, or for how long they wait, and how long a sparse flow beside it waits.

In each direction a stream fills the queue at once and then goes on at the link's rate, so that packets wait for longer
than the target all the time. CoDel (RFC 8289) signals first when that has been so for an interval, and again
interval/sqrt(n) after the n-th time. When it did, the packet behind a dropped one tells, or the marked one itself. A
sparse flow waits behind the overload under CoDel, and not under FQ-CoDel (RFC 8290).

PIE (RFC 8033) and DualPI2 (RFC 9332) hold the delay of an overload that does not respond at their target, and drop what
the link cannot carry; PIE marks before, up to a probability of 10 %. DualPI2 drops what is of its C queue with the
square of a probability, and marks a sparse flow of its L queue with twice that, which hardly waits.
"""

from __future__ import annotations

import statistics
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longlook.host.hosts import Hosts
from longlook.link.stream import ECT0, ECT1
from longlook.link.streams import ENDS, MARGIN_S, PORT, PROBE_BYTES, Stream, spaced
from longlook.plan.link import CONTROLLED, CONTROLLED_TARGET_MS, FRAME_BYTES, INTERVAL_MS, TARGET_MS, Link

HOLD_S, MOST_PACKETS = 2.0, 40_000
"""For so long the queue is kept filled, or for so many packets: CoDel signals some 90 times in two seconds."""
ABOVE_TARGET, BEYOND_PACKETS, LIMIT_SHARE = 3.0, 200, 0.8
"""What waits at the beginning: times the target, and more packets than are dropped meanwhile; never the whole limit."""
SPARSE, SPARSE_INTERVAL_S, SPARSE_AFTER_S = 80, 0.02, 0.2
SPARSE_PACKETS = 2
"""Full packets that a sparse flow's may wait for: the one on the line, and another one where its turn has passed."""
LEAST_GAP = 2.0
"""Times a full packet's time on the line: signals that come faster are not judged, packets decide when they come."""
SLOP_MS = 2.0
"""By which a packet may be early or late: hosts and emulator take 0.1 ms."""
OUTSIDE = 0.1
"""Share of the signals that may be out of their bounds, where a virtual machine stalled."""
STALL_MS = 10.0
"""By which the end may be missed up to which signals are counted."""
APART = ("fq_codel", "dualpi2")
"""Those in which a sparse flow has a queue of its own."""
OVERLOAD, SETTLED_S = 1.1, 4.0
"""Times the rate, and for so long before what a controller holds is looked at; a sparse flow is sent from then on."""
HELD_SLOP_MS, HELD_SLOP_PACKETS = 5.0, 2.0
"""By which the median of the delay may be off a controller's target."""
LEAST_PEAK = 2.0
"""Times the target: what a controller lets through before it has settled, and no short droptail queue does."""
MARKS_FROM_MBPS = 4.0
"""On narrower links PIE comes to a probability of 10 %, where it drops, within a handful of packets."""
COUPLING, COUPLED_SLOP = 2, 0.1
"""Of DualPI2, and by which the share of its L queue that is marked may be off."""
OTHERS = {"interval 10 % longer": 1.1, "interval twice as long": 2.0, "interval half as long": 0.5}
"""Times the interval; the record's `power` says which share of the signals of such a link would be out of bounds."""


def measure_discipline(testbed: Hosts, link: Link) -> dict[str, Any]:
    """Of each direction of a link that is set with its discipline alone."""
    measured = {}
    for way in ENDS:
        own = link.one_way(way)
        streams = Stream(testbed, way, [phase(own)]), Stream(testbed, way, sparse_phases(own), PORT + 1)
        for stream in streams:
            stream.go()
        overload, sparse = (_flow(stream, number) for number, stream in enumerate(streams))
        measured[way] = seen(own, overload, sparse)
    return measured


def phase(link: Link) -> dict[str, Any]:
    """The overload of one direction."""
    if link.queue_discipline in CONTROLLED:
        return _unresponsive(link)
    backlog, hold_s = _backlog(link), min(HOLD_S, MOST_PACKETS * _own_s(link))
    return {
        "kind": "fill",
        "frame_bytes": FRAME_BYTES,
        "mbps": link.bandwidth_mbps,
        "backlog_bytes": backlog * FRAME_BYTES,
        "hold_s": hold_s,
        "count": int(2 * backlog + hold_s / _own_s(link)) + 50,
        "settle_s": _drain_s(link),
        "ecn": ECT0,
        "calm": True,
    }


def _unresponsive(link: Link) -> dict[str, Any]:
    """An overload at a multiple of the rate; DualPI2 would mark what understands marks, which does not hold it."""
    hold_s = SETTLED_S + SPARSE * SPARSE_INTERVAL_S
    return {
        "kind": "fill",
        "frame_bytes": FRAME_BYTES,
        "mbps": OVERLOAD * link.bandwidth_mbps,
        "backlog_bytes": 2 * FRAME_BYTES,
        "hold_s": hold_s,
        "count": int(OVERLOAD * hold_s / _own_s(link)) + 50,
        "settle_s": _drain_s(link),
        "ecn": 0 if link.queue_discipline == "dualpi2" else ECT0,
        "calm": True,
    }


def sparse_phases(link: Link) -> list[dict[str, Any]]:
    """The sparse flow beside it, after one packet and a pause."""
    pause, own = spaced(1, 0.0), spaced(SPARSE, SPARSE_INTERVAL_S)
    after_s, ecn = (SETTLED_S, ECT1) if link.queue_discipline in CONTROLLED else (SPARSE_AFTER_S, ECT0)
    return [pause | {"settle_s": after_s}, own | {"settle_s": _drain_s(link), "ecn": ecn}]


def _own_s(link: Link) -> float:
    """A full packet's time on the line."""
    return FRAME_BYTES * 8 / (link.bandwidth_mbps * 1e6)


def _backlog(link: Link) -> int:
    """Packets that wait at the beginning."""
    above = ABOVE_TARGET * TARGET_MS / 1e3 / _own_s(link) + BEYOND_PACKETS
    return round(min(above, LIMIT_SHARE * (link.queue_limit_packets or 0)))


def _drain_s(link: Link) -> float:
    return _backlog(link) * _own_s(link) + link.rtt_ms / 2e3 + MARGIN_S


@dataclass(frozen=True)
class UdpFlow:
    """A stream's packets, ms after a moment."""

    frame_bytes: int
    sent_ms: Sequence[float]
    arrived_ms: Mapping[int, float]
    """By number."""
    marked: Collection[int]
    """Numbers."""
    filled: bool = True

    def taken_ms(self, link: Link) -> list[float | None]:
        """When the line took each packet; None of one that did not arrive."""
        after = link.rtt_ms / 2 + self.frame_bytes * 8 / (link.bandwidth_mbps * 1e3)
        came = (self.arrived_ms.get(number) for number in range(len(self.sent_ms)))
        return [None if at is None else at - after for at in came]

    def waited(self, link: Link) -> list[tuple[float, float]]:
        """When the line took each packet that arrived, and for how long it had waited, ms."""
        pairs = zip(self.taken_ms(link), self.sent_ms, strict=True)
        return [(taken, taken - sent) for taken, sent in pairs if taken is not None]


def _flow(stream: Stream, number: int) -> UdpFlow:
    """What came of a stream's phase."""
    told, arrived = stream.result()
    came = {row[0]: row[2] / 1e6 for row in arrived.get(number, [])}
    marked = {packet for of, packet in stream.marked if of == number}
    sent = [at / 1e6 for at in told[number]["times"]]
    return UdpFlow(PROBE_BYTES if number else FRAME_BYTES, sent, came, marked, told[number]["filled"] is not False)


def seen(link: Link, overload: UdpFlow, sparse: UdpFlow) -> dict[str, Any]:
    """Of one direction: when CoDel signalled, ms after the overload's first packet, and how long the sparse flow's
    packets waited."""
    begun_ms, until_ms = overload.sent_ms[0], overload.sent_ms[-1]
    flows = [overload] if link.queue_discipline in APART else [overload, sparse]  # those in one FIFO
    dropped_ms, lost = _dropped_ms(link, flows)
    taken = [(number, at) for one in flows for number, at in enumerate(one.taken_ms(link)) if number in one.marked]
    marked_ms = sorted(at for _, at in taken if at is not None)
    signals = marked_ms if link.ecn else dropped_ms
    waits = [wait for _, wait in sparse.waited(link)]
    own = {
        "filled": overload.filled,
        "until_ms": round(until_ms - begun_ms, 3),
        "dropped": len(dropped_ms) + lost,
        "marked": len(marked_ms),
        "sparse_sent": len(sparse.sent_ms),
        "sparse_arrived": len(waits),
        "sparse_ms_median": round(statistics.median(waits), 3) if waits else None,
        "sparse_ms_p95": round(statistics.quantiles(waits, n=20)[-1], 3) if len(waits) > 1 else None,
    }
    if link.queue_discipline in CONTROLLED:
        waited = overload.waited(link)
        held = [wait for at, wait in waited if begun_ms + SETTLED_S * 1e3 <= at <= until_ms]
        return own | {
            "peak_ms": round(max((wait for _, wait in waited), default=0.0), 3),
            "held_ms_median": round(statistics.median(held), 3) if held else None,
            "overload_marked": len(overload.marked),
            "sparse_marked": len(sparse.marked),
        }
    above = next((at for at, wait in overload.waited(link) if wait >= TARGET_MS), None)
    return own | {
        "above_ms": None if above is None else round(above - begun_ms, 3),
        "signals_ms": [round(at - begun_ms, 3) for at in signals if at <= until_ms],
        "power": _power(link, until_ms - begun_ms),
    }


def _dropped_ms(link: Link, flows: Sequence[UdpFlow]) -> tuple[list[float], int]:
    """When packets of a FIFO were dropped: with the one behind them; and how many had none behind them."""
    line = [pair for one in flows for pair in zip(one.sent_ms, one.taken_ms(link), strict=True)]
    found: list[float] = []
    lost = 0
    for _, taken in sorted(line, key=lambda pair: pair[0]):
        if taken is None:
            lost += 1
        else:
            found += [taken] * lost
            lost = 0
    return found, lost


def control_law(first_ms: float, until_ms: float, interval_ms: float = INTERVAL_MS) -> list[float]:
    """When CoDel signals from the first time on, ms."""
    found, at = [], first_ms
    while at <= until_ms:
        found.append(at)
        at += interval_ms / len(found) ** 0.5
    return found


def _power(link: Link, until_ms: float) -> dict[str, float]:
    first, power = TARGET_MS + INTERVAL_MS, {}
    until_ms = _judged_until_ms(link, first, until_ms)
    for name, times in OTHERS.items():
        other = control_law(first, until_ms, times * INTERVAL_MS)
        power[name] = round(len(outside(link, other)) / max(len(other), 1), 3)
    return power


def _judged_until_ms(link: Link, first_ms: float, until_ms: float) -> float:
    """The end, or when the control law's signals come too fast for the link."""
    most = (INTERVAL_MS / (LEAST_GAP * _own_s(link) * 1e3)) ** 2
    law = control_law(first_ms, until_ms)
    return law[int(most)] if most < len(law) else until_ms


def outside(link: Link, signals_ms: Sequence[float]) -> list[int]:
    """Which signals are not when the control law has them after the first: a packet's time late at the most."""
    own_ms, found, law = _own_s(link) * 1e3, [], signals_ms[0] if signals_ms else 0.0
    for number, at in enumerate(signals_ms):
        if not law - SLOP_MS <= at <= law + own_ms + SLOP_MS:
            found.append(number)
        law += INTERVAL_MS / (number + 1) ** 0.5
    return found


def discipline_problems(link: Link, measured: Mapping[str, Any]) -> list[str]:
    """What is not as the discipline has it, with the numbers; empty when all is."""
    return [
        f"{way}: {link.queue_discipline}: {one}"
        for way in ENDS
        for one in _way_problems(link.one_way(way), measured[way])
    ]


def _way_problems(link: Link, own: Mapping[str, Any]) -> list[str]:
    if not own["filled"]:
        return ["the sender was too slow to fill the queue: is this machine busy?"]
    if link.queue_discipline in CONTROLLED:
        return _controlled_problems(link, own) + _sparse_problems(link, own)
    verb, other = ("marked", "dropped") if link.ecn else ("dropped", "marked")
    found = [f"{own[other]} packets of senders that understand marks were {other}"] if own[other] else []
    if not own["signals_ms"] or own["above_ms"] is None:
        return [*found, f"of an overload no packet was {verb}"]
    return found + _signal_problems(link, own, verb) + _sparse_problems(link, own)


def _controlled_problems(link: Link, own: Mapping[str, Any]) -> list[str]:
    held_ms, slop_ms = own["held_ms_median"], HELD_SLOP_MS + HELD_SLOP_PACKETS * _own_s(link) * 1e3
    found, marked = [], own["overload_marked"]
    if held_ms is None or abs(held_ms - CONTROLLED_TARGET_MS) > slop_ms:
        target = f"{CONTROLLED_TARGET_MS:g} ms is the target (tolerance {slop_ms:.1f} ms)"
        found.append(f"an overload waits for {held_ms} ms, {target}")
    if own["peak_ms"] < LEAST_PEAK * CONTROLLED_TARGET_MS:
        found.append(f"it never waited for more than {own['peak_ms']:.1f} ms: nothing lets a burst through")
    if marked and (link.queue_discipline == "dualpi2" or not link.ecn):
        found.append(f"{marked} packets of an overload were marked, which were to be dropped")
    if link.queue_discipline == "dualpi2":
        share, wanted = own["sparse_marked"] / max(own["sparse_arrived"], 1), coupled_share(link)
        if abs(share - wanted) > COUPLED_SLOP:
            found.append(f"{share:.0%} of a sparse flow of the L queue were marked, {wanted:.0%} expected")
    elif link.ecn and not marked and link.bandwidth_mbps >= MARKS_FROM_MBPS:
        found.append("no packet of senders that understand marks was marked")
    return found


def coupled_share(link: Link) -> float:
    """What DualPI2 marks of its L queue, k * p', while p'^2 of the overload are dropped: what the sparse flow, which
    has the line first, leaves no room for."""
    sparse_mbps = PROBE_BYTES * 8 / SPARSE_INTERVAL_S / 1e6
    return COUPLING * (1 - (1 - sparse_mbps / link.bandwidth_mbps) / OVERLOAD) ** 0.5


def _signal_problems(link: Link, own: Mapping[str, Any], verb: str) -> list[str]:
    own_ms, first_ms = _own_s(link) * 1e3, own["signals_ms"][0]
    until_ms = _judged_until_ms(link, first_ms, own["until_ms"])
    signals = [at for at in own["signals_ms"] if at <= until_ms]
    found, due_ms = [], own["above_ms"] + INTERVAL_MS
    least, most = due_ms - SLOP_MS, due_ms + own_ms + SLOP_MS
    if not least <= first_ms <= most:
        found.append(f"the first packet was {verb} after {first_ms:.1f} ms, {least:.1f} to {most:.1f} expected")
    law = control_law(first_ms, until_ms + STALL_MS)
    low = bisect_right(law, until_ms - own_ms - STALL_MS)
    if not low <= len(signals) <= len(law):
        found.append(f"{len(signals)} packets {verb} in {until_ms:.0f} ms, {low} to {len(law)} by the control law")
    elif len(wrong := outside(link, signals)) > OUTSIDE * len(signals):
        found.append(f"{len(wrong)} of {len(signals)} packets were not {verb} when the control law has it")
    return found


def _sparse_problems(link: Link, own: Mapping[str, Any]) -> list[str]:
    median, p95, lost = own["sparse_ms_median"], own["sparse_ms_p95"], own["sparse_sent"] - own["sparse_arrived"]
    if median is None or p95 is None:
        return [f"of {own['sparse_sent']} packets of a sparse flow {own['sparse_arrived']} arrived"]
    if link.queue_discipline not in APART:
        if median >= TARGET_MS:
            return []
        return [f"a sparse flow waits for {median:.1f} ms beside an overload, {TARGET_MS:g} at the least expected"]
    most = SPARSE_PACKETS * _own_s(link) * 1e3 + SLOP_MS
    found = [f"{lost} of {own['sparse_sent']} packets of a sparse flow were lost"] if lost else []
    if p95 > most:
        found.append(f"a sparse flow waits for {p95:.1f} ms beside an overload, {most:.1f} at the most expected")
    return found
