"""gQUIC's 10 MB over a queue of 50 packets, dummynet's default: what became of the predictions.

They stand in sweeps/muthuraj2024/queue-slots.toml and were written before the campaign.
"""

from __future__ import annotations

from collections.abc import Sequence

from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024.both import Both, both
from longlook.book.predicted import JudgedPrediction
from longlook.plan.cell import Cell

SERIES, SLOTS = "queue-slots", 50
TABLES = {"B.9": "4.5a", "B.13": "4.5c"}
"""Published table -> the series with a queue as the text says."""
SQUARES, MEANS = 4, 8
THIRD, MOSTLY = 1 / 3, 3
FAST_MBPS, NEAR_MS, FAR_OFF = 100.0, 36.0, 1.5


def slots(cell: Cell) -> Cell:
    """The same cell with that queue in each direction."""
    short = cell.link.model_copy(update={"queue_bytes": None, "queue_packets": SLOTS})
    return cell.model_copy(update={"link": short})


def predictions(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """In the order of the sweep's head; none before it is measured."""
    found = [one for table, usual in TABLES.items() for one in both(paper.data, table, usual, SERIES, slots)]
    return (met(found), scatter(found), far_off(found)) if found else ()


def met(found: Sequence[Both]) -> JudgedPrediction:
    """The first."""
    count = {protocol: sum(one.is_met(protocol) for one in found) for protocol in ("quic", "tcp")}
    return JudgedPrediction(
        f"all {MEANS} means of 10 MB at 50 and 100 Mbit/s lie within the published ones' 99 % prediction interval",
        ", ".join(f"{number} of {len(found)} of {protocol.upper()}" for protocol, number in count.items()),
        sum(count.values()) == MEANS if len(found) == SQUARES else None,
    )


def scatter(found: Sequence[Both]) -> JudgedPrediction:
    """The second."""
    shares = sorted(one.changed["quic"].sd / one.published("quic").sd for one in found)
    many = sum(share >= THIRD for share in shares)
    return JudgedPrediction(
        f"QUIC's standard deviation is at least a third of the published one in {MOSTLY} of {SQUARES} squares",
        f"in {many}; {shares[0]:.3f} to {shares[-1]:.3f} of it",
        many >= MOSTLY if len(found) == SQUARES else None,
    )


def far_off(found: Sequence[Both]) -> JudgedPrediction:
    """The third, of one square."""
    said = (
        f"10 MB at {FAST_MBPS:g} Mbit/s and {NEAR_MS:g} ms: TCP's mean is more than {FAR_OFF:g} times the published one"
    )
    own = [
        one.changed["tcp"].mean / one.published("tcp").mean
        for one in found
        if (one.printed.cell.link.bandwidth_mbps, one.printed.cell.link.rtt_ms) == (FAST_MBPS, NEAR_MS)
    ]
    return (
        JudgedPrediction(said, f"{own[0]:.2f} times", own[0] > FAR_OFF)
        if own
        else JudgedPrediction(said, "not measured", None)
    )
