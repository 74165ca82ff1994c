"""What the chapters read: published numbers, processed tables and the campaigns they come from. Nothing is measured.

A copy without `data/processed` or without any campaign is normal (a fresh clone before its first run): the
tables are then empty, and the chapters say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from longlook import paths
from longlook.analysis.newest import newest, of_series
from longlook.book import reads
from longlook.book.digests import places
from longlook.dataset.rows import who
from longlook.dataset.tables import BY_SERIES, columns, read_table
from longlook.experiment.floor import BOUNDED, floor
from longlook.figure.squares import PUBLISHED, Source
from longlook.figure.versus import Versus, side_by_side
from longlook.plan.conditions import arm_conditions, conditions
from longlook.published.registry import published_cells

COLUMNS = (("reference", "reference", "Re-measured (reference)"), ("yours", "local", "Yours"))
"""Columns of a figure beside the published one: key, role of its campaign, heading."""
ROLES = {key: role for key, role, _ in COLUMNS}
PUBLISHED_CAMPAIGN = "published"
FILES = {"verdicts": "agreement_verdicts", "means": "agreement_means"}
"""Tables whose files have other names."""


@dataclass(frozen=True, eq=False)
class BookData:
    """Every table of the book; the processed ones are read when they are first asked for, and squares made once.

    `published` has the columns of `arms`, and `table`: printed means are arms of the campaign `published`. Which rows
    are asked for is told (`reads`), and a chapter is executed again where one of those changes.
    """

    published: pd.DataFrame
    processed: Path
    _tables: dict[str, pd.DataFrame] = field(default_factory=dict, init=False, repr=False)
    _places: dict[tuple[str, ...], dict[tuple[str, ...], np.ndarray]] = field(
        default_factory=dict, init=False, repr=False
    )
    _rows: dict[tuple, pd.DataFrame] = field(default_factory=dict, init=False, repr=False)
    _squares: dict[tuple, pd.DataFrame] = field(default_factory=dict, init=False, repr=False)

    def table(self, name: str) -> pd.DataFrame:
        """A processed table, by the name that its file has. What of it a chapter asks for, the methods below tell."""
        if name not in self._tables:
            with reads.untold():
                self._tables[name] = read_table(self.processed, name)
        return self._tables[name]

    def whole(self, table: str) -> pd.DataFrame:
        """Every row of a table; a chapter that asks for it is executed again wherever one changes."""
        name = FILES.get(table, table)
        reads.rows(name)
        return self.table(name)

    def where(self, table: str, **values: str) -> pd.DataFrame:
        """The rows of one table that have these values, of all campaigns; a chapter that asks for no more is executed
        again only where one of these changes."""
        name = FILES.get(table, table)
        reads.rows(name, **values)
        return self._having(name, tuple(values), [tuple(values.values())])

    def _having(self, name: str, columns: tuple[str, ...], wanted: Sequence[tuple[str, ...]]) -> pd.DataFrame:
        """The rows of a table that have one of these combinations of values, in their order. A table is searched once
        for all of them: thousands of searches through it took a third of a book's time."""
        if name in BY_SERIES and name not in self._tables and columns == ("study", "series"):
            with reads.untold():
                return read_table(self.processed, name, *_of_one_study(wanted))
        rows = self.table(name)
        if (name, *columns) not in self._places:
            self._places[name, *columns] = places(rows[list(columns)])
        found = [own for one in wanted if (own := self._places[name, *columns].get(one)) is not None]
        return rows.iloc[np.sort(np.concatenate(found))] if found else rows.iloc[:0]

    def of(self, table: str, study: str, series: str | Sequence[str]) -> pd.DataFrame:
        """The rows of one table of one or several series of a study, of all campaigns."""
        name, wanted = _asked(table, study, series)
        return self._once((name, study, wanted), lambda: self.at(name, study, wanted))

    def at(self, name: str, study: str, series: Sequence[str]) -> pd.DataFrame:
        """The rows of a table, by its file's name, of some series of a study; untold."""
        return self._having(name, ("study", "series"), [(study, one) for one in dict.fromkeys(series)])

    def _once(self, asked: tuple, find: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """A chapter asks for the same rows again and again; what it writes into them, the next does not see."""
        if asked not in self._rows:
            self._rows[asked] = find()
        return self._rows[asked].copy(deep=False)

    def campaign(self, name: str) -> pd.Series:
        """The row of one campaign in `campaigns`."""
        return self.where("campaigns", campaign=name).iloc[0]

    def rows(self, table: str, study: str, series: str | Sequence[str], key: str) -> pd.DataFrame:
        """Rows of one table (`arms`, `samples`, ...) of one or several series, in one column of a figure: `published`
        (arms only), `reference` or `yours`. The newest campaign counts that has any."""
        if key == PUBLISHED.key:
            return of_series(self.published, study, series)
        cells = self.of("cells", study, series)
        name, wanted = _asked(table, study, series)  # what is not of these campaigns is not held beside what is
        return self._once((name, study, wanted, key), lambda: self._newest(name, study, cells, ROLES[key]))

    def _newest(self, name: str, study: str, cells: pd.DataFrame, role: str) -> pd.DataFrame:
        """The rows of the newest campaigns. Which these are is a matter of the cells: a table may hold rows of a part
        of them only."""
        chosen = set(newest(cells, role)[["campaign", "series"]].itertuples(index=False, name=None))
        own = self.at(name, study, [series for _, series in chosen])
        pairs = zip(own["campaign"], own["series"], strict=True)
        return own[pd.Series([pair in chosen for pair in pairs], index=own.index, dtype=bool)]

    def agreeing(self, table: str, study: str, series: str, key: str) -> pd.DataFrame:
        """Rows of `verdicts` or `means` (published against re-measured) of one column of a series."""
        campaigns = self.rows("cells", study, series, key)["campaign"].unique()
        own = self.of(table, study, series)
        return own[own["campaign"].isin(campaigns)]

    def squares(self, study: str, series: str | tuple[str, ...], key: str, versus: Versus) -> pd.DataFrame:
        """One column of one or several series: rows of `side_by_side`, tested or not; none where it has nothing."""
        asked = (study, series, key, versus)
        if asked not in self._squares:
            rows = self.rows("arms", study, series, key).drop(columns="table", errors="ignore")
            contrasts = None if key == PUBLISHED.key else self.rows("contrasts", study, series, key)
            self._squares[asked] = side_by_side(rows, versus, contrasts)
        return self._squares[asked]

    def sources(self, study: str, series: str | Sequence[str], versus: Versus) -> dict[Source, pd.DataFrame]:
        """Columns of one figure: published, then the reference campaign, then the reader's newest own one; without
        those that have nothing."""
        names = series if isinstance(series, str) else tuple(series)
        found = {}
        for key, title in ((PUBLISHED.key, PUBLISHED.title), *((key, title) for key, _, title in COLUMNS)):
            both = self.squares(study, names, key, versus)
            if len(both):
                campaigns = () if key == PUBLISHED.key else tuple(dict.fromkeys(both["campaign"]))
                found[Source(key, title, campaigns)] = both
        return found

    def own_or_reference(self, study: str, *series: str) -> tuple[str, str]:
        """Key and heading of the column to be shown alone: the reader's own where it has a cell of one of these series,
        else the reference one, measured or not."""
        columns = [(key, title) for key, _, title in COLUMNS]
        measured = [one for one in columns if any(len(self.rows("cells", study, name, one[0])) for name in series)]
        return measured[-1] if measured else columns[0]

    def is_measured(self, study: str, series: str) -> bool:
        """Whether any campaign has a cell of the series."""
        return len(self.of("cells", study, series)) > 0


@dataclass(frozen=True, eq=False)
class Selection(BookData):
    """The tables of another one without some of their rows; the files are read, and searched, once for both."""

    base: BookData

    def keeps(self, rows: pd.DataFrame) -> pd.Series:
        """Which rows of a table count, of those that say their campaign, study, series and cell."""
        raise NotImplementedError

    def table(self, name: str) -> pd.DataFrame:
        return self.base.table(name)

    def _having(self, name: str, columns: tuple[str, ...], wanted: Sequence[tuple[str, ...]]) -> pd.DataFrame:
        rows = self.base._having(name, columns, wanted)
        return rows[self.keeps(rows)] if {"campaign", "study", "series", "cell_id"} <= set(rows) else rows


def _asked(table: str, study: str, series: str | Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A table by its file's name, and the series of it that a chapter asks for, which is told."""
    name, wanted = FILES.get(table, table), (series,) if isinstance(series, str) else tuple(series)
    for one in wanted:
        reads.rows(name, study=study, series=one)
    return name, wanted


def _of_one_study(wanted: Sequence[tuple[str, ...]]) -> tuple[str, list[str]]:
    return next((study for study, _ in wanted), ""), [series for _, series in wanted]


@lru_cache(maxsize=1)
def load() -> BookData:
    """All tables of the folders in `longlook.paths`; each file is read once per process."""
    return read(paths.PUBLISHED, paths.PROCESSED)


def read(published: Path, processed: Path) -> BookData:
    """The tables of two given folders; a missing processed table is an empty one."""
    return BookData(published_arms(published), processed)


def published_arms(folder: Path) -> pd.DataFrame:
    """Every printed mean as a row of `arms`, with the table that it is printed in."""
    rows = []
    for one in published_cells(folder):
        same = who(PUBLISHED_CAMPAIGN, one.cell) | conditions(one.cell) | {"table": one.table}
        for arm in one.known_arms:
            printed = one.arms[arm.name]
            least = floor(one.cell, arm).total_ms if one.metric in BOUNDED else None
            number = {"n": printed.n, "mean": printed.mean, "sd": printed.sd, "median": printed.median, "floor": least}
            unit = {"metric": one.metric, "unit": one.metric.rpartition("_")[2]}
            rows.append(same | arm_conditions(arm) | unit | number)
    return pd.DataFrame(rows, columns=["table", *columns("arms")])
