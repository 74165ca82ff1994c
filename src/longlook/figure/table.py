"""Tables as HTML: Appendix B with the published and the re-measured values side by side."""

from __future__ import annotations

import html

import pandas as pd

from longlook.analysis.cells import CONDITION
from longlook.figure import style

AGREE, DISAGREE = '<span class="ll-good">✓</span>', '<span class="ll-bad">✗</span>'
SHORT_VERDICT = {"quic": "QUIC", "tcp": "TCP", "none": "none"}
PUBLISHED_HEAD = ["Mbit/s", "workload", "QUIC, ms", "TCP, ms", "diff., %"]
COMPARED_HEAD = ["QUIC, ms", "TCP, ms", "diff., %", "QUIC", "TCP", "faster"]
_TEXT_COLUMNS = {"workload", "faster"}


def html_table(
    head: list[str], rows: list[list[str]], escape: bool = True, numeric: set[int] = frozenset(),
    groups: list[tuple[str, int]] | None = None, starts: set[int] = frozenset(),
    tight: bool = False,
) -> str:  # fmt: skip
    """A compact HTML table. `numeric`: columns aligned right; `groups`: a first head row of (text, columns
    spanned); `starts`: rows with a line above; `tight`: no cell is broken
    into lines. With `escape=False` the cells are HTML already."""

    def cell(tag: str, text: str, index: int) -> str:
        body = html.escape(text) if escape and tag == "td" else text
        return f"<{tag}{' class=num' if index in numeric else ''}>{body}</{tag}>"

    style_of = "ll-table ll-tight" if tight else "ll-table"
    parts = [f'<div class="ll-scroll"><table class="{style_of}"><thead>']
    if groups:
        parts.append("<tr>" + "".join(f'<th colspan="{span}">{text}</th>' for text, span in groups) + "</tr>")
    parts.append("<tr>" + "".join(cell("th", text, index) for index, text in enumerate(head)) + "</tr></thead><tbody>")
    for number, row in enumerate(rows):
        start = ' class="ll-row-start"' if number in starts else ""
        parts.append(f"<tr{start}>" + "".join(cell("td", text, index) for index, text in enumerate(row)) + "</tr>")
    parts.append("</tbody></table></div>")
    return "".join(parts)


def published_table(published: pd.DataFrame) -> str:
    """One table of Appendix B as published: means ± sample standard deviation (ms), difference, verdict."""
    rows = [[*_values(cell), SHORT_VERDICT[cell["verdict"]]] for cell in _cells(published)]
    return _table(PUBLISHED_HEAD + ["faster"], _named(published, rows), None)


def compared_table(published: pd.DataFrame, measured: pd.DataFrame, title: str) -> str:
    """Published beside re-measured; ratio = re-measured mean / published mean; verdicts with ✓ where they agree.

    Both frames have the columns of the cell table. Only cells that `measured` has enough loads of are shown.
    """
    found = {tuple(row[CONDITION]): row for _, row in measured[measured["p_value"].notna()].iterrows()}
    common = published[[tuple(row) in found for row in published[CONDITION].itertuples(index=False, name=None)]]
    rows = [[*_values(cell), *_comparison(cell, found[tuple(cell[CONDITION])])] for cell in _cells(common)]
    groups = [("", 2), ("published", 3), (html.escape(title), 3), ("ratio", 2), ("", 1)]
    return _table(PUBLISHED_HEAD + COMPARED_HEAD, _named(common, rows), groups)


def _table(head: list[str], rows: list[list[str]], groups: list[tuple[str, int]] | None) -> str:
    """The HTML, with a line above each new bandwidth."""
    numeric = {index for index, name in enumerate(head) if name not in _TEXT_COLUMNS}
    starts = {number for number, row in enumerate(rows) if number and row[0] != rows[number - 1][0]}
    return html_table(head, rows, escape=False, numeric=numeric, groups=groups, starts=starts, tight=True)


def _cells(frame: pd.DataFrame) -> list[pd.Series]:
    """The rows of a table, by bandwidth and else in the order of the thesis."""
    return [cell for _, cell in frame.sort_values("bandwidth_mbps", kind="stable").iterrows()]


def _named(frame: pd.DataFrame, rows: list[list[str]]) -> list[list[str]]:
    """Puts bandwidth and workload before each row."""
    with_count = bool((frame["workload_count"] > 1).any())
    return [
        [
            f"{cell['bandwidth_mbps']:g}",
            style.workload_label(cell["workload_size_kb"], int(cell["workload_count"]), with_count),
            *row,
        ]
        for cell, row in zip(_cells(frame), rows, strict=True)
    ]


def _values(cell: pd.Series) -> list[str]:
    """Mean ± sd of QUIC and TCP, and the difference, of one cell."""
    means = [_mean(cell[f"{protocol}_mean_ms"], cell[f"{protocol}_std_ms"]) for protocol in ("quic", "tcp")]
    return [*means, style.signed_pct(cell["pct_diff"])]


def _comparison(published: pd.Series, measured: pd.Series) -> list[str]:
    """The re-measured half of a row."""
    ratios = [f"{measured[name] / published[name]:.2f}" for name in ("quic_mean_ms", "tcp_mean_ms")]
    return [*_values(measured), *ratios, verdicts(published["verdict"], measured["verdict"])]


def verdicts(published: str, measured: str) -> str:
    """`✓ QUIC`, or `✗ QUIC → none` (published, then re-measured)."""
    if published == measured:
        return f"{AGREE} {SHORT_VERDICT[published]}"
    return f"{DISAGREE} {SHORT_VERDICT[published]} → {SHORT_VERDICT[measured]}"


def _mean(mean_ms: float, std_ms: float) -> str:
    """`106.4 ± 2.2`; whole milliseconds from 1000 on."""
    digits = 1 if mean_ms < 1000 else 0
    spread = "" if pd.isna(std_ms) else f' <span class="ll-sd">± {std_ms:,.{digits}f}</span>'
    return f"{mean_ms:,.{digits}f}{spread}"
