"""Appendix B of the thesis: what of each table's values comes out again; each value stands in a file."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from longlook.book.chapter import Chapter
from longlook.book.data import COLUMNS
from longlook.figure import style
from longlook.figure.live import Attachment, links
from longlook.figure.table import html_table

HEAD = ("table", "figure", "measured", "verdicts as published", "QUIC's means / published", "TCP's means / published")
PROTOCOLS = ("quic", "tcp")


def values(paper: Chapter) -> HTML:
    """A row for each table and column of a figure: equal verdicts, and the means as parts of the published ones:
    median, least and most. All of them, published beside re-measured, are a file."""
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
                rows.append([table, series, title, equal, *(_ratios(means, one) for one in PROTOCOLS)])
    if not rows:
        return HTML(style.NOTHING_YET)
    file = links([Attachment("appendix-b.csv", pd.concat(every).to_csv(index=False))])
    return HTML(f"{html_table(list(HEAD), rows, numeric={3, 4, 5})}<p>{file}</p>")


def _ratios(means: pd.DataFrame, protocol: str) -> str:
    own = means.loc[means["protocol"] == protocol, "ratio"]
    return f"{own.median():.2f} ({own.min():.2f} to {own.max():.2f})"
