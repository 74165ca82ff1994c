"""The circumstances `emulab-2024`: what the thesis's scripts, kernels and servers did in 2023 and 2024 that its text
does not say, as a set that is applied to the cells of its tables.

Each has its evidence, the change that it makes to a published cell, and the series that has the cells so changed. None
is in force because it stands here: `circumstances.state` asks the predictions that were written before its campaign.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from longlook.analysis.convention import each_way
from longlook.book.muthuraj2024 import means, seldom, threshold
from longlook.plan.cell import Cell
from longlook.plan.workload import bytes_of_kb

NAME = "emulab-2024"
MANY = 100
"""Objects, from which on a cost per request is felt."""
NARROW_MBPS = 10.0
DIVIDED_LATER = (
    "long-look-quic, commit 27a456e of 29 December 2023, “divide loss by 2”: until then plr/100 in both pipes"
)
REMEMBERED = "Linux 4.15 keeps it per destination; switched off by commit 65e6d90168f3 (Linux 5.6, December 2019)"
LOOP = (
    "long-look-quic, test_src/doTrafficStuff.py, addJitter: beside its sleep of 100 ms each change runs sudo tc twice, "
    "and a falling delay makes two changes"
)
PLAIN_BUILD = "built by gn gen out/Debug; a hundred requests come at once at most"
PLAIN_BUILD_V1 = (
    "its sample server is built without optimisation (Bazel's fastbuild); hybrid slow start leaves at 4.5 ms"
)


@dataclass(frozen=True)
class Circumstance:
    """Something that changes cells of some tables."""

    tables: tuple[str, ...]
    words: str
    evidence: str
    change: Callable[[Cell], Cell]
    """The published cell as the scripts made it; itself where it has nothing to do with it."""
    series: str
    """Which has the cells so changed, perhaps with arms besides."""
    sweeps: tuple[str, ...]
    """That measure them; the first has its predictions."""
    numbers: tuple[int, ...] = ()
    """Of its predictions, the first of which asks whether the published numbers are met, the others what else must
    follow; none: all."""


def costing(cell: Cell) -> Cell:
    """Pages of many objects with the cost of a request that one-cost-gquic37 gives the QUIC server; others as they
    are."""
    if cell.workload.object_count < MANY:
        return cell
    (cost,) = means.COSTS[means.GQUIC37]
    return cell.with_arms("quic", request_cost_us=cost)


def _costing_of(size_kb: int, objects: int, cost_us: int) -> Callable[[Cell], Cell]:
    """One kind of page, on links that do not limit it, with a cost of QUIC v1's server."""

    def change(cell: Cell) -> Cell:
        same = (cell.workload.object_bytes, cell.workload.object_count) == (bytes_of_kb(size_kb), objects)
        if not same or cell.link.bandwidth_mbps <= NARROW_MBPS:
            return cell
        return cell.with_arms("quic", request_cost_us=cost_us)

    return change


LARGE_US, SMALL_US = means.COSTS[means.QUICV1]
CIRCUMSTANCES = (
    Circumstance(
        ("B.2", "B.6"),
        "0.9 ms of the QUIC server per request for pictures of 10 KB, at 50 and 100 Mbit/s",
        PLAIN_BUILD_V1,
        _costing_of(10, 100, LARGE_US),
        means.QUICV1,
        (means.QUICV1,),
        (1, 2),
    ),
    Circumstance(
        ("B.2", "B.6"),
        "0.25 ms per request for pictures of 5 KB, at 50 and 100 Mbit/s",
        PLAIN_BUILD_V1,
        _costing_of(5, 200, SMALL_US),
        means.QUICV1,
        (means.QUICV1,),
        (3,),
    ),
    Circumstance(
        ("B.3",),
        "1 % loss in each direction",
        DIVIDED_LATER,
        each_way,
        "loss-each-way-4.6b",
        ("loss-each-way-4.6b", "loss-each-way-10mb"),
    ),
    Circumstance(
        ("B.4",),
        "1 % loss in each direction",
        DIVIDED_LATER,
        each_way,
        "loss-each-way-4.6e",
        ("loss-each-way-4.6e",),
    ),
    Circumstance(
        ("B.10", "B.14"),
        "half a millisecond of the QUIC server per request, felt with 100 and 200 objects",
        PLAIN_BUILD,
        costing,
        means.GQUIC37,
        (means.GQUIC37,),
    ),
    *(
        Circumstance(
            (table,),
            f"TCP begins with a remembered slow start threshold of {threshold.PACKETS} packets",
            REMEMBERED,
            threshold.remembering,
            series,
            (series,),
        )
        for series, table in threshold.TABLES.items()
    ),
    *(
        Circumstance(
            (table,),
            f"delays that change every {seldom.INTERVAL_MS:g} ms instead of every 100{words}",
            LOOP,
            seldom.seldom,
            series,
            (series,),
        )
        for series, table, words in (
            ("jitter-interval-4.11a", "B.15", ", objects of up to 1 MB"),
            ("jitter-interval-4.11c", "B.16", ""),
        )
    ),
)
