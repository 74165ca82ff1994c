"""The heatmaps of the matrix: servers down, clients across, a panel per protocol, a row of panels per controller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix.evidence import (
    BY_CONTROLLER,
    CPU,
    GOODPUT,
    HANDSHAKE,
    LOSSY,
    QUIET,
    SMALL,
    MatrixColumn,
    PairQuantity,
    newest,
    shown,
)
from longlook.book.matrix.pairs import NAMES
from longlook.figure import style
from longlook.figure.grid import GRID, PHONE, Scale, grid_chart, told
from longlook.figure.live import Attachment, LiveChart

TITLES = ("server", "client")


@dataclass(frozen=True)
class Picture:
    """One figure: what it shows of which series."""

    name: str
    series: str
    quantity: PairQuantity
    logarithmic: bool = False


PICTURES = {
    one.name: one
    for one in (
        Picture("matrix-goodput", QUIET, GOODPUT),
        Picture("matrix-loss", LOSSY, GOODPUT, logarithmic=True),
        Picture("matrix-handshake", SMALL, HANDSHAKE),
        Picture("matrix-cpu", QUIET, CPU, logarithmic=True),
    )
}


def picture(name: str, data: BookData | None = None) -> LiveChart | HTML:
    """One of PICTURES, of the reader's own campaign or else of the reference one."""
    asked = PICTURES[name]
    column = newest(data or book_data.load(), asked.series)
    frame = squares(asked, column)
    if not frame["value"].notna().any():
        return HTML(style.NOTHING_YET)
    unit, scale = asked.quantity.unit, Scale.of(frame["value"], asked.logarithmic)
    what, means = f"{asked.quantity.title.capitalize()} in {unit}", f"{column.title}. Means in {unit}"
    return live(asked.name, frame, scale, f"{what}. {told(frame, unit)}", means)


def live(name: str, frame: pd.DataFrame, scale: Scale, alt_text: str, means: str) -> LiveChart:
    """Squares as a figure; `means`: what its numbers are, for the note below."""
    return LiveChart(
        name=name,
        chart=grid_chart(frame, TITLES, scale),
        narrow=grid_chart(frame, TITLES, scale, PHONE),
        alt_text=alt_text,
        downloads=(Attachment(f"{name}.csv", frame.to_csv(index=False)),),
        note=f"{means}; the darker, the more. Grey, a dash: no number, for a reason that the table of pairs without "
        "one has.",
        hint="Point at a square for its number or the reason why it has none.",
    )


def squares(asked: Picture, column: MatrixColumn) -> pd.DataFrame:
    """A row for every pair, of GRID and what tells it."""
    return pd.DataFrame(_rows(asked, column), columns=[*GRID, "cca", "mean", "sd", "n"])


def _rows(asked: Picture, column: MatrixColumn) -> Iterator[dict[str, object]]:
    for pair in shown(asked.series):
        found = column.found(asked.series, pair)
        own = asked.quantity.of(found)
        place = {
            "block": pair.cca.upper() if asked.series in BY_CONTROLLER else "",
            "panel": style.PROTOCOL_LABELS[pair.protocol],
            "down": NAMES[pair.server],
            "across": NAMES[pair.client],
            "cca": pair.cca,
        }
        if own is None:
            yield place | {"value": float("nan"), "label": style.DASH, "said": found.why}
            continue
        text = f"{asked.quantity.text(own)} {asked.quantity.unit}, {own.n} downloads"
        label = f"{own.mean:.0f}" if own.mean >= 10 else f"{own.mean:.1f}"
        yield place | {"value": own.mean, "label": label, "said": text, "mean": own.mean, "sd": own.sd, "n": own.n}
