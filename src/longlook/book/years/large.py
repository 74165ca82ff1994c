"""10 MB by every browser, and by six of them with loss: their times, and what became of the predictions.

They stand in sweeps/years/years-large.toml and ...-large-loss.toml and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.judged import predicted
from longlook.book.predicted import Prediction
from longlook.book.years.evidence import FIRST_HTTP3, LARGEST, PROTOCOLS, TEN_MB, Measured, cells, changes
from longlook.book.years.milestones import milestones
from longlook.book.years.predictions import no_step, span
from longlook.figure import style
from longlook.figure.table import html_table

LOSSY = ("years-large-loss",)
WHERE = "10 MB with 1 % loss:"
OLDEST = 64
LEAST_LEFT = 0.75
"""Of the time on the slower link."""


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


def _time(cell: Measured, number: int, protocol: str) -> str:
    own = cell.times.get((number, protocol))
    return style.DASH if own is None else f"{own.mean / 1000:.2f} ± {own.sd / 1000:.2f}"


def predictions(data: BookData | None = None) -> HTML:
    """Of both sweeps."""
    data = data or book_data.load()
    return predicted(TEN_MB, with_loss(cells(data, series=LOSSY)), data=data)


def with_loss(found: Sequence[Measured]) -> tuple[Prediction, ...]:
    """In the order of the sweep's head; none before it is measured."""
    if not found:
        return ()
    changed = changes(found)
    return (
        no_step(changed, "quic", FIRST_HTTP3, WHERE),
        no_step(changed, "tcp", OLDEST, WHERE),
        _ahead(found),
        _as_late(found),
    )


def _ahead(found: Sequence[Measured]) -> Prediction:
    leads = [lead for one in found for number in one.numbers("quic") if (lead := one.lead(number))]
    ahead = sum(lead.verdict == "left" for lead in leads)
    return Prediction(
        "with every browser QUIC is significantly faster than TCP",
        f"{ahead} of {len(leads)}",
        ahead == len(leads) if leads else None,
    )


def _as_late(found: Sequence[Measured]) -> Prediction:
    slow, fast = (
        {
            number: one.times[number, "tcp"].mean
            for one in found
            if one.place.bandwidth_mbps == mbps
            for number in one.numbers("tcp")
        }
        for mbps in (10.0, 100.0)
    )
    shares = [fast[number] / slow[number] for number in slow if number in fast]
    return Prediction(
        f"a link ten times as fast leaves each of TCP's means at least {LEAST_LEFT:.0%}",
        span(shares),
        min(shares) > LEAST_LEFT if shares else None,
    )
