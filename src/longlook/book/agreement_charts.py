"""Published beside re-measured in pictures: each square above the re-measured one, each mean against the published."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from IPython.display import HTML

from longlook.analysis.contrast import contrast
from longlook.audit.report import within
from longlook.book.agreement import ComparedSquare, kind_of, squares
from longlook.book.data import BookData, load
from longlook.book.muthuraj2024.circumstances import Loads, Three, three_ways
from longlook.figure import style
from longlook.figure.heatmap import QUIC_TCP, result_text
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.squares import labels_of
from longlook.figure.tiles import MEANS, TILES, means_chart, tiles_chart
from longlook.figure.versus import NOT_SHOWN, SHOWN
from longlook.figure.ways import SQUARES, WAYS, ways_chart
from longlook.plan.workload import size_label

NOTE = (
    "Upper half of a square: published; lower half: re-measured. Red: QUIC faster, blue: TCP faster, the darker the "
    f"more, up to {style.CLAMP_PCT:g} %; white: no significant difference. A black dot: the two verdicts differ. Down: "
    "bandwidth in Mbit/s; across: the size of one object in KB (M: in MB), or the number of objects of a page of 1 MB."
)


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Every published square above its re-measured one, a panel per table."""
    found = squares(data or load())
    if not found:
        return HTML(style.NOTHING_YET)
    frame = tiles(found)
    differ = int(frame["differs"].sum())
    return LiveChart(
        name="all-squares",
        chart=tiles_chart(frame),
        narrow=tiles_chart(frame, in_a_row=2),
        alt_text=f"All {len(frame)} published squares, a panel for each of {frame['panel'].nunique()} tables; "
        f"the verdicts of published and re-measured differ in {differ}. The table below has the counts.",
        downloads=(Attachment("all-squares.csv", frame.drop(columns=["published", "measured"]).to_csv(index=False)),),
        note=NOTE,
        hint="Point at a square for both numbers.",
    )


def in_three(data: BookData | None = None) -> LiveChart | HTML:
    """Of the squares that confirmed causes change: published, as measured as the text says, and as the scripts did."""
    tables = data or load()
    found = squares(tables)
    if not found:
        return HTML(style.NOTHING_YET)
    frame = changed(found, three_ways(tables))
    if frame.empty:
        return HTML("<p>No confirmed cause changes a square.</p>")
    text, scripts = (int((~frame.loc[frame["way"] == way, "agrees"]).sum()) for way in list(WAYS)[1:])
    title = "TCP's mean over QUIC's"
    return LiveChart(
        name="all-squares-three",
        chart=ways_chart(frame, title),
        narrow=ways_chart(frame, title, in_a_row=1),
        alt_text=f"The {frame['place'].nunique()} squares that confirmed causes change, a panel for each of "
        f"{frame['panel'].nunique()} tables: {title}. The published verdict differs from that as the text says in "
        f"{text}, from that as the scripts did in {scripts}.",
        downloads=(Attachment("all-squares-three.csv", frame.to_csv(index=False)),),
        note="A row: page and Mbit/s. Right of the dashed line QUIC is faster. Filled: the published verdict; empty: "
        "another one. All squares are on the page of the agreement.",
        hint="Point at a mark for its number.",
    )


def changed(found: Sequence[ComparedSquare], three: Sequence[Three]) -> pd.DataFrame:
    """`SQUARES` of every square that the scripts change, by table, and `place`, which names it."""
    own = {(one.printed.table, one.printed.cell.key): one for one in three if one.changed}
    rows = [row for one in _ordered(found) if _place(one) in own for row in _three_rows(one, own[_place(one)].scripts)]
    return pd.DataFrame(rows, columns=[*SQUARES, "place"])


def _three_rows(one: ComparedSquare, scripts: Loads) -> list[dict]:
    (verdict,) = one.compared.verdicts
    as_scripts = contrast(scripts["quic"], scripts["tcp"])
    printed, text = (
        {mean.protocol: getattr(mean, f"{whose}_mean") for mean in one.compared.means}
        for whose in ("published", "measured")
    )
    ways = [
        (printed, verdict.published, verdict.published_pct_diff),
        (text, verdict.measured, verdict.measured_pct_diff),
        ({side: own.mean for side, own in scripts.items()}, as_scripts.verdict, as_scripts.pct),
    ]
    page = style.page_label(one.row)
    same = {
        "panel": f"Table {one.compared.table}: {kind_of(one.row)}",
        "square": f"{page}, {one.row['bandwidth_mbps']:g}",
        "place": one.compared.title,
    }
    return [
        same
        | {"way": way, "ratio": means["tcp"] / means["quic"]}
        | {"agrees": own == verdict.published, "said": _said(own, pct)}
        for way, (means, own, pct) in zip(WAYS, ways, strict=True)
    ]


def _place(one: ComparedSquare) -> tuple[str, str]:
    return one.compared.table, one.printed.cell.key


def tiles(found: Sequence[ComparedSquare]) -> pd.DataFrame:
    """`TILES` of every square; tables in the order of their numbers."""
    tables: dict[str, list[ComparedSquare]] = {}
    for one in _ordered(found):
        tables.setdefault(one.compared.table, []).append(one)
    return pd.DataFrame([row for own in tables.values() for row in _tiles_of(own)], columns=list(TILES))


def _ordered(found: Sequence[ComparedSquare]) -> list[ComparedSquare]:
    return sorted(found, key=lambda one: _number(one.compared.table))


def _number(table: str) -> tuple[str, int]:
    letter, _, number = table.partition(".")
    return letter, int(number)


def _tiles_of(own: Sequence[ComparedSquare]) -> list[dict]:
    rows = pd.DataFrame([one.row for one in own])
    _, across = labels_of(rows, "workload")
    counted = bool((rows["object_count"] > 1).any())
    columns, lines = _places(across), _places(rows["bandwidth_mbps"])
    found = []
    for one, column, line in zip(own, columns, lines, strict=True):
        (verdict,) = one.compared.verdicts
        sides = ("published", "measured")
        said = {side: _said(getattr(verdict, side), getattr(verdict, f"{side}_pct_diff")) for side in sides}
        colours = {side: _colour(getattr(verdict, side), getattr(verdict, f"{side}_pct_diff")) for side in sides}
        found.append(
            {
                "panel": f"Table {one.compared.table}",
                "under": kind_of(one.row),
                "column": column,
                "row": line,
                "across": _short(one.row, counted),
                "down": f"{one.row['bandwidth_mbps']:g}",
                **colours,
                "differs": verdict.agree is False,
                "place": one.compared.title,
                **{f"said_{side}": text for side, text in said.items()},
            }
        )
    return found


def _short(row: pd.Series, counted: bool) -> str:
    """`×1`, `100`, `10M`: of a page's objects the number, where that differs, or else their size in KB or MB."""
    if counted:
        return "×1" if row["object_count"] == 1 else f"{row['object_count']:g}"
    return size_label(int(row["object_bytes"])).replace(" ", "").removesuffix("KB").removesuffix("B")


def _places(values: pd.Series) -> list[int]:
    order = {value: place for place, value in enumerate(sorted(values.unique()))}
    return [order[value] for value in values]


def _said(verdict: str | None, pct: float) -> str:
    return (
        "too few loads"
        if verdict is None
        else result_text(
            {"measured": True, "winner": verdict, "shown": NOT_SHOWN if verdict == "none" else SHOWN, "pct": pct},
            QUIC_TCP,
        )
    )


def _colour(verdict: str | None, pct: float) -> str:
    if verdict is None:
        return style.NOT_MEASURED
    return "#ffffff" if verdict == "none" else style.square_colour(pct)


def means(data: BookData | None = None) -> LiveChart | HTML:
    """Every re-measured mean against the published one."""
    found = squares(data or load())
    if not found:
        return HTML(style.NOTHING_YET)
    rows = [
        (
            mean.published_mean,
            mean.measured_mean,
            style.PROTOCOL_LABELS[mean.protocol],
            kind_of(one.row),
            one.compared.title,
        )
        for one in found
        for mean in one.compared.means
    ]
    frame = pd.DataFrame(rows, columns=list(MEANS))
    inside, of_all = within([one.compared for one in found])
    return LiveChart(
        name="all-means",
        chart=means_chart(frame),
        narrow=means_chart(frame, width=260),
        alt_text=f"{len(frame)} re-measured means against the published ones, from {frame['published'].min():,.0f} to "
        f"{frame['published'].max():,.0f} ms, their ratios on a logarithmic axis; {inside} of {of_all} lie within the "
        "99 % prediction interval of the published one.",
        downloads=(Attachment("all-means.csv", frame.to_csv(index=False)),),
        note="On the dashed line the two are equal; above it the re-measured mean is longer.",
        hint="Point at a mean for its numbers.",
    )
