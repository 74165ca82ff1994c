"""Appendix B of the thesis: what of each table's values comes out again; each value stands in a file."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from longlook.book.chapter import Chapter
from longlook.book.data import COLUMNS
from longlook.book.evidence import REFERENCE
from longlook.figure import style
from longlook.figure.live import Attachment, offered
from longlook.figure.table import html_table

HEAD = ("table", "figure", "verdicts as published", "QUIC, measured / published", "TCP, measured / published")
PROTOCOLS = ("quic", "tcp")


def values(paper: Chapter) -> HTML:
    """A row for each table, and for what the reader measured of it: equal verdicts, and the median of the means as
    parts of the published ones. All of them, published beside re-measured, are a file."""
    printed = paper.data.published
    printed = printed[(printed["study"] == paper.study) & printed["table"].str.startswith("B.")]
    tables = sorted(set(zip(printed["table"], printed["series"], strict=True)), key=lambda one: int(one[0][2:]))
    rows, every = [], []
    for table, series in tables:
        for key, _, title in COLUMNS:
            means, verdicts = (paper.data.agreeing(name, paper.study, series, key) for name in ("means", "verdicts"))
            if len(means):
                every.append(means)
                equal = f"{verdicts['agree'].astype(bool).sum()} of {len(verdicts)}"
                name = series if key == REFERENCE else f"{series}, {title.lower()}"
                rows.append([table, name, equal, *(_ratio(means, one) for one in PROTOCOLS)])
    if not rows:
        return HTML(style.NOTHING_YET)
    file = Attachment("appendix-b.csv", pd.concat(every).to_csv(index=False))
    return HTML(html_table(list(HEAD), rows, numeric={2, 3, 4}) + offered(file))


def _ratio(means: pd.DataFrame, protocol: str) -> str:
    return f"{means.loc[means['protocol'] == protocol, 'ratio'].median():.2f}"
