"""One page load of each arm of a cell, to be looked at object by object: the one nearest to the arm's median."""

from __future__ import annotations

import statistics
from collections.abc import Container, Mapping, Sequence
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
    """A load of each arm that has any, with what was `seen` of it, by the order of the sample."""
    return [TypicalLoad(one, seen[one.order]) for one in typical_samples(cell, samples, seen)]


def typical_samples(cell: Cell, samples: Sequence[Sample], seen: Container[int]) -> list[Sample]:
    """A load of each arm that has any; of two that are as near the first one. `seen`: orders of samples of which more
    than numbers is kept; none where the cell loads no pages."""
    found = []
    for arm in cell.arm_names:
        own = [
            (value, one)
            for one in samples
            if one.arm == arm and one.counts and one.order in seen and (value := one.metrics.get(PLT.name)) is not None
        ]
        if own:
            middle = statistics.median(value for value, _ in own)
            found.append(min(own, key=lambda pair: (abs(pair[0] - middle), pair[1].order))[1])
    return found
