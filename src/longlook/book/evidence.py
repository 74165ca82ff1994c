"""The evidence of a study, and numbers of it in the words of criteria (`plan/criteria.py`) that nothing is held to.

by(m, series="yu-1mb", ratio=["quic bbr *", "tcp bbr *"], statistic="lowest-median", metric="ttlb_ms").one("times")
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from longlook import paths
from longlook.analysis.course import OF_COURSES
from longlook.analysis.estimate import Estimate
from longlook.analysis.evidence import Column, Found, numbers
from longlook.analysis.judge import Judged
from longlook.analysis.lowest import Loads
from longlook.analysis.newest import moment
from longlook.analysis.welch import Summary
from longlook.book.data import COLUMNS, PUBLISHED_CAMPAIGN, ROLES, BookData
from longlook.book.drivers import beside
from longlook.book.flows import rates_of_runs
from longlook.book.loads import counting, courses, first_lost, load_number
from longlook.book.templates import filled, told_of
from longlook.book.value import Measured, NotMeasured, Quantity
from longlook.errors import LonglookError
from longlook.experiment.arrivals import Arrival, arrivals
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.plan.conditions import Row, spelled
from longlook.plan.criteria import FIRST_LOST, OF_RECORDS, Criterion
from longlook.plan.workload import WebPage
from longlook.published.registry import published_means
from longlook.record.parquet import records

REFERENCE = "reference"
SAMPLE = ("campaign", "cell_id", "arm", "metric")


@lru_cache(maxsize=4)
def columns_of(data: BookData, study: str, metric: str = "") -> Mapping[str, Column]:
    """The evidence of a study: published, reference and yours; all by one metric where one is named."""

    def column(key: str, own: str) -> Column:
        @cache
        def rows(series: str) -> Sequence[Row]:
            found = [spelled(row) for row in records(data.rows("arms", study, series, key))]
            printed = published_means(study) if key == PUBLISHED.key else ()
            return found + [row for row in printed if row["series"] == series]

        @cache
        def samples(series: str) -> Mapping[tuple[str, str, str, str], list[float]]:
            found: dict[tuple[str, str, str, str], list[float]] = {}
            for one in counting(data, study, series, key):
                found.setdefault(tuple(one[name] for name in SAMPLE), []).append(float(one["value"]))
            return found

        @cache
        def by_number(series: str) -> Mapping[tuple[str, str, str, str], dict[Any, float]]:
            found: dict[tuple[str, str, str, str], dict[Any, float]] = {}
            for one in counting(data, study, series, key):
                found.setdefault(tuple(one[name] for name in SAMPLE), {})[load_number(one)] = float(one["value"])
            return found

        def numbered(row: Row, metric: str) -> Mapping[Any, float]:
            if metric in OF_COURSES:
                runs = courses(data, study, row["series"], key).get((row["campaign"], row["key"], row["arm"]), ())
                told = {one.cell_id: OF_COURSES[metric](one) for one in runs}
                return {run: number for run, number in told.items() if not math.isnan(number)}
            if row["mode"] == "together":
                return rates_of_runs(data, study, key, row["key"])[row["arm"]].dropna().to_dict()
            if metric == FIRST_LOST:
                lost = first_lost(data, study, row["series"], key)
                return lost.get((row["campaign"], row["cell_id"], row["arm"]), {})
            own_key = (row["campaign"], row["cell_id"], row["arm"], metric)
            return by_number(row["series"]).get(own_key, {})

        def of_sweep(sweep: str) -> Column:
            found = [spelled(row) for row in records(data.where("arms", campaign=newest_of(sweep, data, key)))]

            def own_or_all(series: str) -> Sequence[Row]:
                return [row for row in found if row["series"] == series] or rows(series)

            return Column(own_or_all, of_study=of_study)

        def of_study(other: str) -> Column:
            return columns_of(data, other, metric)[key]

        def loads(row: Row) -> tuple[float, ...]:
            if row["metric"] in OF_RECORDS:
                own_page = WebPage(size_bytes=int(row["total_bytes"]), resources=int(row["object_count"]) + 1)
                seen = _arrivals(paths.RAW / row["campaign"] / row["cell_id"], own_page)
                return tuple(getattr(one, row["metric"]) for one in seen if one.arm == row["arm"])
            return tuple(samples(row["series"]).get(tuple(row[name] for name in SAMPLE), ()))

        def printed_load(row: Row, metric: str) -> Mapping[int, float]:
            return {0: float(row["mean"])} if metric == row["metric"] else {}

        if key == PUBLISHED.key:
            return Column(rows, lambda row: (float(row["mean"]),), printed_load, own, of_study=of_study)
        return Column(rows, loads, numbered, own, of_study=of_study, of_sweep=of_sweep)

    return {PUBLISHED.key: column(PUBLISHED.key, "")} | {key: column(key, metric) for key, _, _ in COLUMNS}


def campaigns_of(sweep: str, data: BookData, key: str = REFERENCE) -> list[str]:
    """Campaigns of a sweep that have the cells of the newest, the newest first."""
    own = sorted(data.where("campaigns", sweep=sweep, role=ROLES[key])["campaign"], key=moment, reverse=True)
    cells = {one: set(data.where("cells", campaign=one)["key"]) for one in own}
    return [one for one in own if cells[one] == cells[own[0]]]


def newest_of(sweep: str, data: BookData, key: str = REFERENCE) -> str:
    """Its newest campaign; an empty text where it has none."""
    return next(iter(campaigns_of(sweep, data, key)), "")


def alike(data: BookData, sweep: str) -> BookData:
    """The tables in which all is by the driver of a sweep's newest campaign."""
    return beside(newest_of(sweep, data), data)


def asked_alike(m: Measured, sweep: str) -> Measured:
    """The same questions to these tables."""
    return replace(m, data=alike(m.data, sweep))


@lru_cache(maxsize=8)
def _arrivals(folder: Path, page: WebPage) -> Sequence[Arrival]:
    """Of a cell's loads; none where its records are not here, or have no objects."""
    try:
        return arrivals(folder, page) if folder.is_dir() else ()
    except LonglookError:
        return ()


def each_number(found: Iterable[Found]) -> Iterator[Found]:
    """Also those that are parts of others."""
    for one in found:
        yield from each_number(one.parts) if one.parts else [one]


def records_of(found: Iterable[Found]) -> tuple[str, ...]:
    """The folders of the records that numbers were made of, and of the printed ones."""
    rows = (row for one in each_number(found) for row in one.rows if row.get("campaign"))
    return tuple(dict.fromkeys(map(_folder, rows)))


def _folder(row: Row) -> str:
    if row["campaign"] == PUBLISHED_CAMPAIGN:
        return f"data/published/{row['study']}"
    return f"data/raw/{row['campaign']}/{row['cell_id']}"


@dataclass(frozen=True)
class StudyColumn:
    """One column of a study's evidence as tables ask it. A square is `series=..., where=...`."""

    data: BookData
    study: str
    key: str = REFERENCE

    @property
    def title(self) -> str:
        """Its heading."""
        return next(title for key, _, title in COLUMNS if key == self.key)

    @property
    def column(self) -> Column:
        return columns_of(self.data, self.study)[self.key]

    def has(self, *series: str) -> bool:
        """Whether a load of any of these counts."""
        return any(row["n"] for one in series for row in self.column.of_series(one))

    def found(self, **said: Any) -> list[Found]:
        """What a criterion finds: a number for each of its squares that has all of its arms."""
        return numbers(Criterion(**said), columns_of(self.data, self.study), self.key)

    def one(self, **said: Any) -> Estimate | None:
        """Of its only square; None where an arm has no number."""
        found = self.found(**said)
        if len(found) > 1:
            raise LonglookError(f"{said}: {len(found)} numbers, not one")
        return found[0].estimate if found else None

    def text(self, told: str, **said: Any) -> str:
        """The same by a template of `templates.told_of`; a dash where there is none."""
        found = self.found(**said)
        each = [filled(told, told_of(one, Judged(one.leaf, tuple(found), len(found)), {})) for one in found]
        return ", ".join(each) or style.DASH

    def summary(self, arm: str, metric: str, *, series: str, where: Mapping[str, Any]) -> Summary | None:
        """The mean of one arm's loads that count."""
        return self.column.summary(series, arm, metric, **where)

    def loads(self, arm: str, metric: str, *, series: str, where: Mapping[str, Any]) -> Loads:
        """Each of them, in the order measured."""
        return self.column.values(series, arm, metric, **where)


def newest(data: BookData, study: str, *series: str) -> StudyColumn:
    """The reader's own column where it has any of these series, else the reference one, measured or not."""
    found = [StudyColumn(data, study, key) for key, _, _ in COLUMNS]
    return next((one for one in reversed(found) if one.has(*series)), found[0])


def by(m: Measured, only: Callable[[Row], bool] = bool, /, **said: Any) -> Quantity:
    """The numbers that a criterion finds (`only`: of squares of which this is true); `NotMeasured` where a series, arm
    or condition that it lists has none."""
    leaf, own = Criterion(**said), StudyColumn(m.data, m.study, m.key)
    found = [one for one in own.found(**said) if only(one.square)]
    rows = [row for one in found for row in one.rows]
    lists = {"series": leaf.series or ()} | {name: one for name, one in leaf.where.items() if isinstance(one, list)}
    lacking = [f"{name} {one}" for name, own in lists.items() for one in own if one not in {row[name] for row in rows}]
    lacking += [" and ".join(pair) for pair in leaf.pairs if pair not in {one.pair for one in found}]
    if lacking or not found:
        raise NotMeasured(f"not measured: {', '.join(lacking)}")
    sign = " over " if leaf.ratio else " less "
    arms = "; ".join(sign.join(pair) for pair in leaf.pairs)
    what = f"{leaf.statistic or 'mean'} {leaf.quantity or leaf.metric} of {arms}"
    return Quantity(pd.Series([one.estimate.value for one in found]), what, records_of(found))
