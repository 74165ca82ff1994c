"""Tables as HTML: Appendix B with the published and the re-measured values side by side."""

from __future__ import annotations

import html

import pandas as pd

from longlook.figure import style
from longlook.figure.squares import CONDITION

AGREE, DISAGREE = '<span class="ll-good">✓</span>', '<span class="ll-bad">✗</span>'
SHORT_VERDICT = {"quic": "QUIC", "tcp": "TCP", "none": "none"}
PUBLISHED_HEAD = ["Mbit/s", "workload", "QUIC, ms", "TCP, ms", "diff., %", "faster"]
COMPARED_HEAD = ["QUIC, ms", "TCP, ms", "diff., %", "faster", "QUIC ratio", "TCP ratio", "verdicts"]
_TEXT_COLUMNS = {"workload", "faster", "verdicts"}


def html_table(
    head: list[str], rows: list[list[str]], escape: bool = True, numeric: set[int] = frozenset(),
    groups: list[tuple[str, int]] | None = None, starts: set[int] = frozenset(),
) -> str:  # fmt: skip
    """A compact HTML table. `numeric`: columns aligned right; `groups`: a first head row of (text, columns
    spanned); `starts`: rows with a line above. With `escape=False` the cells are HTML already."""

    def cell(tag: str, text: str, index: int) -> str:
        body = html.escape(text) if escape and tag == "td" else text
        return f'<{tag}{" class=num" if index in numeric else ""}>{body}</{tag}>'

    parts = ['<div class="ll-scroll"><table class="ll-table"><thead>']
    if groups:
        parts.append("<tr>" + "".join(f'<th colspan="{span}">{text}</th>' for text, span in groups) + "</tr>")
    parts.append("<tr>" + "".join(cell("th", text, index) for index, text in enumerate(head)) + "</tr></thead><tbody>")
    for number, row in enumerate(rows):
        start = ' class="ll-row-start"' if number in starts else ""
        parts.append(f"<tr{start}>" + "".join(cell("td", text, index) for index, text in enumerate(row)) + "</tr>")
    parts.append("</tbody></table></div>")
    return "".join(parts)


def published_table(published: pd.DataFrame) -> str:
    """One table of Appendix B as published: means with sample standard deviation (ms), difference, verdict."""
    return html_table(PUBLISHED_HEAD, *_body(published, None, ""), numeric={0, 2, 3, 4})


def compared_table(published: pd.DataFrame, measured: pd.DataFrame, title: str) -> str:
    """Published beside re-measured; ratio = re-measured mean / published mean; ✓ where the verdicts agree.

    Both frames have the columns of the cell table. Cells that `measured` lacks keep their published values.
    """
    rows, starts = _body(published, measured, title)
    head = PUBLISHED_HEAD + COMPARED_HEAD
    numeric = {index for index, name in enumerate(head) if name not in _TEXT_COLUMNS}
    groups = [("", 2), ("published", 4), (html.escape(title), 4), ("re-measured / published", 2), ("", 1)]
    return html_table(head, rows, escape=False, numeric=numeric, groups=groups, starts=starts)


def _body(published: pd.DataFrame, measured: pd.DataFrame | None, title: str):
    """Table rows, and which of them begin a new bandwidth."""
    with_count = bool((published["workload_count"] > 1).any())
    index = {} if measured is None else {tuple(row[CONDITION]): row for _, row in measured.iterrows()}
    ordered = published.sort_values("bandwidth_mbps", kind="stable")
    rows, starts, last = [], set(), None
    for number, (_, cell) in enumerate(ordered.iterrows()):
        if cell["bandwidth_mbps"] != last:
            starts.add(number)
            last = cell["bandwidth_mbps"]
        label = style.workload_label(cell["workload_size_kb"], int(cell["workload_count"]), with_count)
        row = [f"{last:g}", label, *_values(cell)]
        if measured is not None:
            row += _comparison(cell, index.get(tuple(cell[CONDITION])))
        rows.append(row)
    return (rows, starts) if measured is not None else (rows,)


def _values(cell: pd.Series) -> list[str]:
    """Mean ± sd of QUIC and TCP, difference and verdict of one cell."""
    return [
        _mean(cell["quic_mean_ms"], cell["quic_std_ms"]),
        _mean(cell["tcp_mean_ms"], cell["tcp_std_ms"]),
        style.signed_pct(cell["pct_diff"]),
        SHORT_VERDICT.get(cell["verdict"], ""),
    ]


def _comparison(published: pd.Series, measured: pd.Series | None) -> list[str]:
    """The re-measured half of a row."""
    if measured is None or pd.isna(measured["quic_mean_ms"]) or pd.isna(measured["tcp_mean_ms"]):
        return ["–"] * 6 + ["not measured"]
    ratios = [f"{measured[name] / published[name]:.2f}" for name in ("quic_mean_ms", "tcp_mean_ms")]
    mark = AGREE if measured["verdict"] == published["verdict"] else DISAGREE
    return [*_values(measured), *ratios, mark]


def _mean(mean_ms: float, std_ms: float) -> str:
    """`106.4 ± 2.2`."""
    return f"{mean_ms:,.1f}" if pd.isna(std_ms) else f"{mean_ms:,.1f} ± {std_ms:,.1f}"
