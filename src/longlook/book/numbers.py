"""Numbers for the sentences of the chapters, computed from the tables, never typed."""

from __future__ import annotations

import pandas as pd

from longlook.analysis.agreement import compare, median_relative_error
from longlook.analysis.cells import CONDITION
from longlook.book.data import PaperData
from longlook.figure import style

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
    frame = tested(frame)
    if frame.empty:
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


def tested(frame: pd.DataFrame | None) -> pd.DataFrame:
    """The cells with enough loads of both protocols for a verdict."""
    if frame is None:
        return pd.DataFrame(columns=[*CONDITION, "pct_diff", "p_value"])
    return frame[frame["p_value"].notna()]


def square_text(cell: pd.Series) -> str:
    """`+72 % (5 KB at 10 Mbit/s)`."""
    label = style.workload_label(cell["workload_size_kb"], int(cell["workload_count"]), cell["workload_count"] > 1)
    return f"{style.signed_pct(cell['pct_diff'])} % ({label} at {cell['bandwidth_mbps']:g} Mbit/s)"


def agreement(published: pd.DataFrame, measured: pd.DataFrame | None) -> str:
    """A clause: in how many common squares the verdicts agree, and how far the means are apart (medians)."""
    measured = tested(measured)
    if measured.empty:
        return NOT_YET
    both = [cell for cell in compare(published, measured) if cell.tested]
    if not both:
        return "no square in common with the published figure"
    agreeing = sum(cell.agrees for cell in both)
    quic, tcp = (median_relative_error(both, protocol) * 100 for protocol in ("quic", "tcp"))
    return f"{agreeing} of {len(both)} verdicts agree, and the means are off by {quic:.1f} % (QUIC) and {tcp:.1f} % (TCP) in the median"


def square_pct(data: PaperData, figure: str, source: str, size_kb: int, count: int, bandwidth_mbps: int) -> str:
    """Percentage difference of one square, `+72 %`, or `not measured yet`."""
    frame = tested(data.frame(figure, source))
    rows = frame[
        (frame["workload_size_kb"] == size_kb)
        & (frame["workload_count"] == count)
        & (frame["bandwidth_mbps"] == bandwidth_mbps)
    ]
    return f"{style.signed_pct(rows['pct_diff'].iloc[0])} %" if len(rows) else NOT_YET


