"""Numbers for the sentences of the chapters, computed from the tables, never typed."""

from __future__ import annotations

import pandas as pd

from longlook.book.data import PaperData
from longlook.figure import style
from longlook.figure.squares import CONDITION

NOT_YET = "not measured yet"


def figure_numbers(data: PaperData, figure: str) -> dict[str, str]:
    """Texts by name, for each column of a figure: `<figure>.<source>.<what>`.

    `what` is one of squares, quic, tcp, none (counts), min, max (percentage differences with their squares),
    and summary (a clause with all of them). `<figure>.agreement` compares reference with published. A source
    that was not measured gets the text `not measured yet` for each.
    """
    sources = data.sources(figure)
    by_key = {source.key: frame for source, frame in sources.items()}
    texts: dict[str, str] = {}
    for key in ("published", "reference", "yours"):
        found = _source_numbers(by_key.get(key))
        texts |= {f"{figure}.{key}.{name}": text for name, text in found.items()}
        if key != "published":
            texts[f"{figure}.{key}.agreement"] = agreement(by_key["published"], by_key.get(key))
    return texts


def _source_numbers(frame: pd.DataFrame | None) -> dict[str, str]:
    if frame is None or frame.empty:
        return dict.fromkeys(("squares", "quic", "tcp", "none", "min", "max", "summary"), NOT_YET)
    counts = {name: int((frame["verdict"] == name).sum()) for name in ("quic", "tcp", "none")}
    low, high = (frame.loc[position] for position in (frame["pct_diff"].idxmin(), frame["pct_diff"].idxmax()))
    found = {"squares": str(len(frame)), **{name: str(count) for name, count in counts.items()}}
    found["min"], found["max"] = square_text(low), square_text(high)
    found["summary"] = (
        f"QUIC is faster in {counts['quic']} of {len(frame)} squares, TCP in {counts['tcp']}, and {counts['none']} "
        f"show no significant difference; the differences run from {found['min']} to {found['max']}"
    )
    return found


def square_text(cell: pd.Series) -> str:
    """`+72 % (5 KB at 10 Mbit/s)`."""
    label = style.workload_label(cell["workload_size_kb"], int(cell["workload_count"]), cell["workload_count"] > 1)
    return f"{style.signed_pct(cell['pct_diff'])} % ({label} at {cell['bandwidth_mbps']:g} Mbit/s)"


def agreement(published: pd.DataFrame, measured: pd.DataFrame | None) -> str:
    """A clause: in how many common squares the verdicts agree, and how far the means are apart (median)."""
    if measured is None or measured.empty:
        return NOT_YET
    both = published.merge(measured, on=CONDITION, suffixes=("_published", "_measured"))
    if both.empty:
        return "no square in common with the published figure"
    same = int((both["verdict_published"] == both["verdict_measured"]).sum())
    errors = pd.concat(
        [(both[f"{name}_measured"] / both[f"{name}_published"] - 1).abs() for name in ("quic_mean_ms", "tcp_mean_ms")]
    )
    return f"{same} of {len(both)} verdicts agree and the median mean differs by {errors.median() * 100:.1f} % from the published one"


def square_pct(data: PaperData, figure: str, source: str, size_kb: int, count: int, bandwidth_mbps: int) -> str:
    """Percentage difference of one square, `+72 %`, or `not measured yet`."""
    frames = [frame for one, frame in data.sources(figure).items() if one.key == source]
    frame = frames[0] if frames else pd.DataFrame(columns=[*CONDITION, "pct_diff"])
    rows = frame[
        (frame["workload_size_kb"] == size_kb)
        & (frame["workload_count"] == count)
        & (frame["bandwidth_mbps"] == bandwidth_mbps)
    ]
    return f"{style.signed_pct(rows['pct_diff'].iloc[0])} %" if len(rows) else NOT_YET


