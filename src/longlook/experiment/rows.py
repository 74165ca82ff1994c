"""Which testbed measures which cells (no I/O).

Rows of a heatmap stay together, so that a row compares like with like.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from longlook.experiment.registry import estimate_s
from longlook.plan.cell import Cell


def row_of(cell: Cell) -> str:
    """Cells of one row have the same: all that defines them but the workload (of arms together: but the arms and
    repetition, too)."""
    conditions = cell.conditions()
    left_out = {"workload"} | ({"arms"} if cell.mode == "together" else set())
    own = {key: value for key, value in conditions.items() if key not in left_out}
    names = {"study": cell.study, "series": cell.series, "stacks": cell.stacks, "loads": cell.loads}
    repeat = {} if cell.mode == "together" else {"replicate": cell.replicate}
    return json.dumps(own | names | repeat, sort_keys=True)


def assign(cells: Sequence[Cell], testbeds: Sequence[str], begun: Mapping[str, str]) -> dict[str, list[Cell]]:
    """Testbed -> its cells, in their order.

    A row that a testbed has begun (`begun`: row -> testbed) stays with it while it is there; the others go, the longest
    first, to the testbed with the least to do.
    """
    rows: dict[str, list[Cell]] = {}
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
