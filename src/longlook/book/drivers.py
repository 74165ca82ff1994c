"""Which driver a campaign was measured with, and tables in which everything beside it was measured with the same one.

A driver that reads along makes pages of many objects later ({ref}`live-driver`). What compares a campaign with squares
of other series, a prediction or a table of one changed condition, must not find the driver in place of what it asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from longlook.analysis.newest import role_of
from longlook.book.data import BookData, Selection
from longlook.experiment.environment import APPARATUS, FIRST_APPARATUS

READS = {FIRST_APPARATUS: "along", APPARATUS: "after"}
"""Apparatus -> when its driver reads what the browser tells: along with the load, or after it."""
Series = tuple[str, str]
"""Study and series."""


def beside(campaign: str, data: BookData) -> BookData:
    """The tables as a campaign is to be compared with them."""
    made = set(data.where("cells", campaign=campaign)["apparatus"])
    return by_driver(data, made.pop()) if len(made) == 1 else data


@lru_cache(maxsize=16)
def by_driver(data: BookData, apparatus: int) -> BookData:
    """The tables; of series that reference campaigns with several drivers have, those with this one."""
    cells = data.table("cells")
    cells = cells[cells["campaign"].map(role_of) == "reference"]
    known = cells[["study", "series", "campaign", "apparatus"]].drop_duplicates()
    left: dict[Series, frozenset[str]] = {}
    for series, own in known.groupby(["study", "series"], sort=False):
        others = own["apparatus"] != apparatus
        if others.any() and not others.all():
            left[series] = frozenset(own.loc[others, "campaign"])
    return _ByDriver(data.published, data.processed, data, left) if left else data


@dataclass(frozen=True, eq=False)
class _ByDriver(Selection):
    left: dict[Series, frozenset[str]]
    """Campaigns that do not count, of the series that they are left out of."""

    def keeps(self, rows: pd.DataFrame) -> pd.Series:
        places = zip(rows["study"], rows["series"], rows["campaign"], strict=True)
        kept = [campaign not in self.left.get((study, series), ()) for study, series, campaign in places]
        return pd.Series(kept, index=rows.index, dtype=bool)

    def rows(self, table: str, study: str, series: str | Sequence[str], key: str) -> pd.DataFrame:
        """As the base has them, once for both, where no campaign is left out."""
        names = [series] if isinstance(series, str) else series
        if any((study, one) in self.left for one in names):
            return super().rows(table, study, series, key)
        return self.base.rows(table, study, series, key)
