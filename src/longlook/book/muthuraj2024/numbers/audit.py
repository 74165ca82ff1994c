"""Numbers of what speaks against the book: squares as on the front page, and the processors that measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import of_cells
from longlook.book import front
from longlook.book.data import BookData
from longlook.book.front import ComparedSquare
from longlook.book.value import Measured, NotMeasured, StatedNumber, number
from longlook.book.value_role import Numbers

Squares = Sequence[ComparedSquare]


@number
def _of(m: Measured, told: Callable[[Squares, BookData], object]) -> StatedNumber:
    """What is told of all squares that are published and re-measured."""
    found = front.squares(m.data)
    if not found:
        raise NotMeasured("no published square is measured")
    return StatedNumber(str(told(found, m.data)), "data/processed/agreement_verdicts.csv, contrasts.csv")


def _kept(said: Verdict) -> Callable[[Squares, BookData], str]:
    def told(found: Squares, data: BookData) -> str:
        table = of_cells(one.compared for one in found)
        return f"{table.kept(said)} of {table.published(said)}"

    return told


def _bound(found: Squares, data: BookData) -> str:
    table = of_cells(one.compared for one in front.by_processor(found, data).get(f"processor {front.MORE}", ()))
    return f"{table.equal} of {table.tested}"


def _repeated(count: Callable[[Sequence[tuple[bool, ...]]], int]) -> Callable[[Squares, BookData], int]:
    return lambda found, data: count([one.each for one in found if len(one.each) > 1])


@number
def _processors(m: Measured) -> StatedNumber:
    campaigns = m.data.where("campaigns", role="reference")
    return StatedNumber(str(campaigns["cpu_model"].nunique()), "data/processed/campaigns.csv")


NUMBERS: Numbers = {
    "neither-kept": _of(_kept("none")),
    "tcp-kept": _of(_kept("right")),
    "opposite": _of(lambda found, data: of_cells(one.compared for one in found).opposite),
    "bound-equal": _of(_bound),
    "at-first": _of(lambda found, data: "{} of {}".format(*front.agreeing_at_first(found, data))),
    "again": _of(_repeated(len)),
    "again-all": _of(_repeated(lambda each: sum(map(all, each)))),
    "again-none": _of(_repeated(lambda each: sum(not any(one) for one in each))),
    "processors": _processors(),
}
