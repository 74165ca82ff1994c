"""A link with netem's parameters, measured: how many packets are lost, corrupted and doubled, and how long they take.

The emulator counts what it did; the hosts hold it to that, since they got what it says and no more. Its counts are held
against theory (netem.py). Late and repeated packets are told by their numbers, so none is taken for lost.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from longlook.host.hosts import Hosts
from longlook.link import netem
from longlook.link.base import LinkDriver
from longlook.link.stream import ENDINGS
from longlook.link.streams import AT_ONCE_SHARE, ENDS, LOSS_BYTES, Stream
from longlook.plan.link import Link

PACKETS, SECONDS = 20_000, 4.0
"""At the most, each way; so few on a narrow link that they take no longer."""
LINE_SHARE, MOST_MBPS = 0.5, 5.0
"""Leaves room for copies, and the queue empty."""
SETTLE_SDS, SETTLE_S = 8, 0.1
"""After which the last of them has arrived."""
COUNTED = ("packets_in", "dropped_loss", "dropped_queue", "corrupted", "duplicated")
MEAN_MS, SPREAD_SHARE, OFF = 0.5, 0.05, 5.0
"""By which delays may differ from theory, beyond so many standard errors: the hosts' own time, and stalls."""


def measure_fates(testbed: Hosts, driver: LinkDriver, link: Link) -> dict[str, Any]:
    """Of each direction: what its hosts sent and got, what the emulator counted, and the delays."""
    found = {}
    for way in ENDS:
        own = link.one_way(way)
        stream = Stream(testbed, way, [_phase(own)])
        before = driver.counters()[way]
        sent, arrived = stream.result()
        after = driver.counters()[way]
        counted = {name: round(after[name] - before[name]) for name in COUNTED}
        found[way] = _way(len(sent[0]["times"]), arrived.get(0, []), own) | {
            "endings_lost": stream.endings_lost,  # less than none where they were doubled
            "endings": ENDINGS,
            "counted": counted,
        }
    return found


def _phase(link: Link) -> dict[str, Any]:
    """What is sent in one direction."""
    mbps = min(LINE_SHARE * link.bandwidth_mbps, MOST_MBPS)
    asked: dict[str, Any] = {
        "kind": "paced",
        "frame_bytes": LOSS_BYTES,
        "mbps": mbps,
        "count": min(PACKETS, int(SECONDS * mbps * 1e6 / 8 / LOSS_BYTES)),
        "settle_s": SETTLE_S + SETTLE_SDS * (link.jitter_sd_ms or 0) / 1e3,
    }
    if link.queue_packets is not None:
        asked["at_once"] = max(1, int(AT_ONCE_SHARE * link.queue_packets))
    return asked


def _way(sent: int, rows: Sequence[Sequence[int]], link: Link) -> dict[str, Any]:
    """Of one direction's packets (number, sent, arrived)."""
    own_ms = LOSS_BYTES * 8 / (link.bandwidth_mbps * 1e3)
    delays = [(arrived - begun) / 1e6 - own_ms for _, begun, arrived in rows]
    return {
        "sent": sent,
        "arrived": len(rows),
        "distinct": len({row[0] for row in rows}),
        "mean_ms": statistics.fmean(delays) if delays else None,
        "std_ms": statistics.stdev(delays) if len(delays) > 1 else None,
    }


def fate_problems(link: Link, measured: Mapping[str, Any], one_clock: bool = True) -> list[str]:
    """What is not as netem's parameters have it, with the numbers; empty when all is. `one_clock`: delays of one
    direction are more than differences."""
    return [f"{way}: {one}" for way in ENDS for one in _way_problems(link, way, measured[way], one_clock)]


def _way_problems(link: Link, way: str, seen: Mapping[str, Any], one_clock: bool) -> list[str]:
    counted = seen["counted"]
    offered = counted["packets_in"] + counted["duplicated"]
    passed = offered - counted["dropped_loss"] - counted["dropped_queue"]
    corrupted = netem.corrupted(link)
    found = _arrival_problems(seen)
    for name, count, (low, high) in (
        ("lost", counted["dropped_loss"], netem.loss_bounds(link, way, counted["packets_in"])),
        ("corrupted", counted["corrupted"], netem.share_bounds(passed, corrupted, link.corrupt_correlation_pct)),
        ("doubled", counted["duplicated"], _doubled(link, way, counted["packets_in"])),
    ):
        if not low <= count <= high:
            found.append(f"{count} of {counted['packets_in']} packets {name}, {low} to {high} expected")
    return found + _delay_problems(link, seen, one_clock)


def _doubled(link: Link, way: str, packets: int) -> netem.Bounds:
    """Of those that are to be lost too, one passes and no copy is made."""
    low, high = netem.share_bounds(packets, netem.duplicated(link), link.duplicate_correlation_pct)
    return int(low * (1 - link.loss_share(way))), high


def _arrival_problems(seen: Mapping[str, Any]) -> list[str]:
    """The hosts got what the emulator let pass whole. What else crossed the link may have met any fate."""
    counted = seen["counted"]
    gone = counted["dropped_loss"] + counted["dropped_queue"] + counted["corrupted"]
    right = counted["packets_in"] + counted["duplicated"] - gone
    got = seen["arrived"] + seen["endings"] - seen["endings_lost"]
    others = counted["packets_in"] - seen["sent"] - seen["endings"]
    if others < 0 or not right - 2 * others <= got <= right:
        return [f"{got} packets arrived whole, by the emulator's counters {right}, {others} of them not the stream's"]
    return []


def _delay_problems(link: Link, seen: Mapping[str, Any], one_clock: bool) -> list[str]:
    if link.jitter_sd_ms is None:
        return []
    mean, spread = netem.delay_ms(link)
    if seen["std_ms"] is None:
        return ["no packet arrived whose delay could be told"]
    error, found = spread / seen["arrived"] ** 0.5, []
    if one_clock and abs(seen["mean_ms"] - mean) > MEAN_MS + OFF * error:
        found.append(f"mean delay {seen['mean_ms']:.2f} ms, {mean:.2f} ms expected")
    if abs(seen["std_ms"] - spread) > SPREAD_SHARE * spread + MEAN_MS / 2 + OFF * error:
        found.append(f"standard deviation of the delay {seen['std_ms']:.2f} ms, {spread:.2f} ms expected")
    return found
