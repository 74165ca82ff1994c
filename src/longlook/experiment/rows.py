"""Which testbed measures which cells: rows of a heatmap stay together, so that a row compares like with like (no I/O)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longlook.experiment.estimate import estimate_s
from longlook.scenario import Cell
from longlook.transfers import TransferCell

AnyCell = Cell | TransferCell


def row_of(cell: AnyCell) -> str:
    """Cells of one row have the same: all that defines them but the workload (of transfers: but the flows and repetition too)."""
    left_out = {"workload", "seed"} | (
        {"scenario", "flows", "names", "replicate"} if isinstance(cell, TransferCell) else set()
    )
    data = cell.model_dump(mode="json")
    return repr(sorted((key, repr(value)) for key, value in data.items() if key not in left_out))


def assign(cells: Sequence[AnyCell], testbeds: Sequence[str], begun: Mapping[str, str]) -> dict[str, list[AnyCell]]:
    """Testbed -> its cells, in their order. A row that a testbed has begun (`begun`: row -> testbed) stays with it while it is
    there; the others go, the longest first, to the testbed with the least to do."""
    rows: dict[str, list[AnyCell]] = {}
    for cell in cells:
        rows.setdefault(row_of(cell), []).append(cell)
    load = dict.fromkeys(testbeds, 0.0)
    owner: dict[str, str] = {row: begun[row] for row in rows if begun.get(row) in load}
    length = {row: sum(estimate_s(cell) for cell in members) for row, members in rows.items()}
    for row, bed in owner.items():
        load[bed] += length[row]
    for row in sorted((row for row in rows if row not in owner), key=lambda row: -length[row]):
        owner[row] = min(load, key=lambda bed: (load[bed], testbeds.index(bed)))
        load[owner[row]] += length[row]
    return {bed: [cell for cell in cells if owner[row_of(cell)] == bed] for bed in testbeds}
