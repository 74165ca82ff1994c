"""Tables 2 to 5 of Halme 2021 beside what was re-measured, and what it measured and did not print."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.halme2021.evidence import (
    BY_CAPTURE,
    HANDSHAKE,
    NAMES,
    QUEUES,
    TABLES,
    TCP,
    Connections,
    Setting,
    connections,
    printed,
)
from longlook.book.times import Times, percent_text, times
from longlook.book.value import SPACE
from longlook.experiment.metrics import BYTES_DOWN, CLIENT_CPU, CONNECT, DURATION, PACKETS, PACKETS_UP, SERVER_CPU, TTLB
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.published.halme2021 import QUEUE_PACKETS, STUDY, PrintedTimes, tables
from longlook.record.parquet import records

DELAYS = {"2": (10, 0), "3": (50, 2), "4": (200, 0), "5": (200, 5)}
"""Of each table: one way, ms; loss each way, %."""
TEXTS = {
    name: f"{delay} ms one way, {f'{loss} % loss each way' if loss else 'no loss'}"
    for name, (delay, loss) in DELAYS.items()
}
NONE = style.DASH
"""In place of a number that there is not."""


def columns(data: BookData) -> list[tuple[str, Connections]]:
    """Headings and numbers: published, and every column that has campaigns of table 2, 3, 4 or 5."""
    measured: list[tuple[str, Connections]] = [
        (title, connections(data, key))
        for key, _, title in COLUMNS
        if any(len(data.rows("arms", STUDY, where.series, key)) for where in TABLES.values())
    ]
    return [(PUBLISHED.title, printed()), *measured]


def duration_table(data: BookData | None = None) -> HTML:
    """Duration of the connection in tables 2 to 5: least, mean, greatest, and the difference from TCP."""
    return HTML(
        _each_table(columns(data or book_data.load()), ["least, s", "mean, s", "greatest, s", "vs TCP"], _durations)
    )


def handshake_table(data: BookData | None = None) -> HTML:
    """Handshakes in tables 2 to 5: by the thesis's definitions, and until each client is done with it."""
    head = ["as the thesis, ms", "vs TCP", "client is done, ms", "vs TCP"]
    return HTML(_each_table(columns(data or book_data.load()), head, _handshakes))


def packet_table(data: BookData | None = None) -> HTML:
    """Packets of a connection in tables 2 to 5, the client's share of them, and the bytes that the server sent."""
    head = ["packets", "vs TCP", "client's share", "server sent, KB"]
    return HTML(_each_table(columns(data or book_data.load()), head, _packets))


Cells = Callable[[Connections, Setting, str], list[str]]


def _each_table(asked: Sequence[tuple[str, Connections]], head: Sequence[str], cells_of: Cells) -> str:
    """Conditions and implementations down; for each column that is asked for its cells across."""
    rows: list[list[str]] = []
    starts: list[int] = []
    for name, where in TABLES.items():
        starts.append(len(rows))
        for place, arm in enumerate(NAMES):
            rows.append(
                [
                    titled(name) if place == 0 else "",
                    NAMES[arm],
                    *(text for _, one in asked for text in cells_of(one, where, arm)),
                ]
            )
    groups = [("", 2), *((title, len(head)) for title, _ in asked)]
    numeric = range(2, 2 + len(head) * len(asked))
    names = ["table", "by", *(text for _ in asked for text in head)]
    return html_table(names, rows, escape=False, numeric=numeric, groups=groups, starts=starts)


def _durations(evidence: Connections, where: Setting, arm: str) -> list[str]:
    least, greatest = _extremes(evidence, where, arm)
    mean = evidence.summary(where, arm, DURATION.name)
    return [
        _seconds(least),
        _seconds(mean.mean / 1e3 if mean else None),
        _seconds(greatest),
        versus(evidence, where, arm),
    ]


def _extremes(evidence: Connections, where: Setting, arm: str) -> tuple[float | None, float | None]:
    """Seconds."""
    if not evidence.is_printed:
        values = evidence.values(where, arm, DURATION.name)
        return (min(values) / 1e3, max(values) / 1e3) if values else (None, None)
    own = _printed(where, arm)
    return own.time_min_s, own.time_max_s


def _printed(where: Setting, arm: str) -> PrintedTimes:
    return next(one.printed[arm] for one in tables() if f"table-{one.table}" == where.series)


def _handshakes(evidence: Connections, where: Setting, arm: str) -> list[str]:
    own, client = (evidence.summary(where, arm, metric) for metric in (HANDSHAKE, CONNECT.name))
    told = [_ms(own), versus(evidence, where, arm, HANDSHAKE)]
    # By the client's log its two definitions are one.
    if client is None and own is not None and arm not in BY_CAPTURE:
        client = own
    return [*told, _ms(client), versus(evidence, where, arm, CONNECT.name)]


def _packets(evidence: Connections, where: Setting, arm: str) -> list[str]:
    own, up, down = (evidence.summary(where, arm, one.name) for one in (PACKETS, PACKETS_UP, BYTES_DOWN))
    share = f"{100 * up.mean / own.mean:.0f}{SPACE}%" if own and up else NONE
    sent = f"{down.mean / 1e3:,.0f}" if down else NONE
    return [f"{own.mean:,.0f}" if own else NONE, versus(evidence, where, arm, PACKETS.name), share, sent]


def versus(evidence: Connections, where: Setting, arm: str, metric: str = DURATION.name) -> str:
    """By how much an implementation differs from TCP."""
    found = against_tcp(evidence, where, arm, metric)
    return NONE if found is None or arm == TCP else percent_text(found)


def against_tcp(evidence: Connections, where: Setting, arm: str, metric: str = DURATION.name) -> Times | None:
    """How many times TCP's mean under the same condition."""
    own, base = (evidence.summary(where, one, metric) for one in (arm, TCP))
    return None if own is None or base is None else times(base, own)


def _seconds(value: float | None) -> str:
    return NONE if value is None or math.isnan(value) else f"{value:.2f}"


def _ms(found: Summary | None) -> str:
    return NONE if found is None else f"{found.mean:,.0f}"


def further_table(series: Sequence[str], data: BookData | None = None) -> HTML:
    """Every cell of some series that print no number: mean duration by implementation, and its difference from TCP."""
    found = data or book_data.load()
    parts = []
    for key, _, title in COLUMNS:
        rows = _further(connections(found, key), found, key, series)
        if rows:
            head = ["file, one way, loss each way", *NAMES.values()]
            parts.append(f"<p>{title}</p>" + html_table(head, rows, escape=False, numeric=range(1, len(head))))
    return HTML("".join(parts) or style.NOTHING_YET)


def _further(evidence: Connections, data: BookData, key: str, series: Sequence[str]) -> list[list[str]]:
    rows = []
    for name in series:
        cells = data.rows("cells", STUDY, name, key).drop_duplicates("cell_id")
        for cell in records(cells.sort_values(["rtt_ms", "loss_pct", "object_bytes"])):
            where = Setting(name, int(cell["object_bytes"]), cell["loss_pct"], cell["rtt_ms"])
            rows.append([_condition(cell), *(_mean_and_versus(evidence, where, arm) for arm in NAMES)])
    return rows


def _size(number: int) -> str:
    """Decimal, as the thesis has it."""
    return f"{number / 1e6:g}{SPACE}MB" if number >= 10**6 else f"{number / 1e3:g}{SPACE}KB"


def _condition(cell: dict[str, Any]) -> str:
    """`1 MB, 50 ms, 2 %, queue 10`."""
    link = f"{cell['rtt_ms'] / 2:g}{SPACE}ms, {cell['loss_pct'] / 2:g}{SPACE}%"
    queue = "" if cell["queue_packets"] == QUEUE_PACKETS else f", queue{SPACE}{cell['queue_packets']:.0f}"
    return f"{_size(int(cell['object_bytes']))}, {link}{queue}"


def titled(name: str) -> str:
    """A table by its condition: `2 (10 ms, 0 %)`, which may be broken after the number."""
    delay, loss = DELAYS[name]
    return f"{name} ({delay}{SPACE}ms,{SPACE}{loss}{SPACE}%)"


def _mean_and_versus(evidence: Connections, where: Setting, arm: str) -> str:
    own = evidence.summary(where, arm, DURATION.name)
    if own is None:
        return NONE
    text = f"{own.mean / 1e3:.2f}{SPACE}s"
    return text if arm == TCP else f"{text}<br>{versus(evidence, where, arm)}"


def parallel_table(data: BookData | None = None) -> HTML:
    """Scenario 3: how many times its time alone each of two takes that download at once, by queue."""
    found = data or book_data.load()
    rows: list[list[str]] = []
    asked: list[tuple[str, Connections]] = [(PUBLISHED.title, printed())]
    asked += [(title, connections(found, key)) for key, _, title in COLUMNS]
    for arm in (one for one in NAMES if one != TCP):
        for title, evidence in asked:
            for queue in QUEUES:
                beside = evidence.beside(arm, queue)
                if beside is not None:
                    stated = "not stated" if title == PUBLISHED.title else f"{queue} packets"
                    handshake = NONE if beside.tcp_handshake is None else _times(beside.tcp_handshake)
                    rows.append([NAMES[arm], title, stated, _times(beside.quic), _times(beside.tcp), handshake])
    starts = [place for place, row in enumerate(rows) if place == 0 or row[0] != rows[place - 1][0]]
    head = ["implementation", "numbers", "queue", "its time", "TCP's time beside it", "TCP's handshake"]
    return HTML(html_table(head, rows, numeric=range(3, 6), starts=starts))


def _times(found: Times) -> str:
    """`1.94 times (1.90 to 1.98)`."""
    text = f"{found.value:.2f} times"
    return text if math.isnan(found.low) else f"{text} ({found.low:.2f} to {found.high:.2f})"


def cpu_table(data: BookData | None = None) -> HTML:
    """Processor time of both ends, ms per download, and the time to the last byte, in tables 2 to 5."""
    head = ["last byte, s", "client's CPU, ms", "server's CPU, ms"]
    measured = columns(data or book_data.load())[1:]
    return HTML(_each_table(measured, head, _costs) if measured else style.NOTHING_YET)


def _costs(evidence: Connections, where: Setting, arm: str) -> list[str]:
    last, *cpu = (evidence.summary(where, arm, one.name) for one in (TTLB, CLIENT_CPU, SERVER_CPU))
    seconds = _seconds(last.mean / 1e3 if last else None)
    return [seconds, *(NONE if one is None else f"{one.mean:,.0f}" for one in cpu)]
