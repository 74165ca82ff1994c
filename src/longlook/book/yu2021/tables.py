"""Tables of the chapter on single files: clients, servers, the direction of the loss, the queue."""

from __future__ import annotations

from collections.abc import Sequence

from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.names import (
    CLIENTS,
    EACH_WAY,
    FAR,
    H2,
    H3,
    LOSSY,
    MAIN,
    MEDIAN,
    MIDDLE,
    NAMES,
    PAIRS,
    QUEUE,
    QUIET,
    SERVERS,
    SMALL,
    Controllers,
    FileSquare,
    Impairment,
    median_of,
    newest,
    place,
    rule,
)
from longlook.experiment.metrics import CONNECT, PACKETS, PACKETS_UP
from longlook.figure import style
from longlook.figure.table import shown_table

NONE = style.DASH
SENDER_NAMES = {"envoy": "Envoy", "ngtcp2": "ngtcp2", "lsquic": "LSQUIC", "apache": "Apache", "nginx": "nginx"}
OF_TCP = ("tcp bbr apache", "tcp bbr nginx")
EACH_WAY_CONDITION = Impairment(loss_pct=2.0)
"""1 % each way, as links count it: both together."""
SIX = ("chromium", "chromium126", "curl", "ngtcp2", "quicgo", "lsquic")
THREE = ("chromium", "chromium126", "curl")
QUIC_SERVERS = ("envoy", "ngtcp2", "lsquic")
SENDERS = (*(f"{cca} {one}" for cca in ("bbr", "cubic") for one in QUIC_SERVERS), "cubic envoy two")
ARMS = tuple(
    f"{protocol} {cca} {one}"
    for protocol, clients in (("quic", H3), ("tcp", H2))
    for cca in ("bbr", "cubic")
    for one in clients
)


def against_best(data: BookData | None = None) -> HTML:
    """Figure 8: each of the three clients of HTTP/3 against the quickest of them, by BBR."""
    rows: list[list[str]] = []
    starts: list[int] = []
    for condition in (QUIET, LOSSY, FAR):
        starts.append(len(rows))
        for size, series in MAIN.items():
            own = newest(data, series)
            where = place(size, condition)
            medians = [median_of(own, where, f"quic bbr {name}") for name in H3]
            known = [one for one in medians if one is not None]
            rows.append([where.label, *(_over(one, min(known)) if one is not None else NONE for one in medians)])
    if all(set(row[1:]) == {NONE} for row in rows):
        return HTML(style.NOTHING_YET)
    return shown_table(
        ["download", *(NAMES[name] for name in H3)], rows, numeric={1, 2, 3}, starts=starts, escape=False
    )


def _over(median: float, least: float) -> str:
    """`152 ms (+4.1 %)`."""
    pct = style.signed_pct((median / least - 1) * 100)
    return f"{median:,.0f} ms ({pct} %)"


def clients(data: BookData | None = None) -> HTML:
    """Every client of yu-clients: handshake, both files over both links, and how often it acknowledges."""
    own = newest(data, CLIENTS)
    if not own.has(CLIENTS):
        return HTML(style.NOTHING_YET)
    arms = [f"quic bbr {name}" for name in SIX] + [f"tcp bbr {name}" for name in THREE]
    places = [FileSquare(CLIENTS, size, condition) for size in (SMALL, MIDDLE) for condition in (QUIET, FAR)]
    rows = [
        [
            NAMES[arm.split()[-1]],
            "HTTP/3" if arm.startswith("quic") else "HTTP/2",
            number_text(median_of(own, places[0], arm, CONNECT.name)),
            *(number_text(median_of(own, where, arm)) for where in places),
            _acknowledged(own, places[2], arm),
        ]
        for arm in arms
    ]
    groups = [("", 3), ("100 KB, ms", 2), ("1 MB, ms", 2), ("", 1)]
    links = [f"over {where.condition.label}" for where in places]
    head = ["client", "over", "handshake, ms", *links, "packets up for 100 down"]
    numeric = set(range(2, len(head)))
    return shown_table(head, rows, numeric=numeric, groups=groups, starts={len(SIX)})


def number_text(median: float | None) -> str:
    """`130.7`, or a dash."""
    return NONE if median is None else f"{median:,.1f}"


def _ms(median: float | None) -> str:
    return NONE if median is None else f"{median:,.1f} ms"


def _acknowledged(own: StudyColumn, where: FileSquare, arm: str) -> str:
    """By the capture beside the server; a browser does not say which connection was whose."""
    both, up = (median_of(own, where, arm, metric.name) for metric in (PACKETS, PACKETS_UP))
    return NONE if both is None or up is None or both <= up else f"{100 * up / (both - up):.0f}"


def servers(data: BookData | None = None) -> HTML:
    """Every sender of yu-servers, and how it compares with Apache by BBR."""
    own = newest(data, SERVERS)
    if not own.has(SERVERS):
        return HTML(style.NOTHING_YET)
    places = [FileSquare(SERVERS, MIDDLE, condition) for condition in (QUIET, LOSSY, FAR)]
    rows = [
        [_sender(arm), *(text for where in places for text in _against(own, where, arm))]
        for arm in (*(f"quic {one}" for one in SENDERS), *OF_TCP)
    ]
    groups = [("", 1), *((where.condition.label, 2) for where in places)]
    head = ["server", *["median, ms", "against Apache, BBR"] * len(places)]
    return shown_table(head, rows, numbers_from=1, groups=groups, starts={len(SENDERS)})


def _sender(arm: str) -> str:
    """`Envoy, CUBIC (two connections)`."""
    _, cca, server, *two = arm.split()
    return f"{SENDER_NAMES[server]}, {cca.upper()}" + (" for two connections" if two else "")


def _against(own: StudyColumn, where: FileSquare, arm: str) -> list[str]:
    times = NONE if arm == OF_TCP[0] else own.text("{percent}", ratio=[arm, OF_TCP[0]], **MEDIAN, **where.said)
    return [number_text(median_of(own, where, arm)), times]


def direction(data: BookData | None = None) -> HTML:
    """1 % loss on the way down only, and each way, by the paper's rule."""
    rows = [
        [
            f"{pair.title}, {text}",
            *_pair(data, (place(size, LOSSY), FileSquare(EACH_WAY, size, EACH_WAY_CONDITION)), pair),
        ]
        for size, text in ((SMALL, "100 KB"), (MIDDLE, "1 MB"))
        for pair in PAIRS
    ]
    return compared(["HTTP/3 against HTTP/2", "down only", "each way"], rows)


def queue(data: BookData | None = None) -> HTML:
    """1 MB without loss, with a queue of 50 packets and of 1000: the rule, and the median of every sender."""
    rows: list[list[str]] = []
    for condition in (QUIET, FAR):
        both = (place(MIDDLE, condition), FileSquare(QUEUE, MIDDLE, condition))
        rows += [[f"{pair.title}, {condition.label}", *_pair(data, both, pair)] for pair in PAIRS]
    for condition in (QUIET, FAR):
        both = (place(MIDDLE, condition), FileSquare(QUEUE, MIDDLE, condition))
        rows += [
            [
                f"{_client(arm)}, {condition.label}",
                *(_ms(median_of(newest(data, one.series), one, arm)) for one in both),
            ]
            for arm in ARMS
        ]
    return compared(["compared", "50 packets", "1000 packets"], rows)


def _client(arm: str) -> str:
    protocol, cca, name = arm.split()
    return f"{NAMES[name]}, {style.PROTOCOL_LABELS[protocol]} {cca.upper()}"


def _pair(data: BookData | None, places: Sequence[FileSquare], pair: Controllers) -> list[str]:
    """The rule at both, each in its own newest column."""
    return [newest(data, where.series).text("{percent}", **rule(where, pair)) for where in places]


def compared(head: Sequence[str], rows: Sequence[Sequence[str]]) -> HTML:
    """Nothing where the second column, which the sweep is about, has no number."""
    if all(row[-1] == NONE for row in rows):
        return HTML(style.NOTHING_YET)
    return shown_table(head, rows, numbers_from=1)
