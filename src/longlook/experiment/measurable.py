"""What a sweep asks for that nobody can do, before anything is started."""

from __future__ import annotations

from longlook.experiment.refusals import require_possible
from longlook.experiment.registry import experiment_of, named
from longlook.plan.sweep import Sweep
from longlook.plan.value import PlanError, nearest


def require_measurable(sweep: Sweep) -> None:
    """Raise before anything is measured where a cell cannot be: it fits no experiment, or asks for what a server or
    client cannot do."""
    for cell in sweep.cells():
        experiment_of(cell).require(cell)
        require_possible(cell)
    require_foretold(sweep)


def require_foretold(sweep: Sweep) -> None:
    """Raise where a prediction is of a metric that its sweep does not measure."""
    experiment = named(sweep.experiment, f"sweep {sweep.name}")
    for number, one in enumerate(sweep.predictions):
        for leaf in one.leaves(sweep.rule):
            try:
                experiment.metric(leaf.metric or "")
            except PlanError as error:
                near = nearest(leaf.metric, [metric.name for metric in experiment.metrics])
                raise PlanError(f"sweep {sweep.name}: predictions.{number} (n = {one.n}): {error}{near}") from None
