"""The software of 2026 as tables: when QUIC leads, by how much, early data over TCP, what first flights weigh."""

from __future__ import annotations

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.newest import role_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.conclusions import BBR, CUBIC, PANELS, TODAY, UNASKED
from longlook.book.years.evidence import PROTOCOLS, STUDY, mean_text, summaries
from longlook.experiment.flights import Flight, read
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.figure.versus import Versus, decided, side_by_side
from longlook.record.parquet import records

KEY_SHARE, WITHOUT = "today-key-share", "c133x25519"
SEGMENT_BYTES = 1448
"""Of TCP's payload in one packet of this link."""
PAIRS = {"both CUBIC": CUBIC, "QUIC BBR, TCP CUBIC": UNASKED, "both BBR": BBR}
SERIES = tuple(TODAY[f"4.6{panel}"][0] for panel in PANELS)


def leads(data: BookData, versus: Versus) -> pd.DataFrame:
    """Squares of figures 4.6a to f with two arms, those of one object first; verdicts as heatmaps have them."""
    frame = _decided(data.squares(STUDY, SERIES, REFERENCE, versus))
    return frame.sort_values(["loss_pct", "rtt_ms", "object_count", "object_bytes", "bandwidth_mbps"])


def first_leads(data: BookData, versus: Versus) -> pd.DataFrame:
    """The same of the oldest reference campaign of each figure."""

    def oldest(table: str) -> pd.DataFrame:
        rows = data.of(table, STUDY, SERIES)
        rows = rows[rows["campaign"].map(role_of) == "reference"]
        return rows[rows["campaign"] == rows.groupby("series")["campaign"].transform("min")]

    return _decided(side_by_side(oldest("arms"), versus, oldest("contrasts")))


def _decided(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame[frame["p_value"].notna()]
    return frame.assign(verdict=[decided(row).winner for row in records(frame)])


def lead_table(data: BookData | None = None) -> HTML:
    """By how much QUIC's pages are faster: a row per page and link, a column per pair of controllers."""
    data = data or book_data.load()
    found = {words: leads(data, versus) for words, versus in PAIRS.items()}
    first = found["both CUBIC"]
    by_cell = {words: {row["cell_id"]: row for row in records(frame)} for words, frame in found.items()}
    rows = []
    for row in records(first):
        page = style.page_label(row)
        link = style.link_label(row["rtt_ms"], row["loss_pct"] or None)
        leads_of = [_lead_with_ms(own.get(row["cell_id"])) for own in by_cell.values()]
        rows.append([page, f"{row['bandwidth_mbps']:g}", link, *leads_of])
    return shown_table(["page", "Mbit/s", "link", *PAIRS], rows, numeric={1, 3, 4, 5})


def _lead_with_ms(row: dict | None) -> str:
    """`+72 %, 71 ms`, in brackets where it cannot be told from none."""
    if row is None:
        return style.DASH
    ms = f"{row['right_mean'] - row['left_mean']:,.0f}".replace("-", style.MINUS)
    text = f"{style.signed_pct(row['pct_diff'])} %, {ms} ms"
    return text if row["verdict"] != "none" else f"({text})"


def flight_table(data: BookData | None = None) -> HTML:
    """A row per browser: what it sends before anybody answers, and its page load times with 5 KB."""
    asked = read(paths.FLIGHTS)
    found = summaries(data or book_data.load(), KEY_SHARE, "loss_pct", "stack", "protocol")
    head = ["browser", "QUIC, datagrams", "bytes", "TCP, bytes", "packets"]
    kinds = [(protocol, loss) for loss in ("no loss, ms", "1 % loss, ms") for protocol in PROTOCOLS]
    head += [f"{style.PROTOCOL_LABELS[protocol]}, {loss}" for protocol, loss in kinds]
    return shown_table(head, [_flight(one, found) for one in asked], numbers_from=1)


def _flight(one: Flight, found: dict) -> list[str]:
    milestone = one.version.split(".")[0]
    name = f"Chromium {milestone}" + (", without a post-quantum key share" if one.stack == WITHOUT else "")
    times = [mean_text(found.get((loss, one.stack, protocol)), 1) for loss in (0.0, 1.0) for protocol in PROTOCOLS]
    packets = -(-one.tcp_bytes // SEGMENT_BYTES)
    return [name, str(one.datagrams), f"{one.quic_bytes:,}", f"{one.tcp_bytes:,}", str(packets), *times]


EARLY_DATA = "today-early"
LATE, EARLY = Versus("quic-0rtt", "tcp-1rtt", PLT), Versus("quic-0rtt", "tcp-0rtt", PLT)
"""QUIC against TCP that waits for TLS, and against TCP that does not."""
SQUARE = ["workload", "bandwidth_mbps", "rtt_ms"]


def early_squares(data: BookData) -> pd.DataFrame:
    """A row per square with both comparisons, the second one's columns with `_early`; `saved_ms` of TCP's mean,
    `median_saved_ms` of its median, `saved_rounds` and `left_rounds` in round trips of the link: what early data take
    away, and what QUIC still leads by."""
    late, early = (data.squares(STUDY, EARLY_DATA, REFERENCE, versus) for versus in (LATE, EARLY))
    if late.empty or early.empty:
        return pd.DataFrame()
    told = [*SQUARE, "right_mean", "right_median", "verdict", "pct_diff"]
    both = late.merge(early[told], on=SQUARE, suffixes=("", "_early"), validate="one_to_one")
    both["saved_ms"] = both["right_mean"] - both["right_mean_early"]
    both["median_saved_ms"] = both["right_median"] - both["right_median_early"]
    both["saved_rounds"] = both["saved_ms"] / both["rtt_ms"]
    both["left_rounds"] = (both["right_mean_early"] - both["left_mean"]) / both["rtt_ms"]
    return both.sort_values(["object_count", "object_bytes", "rtt_ms", "bandwidth_mbps"])


def early_table(data: BookData | None = None) -> HTML:
    """A row per page and link: three means, what early data save, and QUIC's lead without and with them."""
    found = early_squares(data or book_data.load())
    head = ["page", "link", "Mbit/s", "QUIC, ms", "TCP, ms", "with early data, ms"]
    head += ["saved, round trips", "QUIC's lead, %", "with early data, %"]
    rows = [
        [
            style.page_label(row),
            style.link_label(row["rtt_ms"], None),
            f"{row['bandwidth_mbps']:g}",
            *(f"{row[name]:,.0f}" for name in ("left_mean", "right_mean", "right_mean_early")),
            f"{row['saved_rounds']:.2f}".replace("-", style.MINUS),
            _lead(row["pct_diff"], row["verdict"]),
            _lead(row["pct_diff_early"], row["verdict_early"]),
        ]
        for row in records(found)
    ]
    return shown_table(head, rows, numbers_from=2)


def _lead(pct: float, verdict: str) -> str:
    """In brackets where it cannot be told from none."""
    text = style.signed_pct(pct)
    return f"({text})" if verdict == "none" else text
