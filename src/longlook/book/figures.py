"""One figure of the paper as a live chart: its heatmaps, the loads behind each square, and the downloads."""

from __future__ import annotations

import pandas as pd

from longlook.analysis.cells import CONDITION, newest
from longlook.book.data import COLUMNS, PaperData
from longlook.book.floors import floors_of
from longlook.figure import runs as figure_runs
from longlook.figure import style
from longlook.figure.heatmap import heatmap, p_text
from longlook.figure.live import Download, LiveChart
from longlook.figure.runs import finite
from longlook.figure.squares import CELL_COLUMNS, Source, figure_squares

LOAD_COLUMNS = [
    "campaign", "cell_id", *CONDITION, "protocol", "load_index", "attempt", "accepted", "reject_reason", "plt_ms",
]  # fmt: skip
SHORT_TITLES = {"published": "published", "reference": "reference", "yours": "yours"}
KEY = (
    "Filled circles: analysed loads. Open circle: the first load (1-RTT). Crosses: rejected or disturbed loads. "
    "Only filled circles are averaged. Black: mean and ± one standard deviation. Green: the floor, the least PLT that "
    "physics and the protocol allow. The thesis gives no single loads."
)
HINT = "Click a square to see its loads, and where their raw record is."


def live_figure(data: PaperData, figure: str) -> LiveChart | None:
    """The live chart of one published figure (for example `4.6a`), with every column that has data for it; None without any."""
    sources = {source: rows for source, rows in data.sources(figure).items() if len(rows)}
    if not sources:
        return None
    squares = figure_squares(sources)
    loads: dict[str, dict] = {}
    for source in sources:
        for square, series in figure_runs.loads_of_squares(data.runs_of(figure, source), source.key).items():
            loads.setdefault(square, {}).update(series)
    payload = {
        "strip": _strip_spec(),
        "sources": [{"key": one.key, "title": one.title, "short": SHORT_TITLES[one.key]} for one in sources],
        "order": list(dict.fromkeys(squares["square"])),
        "names": _names(squares),
        "facts": _facts(squares),
        "loads": loads,
        "floors": floors_of(squares),
        "labels": style.PROTOCOL_LABELS,
        "colours": style.PROTOCOL_COLOURS,
        "states": figure_runs.STATES,
        "lanes": figure_runs.LANES,
        "key": KEY,
    }
    slug = "figure-" + figure.replace(".", "-")
    return LiveChart(
        name=slug,
        chart=heatmap(squares),
        alt_text=f"Heatmaps of figure {figure}: {', '.join(source.title for source in sources)}. "
        "The same numbers are in the tables of appendix B.",
        payload=payload,
        downloads=_downloads(data, figure, squares, sources),
        hint=HINT,
    )


def handshake_figure(data: PaperData, figure: str) -> LiveChart | None:
    """The heatmap of QUIC with 0-RTT against QUIC with 1-RTT; None where it was not measured."""
    columns = {f"{ours}_{what}": f"{theirs}_{what}" for ours, theirs in (("zero_rtt", "quic"), ("one_rtt", "tcp")) for what in ("mean_ms", "std_ms", "n")}
    rows = data.handshake_cells[data.handshake_cells["figure"] == figure]
    sources = {}
    for key, role, title in COLUMNS:
        own = newest(rows, role)
        if len(own):
            renamed = own.rename(columns=columns).replace({"verdict": {"0rtt": "quic", "1rtt": "tcp"}})
            sources[Source(key, title, own["campaign"].iloc[0])] = renamed
    if not sources:
        return None
    squares = figure_squares(sources)
    return LiveChart(
        name="figure-" + figure.replace(".", "-"),
        chart=heatmap(squares, ("0-RTT", "1-RTT")),
        alt_text=f"Heatmap of figure {figure}: QUIC with 0-RTT against QUIC with 1-RTT.",
        downloads=(Download(f"figure-{figure}-squares.csv", rows.to_csv(index=False)),),
    )


def _strip_spec() -> dict:
    """The strip chart without data: the page's script fills its named data sets."""
    spec = figure_runs.strip().to_dict()
    spec.pop("$schema", None)
    return spec


def _names(squares: pd.DataFrame) -> dict[str, str]:
    """`10 KB at 50 Mbit/s, RTT 36 ms, loss 0 %` for each square."""
    return {
        row.square: f"{row.workload} at {row.bandwidth} Mbit/s, {row.block}"
        for row in squares.drop_duplicates("square").itertuples()
    }


def _facts(squares: pd.DataFrame) -> dict[str, dict]:
    """Means, n, p, verdict and raw record by square and source."""
    found: dict[str, dict] = {}
    for row in squares[squares["measured"] | (squares["raw"] != "")].itertuples():
        found.setdefault(row.square, {})[row.source] = {
            **{
                protocol: {
                    "mean": finite(getattr(row, f"{protocol}_mean_ms")),
                    "sd": finite(getattr(row, f"{protocol}_std_ms")),
                    "n": int(finite(getattr(row, f"{protocol}_n")) or 0),
                }
                for protocol in ("quic", "tcp")
            },
            "pct": f"{style.signed_pct(row.pct_diff)} %" if row.measured else "–",
            "p": p_text(row.p_value) or "–",
            "verdict": style.VERDICT_WORDS[row.verdict] if row.measured else "too few loads",
            "raw": row.raw,
        }
    return found


def _downloads(data: PaperData, figure: str, squares: pd.DataFrame, sources: dict[Source, pd.DataFrame]):
    """The squares, and where there are any the loads, as CSV."""
    name = f"figure-{figure}"
    table = squares[squares["measured"]][["source", *CELL_COLUMNS, "raw"]]
    found = [Download(f"{name}-squares.csv", table.to_csv(index=False))]
    loads = pd.concat([data.runs_of(figure, source) for source in sources])
    if len(loads):
        found.append(Download(f"{name}-loads.csv", loads[LOAD_COLUMNS].to_csv(index=False)))
    return tuple(found)
