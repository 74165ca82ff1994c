"""What a sweep asks for that nobody can do, before anything is started."""

from __future__ import annotations

from longlook.experiment.refusals import require_possible
from longlook.experiment.registry import experiment_of
from longlook.plan.sweep import Sweep


def require_measurable(sweep: Sweep) -> None:
    """Raise before anything is measured where a cell cannot be: it fits no experiment, or asks for what a server or
    client cannot do."""
    for cell in sweep.cells():
        experiment_of(cell).require(cell)
        require_possible(cell)
