"""What is shown of every pair: the heatmap of the matrix (servers down, clients across, a panel per protocol, a row of
panels per controller), and where pairs hardly differ the range of their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    TITLES,
    MatrixColumn,
    PairQuantity,
    newest,
    shown,
)
from longlook.book.matrix.pairs import NAMES, SLOW
from longlook.figure import style
from longlook.figure.grid import GRID, PHONE, Scale, grid_chart, told
from longlook.figure.live import Attachment, LiveChart, offered
from longlook.figure.table import html_table

AXES = ("server", "client")


@dataclass(frozen=True)
class Picture:
    """One quantity of a series."""

    name: str
    series: str
    quantity: PairQuantity


CPU_SHOWN = Picture("matrix-cpu", QUIET, CPU)
GOODPUT_SHOWN = Picture("matrix-goodput", QUIET, GOODPUT), Picture("matrix-loss", LOSSY, GOODPUT)
HANDSHAKE_SHOWN = (Picture("matrix-handshake", SMALL, HANDSHAKE),)


def ranges(asked: Sequence[Picture], data: BookData | None = None) -> HTML:
    """A row for each controller and group of pairs: how many have a number, and of each of `asked` the least and the
    greatest mean. Every pair's are in a file for each."""
    found = data or book_data.load()
    frames = {one.name: squares(one, newest(found, one.series)) for one in asked}
    known = [dict(_groups(frame.dropna(subset=["value"]))) for frame in frames.values()]
    if not all(known):
        return HTML(style.NOTHING_YET)
    rows = []
    for place in dict.fromkeys(place for own in known for place in own):
        values = [own.get(place, pd.Series(dtype=float)) for own in known]
        ends = [f"{end:.1f}" for own in values for end in (own.min(), own.max())]
        rows.append([*place, str(max(map(len, values))), *ends])
    head = ["controller", "over", "pairs", *["least", "greatest"] * len(asked)]
    groups = [("", 3), *((f"{TITLES[one.series]}, {one.quantity.unit}", 2) for one in asked)]
    files = [Attachment(f"{name}.csv", frame.to_csv(index=False)) for name, frame in frames.items()]
    return HTML(html_table(head, rows, numeric=range(2, len(head)), groups=groups) + offered(*files))


def _groups(known: pd.DataFrame) -> Iterator[tuple[tuple[str, str], pd.Series]]:
    """Controller and protocol, over QUIC with the slow one and without, and the numbers of these pairs."""
    slow = known[["down", "across"]].isin([NAMES[SLOW]]).any(axis=1)
    for (block, panel, with_slow), own in known.groupby(["block", "panel", slow], sort=False):
        group = f", with{'' if with_slow else 'out'} {NAMES[SLOW]}" if panel == style.PROTOCOL_LABELS["quic"] else ""
        yield (block or "CUBIC, quic-go's Reno", f"{panel}{group}"), own["value"]


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """The heatmap of CPU_SHOWN, of the reader's own campaign or else of the reference one."""
    asked = CPU_SHOWN
    column = newest(data or book_data.load(), asked.series)
    frame = squares(asked, column)
    if not frame["value"].notna().any():
        return HTML(style.NOTHING_YET)
    unit, scale = asked.quantity.unit, Scale.of(frame["value"], logarithmic=True)
    what, means = f"{asked.quantity.title} in {unit}", f"{column.title}. Means in {unit}"
    return live(asked.name, frame, scale, f"{what}. {told(frame, unit)}", means)


def live(name: str, frame: pd.DataFrame, scale: Scale, alt_text: str, means: str) -> LiveChart:
    """Squares as a figure; `means`: what its numbers are, for the note below."""
    return LiveChart(
        name=name,
        chart=grid_chart(frame, AXES, scale),
        narrow=grid_chart(frame, AXES, scale, PHONE),
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
