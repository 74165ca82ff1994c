"""Numbers of what speaks against the book: published squares beside re-measured ones, and the processors used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longlook.analysis.contrast import Verdict
from longlook.analysis.crosstable import of_cells
from longlook.book import agreement
from longlook.book.agreement import ComparedSquare
from longlook.book.muthuraj2024.numbers.agreement import of_squares
from longlook.book.value import Measured, NotMeasured, Number, StatedNumber
from longlook.book.value_role import Numbers

Squares = Sequence[ComparedSquare]


def _kept(said: Verdict) -> Number:
    """Of how many squares with a published verdict it is met again."""

    def told(found: Squares) -> str:
        table = of_cells(one.compared for one in found)
        return f"{table.kept(said)} of {table.published(said)}"

    return of_squares(told)


def _repeated(count: Callable[[Sequence[tuple[bool, ...]]], int]) -> Number:
    """Of the squares that were measured more than once, by whether each campaign agrees."""
    return of_squares(lambda found: count([one.each for one in found if len(one.each) > 1]))


def _bound(m: Measured) -> StatedNumber:
    """Verdicts that agree where the processor bounds the square."""
    own = agreement.by_processor(agreement.squares(m.data), m.data).get(f"processor {agreement.MORE}")
    if not own:
        raise NotMeasured("no published square that the processor bounds is measured")
    table = of_cells(one.compared for one in own)
    return StatedNumber(f"{table.equal} of {table.tested}", "data/processed/agreement_verdicts.csv, contrasts.csv")


def _at_first(m: Measured) -> StatedNumber:
    """Verdicts that agree by first attempts."""
    if not (found := agreement.squares(m.data)):
        raise NotMeasured("no published square is measured")
    first, tested = agreement.agreeing_at_first(found, m.data)
    return StatedNumber(f"{first} of {tested}", "data/processed/samples.parquet")


def _processors(m: Measured) -> StatedNumber:
    campaigns = m.data.where("campaigns", role="reference")
    return StatedNumber(str(campaigns["cpu_model"].nunique()), "data/processed/campaigns.csv")


NUMBERS: Numbers = {
    "neither-kept": _kept("none"),
    "tcp-kept": _kept("right"),
    "opposite": of_squares(lambda found: of_cells(one.compared for one in found).opposite),
    "bound-equal": _bound,
    "at-first": _at_first,
    "again": _repeated(len),
    "again-all": _repeated(lambda each: sum(map(all, each))),
    "again-none": _repeated(lambda each: sum(not any(one) for one in each)),
    "processors": _processors,
}
