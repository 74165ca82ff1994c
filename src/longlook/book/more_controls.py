"""The A/A control of every kind of arm: what of the published tables it is like.

What was foretold of it stands in sweeps/muthuraj2024/aa-more.toml and aa-downloads.toml.
"""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from longlook.analysis.newest import STUDY
from longlook.audit.checks import CELL_NAME, KIND, among, counted, primary
from longlook.audit.report import ControlGroup
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT, TTLB
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.figure.versus import SIDES, Versus, side_by_side, told_pct, told_text
from longlook.record.parquet import records

EQUALS = {metric.name: Versus("a", "b", metric) for metric in (PLT, TTLB)}
FEW = 10
"""Objects of a page, at most; a page of more is of hundreds here."""

Likeness = tuple[str, str, str, str, bool, bool, bool]
"""Stack, protocol, handshake, controller; with loss, with jitter, with more than FEW objects."""


def squares(arms: pd.DataFrame) -> pd.DataFrame:
    """Cells of equal arms (rows of `arms`) side by side, each in its experiment's first metric, with the `kind` of
    its arms in words and the least difference of their means that their loads tell, in % (NaN without a test)."""
    first = primary(arms)
    return pd.concat([_squares(first, versus) for versus in EQUALS.values()], ignore_index=True)


def _squares(arms: pd.DataFrame, versus: Versus) -> pd.DataFrame:
    found = side_by_side(arms, versus)
    kinds = found[[f"left_{name}" for name in KIND]].itertuples(index=False, name=None)
    return found.assign(
        kind=[ControlGroup.label_of(*kind) for kind in kinds],
        told_pct=[told_pct(row, versus) for row in records(found)],
    )


def covers(data: BookData | None = None) -> HTML:
    """A row per published table of pages, of few objects and of more: how many of its kinds of arms and conditions a
    square of the control is like, what these squares found, and the processors of both."""
    own = data or book_data.load()
    arms = own.whole("arms")
    arms = arms[arms["metric"] == PLT.name]
    equal = arms["control"].astype(bool)
    control = squares(counted(arms[equal], REFERENCE))
    tables = counted(own.whole("agreement_means"), REFERENCE)
    if tables.empty or control.empty:
        return HTML(style.NOTHING_YET)
    alike = pd.Series([likeness(row, "left_") for row in records(control)], index=control.index)
    rows = []
    for (study, table), cells in sorted(tables.groupby(["study", "table"]), key=lambda one: _place(one[0])):
        measured = among(arms[~equal], cells[CELL_NAME].drop_duplicates())
        kinds = {likeness(row) for row in records(measured)}
        for many, pages in ((False, f"up to {FEW}"), (True, "more")):
            if needed := {one for one in kinds if one[-1] == many}:
                like = control[alike.isin(needed)]
                met = f"{len(needed & set(alike))} of {len(needed)}"
                processors = (_processors(own, one) for one in (measured, like))
                rows.append([study, table, pages, met, *_found(like), *processors])
    head = [
        "study",
        "table",
        "objects",
        "kinds met",
        "squares",
        "coloured",
        "least difference detected",
        "measured on",
        "control on",
    ]
    return shown_table(head, rows, numeric={3, 4, 5, 6})


def _place(name: tuple[str, str]) -> tuple[bool, str, list[tuple[int, str]]]:
    """The thesis first; B.2 before B.10."""
    study, table = name
    parts = [(int(part), "") if part.isdigit() else (0, part) for part in table.split(".")]
    return study != STUDY, study, parts


def likeness(row: dict, side: str = "") -> Likeness:
    """Of a row of `arms`, or of one side of a square."""
    stack, protocol, handshake, cca = (str(row[side + name]) for name in KIND)
    return stack, protocol, handshake, cca, row["loss_pct"] > 0, row["jitter_ms"] > 0, row["object_count"] > FEW


def _found(like: pd.DataFrame) -> list[str]:
    """Of squares: how many, how many of them coloured, and the median of the least differences that they tell."""
    tested = like[like["verdict"].notna()]
    told = told_text(tested["told_pct"].median()) if len(tested) else style.DASH
    return [str(len(tested)), str(coloured(tested)), told]


def _processors(data: BookData, rows: pd.DataFrame) -> str:
    """`AMD EPYC, Intel(R) Xeon(R) Processor`."""
    names = dict.fromkeys(data.campaign(name)["cpu_model"] for name in rows["campaign"].unique())
    return ", ".join(names) or style.DASH


def coloured(squares: pd.DataFrame) -> int:
    """How many of them have a significant difference."""
    return int(squares["verdict"].isin(SIDES).sum())
