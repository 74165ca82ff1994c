"""Tables as HTML."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from typing import Any

from IPython.display import HTML

from longlook.figure import style


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


def shown_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int | None = None, **layout: Any
) -> HTML:
    """What a cell of a chapter shows: a table, or without a row that nothing is measured yet. `numbers_from`: the first
    of its numeric columns, of which the last one is the table's; `layout`: as of `html_table`."""
    if numbers_from is not None:
        layout["numeric"] = range(numbers_from, len(head))
    return HTML(html_table(head, rows, **layout) if rows else style.NOTHING_YET)
