"""The paper's heatmaps: HTTP/3 against HTTP/2 by file and link, published and re-measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.estimate import Estimate
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.evidence import StudyColumn
from longlook.book.times import percent_text
from longlook.book.yu2021.names import (
    H2,
    H3,
    LIKE,
    MAIN,
    NAMES,
    PAIRS,
    PLACES,
    SIZE_NAMES,
    TITLES,
    Controllers,
    FileSquare,
    printed,
    rule,
    verdict,
)
from longlook.figure import style
from longlook.figure.grid import GRID, Layout, grid_chart
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.published.yu2021 import STUDY

AXES = ("link", "file")
PAGE, PHONE = Layout(across=48, down=28), Layout(across=60, down=28, stacked=True)
DARKEST_PCT = 40.0
"""The greatest published difference is 34 %."""
WHITE = "#ffffff"
SAME = {"quicgo": "curl", "ngtcp2": "curl", "chromium": "chromium"}
"""With whom over HTTP/2 a client of HTTP/3 is compared: the browser with itself, the others with curl."""


@dataclass(frozen=True)
class GridSquare:
    """What stands in one."""

    found: Estimate | None
    told: bool
    """Whether the difference is."""
    why: str = "not measured yet"


Panel = tuple[str, str, Callable[[FileSquare], GridSquare]]
"""Block, title, and its squares."""


def best(data: BookData | None = None) -> LiveChart:
    """The quickest client of HTTP/3 against the quickest of HTTP/2."""
    found = data or book_data.load()
    return picture("yu-best", [*_published(), *_by_pair(found, H3, H2)], _titles(found))


def by_client(data: BookData | None = None) -> LiveChart | HTML:
    """Each client of HTTP/3 against one of HTTP/2."""
    found = data or book_data.load()
    columns = _titles(found)
    if not columns:
        return HTML(style.NOTHING_YET)
    own = StudyColumn(found, STUDY, columns[-1][0])
    panels = [
        (pair.title, f"{NAMES[one]} against {NAMES[other]}", squares(own, pair, [one], [other]))
        for pair in PAIRS
        for one, other in SAME.items()
    ]
    return picture("yu-by-client", panels, columns[-1:])


def _titles(data: BookData) -> list[tuple[str, str]]:
    """Key and heading of the columns that have any of the squares."""
    return [(key, title) for key, _, title in COLUMNS if StudyColumn(data, STUDY, key).has(*MAIN.values())]


def _published() -> Iterator[Panel]:
    for provider, pair in LIKE.items():
        yield PUBLISHED.title, f"{TITLES[provider]} ({pair.title})", _printed(provider)


def _printed(provider: str) -> Callable[[FileSquare], GridSquare]:
    """Told where it is not once, as which those are printed that a test did not tell."""
    return lambda where: GridSquare(printed(provider, where), printed(provider, where).value != 1)


def _by_pair(data: BookData, h3: Sequence[str], h2: Sequence[str]) -> Iterator[Panel]:
    for key, title in _titles(data):
        for pair in PAIRS:
            yield title, pair.title, squares(StudyColumn(data, STUDY, key), pair, h3, h2)


def squares(
    own: StudyColumn, pair: Controllers, h3: Sequence[str], h2: Sequence[str]
) -> Callable[[FileSquare], GridSquare]:
    """By the paper's rule, coloured where a difference is told."""

    def square(where: FileSquare) -> GridSquare:
        found = own.one(**rule(where, pair, h3, h2))
        return GridSquare(found, found is not None and verdict(found) != 0)

    return square


def picture(name: str, panels: Sequence[Panel], columns: Sequence[tuple[str, str]]) -> LiveChart:
    """Panels of the paper's 15 squares."""
    frame = pd.DataFrame(_rows(panels), columns=[*GRID, "colour", "low", "high"])
    shown = ", ".join(title for _, title in columns) or "Re-measured: not measured yet"
    return LiveChart(
        name=name,
        chart=grid_chart(frame, AXES, layout=PAGE),
        narrow=grid_chart(frame, AXES, layout=PHONE),
        alt_text=f"Time to the last byte over HTTP/3 against HTTP/2, %. {_told(frame)}",
        downloads=(Attachment(f"{name}.csv", frame.drop(columns="colour").to_csv(index=False)),),
        note=f"{shown}. Red, negative: HTTP/3 is quicker; blue, positive: slower; white: not shown. "
        "Grey, a dash: no number.",
        hint="Point at a square for its number and its interval.",
    )


def _rows(panels: Sequence[Panel]) -> Iterator[dict[str, object]]:
    for block, panel, square in panels:
        for where in PLACES:
            place = {
                "block": block, "panel": panel, "down": where.condition.label, "across": SIZE_NAMES[where.size_bytes],
            }  # fmt: skip
            yield place | _filled(square(where))


def _filled(one: GridSquare) -> dict[str, object]:
    if one.found is None:
        nothing = {"value": float("nan"), "low": float("nan"), "high": float("nan")}
        return nothing | {"label": style.DASH, "said": one.why, "colour": style.NOT_MEASURED}
    pct = (one.found.value - 1) * 100
    return {
        "value": pct,
        "low": (one.found.low - 1) * 100,
        "high": (one.found.high - 1) * 100,
        "label": f"{pct:+.1f}".replace("-", style.MINUS) if pct else "0",
        "said": percent_text(one.found) + ("" if one.told else ", not shown"),
        "colour": style.square_colour(-pct * style.CLAMP_PCT / DARKEST_PCT) if one.told and pct else WHITE,
    }


def _told(frame: pd.DataFrame) -> str:
    """A sentence for each panel: how many squares are red and blue, and both ends."""
    return " ".join(_sentence(own) for _, own in frame.groupby(["block", "panel"], sort=False))


def _sentence(own: pd.DataFrame) -> str:
    where = f"{own['block'].iloc[0]}, {own['panel'].iloc[0]}"
    known = own.dropna(subset=["value"])
    if known.empty:
        return f"{where}: not measured yet."
    coloured = known[known["colour"] != WHITE]
    quicker, slower = (int((coloured["value"] < 0).sum()), int((coloured["value"] > 0).sum()))
    ends = [known.loc[at] for at in (known["value"].idxmin(), known["value"].idxmax())]
    low, high = (f"{one['label']} % ({one['across']}, {one['down']})" for one in ends)
    return f"{where}: quicker in {quicker}, slower in {slower} of {len(known)} squares, from {low} to {high}."
