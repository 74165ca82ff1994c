"""Which cells of a sweep can be measured here: a Nix shell may have been made with one stack only."""

from __future__ import annotations

import click

from longlook.plan.sweep import Sweep
from longlook.stack import offered_stacks


def offered(sweep: Sweep) -> Sweep:
    """What of a sweep can be measured here; says which stacks' cells are left out."""
    here = offered_stacks()
    absent = [stack for stack in sweep.stacks() if stack not in here]
    if not absent:
        return sweep
    left = sweep.of_stacks(here)
    click.echo(
        f"sweep {sweep.name}: cells of {', '.join(absent)} are left out, here is {', '.join(here)}; "
        f"nix develop .#{absent[0]} has them"
    )
    return left
