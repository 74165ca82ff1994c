"""Which rows a criterion selects, and the squares that they make: of a sweep's cells and of the tables. No I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from itertools import groupby, pairwise
from typing import Any

from longlook.plan.conditions import PLACE, Row, changed_with
from longlook.plan.criteria import BESIDE, Against, Condition, Criterion, Judging, Range, Squares, Where
from longlook.plan.statements import Prediction
from longlook.plan.value import PlanError, listed, nearest

Square = tuple[Any, ...]
"""What tells one square of a criterion from another."""
Elsewhere = Callable[[str, str | None], Sequence[Row]]
"""The rows of a series of another sweep, of this study or of one by name; none where no sweep has it."""


def selects(where: Where, row: Mapping[str, Any]) -> bool:
    """Whether a row has all of these conditions."""
    return all(_has(condition, row.get(name)) for name, condition in where.items())


def _has(condition: Condition, value: Any) -> bool:
    if isinstance(condition, Range):
        return condition.has(value)
    return value in condition if isinstance(condition, list) else bool(value == condition)


def is_arm(pattern: str, row: Row) -> bool:
    """Whether an arm has this name, or fits one of the patterns that `|` joins; one that is alone has none."""
    return _fits(pattern, row["arm"] or "")


@cache
def _fits(pattern: str, arm: str) -> bool:
    return any(fnmatchcase(arm, one) for one in pattern.split("|"))


def telling(leaf: Criterion) -> tuple[str, ...]:
    """The columns that make a leaf's squares."""
    if leaf.each is not None:
        return leaf.each
    other = [*(leaf.over or ()), *(name for one in leaf.against for name in one.where)]
    other += ["series"] if any(one.series for one in leaf.against) else []
    free = changed_with([*other, *filter(None, [leaf.along])])
    return tuple(name for name in PLACE if name not in free)


def base(leaf: Criterion) -> tuple[Where, tuple[str, ...] | None]:
    """Conditions and series of what a leaf is `over`."""
    return _over(leaf.where, leaf.series, leaf.over or {})


def _over(where: Where, series: tuple[str, ...] | None, over: Where) -> tuple[Where, tuple[str, ...] | None]:
    freed = changed_with(over)
    kept = {name: one for name, one in where.items() if name not in freed}
    changed = {name: one for name, one in over.items() if name not in (*BESIDE, "arm")}
    return kept | changed, tuple(map(str, listed(over["series"]))) if "series" in over else series


def beside_base(leaf: Criterion, against: Against) -> tuple[Where, tuple[str, ...] | None]:
    """Conditions and series of what that is over which a leaf is `against`."""
    return _over(*beside(leaf, against), against.over or {})


def beside(leaf: Criterion, against: Against) -> tuple[Where, tuple[str, ...] | None]:
    """Conditions and series of what a leaf is `against`."""
    freed = changed_with(against.where)
    kept = {name: one for name, one in leaf.where.items() if name not in freed}
    return kept | against.where, against.series or leaf.series


def squares(leaf: Criterion, pattern: str, rows: Iterable[Row], where: Where | None = None) -> dict[Square, list[Row]]:
    """Square -> the rows of an arm there, in the order in which the criterion lists series and conditions; `where`:
    of what it is over."""
    columns = telling(leaf)
    found: dict[Square, list[Row]] = {}
    for row in rows:
        if is_arm(pattern, row) and selects(leaf.where if where is None else where, row):
            found.setdefault(tuple(row.get(name) for name in columns), []).append(row)
    return dict(sorted(found.items(), key=lambda one: _rank(leaf, one[1][0])))


def _rank(leaf: Criterion, row: Row) -> list[int]:
    lists = [*leaf.where.items()]
    if "series" not in leaf.where:
        lists.insert(0, ("series", list(leaf.series or ())))
    return [one.index(row[name]) for name, one in lists if isinstance(one, list) and row.get(name) in one]


def stepped(leaf: Criterion, rows: Sequence[Row]) -> Criterion:
    """Steps as the ratios that they are, in the order of a sweep's arms."""
    if leaf.steps is None:
        return leaf
    arms = dict.fromkeys(row["arm"] for row in _of_series(leaf, rows))
    pairs = [pair for one in leaf.steps for pair in pairwise(arm for arm in arms if is_arm(one, {"arm": arm}))]
    return leaf.model_copy(update={"steps": None, "ratio": tuple(pairs)})


def number_of_squares(criterion: Criterion, judging: Judging, rows: Sequence[Row]) -> int:
    """How many numbers a criterion has where all of these rows are measured; those that together are one part are
    one."""
    return _number_of_parts(list(criterion.leaves(judging)), rows, 0)


def _number_of_parts(leaves: Sequence[Criterion], rows: Sequence[Row], depth: int) -> int:
    parts = {id(leaf.part_of[depth]) for leaf in leaves if leaf.part_of[depth:]}
    return len(parts) + sum(number_of(leaf, rows) for leaf in leaves if not leaf.part_of[depth:])


def number_of(leaf: Criterion, rows: Sequence[Row]) -> int:
    """How many numbers a leaf has."""
    return sum(
        len(set.intersection(*(set(squares(leaf, arm, _of_series(leaf, rows))) for arm in pair)))
        for pair in stepped(leaf, rows).pairs
    )


def _of_series(leaf: Criterion, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if leaf.series is None or row["series"] in leaf.series]


def check(predictions: Sequence[Prediction], judging: Judging, rows: Sequence[Row], elsewhere: Elsewhere) -> None:
    """A `PlanError` names the first prediction that no measurement of these cells could decide, and why."""
    for number, one in enumerate(predictions):
        try:
            for leaf in (*one.leaves(judging), *(one.earlier.leaves(judging) if one.earlier else ())):
                _check_leaf(leaf, rows)
                _check_others(leaf, rows, elsewhere)
            _check_number(one, number_of_squares(one, judging, rows))
            _check_parts(list(one.leaves(judging)), rows, 0)
            if one.told_bounds > (there := len(list(one.leaves(judging)))):
                raise PlanError(f"summary: it tells the ends of {one.told_bounds} bounds, and has {there}")
        except PlanError as error:
            raise PlanError(f"predictions.{number} (n = {one.n}): {error}") from None


def _check_number(one: Prediction, there: int) -> None:
    if not there:
        raise PlanError("no square has all of its arms")
    _check_of(one, there)
    if one.places > there:
        raise PlanError(f"summary: it has no {{{one.places - 1}}} to tell, of {there} numbers")


def _check_parts(leaves: Sequence[Criterion], rows: Sequence[Row], depth: int) -> None:
    for parts, some in groupby(leaves, key=lambda leaf: leaf.part_of[depth : depth + 1]):
        own = list(some)
        if parts:
            _check_of(parts[0], _number_of_parts(own, rows, depth + 1))
            _check_parts(own, rows, depth + 1)


def _check_of(one: Criterion, there: int) -> None:
    if isinstance(one.squares, Squares) and one.squares.of != there:
        raise PlanError(f"squares.of = {one.squares.of}, and its cells make {there}")


def _check_leaf(leaf: Criterion, rows: Sequence[Row]) -> None:
    series = list(dict.fromkeys(row["series"] for row in rows))
    for one in leaf.series or ():
        if one not in series:
            raise PlanError(f"series: the sweep has no {one!r}{nearest(one, series)}")
    own = _of_series(leaf, rows)
    arms = list(dict.fromkeys(row["arm"] or "" for row in own))
    family = leaf.holm if isinstance(leaf.holm, tuple) else ()
    for pattern in dict.fromkeys(arm for pair in (*leaf.pairs, family) for arm in pair):
        if not any(is_arm(pattern, row) for row in own):
            raise PlanError(f"no arm is {pattern!r}{nearest(pattern, arms)}")
    for pair in (*leaf.pairs, family):
        both = [row for row in own if any(is_arm(pattern, row) for pattern in pair)]
        for pattern in pair:
            _check_where(leaf, [row for row in own if is_arm(pattern, row)], both)


def _check_others(leaf: Criterion, rows: Sequence[Row], elsewhere: Elsewhere) -> None:
    """What it is over or against is measured, by a sweep; what is over another column may be published alone."""
    measured = (one for one in leaf.against if one.column is None)
    others = [("against", one.study, leaf.pairs_against(one), *beside(leaf, one)) for one in measured]
    for its in leaf.against:
        if its.over is not None and "column" not in its.over:
            others.append(("against.over", its.study, _bases(leaf, its.over), *beside_base(leaf, its)))
    if leaf.over is not None and "column" not in leaf.over:
        others.append(("over", None, _bases(leaf, leaf.over), *base(leaf)))
    for said, study, pairs, where, series in others:
        own = rows if study is None else ()
        there = [row for row in own if series is None or row["series"] in series]
        patterns = dict.fromkeys(arm for pair in pairs for arm in pair)
        lacking = [one for one in patterns if not _has_arm(one, where, there)]
        for one in series or () if lacking else ():
            found = elsewhere(one, study)
            if not found and not any(row["series"] == one for row in own):
                raise PlanError(f"{said}: no sweep of {study or 'this study'} measures a series {one!r}")
            there += found
        for pattern in lacking:
            if not _has_arm(pattern, where, there):
                raise PlanError(
                    f"{said}: no cell of {', '.join(series or ('the sweep',))} has it of an arm {pattern!r}"
                )


def _bases(leaf: Criterion, over: Where) -> tuple[tuple[str, ...], ...]:
    """The arms that its arms are over."""
    return ((str(over["arm"]),),) if "arm" in over else leaf.pairs


def _has_arm(pattern: str, where: Where, rows: Sequence[Row]) -> bool:
    return any(is_arm(pattern, row) and selects(where, row) for row in rows)


def _check_where(leaf: Criterion, rows: Sequence[Row], both: Sequence[Row]) -> None:
    """Every condition, and every value that one lists, is that of a cell of an arm (of either of two, where it makes no
    squares); and so are all together."""
    where, of_squares = leaf.where, telling(leaf)
    for name, condition in where.items():
        for one in condition if isinstance(condition, list) else [condition]:
            if not any(selects({name: one}, row) for row in (rows if name in of_squares else both)):
                there = ", ".join(dict.fromkeys(str(row.get(name)) for row in rows))
                said = one.model_dump(exclude_unset=True) if isinstance(one, Range) else one
                raise PlanError(f"where.{name} = {said}: no cell has it (they have {there})")
    if not any(selects(where, row) for row in rows):
        raise PlanError(f"where: no cell has all of {', '.join(where)}")
