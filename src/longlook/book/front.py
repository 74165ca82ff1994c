"""The front page's table: how far the re-measured page load times agree with the published ones, and how far an exact
replication would."""

from __future__ import annotations

import math

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.ceiling import ALL, ceilings
from longlook.analysis.compared import ComparedCell, compared_cells, overall
from longlook.analysis.newest import newest
from longlook.audit.report import within
from longlook.book.data import BookData, load
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.published.cells import PublishedCell
from longlook.published.registry import published_cells

HEAD = ("stack and link", "cells", "verdicts agree", "exact replication", "means within", "QUIC error", "TCP error")
WHOLE = "all"


def agreement(data: BookData | None = None) -> HTML:
    """A row per stack and kind of link, and one of all; page load times of the newest reference campaigns."""
    data = data or load()
    means, verdicts = (newest(frame, "reference") for frame in (data.means, data.verdicts))
    means, verdicts = (frame[frame["metric"] == PLT.name] for frame in (means, verdicts))
    cells = compared_cells(means, verdicts, data.cells)
    if not cells:
        return HTML(style.NOTHING_YET)
    known = data.cells.set_index(["campaign", "cell_id"])
    printed = {(one.cell.study, one.cell.series, one.cell.key): one for one in published_cells(paths.PUBLISHED)}
    groups: dict[str, list[tuple[ComparedCell, PublishedCell]]] = {}
    for cell in cells:
        row = known.loc[(cell.campaign, cell.cell_id)]
        pair = cell, printed[row["study"], row["series"], row["key"]]
        groups.setdefault(kind_of(row), []).append(pair)
        groups.setdefault(WHOLE, []).append(pair)
    names = [*(name for name in groups if name != WHOLE), WHOLE]
    return HTML(html_table(HEAD, [[name, *_row(groups[name])] for name in names], numeric=set(range(1, 7))))


def kind_of(cell: pd.Series) -> str:
    """`quicv1, 36 ms, 1 % loss`."""
    loss = f", {cell['loss_pct']:g} % loss" if cell["loss_pct"] else ""
    jitter = f", jitter of {cell['jitter_ms']:g} ms" if cell["jitter_ms"] else ""
    return f"{cell['stacks']}, {cell['rtt_ms']:g} ms{loss}{jitter}"


def _row(pairs: list[tuple[ComparedCell, PublishedCell]]) -> list[str]:
    cells, published = zip(*pairs, strict=True)
    found, most = overall(cells, PLT.name), ceilings(published)[ALL]
    errors = [found.median_errors.get(protocol, math.nan) for protocol in ("quic", "tcp")]
    return [
        str(found.cells),
        f"{found.equal} of {found.tested} ({100 * found.agreeing_share:.0f} %)",
        f"{most.expected:.0f} ({100 * most.share:.0f} %)",
        "{} of {}".format(*within(cells)),
        *(style.DASH if math.isnan(one) else f"{one * 100:.1f} %" for one in errors),
    ]
