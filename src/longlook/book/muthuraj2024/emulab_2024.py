"""The circumstances `emulab-2024`: what the thesis's scripts, kernels and servers did in 2023 and 2024 that its text
does not say, as a set that is applied to the cells of its tables.

They stand in `book/muthuraj2024/emulab-2024.toml`, which says what each of its keys is. None is in force because it
stands there: `circumstances.state` asks the predictions that were written before its campaign.
"""

from __future__ import annotations

from functools import cache

from pydantic import Field

from longlook import paths
from longlook.host.toml import read_toml
from longlook.plan.cell import Cell
from longlook.plan.conditions import conditions
from longlook.plan.criteria import Where
from longlook.plan.squares import selects
from longlook.plan.value import Value

NAME = "emulab-2024"


class Circumstance(Value):
    """Something that changes cells of some tables."""

    tables: list[str]
    words: str
    evidence: str
    where: Where = Field(default={})
    link: dict[str, float] = Field(default={})
    arms: dict[str, dict[str, int]] = Field(default={})
    series: str
    sweeps: list[str]
    numbers: list[int] = Field(default=[])

    def change(self, cell: Cell) -> Cell:
        """The published cell as the scripts made it; itself where this has nothing to do with it."""
        if not selects(self.where, conditions(cell)):
            return cell
        for protocol, stated in self.arms.items():
            cell = cell.with_arms(protocol, **stated)
        return cell.model_copy(update={"link": cell.link.model_copy(update=self.link)})


@cache
def stated() -> tuple[Circumstance, ...]:
    """Every circumstance of the set."""
    return tuple(map(Circumstance.parse, read_toml(paths.BOOK / "muthuraj2024" / f"{NAME}.toml")["circumstances"]))
