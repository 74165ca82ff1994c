"""One figure of a study as a live chart: its heatmaps, the loads behind each square, and the downloads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from longlook.book.data import BookData
from longlook.experiment.metrics import PLT
from longlook.figure import runs as figure_runs
from longlook.figure import style, waterfall
from longlook.figure.heatmap import PHONE, QUIC_TCP, heatmap, mean_and_sd, place_names, told
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.runs import finite
from longlook.figure.squares import Axes, Source, figure_squares
from longlook.figure.versus import SIDES, Versus, decided, least_told_pct, verdict_text, welch_text
from longlook.record.parquet import records

SHORT_TITLES = {"published": "published", "reference": "reference", "yours": "yours"}
KEY = (
    "Filled circles: analysed loads. Open circle: the first load (1-RTT). Crosses: excluded loads. "
    "Only filled circles are averaged. Black: mean and ± one standard deviation. Green: the floor, the least value "
    "that physics and the protocol allow. Publications give no single loads."
)
HINT = (
    "Click a square to see its loads, one of each protocol object by object, and where their raw record is; or go to "
    "the squares by Tab, from one to the next by arrow keys, open by Enter, close by Escape."
)


def live_heatmap(
    data: BookData, study: str, series: str | Sequence[str], versus: Versus, axes: Axes
) -> LiveChart | None:
    """The live chart of one or several series, with every column that has data for it; None without any."""
    sources = data.sources(study, series, versus)
    if not sources:
        return None
    squares = figure_squares(sources, axes)
    squares["least_told_pct"] = [least_told_pct(row, versus) for row in records(squares)]
    names = [series] if isinstance(series, str) else list(series)
    samples = _rows(data, "samples", study, names, sources)
    figure = ", ".join(names)
    own = () if versus.left == QUIC_TCP.left else (versus.left,)  # a page may show a series twice
    name = "-".join(("figure", *names, *own))
    return LiveChart(
        name=name.replace(".", "-"),
        chart=heatmap(squares, versus, axes),
        narrow=heatmap(squares, versus, axes, PHONE),
        alt_text=f"Heatmaps of figure {figure}, {versus.words[0]} against {versus.words[1]}. {told(squares, versus)} "
        "The same numbers are in the file below.",
        payload=_payload(squares, samples, sources, versus, axes)
        | _waterfall(squares, samples, _rows(data, "objects", study, names, sources), versus),
        downloads=_downloads(name, squares, samples),
        hint=HINT,
    )


def _rows(
    data: BookData, table: str, study: str, names: Sequence[str], sources: Mapping[Source, pd.DataFrame]
) -> pd.DataFrame:
    """Of `samples` every load behind any square, accepted or not; of `objects` those of one load of each arm."""
    found = [data.rows(table, study, names, source.key) for source in sources if source.campaigns]
    return pd.concat(found) if found else data.of(table, study, names).iloc[:0]


def _waterfall(squares: pd.DataFrame, samples: pd.DataFrame, objects: pd.DataFrame, versus: Versus) -> dict[str, Any]:
    """What the page's script needs to draw one load of each arm; nothing where the metric is not that of page loads."""
    found = waterfall.payload(objects, samples, squares, versus) if versus.metric.name == PLT.name else None
    return {"waterfall": found} if found else {}


def _payload(squares: pd.DataFrame, samples: pd.DataFrame, sources, versus: Versus, axes: Axes) -> dict:
    """What the page's script needs beyond the chart."""
    strip = figure_runs.strip(versus).to_dict()
    strip.pop("$schema", None)  # nothing in a page may name a host
    places = pd.Series(place_names(squares, axes), index=squares["square"])
    return {
        "strip": strip,
        "sources": [{"key": one.key, "title": one.title, "short": SHORT_TITLES[one.key]} for one in sources],
        "order": list(dict.fromkeys(squares["square"])),
        "names": places[~places.index.duplicated()].to_dict(),
        "facts": _facts(squares, versus),
        "loads": figure_runs.loads_of_squares(samples, squares, versus),
        "floors": _floors(squares),
        "unit": versus.metric.unit,
        "labels": dict(zip(SIDES, versus.words, strict=True)),
        "colours": style.SIDE_COLOURS,
        "states": figure_runs.STATES,
        "lanes": figure_runs.LANES,
        "key": KEY,
    }


def _floors(squares: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Floor of each arm, by square and side; the columns of a figure have the same conditions, so one stands for
    all."""
    known = squares.dropna(subset=["left_floor", "right_floor"]).drop_duplicates("square")
    return {row["square"]: {side: round(row[f"{side}_floor"], 1) for side in SIDES} for row in records(known)}


def _facts(squares: pd.DataFrame, versus: Versus) -> dict[str, dict]:
    """Means, n, tests and raw record by square and source."""
    found: dict[str, dict] = {}
    for row in records(squares[squares["measured"] | (squares["raw"] != "")]):
        means = {
            side: {
                "mean": finite(row[f"{side}_mean"]),
                "sd": finite(row[f"{side}_sd"]),
                "text": _mean_text(row, side, versus.metric.unit),
                "n": int(finite(row[f"{side}_n"]) or 0),
            }
            for side in SIDES
        }
        found.setdefault(row["square"], {})[row["source"]] = means | {
            "pct": decided(row).text if row["measured"] else style.DASH,
            "test": decided(row).test if row["measured"] else style.DASH,
            "welch": (row["measured"] and welch_text(row, versus)) or style.DASH,
            "verdict": verdict_text(row, versus) if row["measured"] else "too few loads",
            "raw": row["raw"],
        }
    return found


def _mean_text(row: Mapping, side: str, unit: str) -> str:
    """As the tooltip has it; empty without a mean."""
    mean, sd = row[f"{side}_mean"], row[f"{side}_sd"]
    return "" if pd.isna(mean) else mean_and_sd(mean, sd, unit)


def _downloads(name: str, squares: pd.DataFrame, samples: pd.DataFrame) -> tuple[Attachment, ...]:
    """The squares, and where there are any the loads, as CSV."""
    drawn = ["source_title", "x", "y", "x_order", "y_order", "block", "measured", "upright", "label", "label_colour"]
    table = squares[squares["measured"]].drop(columns=drawn).dropna(axis="columns", how="all")
    found = [Attachment(f"{name}-squares.csv", table.to_csv(index=False))]
    if len(samples):
        found.append(Attachment(f"{name}-loads.csv", samples.to_csv(index=False)))
    return tuple(found)
