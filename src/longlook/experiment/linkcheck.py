"""The link over a whole cell: what it lost is held against what was set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from longlook.errors import LonglookError
from longlook.experiment.settings import unchanged
from longlook.link.base import DIRECTIONS, LinkDriver
from longlook.link.binomial import CONFIDENCE
from longlook.link.netem import loss_bounds
from longlook.plan.cell import Cell
from longlook.plan.link import Link

Counters = Mapping[str, Mapping[str, float]]


class LossAccount:
    """Losses since it was made. `alike`: so many loads meet the losses of one seed, packet by packet: they are that
    much less independent."""

    def __init__(self, driver: LinkDriver, link: Link, alike: int):
        self._driver, self._link, self._alike = driver, link, alike
        self._before = driver.counters()

    @classmethod
    def of(cls, driver: LinkDriver, cell: Cell) -> LossAccount:
        """From now on, of a cell's loads: interleaved arms share their seeds, but those of a control."""
        shared = cell.mode == "interleaved" and not cell.control
        return cls(driver, cell.link, len(cell.arms) if shared else 1)

    def require(self) -> None:
        """Raise with the numbers if a direction lost too few or too many of its packets."""
        wrong = losses_wrong(
            self._link, self._before, self._driver.counters(), self._alike, self._driver.tells_drops_apart
        )
        if wrong:
            raise LonglookError(f"over the whole cell the link did not lose what is set: {'; '.join(wrong)}")


@contextlib.contextmanager
def held_to(driver: LinkDriver, cell: Cell) -> Iterator[None]:
    """After the block, which measures a whole cell: the link and the hosts are as they were set, and the link lost what
    is set."""
    losses = LossAccount.of(driver, cell)
    with unchanged(driver.testbed, cell, driver.sets):
        yield
    driver.verify()
    losses.require()


def losses_wrong(link: Link, before: Counters, after: Counters, alike: int = 1, tells_apart: bool = True) -> list[str]:
    """Directions whose losses are outside of the bounds (`loss_bounds`), with the numbers. A link that does not tell
    losses from what a full queue dropped can have lost too little, not too much."""
    found = []
    for way in DIRECTIONS:
        share = link.loss_share(way)
        offered, lost = (
            round(after[way].get(name, 0) - before[way].get(name, 0)) for name in ("packets_in", "dropped_loss")
        )
        low, high = (alike * bound for bound in loss_bounds(link, way, offered // alike))
        if lost < low or (tells_apart and lost > high + alike * (share > 0)):
            found.append(
                f"{way}: {lost} of {offered} packets, {low} to {high} expected at {share:.3%} "
                f"({CONFIDENCE:.2%} of cells)"
            )
    return found
