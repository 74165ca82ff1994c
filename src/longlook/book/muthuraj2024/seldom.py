"""Tables B.15 and B.16 with delays that change half as often: what became of the predictions.

They stand in sweeps/muthuraj2024/jitter-interval-4.11a.toml and -4.11c.toml and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence

from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024.both import Both, agreeing, both, median_error
from longlook.book.predicted import JudgedPrediction
from longlook.plan.cell import Cell
from longlook.plan.workload import bytes_of_kb

INTERVAL_MS = 200.0
SIZES, COUNTS = "jitter-interval-4.11a", "jitter-interval-4.11c"
TABLES = {SIZES: ("B.15", "4.11a"), COUNTS: ("B.16", "4.11c")}
"""Series -> the table, and the series whose delays change as often as the method says."""
SQUARES = 18
LARGEST = bytes_of_kb(1000)
SIZES_TCP_MET, AGREE_LEAST = 15, 14
FEW_TRIPS, LITTLE, BUT = bytes_of_kb(200), 0.10, 2
COUNTS_MET = {"tcp": (11, 0.12), "quic": (14, 0.14)}
"""Protocol -> squares met at least, median error at most."""


def seldom(cell: Cell) -> Cell:
    """The same cell with a new delay every 200 ms; 10 MB, which was not measured so, as it is."""
    if (cell.workload.object_bytes or 0) > LARGEST:
        return cell
    return cell.model_copy(update={"link": cell.link.model_copy(update={"jitter_interval_ms": INTERVAL_MS})})


def cells(paper: Chapter, series: str) -> list[Both]:
    """Those of a table, with delays that change as the method says and half as often."""
    table, usual = TABLES[series]
    return both(paper.data, table, usual, series, seldom)


def sizes(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of table B.15; none before it is measured."""
    found = [one for one in cells(paper, SIZES) if seldom(one.printed.cell).key != one.printed.cell.key]
    return (met(found, "tcp", SIZES_TCP_MET), few_trips(found), agreeing(found, AGREE_LEAST, SQUARES)) if found else ()


def counts(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Of table B.16."""
    found = cells(paper, COUNTS)
    if not found:
        return ()
    tcp, quic = (met(found, protocol, *COUNTS_MET[protocol]) for protocol in ("tcp", "quic"))
    return tcp, quic, agreeing(found, AGREE_LEAST, SQUARES)


def met(found: Sequence[Both], protocol: str, least: int, most: float | None = None) -> JudgedPrediction:
    """How many means of a protocol are met, and how far off they are."""
    now, before = sum(one.is_met(protocol) for one in found), sum(one.was_met(protocol) for one in found)
    said = (
        f"{protocol.upper()}'s means lie within the 99 % prediction interval of the published ones in {least} of "
        f"{SQUARES} squares at least"
    )
    words = f"in {now} of {len(found)}, with 100 ms in {before}"
    if most is None:
        return JudgedPrediction(said, words, now >= least)
    error = median_error(found, protocol)
    return JudgedPrediction(
        f"{said}, their median error is at most {most:.0%}",
        f"{words}; median error {error:.1%}",
        now >= least and error <= most,
    )


def few_trips(found: Sequence[Both]) -> JudgedPrediction:
    """The second of table B.15: small objects, which take few round trips."""
    own = [one for one in found if (one.printed.cell.workload.object_bytes or 0) <= FEW_TRIPS]
    changes = [abs(one.times(protocol) - 1) for one in own for protocol in ("quic", "tcp")]
    little = sum(change < LITTLE for change in changes)
    return JudgedPrediction(
        f"up to 200 KB the means of both protocols change by less than a tenth, all but {BUT} of 24",
        f"{little} of {len(changes)} do",
        len(changes) - little <= BUT if changes else None,
    )
