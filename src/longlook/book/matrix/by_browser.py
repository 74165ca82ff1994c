"""What the sweeps with two browsers share: arms called `envoy 111`, and tables of servers down, browsers across."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

import pandas as pd
from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.matrix.evidence import STUDY
from longlook.book.matrix.pairs import BROWSERS, NAMES
from longlook.figure.table import html_table

K = TypeVar("K")


def counted(data: BookData, series: str, key: str, metrics: Collection[str]) -> Iterator[tuple[pd.Series, str, str]]:
    """Rows of `arms` of one column, `reference` or `yours`, with a load that counts; each with server and browser."""
    rows = data.rows("arms", STUDY, series, key)
    for _, row in rows[rows["metric"].isin(metrics) & (rows["n"] > 0)].iterrows():
        server, browser = str(row["arm"]).split()
        yield row, server, browser


def table(
    servers: Collection[str], tcp: Collection[str], titles: Mapping[K, str], text: Callable[[K, str, str], str]
) -> HTML:
    """A row for each server, and for each of `titles` a column for each browser; `text`: of title, server, browser."""
    head = ["server", *(browser for _ in titles for browser in BROWSERS.values())]
    rows = [
        [
            f"{NAMES[server]} ({'TCP' if server in tcp else 'QUIC'})",
            *(text(one, server, browser) for one in titles for browser in BROWSERS),
        ]
        for server in servers
    ]
    groups = [("", 1), *((title, len(BROWSERS)) for title in titles.values())]
    return HTML(html_table(head, rows, numeric=range(1, len(head)), groups=groups))
