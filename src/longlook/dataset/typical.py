"""One page load of each arm of a cell, to be looked at object by object: the one nearest to the arm's median."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longlook.client.observation import Observation
from longlook.experiment.metrics import PLT
from longlook.plan.cell import Cell
from longlook.record.samples import Sample


@dataclass(frozen=True)
class TypicalLoad:
    """A sample and what it was read from."""

    sample: Sample
    seen: Observation


def typical_loads(cell: Cell, samples: Sequence[Sample], seen: Mapping[int, Observation]) -> list[TypicalLoad]:
    """A load of each arm that has any; of two that are as near the first one. `seen`: by the order of the sample; none
    where the cell loads no pages."""
    found = []
    for arm in cell.arm_names:
        own = [
            (value, one)
            for one in samples
            if one.arm == arm and one.counts and one.order in seen and (value := one.metrics.get(PLT.name)) is not None
        ]
        if own:
            middle = statistics.median(value for value, _ in own)
            _, nearest = min(own, key=lambda pair: (abs(pair[0] - middle), pair[1].order))
            found.append(TypicalLoad(nearest, seen[nearest.order]))
    return found
