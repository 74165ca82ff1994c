"""Tables 2 to 5 of Halme 2021 beside what was re-measured, what it measured and did not print, and two causes: the
direction of the loss, the aioquic of then."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.evidence import StudyColumn
from longlook.book.halme2021.evidence import BY_CAPTURE, HANDSHAKE, NAMES, QUEUES, TABLES, TCP, Setting, beside, printed
from longlook.book.times import times_text
from longlook.book.value import SPACE
from longlook.experiment.metrics import BYTES_DOWN, CLIENT_CPU, CONNECT, DURATION, PACKETS, PACKETS_UP, SERVER_CPU, TTLB
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table, shown_table
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


def columns(data: BookData) -> list[tuple[str, StudyColumn]]:
    """Headings and numbers: published, and every column that has campaigns of table 2, 3, 4 or 5."""
    measured = [
        (title, StudyColumn(data, STUDY, key))
        for key, _, title in COLUMNS
        if any(len(data.rows("arms", STUDY, where.series, key)) for where in TABLES.values())
    ]
    return [(PUBLISHED.title, printed(data)), *measured]


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


Cells = Callable[[StudyColumn, Setting, str], list[str]]


def _each_table(asked: Sequence[tuple[str, StudyColumn]], head: Sequence[str], cells_of: Cells) -> str:
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


def _durations(own: StudyColumn, where: Setting, arm: str) -> list[str]:
    least, greatest = _extremes(own, where, arm)
    mean = own.text("{seconds:.2f}", value=arm, metric=DURATION.name, **where.said)
    return [_seconds(least), mean, _seconds(greatest), versus(own, where, arm)]


def _extremes(own: StudyColumn, where: Setting, arm: str) -> tuple[float | None, float | None]:
    """Seconds."""
    if own.key != PUBLISHED.key:
        values = own.loads(arm, DURATION.name, **where.said)
        return (min(values) / 1e3, max(values) / 1e3) if values else (None, None)
    said = _printed(where, arm)
    return said.time_min_s, said.time_max_s


def _printed(where: Setting, arm: str) -> PrintedTimes:
    return next(one.printed[arm] for one in tables() if f"table-{one.table}" == where.series)


def _handshakes(own: StudyColumn, where: Setting, arm: str) -> list[str]:
    by_thesis, client = (_mean(own, where, arm, metric) for metric in (HANDSHAKE, CONNECT.name))
    # By the client's log its two definitions are one.
    if client == NONE and arm not in BY_CAPTURE:
        client = by_thesis
    return [by_thesis, versus(own, where, arm, HANDSHAKE), client, versus(own, where, arm, CONNECT.name)]


def _mean(own: StudyColumn, where: Setting, arm: str, metric: str) -> str:
    return own.text("{value:,.0f}", value=arm, metric=metric, **where.said)


def _packets(own: StudyColumn, where: Setting, arm: str) -> list[str]:
    whole, up, down = (own.summary(arm, one.name, **where.said) for one in (PACKETS, PACKETS_UP, BYTES_DOWN))
    share = f"{100 * up.mean / whole.mean:.0f}{SPACE}%" if whole and up else NONE
    sent = f"{down.mean / 1e3:,.0f}" if down else NONE
    return [_mean(own, where, arm, PACKETS.name), versus(own, where, arm, PACKETS.name), share, sent]


def versus(own: StudyColumn, where: Setting, arm: str, metric: str = DURATION.name) -> str:
    """By how much an implementation differs from TCP."""
    return NONE if arm == TCP else own.text("{percent}", ratio=[arm, TCP], metric=metric, **where.said)


def _seconds(value: float | None) -> str:
    return NONE if value is None or math.isnan(value) else f"{value:.2f}"


def further_table(series: Sequence[str], data: BookData | None = None, file: str = "") -> HTML:
    """Every cell of some series that print no number: mean duration by implementation, and its difference from TCP; in
    a file of that name where one is stated."""
    found = data or book_data.load()
    parts = []
    for key, _, title in COLUMNS:
        rows = _further(StudyColumn(found, STUDY, key), series)
        if rows:
            head = ["file, one way, loss each way", *NAMES.values()]
            if file:
                own = [[one.replace("<br>", " ") for one in row] for row in rows]
                shown = offered(csv_file(f"{file}-{key}.csv", head, own))
            else:
                shown = html_table(head, rows, escape=False, numeric=range(1, len(head)))
            parts.append(f"<p>{title}</p>{shown}")
    return HTML("".join(parts) or style.NOTHING_YET)


def _further(own: StudyColumn, series: Sequence[str]) -> list[list[str]]:
    rows = []
    for name in series:
        cells = own.data.rows("cells", STUDY, name, own.key).drop_duplicates("cell_id")
        for cell in records(cells.sort_values(["rtt_ms", "loss_pct", "object_bytes"])):
            where = Setting(name, int(cell["object_bytes"]), cell["loss_pct"], cell["rtt_ms"])
            rows.append([_condition(cell), *(_mean_and_versus(own, where, arm) for arm in NAMES)])
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


def _mean_and_versus(own: StudyColumn, where: Setting, arm: str) -> str:
    text = own.text(f"{{seconds:.2f}}{SPACE}s", value=arm, metric=DURATION.name, **where.said)
    return text if text == NONE or arm == TCP else f"{text}<br>{versus(own, where, arm)}"


def parallel_table(data: BookData | None = None) -> HTML:
    """Scenario 3: how many times its time alone each of two takes that download at once, by queue."""
    found = data or book_data.load()
    rows: list[list[str]] = []
    asked = [(PUBLISHED.title, printed(found))]
    asked += [(title, StudyColumn(found, STUDY, key)) for key, _, title in COLUMNS]
    for arm in (one for one in NAMES if one != TCP):
        for title, own in asked:
            for queue in QUEUES:
                both = beside(own, arm, queue)
                if both is not None:
                    stated = "not stated" if title == PUBLISHED.title else f"{queue} packets"
                    handshake = NONE if both.tcp_handshake is None else times_text(both.tcp_handshake)
                    rows.append([NAMES[arm], title, stated, times_text(both.quic), times_text(both.tcp), handshake])
    starts = [place for place, row in enumerate(rows) if place == 0 or row[0] != rows[place - 1][0]]
    head = ["implementation", "numbers", "queue", "its time", "TCP's time beside it", "TCP's handshake"]
    return shown_table(head, rows, numeric=range(3, 6), starts=starts)


def cpu_table(data: BookData | None = None) -> HTML:
    """Processor time of both ends, ms per download, and the time to the last byte, in tables 2 to 5."""
    head = ["last byte, s", "client's CPU, ms", "server's CPU, ms"]
    measured = columns(data or book_data.load())[1:]
    return HTML(_each_table(measured, head, _costs) if measured else style.NOTHING_YET)


def _costs(own: StudyColumn, where: Setting, arm: str) -> list[str]:
    last = own.text("{seconds:.2f}", value=arm, metric=TTLB.name, **where.said)
    return [last, *(_mean(own, where, arm, one.name) for one in (CLIENT_CPU, SERVER_CPU))]


DOWN = {"3": Setting("down-3"), "5": Setting("down-5")}
"""Of a table of the thesis: the series with the same loss from the server to the client alone."""


def down_over_each_way(table: str, *arms: str) -> dict[str, Any]:
    """Mean durations with loss down only over those with loss each way, as criteria say it."""
    each_way = {"series": TABLES[table].series}
    return {"value": list(arms), "metric": DURATION.name, "each": [], "over": each_way, **DOWN[table].said}


def direction_table(data: BookData | None = None) -> HTML:
    """Mean durations as printed, of the reference campaigns with loss each way and down only, and how far the last two
    are apart; of tables that have all arms both ways."""
    data = data or book_data.load()
    own, rows = StudyColumn(data, STUDY), []
    for name, where in DOWN.items():
        if len(own.found(**down_over_each_way(name, *NAMES))) == len(NAMES):
            sources = ((printed(data), TABLES[name]), (own, TABLES[name]), (own, where))
            for place, arm in enumerate(NAMES):
                asked = {"value": arm, "metric": DURATION.name}
                means = [one.text("{seconds:.2f}", **asked, **setting.said) for one, setting in sources]
                title = titled(name) if place == 0 else ""
                rows.append([title, NAMES[arm], *means, own.text("{percent}", **down_over_each_way(name, arm))])
    head = ["table", "by", "printed, s", "each way, s", "down only, s", "down only vs each way"]
    starts = range(0, len(rows), len(NAMES))
    shown = html_table(head, rows, escape=False, numeric=range(2, len(head)), starts=starts)
    return HTML(shown if rows else style.NOTHING_YET)


THEN, THEN_BOTH = "aioquic-then", "aioquic-both"
TODAY = "today"
THEN_ARMS = {
    THEN: {
        "then": "aioquic 0.9.21",
        "then told": "its server told of 1 s",
        TODAY: "aioquic 1.7.2",
        "tcp": "TCP",
    },
    THEN_BOTH: {
        "then": "aioquic 0.9.21",
        "client told": "its client told of 1 s",
        "both told": "both told",
        TODAY: "aioquic 1.7.2",
    },
}
THEN_RTTS_MS = (20, 100, 400)


def then_table(series: str = THEN, data: BookData | None = None) -> HTML:
    """Mean durations of the reference campaign by round trip, and each arm's difference from today's aioquic; of round
    trips that have all arms."""
    own = StudyColumn(data or book_data.load(), STUDY)
    arms, lines = THEN_ARMS[series], []
    for rtt_ms in THEN_RTTS_MS:
        asked = {"metric": DURATION.name, **Setting(series, rtt_ms=rtt_ms).said}
        if len(own.found(value=list(arms), **asked)) == len(arms):
            lines.append([f"{rtt_ms / 2:g}{SPACE}ms", *(_then(own, arm, asked) for arm in arms)])
    head = ["one way", *arms.values()]
    return shown_table(head, lines, escape=False, numeric=range(1, 5))


def _then(own: StudyColumn, arm: str, asked: dict[str, Any]) -> str:
    text = own.text(f"{{seconds:.2f}}{SPACE}s", value=arm, **asked)
    return text if arm == TODAY else f"{text}<br>{own.text('{percent}', ratio=[arm, TODAY], **asked)}"
