"""Tables as HTML: Appendix B with the published and the re-measured values side by side."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from longlook.figure import style
from longlook.figure.squares import labels_of
from longlook.figure.versus import SIDES, Versus, least_told_pct, told_text

AGREE, DISAGREE = '<span class="ll-good">✓</span>', '<span class="ll-bad">✗</span>'
_TEXT_COLUMNS = {"workload", "faster"}


def html_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], escape: bool = True, numeric: Collection[int] = frozenset(),
    groups: Sequence[tuple[str, int]] | None = None, starts: Collection[int] = frozenset(),
    tight: bool = False,
) -> str:  # fmt: skip
    """A compact HTML table. `numeric`: columns aligned right; `groups`: a first head row of (text, columns
    spanned); `starts`: rows with a line above; `tight`: no cell is broken
    into lines. With `escape=False` the cells are HTML already.

    Raises ValueError for a column without a name, of which one who hears the table knows nothing.
    """
    if not all(head):
        raise ValueError(f"a column of a table has no name: {list(head)}")

    def cell(tag: str, text: str, index: int) -> str:
        body = html.escape(text) if escape and tag == "td" else text
        return f"<{tag}{' class=num' if index in numeric else ''}>{body}</{tag}>"

    def group(text: str, span: int) -> str:
        tag = "th" if text else "td"  # an empty header names nothing
        return f'<{tag} colspan="{span}">{text}</{tag}>'

    style_of = "ll-table ll-tight" if tight else "ll-table"
    parts = [f'<div class="ll-scroll"><table class="{style_of}"><thead>']
    if groups:
        parts.append("<tr>" + "".join(group(text, span) for text, span in groups) + "</tr>")
    parts.append("<tr>" + "".join(cell("th", text, index) for index, text in enumerate(head)) + "</tr></thead><tbody>")
    for number, row in enumerate(rows):
        start = ' class="ll-row-start"' if number in starts else ""
        parts.append(f"<tr{start}>" + "".join(cell("td", text, index) for index, text in enumerate(row)) + "</tr>")
    parts.append("</tbody></table></div>")
    return "".join(parts)


def published_table(published: pd.DataFrame, versus: Versus) -> str:
    """One table of Appendix B as published: means ± sample standard deviation, difference, verdict.

    Frames are rows of `side_by_side`.
    """
    rows = [[*_values(cell), _verdict(cell, versus)] for cell in _by_bandwidth(published)]
    return _table([*_head(versus, True), "faster"], _named(published, rows), None)


def compared_table(published: pd.DataFrame, measured: pd.DataFrame, title: str, versus: Versus) -> str:
    """Published beside re-measured; ratio = re-measured mean / published mean; verdicts with ✓ where they agree.

    Cells are the same where their keys are. Only those that `measured` has enough loads of are shown.
    """
    found = {cell["key"]: cell for _, cell in measured[measured["p_value"].notna()].iterrows()}
    common = published[published["key"].isin(found)]
    rows = [[*_values(cell), *_comparison(cell, found[cell["key"]], versus)] for cell in _by_bandwidth(common)]
    groups = [("", 2), ("published", 3), (html.escape(title), 3), ("ratio", 2), ("", 1)]
    head = [*_head(versus, True), *_head(versus, False), *versus.words, "faster"]
    return _table(head, _named(common, rows), groups)


def _head(versus: Versus, with_place: bool) -> list[str]:
    means = [f"{word}, {versus.metric.unit}" for word in versus.words]
    return [*(["Mbit/s", "workload"] if with_place else []), *means, "diff., %"]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], groups: Sequence[tuple[str, int]] | None) -> str:
    """The HTML, with a line above each new bandwidth."""
    numeric = {index for index, name in enumerate(head) if name not in _TEXT_COLUMNS}
    starts = {number for number, row in enumerate(rows) if number and row[0] != rows[number - 1][0]}
    return html_table(head, rows, escape=False, numeric=numeric, groups=groups, starts=starts, tight=True)


def _by_bandwidth(frame: pd.DataFrame) -> list[pd.Series]:
    """The rows of a table, by bandwidth and else in the order of the thesis."""
    return [cell for _, cell in frame.sort_values("bandwidth_mbps", kind="stable").iterrows()]


def _named(frame: pd.DataFrame, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Puts bandwidth and workload before each row."""
    ordered = frame.sort_values("bandwidth_mbps", kind="stable")
    places = zip(ordered["bandwidth_mbps"], labels_of(ordered, "workload")[0], strict=True)
    return [[f"{rate:g}", html.escape(name), *row] for (rate, name), row in zip(places, rows, strict=True)]


def _values(cell: pd.Series) -> list[str]:
    """Mean ± sd of both arms, and the difference, of one cell."""
    means = [_mean(cell[f"{side}_mean"], cell[f"{side}_sd"]) for side in SIDES]
    return [*means, style.signed_pct(cell["pct_diff"])]


def _comparison(published: pd.Series, measured: pd.Series, versus: Versus) -> list[str]:
    """The re-measured half of a row."""
    ratios = [f"{measured[name] / published[name]:.2f}" for name in ("left_mean", "right_mean")]
    both = (published, measured)
    words = [short_verdicts(versus)[cell["verdict"]] for cell in both]
    told = [told_text(least_told_pct(cell.to_dict(), versus)) for cell in both]
    return [*_values(measured), *ratios, verdicts(words[0], words[1], told[0], told[1])]


def _verdict(cell: pd.Series, versus: Versus) -> str:
    return short_verdicts(versus)[cell["verdict"]] + _told(told_text(least_told_pct(cell.to_dict(), versus)))


def short_verdicts(versus: Versus) -> Mapping[str | None, str]:
    """Verdict -> the better arm, or `none`."""
    return {"left": versus.words[0], "right": versus.words[1], "none": "none", None: "not tested"}


def verdicts(published: str, measured: str, published_told: str = "", measured_told: str = "") -> str:
    """`✓ QUIC`, or `✗ QUIC → none (12 %)` (published, then re-measured); in brackets what either would have told."""
    if published == measured:
        return f"{AGREE} {published}{_told(published_told, measured_told)}"
    return f"{DISAGREE} {published}{_told(published_told)} → {measured}{_told(measured_told)}"


def _told(*texts: str) -> str:
    known = [text for text in texts if text]
    return f" ({', '.join(known)})" if known else ""


def _mean(mean: float, sd: float) -> str:
    """`106.4 ± 2.2`; whole milliseconds from 1000 on."""
    text, spread = style.mean_sd(mean, sd, 1 if mean < 1000 else 0)
    return text + (f' <span class="ll-sd">{spread}</span>' if spread else "")
