"""Tables B.11 and B.12 with a threshold of 7 packets that TCP remembers: what became of the predictions.

They stand in sweeps/muthuraj2024/threshold-4.5b.toml and -4.5e.toml, those of the controls in threshold-4.6.toml and
threshold-jitter.toml, and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence

from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024.both import Both, agreeing, both, median_error
from longlook.book.predicted import JudgedPrediction
from longlook.figure import style
from longlook.plan.cell import Cell
from longlook.plan.workload import bytes_of_kb

PACKETS = 7
SIZES, COUNTS = "threshold-4.5b", "threshold-4.5e"
TABLES = {SIZES: ("B.11", "4.5b"), COUNTS: ("B.12", "4.5e")}
"""Series -> the table, and the series without a threshold."""
SQUARES = 18
MET_LEAST = {SIZES: 13, COUNTS: 12}
AGREE_LEAST = 17
ERROR_MOST = 0.12
SMALL_BYTES, LITTLE = bytes_of_kb(10), 0.15
OTHERS_MBPS, OTHERS_BYTES, OTHERS_ABOVE = 50.0, bytes_of_kb(200), 3
"""Of table B.12: the four squares that a threshold does not explain."""


def remembering(cell: Cell) -> Cell:
    """The same cell with TCP that begins with the threshold."""
    return cell.with_arms("tcp", remembered_ssthresh=PACKETS)


def cells(paper: Chapter, series: str) -> list[Both]:
    """Those of a table, without and with the threshold."""
    table, usual = TABLES[series]
    return both(paper.data, table, usual, series, remembering)


def sizes(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of threshold-4.5b; none before it is measured."""
    found = cells(paper, SIZES)
    return (met(found, SIZES), near(found), first_flight(found), agreeing(found, AGREE_LEAST, SQUARES)) if found else ()


def counts(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of threshold-4.5e."""
    found = cells(paper, COUNTS)
    if not found:
        return ()
    rest = [one for one in found if not is_other(one)]
    return (
        met(found, COUNTS),
        others(found),
        near(rest, "TCP's median error over the other 14 squares"),
        agreeing(found, AGREE_LEAST, SQUARES),
    )


def met(found: Sequence[Both], series: str) -> JudgedPrediction:
    """The first of both: TCP's means are met."""
    least = MET_LEAST[series]
    now, before = sum(one.is_met("tcp") for one in found), sum(one.was_met("tcp") for one in found)
    return JudgedPrediction(
        f"TCP's means lie within the 99 % prediction interval of the published ones in {least} of {SQUARES} squares at "
        "least",
        f"in {now} of {len(found)}; without a threshold in {before}",
        now >= least,
    )


def near(found: Sequence[Both], what: str = "TCP's median error") -> JudgedPrediction:
    """The second of threshold-4.5b, the third of threshold-4.5e: how far off TCP is."""
    said = f"{what} is at most {ERROR_MOST:.0%}"
    if not found:
        return JudgedPrediction(said, "nothing measured", None)
    error = median_error(found, "tcp")
    return JudgedPrediction(said, f"{error:.1%}, of {len(found)} squares", error <= ERROR_MOST)


def first_flight(found: Sequence[Both]) -> JudgedPrediction:
    """The third of threshold-4.5b: what fits into the first flight."""
    own = [one for one in found if (one.printed.cell.workload.object_bytes or 0) <= SMALL_BYTES]
    said = f"5 and 10 KB: TCP's means differ by less than {LITTLE:.0%} from those without a threshold"
    if not own:
        return JudgedPrediction(said, "nothing measured", None)
    changes = [one.times("tcp") - 1 for one in own]
    words = f"by {min(changes):+.1%} to {max(changes):+.1%}, of {len(own)} squares".replace("-", style.MINUS)
    return JudgedPrediction(said, words, max(map(abs, changes)) < LITTLE)


def is_other(one: Both) -> bool:
    """Whether it is one of the four squares of table B.12 whose published means lie below their neighbours'."""
    cell = one.printed.cell
    return cell.link.bandwidth_mbps == OTHERS_MBPS and (cell.workload.object_bytes or 0) <= OTHERS_BYTES


def others(found: Sequence[Both]) -> JudgedPrediction:
    """The second of threshold-4.5e: four squares that a threshold does not explain."""
    own = [one for one in found if is_other(one)]
    above = sum(not one.is_met("tcp") and one.changed["tcp"].mean > one.published("tcp").mean for one in own)
    return JudgedPrediction(
        f"200 KB × 5 to 5 KB × 200 at 50 Mbit/s: TCP stays above the interval in {OTHERS_ABOVE} of 4 at least",
        f"in {above} of {len(own)}",
        above >= OTHERS_ABOVE if own else None,
    )
