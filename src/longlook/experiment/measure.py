"""One cell of a campaign on one testbed, wherever that is: measured, brought home, and finished only when whole."""

from __future__ import annotations

import sys
from collections.abc import Callable

from longlook.experiment.failure import Failure
from longlook.experiment.places import PATIENCE_S, Place
from longlook.experiment.registry import experiment_of
from longlook.plan.cell import Cell
from longlook.record.campaign import Campaign

TRIES_PER_CELL = 2
GLANCE_S = 10.0


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Measurer:
    """Measures cells on one testbed, for the length of a run. A testbed whose nodes did not come back is not waited for
    again with every cell, but looked at: once it is back, it is used."""

    def __init__(self, place: Place, say: Callable[[str], object] = _to_stderr):
        self._place, self._say = place, say
        self._lost: Failure | None = None

    def measure(self, campaign: Campaign, cell: Cell) -> Failure | None:
        """Measure one cell, twice if need be; None when it is whole and finished, else why not."""
        if self._lost is not None and not self._place.is_back(GLANCE_S):
            return Failure(self._lost.kind, f"not tried: {self._lost}")
        self._lost = None
        failure: Failure | None = None
        for tries_left in reversed(range(TRIES_PER_CELL)):
            partial = campaign.begin_cell(cell)
            failure = self._place.attempt(cell, campaign.id, partial, lambda: campaign.begin_cell(cell))
            if failure is None:
                campaign.finish_cell(partial, experiment_of(cell).files)
                return None
            _to_stderr(f"{cell.id}: {failure}")
            if failure.kind == "not_supported":
                break
            if failure.kind == "node" and tries_left:
                self._say(f"{cell.id}: {failure}; waiting for its nodes, {PATIENCE_S / 60:.0f} min at the most")
                if not self._place.is_back(PATIENCE_S):
                    self._lost = failure
                    break
        return failure
