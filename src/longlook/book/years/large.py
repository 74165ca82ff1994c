"""10 MB by every browser, and by six of them with loss: their times."""

from __future__ import annotations

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.years.evidence import LARGEST, PROTOCOLS, CellByMilestone, cells
from longlook.book.years.milestones import milestones
from longlook.figure import style
from longlook.figure.table import html_table

LOSSY = ("years-large-loss",)


def table(data: BookData | None = None) -> HTML:
    """A row per browser: mean and standard deviation of both protocols in each cell, s."""
    data = data or book_data.load()
    found = [(one, "") for one in cells(data) if one.place.workload == LARGEST]
    found += [(one, ", 1 % loss") for one in cells(data, series=LOSSY)]
    if not found:
        return HTML(style.NOTHING_YET)
    rows = [
        [one.name, *(_time(cell, one.number, protocol) for cell, _ in found for protocol in PROTOCOLS)]
        for one in milestones()
        if any((one.number, protocol) in cell.times for cell, _ in found for protocol in PROTOCOLS)
    ]
    head = ["browser", *(style.PROTOCOL_LABELS[protocol] for _ in found for protocol in PROTOCOLS)]
    groups = [("", 1), *((f"{cell.place.bandwidth_mbps:g} Mbit/s{loss}, s", len(PROTOCOLS)) for cell, loss in found)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _time(cell: CellByMilestone, number: int, protocol: str) -> str:
    own = cell.times.get((number, protocol))
    return style.DASH if own is None else f"{own.mean / 1000:.2f} ± {own.sd / 1000:.2f}"
