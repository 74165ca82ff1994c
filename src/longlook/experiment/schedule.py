"""The order of a cell's samples: its arms alternate in an order drawn from the cell's recorded seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longlook.experiment.reasons import PAIR_REPEATED
from longlook.plan.cell import MOST_REPEATS_PER_LOAD, Cell
from longlook.plan.value import derived_seed

REPLACED = {
    "accepted": False,
    "reject_reason": PAIR_REPEATED,
    "reject_detail": "the other load of its pair was rejected, and both are measured again",
}
COLD_LOADS = 1
"""Of each arm, before those that are analysed; kept and set aside."""
ATTEMPTS_TOGETHER = 3
"""A transfer that was disturbed or went wrong is repeated; the last one is kept, and says what it is."""
INDEX_TOGETHER = 1
"""Of every flow's sample: none is set aside."""

Try = tuple[str, int, int]
"""Arm, index, attempt."""


def schedule(cell: Cell) -> list[tuple[str, int]]:
    """(arm, index) in the order to be measured; index 0 is the cold load. Each index is one draw of the arms' order."""
    generator = random.Random(derived_seed(cell.seed, "order"))
    order = []
    for index in range(COLD_LOADS + cell.loads):
        arms = list(cell.arm_names)
        generator.shuffle(arms)
        order += [(arm, index) for arm in arms]
    return order


def draw_of(attempt: int) -> int:
    """Number of the draw of losses and delays that an attempt meets. The first repeat meets those of the load that it
    repeats: its pair stays whole, and rejecting a load does not choose other losses. Later ones meet others, since a
    load may be rejected for what it meets. Records without `draw` drew anew for each attempt."""
    return max(0, attempt - 1)


def load_seed(cell: Cell, arm: str, index: int, draw: int) -> int:
    """Seed of the link's loss and jitter for one load.

    All arms get the same, so that their packets are paired. The arms of a control (A/A) do not: the same
    protocol under the same losses would give nearly the same loads, and Welch's test, which takes its samples
    for independent, could hardly fail.
    """
    return seed_of(cell.seed, index, draw, *([arm] if cell.control else []))


def seed_of(cell_seed: int, index: int, draw: int, *more: str) -> int:
    """The same of a load whose cell has this seed: what a reader of tables knows."""
    return derived_seed(cell_seed, "load", index, draw, *more)


class Plan:
    """Walks through a schedule and puts loads that failed back, both bounded and in order.

    What is repeated together comes together: the two loads of a pair, in their order; of a cell of any other number of
    arms each load alone. Cells measured before pairs were repeated had each load alone (`pairs` = False)."""

    def __init__(self, cell: Cell, pairs: bool = True):
        loads = [(arm, index, 0) for arm, index in schedule(cell)]
        size = cell.repeated_together if pairs else 1
        self._queue: list[list[Try]] = [loads[at : at + size] for at in range(0, len(loads), size)]
        self._repeats_left = MOST_REPEATS_PER_LOAD * cell.loads

    def __iter__(self) -> Iterator[list[Try]]:
        while self._queue:
            yield self._queue.pop(0)

    def __len__(self) -> int:
        """Loads left."""
        return sum(map(len, self._queue))

    def repeat(self, loads: Sequence[Try]) -> bool:
        """Put what came together at the end of the queue again; False when the cell's bound is used up."""
        if self._repeats_left == 0:
            return False
        self._repeats_left -= 1
        self._queue.append([(arm, index, attempt + 1) for arm, index, attempt in loads])
        return True


def settled(plan: Plan, loads: Sequence[Try], records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Records of loads that came together as they are kept: where one is rejected all are put back, and those that were
    accepted do not count any more."""
    again = any(not one["accepted"] and not one["set_aside"] for one in records) and plan.repeat(loads)
    return [dict(one) | (REPLACED if again and one["accepted"] else {}) for one in records]
