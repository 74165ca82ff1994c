"""Which pairs have no number, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import early
from longlook.book.matrix.evidence import TITLES, newest, shown
from longlook.book.matrix.pairs import CLIENTS, NAMES, Pair, refused
from longlook.book.value import NOT_YET
from longlook.figure.table import shown_table

EVERYWHERE = "in any sweep"
EARLY = "early data"


def reasons(data: BookData | None = None) -> HTML:
    """Every pair without a number, by the reason; that a series is not measured yet is none."""
    rows = [
        [_controllers(own), _titles(own), where, why]
        for (why, where), own in _without(data or book_data.load()).items()
    ]
    return shown_table(["controller", "server with client", "where", "why"], rows)


def _without(data: BookData) -> dict[tuple[str, str], list[Pair]]:
    """By reason and where it is met: what nobody would measure anywhere, and what came of a series."""
    found: dict[tuple[str, str], list[Pair]] = {}
    for series, title in TITLES.items():
        column = newest(data, series)
        for pair in shown(series):
            why = column.found(series, pair).why
            if why and why != NOT_YET:
                own = found.setdefault((why, EVERYWHERE if refused(pair) else title), [])
                own += [] if pair in own else [pair]
    return found | {(why, EARLY): own for why, own in early.without(data).items()}


def _controllers(own: Sequence[Pair]) -> str:
    return ", ".join(dict.fromkeys(pair.cca.upper() for pair in own))


def _titles(own: Iterable[Pair]) -> str:
    """`Envoy with each client`, or with the clients by name."""
    by_server: dict[str, dict[str, Pair]] = {}
    for pair in own:
        by_server.setdefault(pair.server, {}).setdefault(pair.client, pair)
    return "; ".join(_title(clients) for clients in by_server.values())


def _title(clients: dict[str, Pair]) -> str:
    pair = next(iter(clients.values()))
    every = set(clients) == set(CLIENTS[pair.protocol])
    return f"{NAMES[pair.server]} with {'each client' if every else ', '.join(NAMES[one] for one in clients)}"
