"""The software of 2026 as tables: when QUIC leads, by how much, and what the browsers' first flights weigh."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.conclusions import BBR, CUBIC, PANELS, TODAY, UNASKED
from longlook.book.years.evidence import PROTOCOLS, STUDY, mean_text, summaries
from longlook.experiment.flights import Flight, read
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.figure.versus import Versus, decided
from longlook.record.parquet import records

KEY_SHARE, WITHOUT = "today-key-share", "c133x25519"
SEGMENT_BYTES = 1448
"""Of TCP's payload in one packet of this link."""
PAIRS = {"both CUBIC": CUBIC, "QUIC BBR, TCP CUBIC": UNASKED, "both BBR": BBR}
SERIES = tuple(TODAY[f"4.6{panel}"][0] for panel in PANELS)


def leads(data: BookData, versus: Versus) -> pd.DataFrame:
    """Squares of figures 4.6a to f with two arms, those of one object first; verdicts as heatmaps have them."""
    frame = data.squares(STUDY, SERIES, REFERENCE, versus)
    frame = frame[frame["p_value"].notna()]
    frame = frame.assign(verdict=[decided(row).winner for row in records(frame)])
    return frame.sort_values(["loss_pct", "rtt_ms", "object_count", "object_bytes", "bandwidth_mbps"])


def lead_table(data: BookData | None = None) -> HTML:
    """By how much QUIC's pages are faster: a row per page and link, a column per pair of controllers."""
    data = data or book_data.load()
    found = {words: leads(data, versus) for words, versus in PAIRS.items()}
    first = found["both CUBIC"]
    if first.empty:
        return HTML(style.NOTHING_YET)
    by_cell = {words: {row["cell_id"]: row for row in records(frame)} for words, frame in found.items()}
    rows = []
    for row in records(first):
        page = style.page_label(row)
        link = style.link_label(row["rtt_ms"], row["loss_pct"] or None)
        leads_of = [_lead(own.get(row["cell_id"])) for own in by_cell.values()]
        rows.append([page, f"{row['bandwidth_mbps']:g}", link, *leads_of])
    return HTML(html_table(["page", "Mbit/s", "link", *PAIRS], rows, numeric={1, 3, 4, 5}))


def _lead(row: dict | None) -> str:
    """`+72 %, 71 ms`, in brackets where it cannot be told from none."""
    if row is None:
        return style.DASH
    ms = f"{row['right_mean'] - row['left_mean']:,.0f}".replace("-", style.MINUS)
    text = f"{style.signed_pct(row['pct_diff'])} %, {ms} ms"
    return text if row["verdict"] != "none" else f"({text})"


def flight_table(data: BookData | None = None) -> HTML:
    """A row per browser: what it sends before anybody answers, and its page load times with 5 KB."""
    asked = read(paths.FLIGHTS)
    if not asked:
        return HTML(style.NOTHING_YET)
    found = summaries(data or book_data.load(), KEY_SHARE, "loss_pct", "stack", "protocol")
    head = ["browser", "QUIC, datagrams", "bytes", "TCP, bytes", "packets"]
    kinds = [(protocol, loss) for loss in ("no loss, ms", "1 % loss, ms") for protocol in PROTOCOLS]
    head += [f"{style.PROTOCOL_LABELS[protocol]}, {loss}" for protocol, loss in kinds]
    return HTML(html_table(head, [_flight(one, found) for one in asked], numeric=set(range(1, len(head)))))


def _flight(one: Flight, found: dict) -> list[str]:
    milestone = one.version.split(".")[0]
    name = f"Chromium {milestone}" + (", without a post-quantum key share" if one.stack == WITHOUT else "")
    times = [mean_text(found.get((loss, one.stack, protocol)), 1) for loss in (0.0, 1.0) for protocol in PROTOCOLS]
    packets = -(-one.tcp_bytes // SEGMENT_BYTES)
    return [name, str(one.datagrams), f"{one.quic_bytes:,}", f"{one.tcp_bytes:,}", str(packets), *times]
