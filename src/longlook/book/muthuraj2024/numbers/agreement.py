"""Numbers of how far published and re-measured agree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longlook.analysis.ceiling import ALL, ceilings
from longlook.analysis.compared import overall
from longlook.analysis.crosstable import CrossTable, of_cells
from longlook.audit.report import within
from longlook.book.agreement import PLAIN, ComparedSquare, by_link, kappa_within, squares, told_kappa
from longlook.book.value import Measured, NotMeasured, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.experiment.metrics import PLT


@number
def of_squares(m: Measured, count: Callable[[Sequence[ComparedSquare]], int | str]) -> StatedNumber:
    """A count over all squares that are published and re-measured."""
    found = squares(m.data)
    if not found:
        raise NotMeasured("no published square is measured")
    return StatedNumber(str(count(found)), "data/processed/agreement_means.csv, agreement_verdicts.csv")


def _crossed(found: Sequence[ComparedSquare]) -> CrossTable:
    return of_cells(one.compared for one in found)


def _kappa_plain(found: Sequence[ComparedSquare]) -> str:
    own = by_link(found).get(PLAIN)
    if not own:
        raise NotMeasured("no published square without loss and jitter is measured")
    return kappa_within(_crossed(own))


def _overall(found: Sequence[ComparedSquare]):
    return overall([one.compared for one in found], PLT.name)


NUMBERS: Numbers = {
    "squares": of_squares(len),
    "differ": of_squares(lambda found: sum(one.compared.verdicts[0].agree is False for one in found)),
    "means": of_squares(lambda found: within([one.compared for one in found])[1]),
    "within": of_squares(lambda found: within([one.compared for one in found])[0]),
    "equal": of_squares(lambda found: _overall(found).equal),
    "tested": of_squares(lambda found: _overall(found).tested),
    "constant": of_squares(lambda found: _crossed(found).constant),
    "kappa": of_squares(lambda found: told_kappa(_crossed(found))),
    "kappa-plain": of_squares(_kappa_plain),
    "ceiling": of_squares(lambda found: round(ceilings([one.printed for one in found])[ALL].expected)),
}
