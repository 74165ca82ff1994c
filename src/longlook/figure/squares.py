"""From cells to the squares of one figure: published, reference and yours, on one grid.

Pure functions over data frames. A square is one place of the grid: a value on each axis, within a block (its link, and
what else asks for a panel of its own). Each source that knows it contributes one row, and a source that does not has a
row marked as not measured, so that columns line up. Two cells of one source on one square are an error: nothing is
dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from longlook.errors import LonglookError
from longlook.figure import style
from longlook.figure.versus import ARM_WORDS, CONTRAST, OF_ARM, SIDES, SMALL, condition_columns, decided
from longlook.record.parquet import records

LINK = ("rtt_ms", "loss_pct", "jitter_ms")
"""Where they are on no axis they make the blocks: a row of panels for each link."""
PAGE = ("workload_kind", "object_bytes", "object_count", "total_bytes")
"""What the column `workload` stands for."""
STATISTICS = [f"{side}_{name}" for side in SIDES for name in ("mean", "sd", "n", "floor")]
KEY_FORMS = {
    "workload": "{}",
    "bandwidth_mbps": "{:g}mbps",
    "rtt_ms": "{:g}ms",
    "loss_pct": "{:g}pct",
    "jitter_ms": "{:g}msjitter",
}


@dataclass(frozen=True)
class Source:
    """Where one column of a figure comes from: its key, its heading and its campaigns (none if published)."""

    key: str
    title: str
    campaigns: tuple[str, ...] = ()


PUBLISHED = Source("published", "Published")


@dataclass(frozen=True)
class Axes:
    """Which conditions lie across (`x`), down (`y`) and, beside those of the link, in panels of their own (`by`).

    Each is a column of `cells`, or one of `arms` with the arm's name: `quic.server_cpu_pct`. `arms`: their names, left
    first.
    """

    x: str = "workload"
    y: str = "bandwidth_mbps"
    by: tuple[str, ...] = ()
    arms: tuple[str, str] = ("quic", "tcp")
    blocks: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        known = [name for name in LINK if name not in (self.x, self.y, *self.by)]
        object.__setattr__(self, "blocks", (*known, *self.by))

    @property
    def names(self) -> tuple[str, ...]:
        """All conditions that tell squares apart."""
        return (self.x, self.y, *self.blocks)

    def column(self, name: str, frame: pd.DataFrame) -> str:
        """The column of `side_by_side` that a condition's name means; an unknown one is an error that lists the known
        ones."""
        arm, dot, own = name.rpartition(".")
        if dot and arm in self.arms and own in OF_ARM:
            return f"{SIDES[self.arms.index(arm)]}_{own}"
        if name in frame.columns and name not in CONTRAST:
            return name
        cell = sorted(one for one in condition_columns(frame) if not one.startswith(("left_", "right_")))
        arms = sorted(one for one in OF_ARM if f"left_{one}" in condition_columns(frame))
        raise LonglookError(
            f"no condition {name!r}; of a cell there are {', '.join(cell)}; "
            f"of an arm, as in {self.arms[0]}.cca: {', '.join(arms)}"
        )


def figure_squares(cells_of: Mapping[Source, pd.DataFrame], axes: Axes | None = None) -> pd.DataFrame:
    """All squares of one figure, one row per source and square.

    `cells_of` maps each source to rows of `side_by_side`. Added columns: source, source_title, square (its key), x, y
    and block (texts), x_order, y_order, measured, pct, winner, shown (`versus.decided`), significant, upright, label,
    label_colour, raw (path of the raw record, or empty).
    """
    axes = axes or Axes()
    known = [frame for frame in cells_of.values() if len(frame)]
    if not known:
        return pd.DataFrame(columns=["source", "square", "campaign", "cell_id", *STATISTICS, *CONTRAST])
    places = [axes.column(name, known[0]) for name in axes.names]
    for frame in known:
        _one_each(frame, places, axes)
    page = [name for name in PAGE if "workload" in places]
    grid = pd.concat([frame[[*places, *page]] for frame in known]).drop_duplicates(places)
    rows = [_one_source(source, frame, grid, places) for source, frame in cells_of.items()]
    return _with_labels(pd.concat(rows, ignore_index=True), axes, places)


def _one_each(frame: pd.DataFrame, places: Sequence[str], axes: Axes) -> None:
    """An error where two cells lie on one square; it says in which conditions they differ, as an axis would name
    them."""
    twice = frame[frame.duplicated(list(places), keep=False)]
    if twice.empty:
        return
    first = next(iter(twice.groupby(list(places), dropna=False, sort=False)))[1]
    differ = [name for name in condition_columns(frame) if first[name].map(style.value_text).nunique() > 1]
    series = ", ".join(dict.fromkeys(frame["series"]))
    where = ", ".join(f"{name} = {style.value_text(first[name].iloc[0])}" for name in places)
    what = ", ".join(_as_axes(differ, axes)) or "nothing but the campaign or their ids"
    raise LonglookError(
        f"series {series}: {len(first)} cells fall on one square ({where}); they differ in {what}. "
        "Put that on an axis (x, y) or in panels of its own (by)."
    )


def _as_axes(names: Sequence[str], axes: Axes) -> list[str]:
    """`left_server_cpu_pct` as `quic.server_cpu_pct`; where both arms differ in it, by the left one alone."""
    left, right = ([name.removeprefix(f"{side}_") for name in names if name.startswith(f"{side}_")] for side in SIDES)
    found = [name for name in names if not name.startswith(tuple(f"{side}_" for side in SIDES))]
    found += [f"{axes.arms[0]}.{name}" for name in left]
    return found + [f"{axes.arms[1]}.{name}" for name in right if name not in left]


def _one_source(source: Source, frame: pd.DataFrame, grid: pd.DataFrame, places: Sequence[str]) -> pd.DataFrame:
    """The grid with this source's statistics where it has them."""
    rest = [name for name in frame.columns if name not in grid.columns or name in places]
    found = grid.merge(frame[rest], on=list(places), how="left")
    found["source"], found["source_title"] = source.key, source.title
    # A cell with too few accepted samples for a test is shown as not measured; its samples can still be looked at.
    found["measured"] = found["p_value"].notna()
    found["raw"] = [
        f"data/raw/{campaign}/{cell}" if source.campaigns and pd.notna(cell) else ""
        for campaign, cell in zip(found["campaign"], found["cell_id"], strict=True)
    ]
    return found


def _with_labels(squares: pd.DataFrame, axes: Axes, places: Sequence[str]) -> pd.DataFrame:
    """Adds what is printed and drawn: labels, block titles, order, significance."""
    forms = [KEY_FORMS.get(column, "{}" + f"-{column}") for column in places]
    keys = squares[list(places)].itertuples(index=False, name=None)
    squares["square"] = ["_".join(form.format(value) for form, value in zip(forms, key, strict=True)) for key in keys]
    squares["x"], squares["x_order"] = labels_of(squares, places[0])
    squares["y"], squares["y_order"] = labels_of(squares, places[1])
    squares["block"] = _blocks(squares, axes, places[2:])
    shown = [decided(row) for row in records(squares)]
    squares["pct"] = [one.pct for one in shown]
    squares["winner"] = pd.Series([one.winner for one in shown], index=squares.index, dtype=object)
    squares["shown"] = [one.shown for one in shown]
    squares["significant"] = squares["measured"] & squares["winner"].isin(SIDES)
    squares["upright"] = squares["significant"] | (squares["measured"] & (squares["shown"] == SMALL))
    squares["label"] = squares["pct"].map(style.signed_pct).where(squares["measured"], "\N{EN DASH}")
    squares["label_colour"] = [
        style.text_on(pct, significant) if measured else style.GREY
        for pct, significant, measured in zip(squares["pct"], squares["significant"], squares["measured"], strict=True)
    ]
    order = [*places[2:], "y_order", "x_order"]
    return squares.sort_values(order, na_position="first").reset_index(drop=True)


def labels_of(frame: pd.DataFrame, column: str) -> tuple[pd.Series, pd.Series]:
    """Texts of one condition for an axis, and what to sort them by."""
    if column == "workload":
        # Size figures grow to the right; count figures go from one large object to many small ones (thesis 4.6).
        with_count = bool((frame["object_count"] > 1).any())
        parts = frame[["workload", "object_bytes", "object_count"]].itertuples(index=False, name=None)
        texts = [style.workload_label(name, size, count, with_count) for name, size, count in parts]
        return pd.Series(texts, index=frame.index), frame["object_count" if with_count else "total_bytes"]
    texts = [style.value_text(value) for value in frame[column]]
    order = frame[column].map(lambda value: -1.0 if pd.isna(value) else value)
    return pd.Series(texts, index=frame.index), order


def _blocks(frame: pd.DataFrame, axes: Axes, places: Sequence[str]) -> list[str]:
    """The title of each row's block: its link, then what else has panels of its own."""
    rows = records(frame[list(places)])
    return [", ".join(_block_parts(dict(zip(axes.blocks, row.values(), strict=True)))) for row in rows]


def _block_parts(values: Mapping[str, Any]) -> list[str]:
    link = {name: values[name] for name in LINK if name in values}
    parts = [style.link_label(**link)] if link else []
    for name, value in values.items():
        if name not in link:
            parts.append(f"{axis_title(name)}: {style.value_text(value)}")
    return parts


def axis_title(name: str) -> str:
    """`Mbit/s` of bandwidth_mbps, `QUIC: CPU of the server, %` of quic.server_cpu_pct."""
    arm, dot, own = name.rpartition(".")
    title = style.CONDITION_TITLES.get(own, own)
    return f"{ARM_WORDS.get(arm, arm)}: {title}" if dot else title
