"""What early data spares each pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd
from IPython.display import HTML

from longlook.analysis.estimate import difference
from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix.chart import live
from longlook.book.matrix.evidence import NOT_ASKED, ONLY, STUDY, MatrixColumn, newest
from longlook.book.matrix.pairs import CLIENTS, NAMES, SERVERS, WORKLOAD, Pair
from longlook.book.value import NOT_YET
from longlook.experiment.metrics import TTFB, TTLB
from longlook.experiment.refusals import of_arm
from longlook.figure import style
from longlook.figure.grid import GRID, Scale, told
from longlook.figure.live import LiveChart
from longlook.figure.versus import ARM_WORDS
from longlook.plan.arm import Handshake
from longlook.record.parquet import records

SERIES = "matrix-early"
NAME = "matrix-early"
RESUMED: Handshake = "0rtt"
COLD: Handshake = "1rtt"
HANDSHAKES = (RESUMED, COLD)
SMALL, LARGE = 1024, 10_240
"""Bytes."""
SIZES = {SMALL: "1 KB", LARGE: "10 KB"}
MOMENTS = {TTFB.name: "first byte", TTLB.name: "last byte"}
Place = tuple[Pair, int, str, str]
"""Pair, bytes of the file, handshake, metric."""
Numbers = Mapping[Place, Summary]


def shown() -> list[Pair]:
    """Every pair of QUIC, also those that cannot be, with CUBIC or the only controller of its server."""
    return [
        Pair("quic", server, client, ONLY.get(server, "cubic"))
        for server in SERVERS["quic"]
        for client in CLIENTS["quic"]
    ]


@cache
def refused(pair: Pair) -> str:
    """Why a pair cannot resume in any sweep; empty where it can."""
    return "; ".join(of_arm(pair.arm.model_copy(update={"handshake": RESUMED}), WORKLOAD))


def measured(data: BookData, key: str) -> Numbers:
    """Of one column, `reference` or `yours`, ms; what has a download that counts."""
    rows = data.rows("arms", STUDY, SERIES, key)
    rows = rows[rows["metric"].isin(MOMENTS) & (rows["n"] > 0)]
    found = {}
    for row in records(rows):
        pair = Pair("quic", row["server"], row["client"], row["cca"])
        found[pair, int(row["object_bytes"]), row["handshake"], row["metric"]] = summary_of(row)
    return found


@dataclass(frozen=True)
class Spared:
    """By how much sooner a moment comes with early data, ms, with its 99 % interval; `why` there is no number."""

    value: float = float("nan")
    low: float = float("nan")
    high: float = float("nan")
    n: int = 0
    why: str = ""


def spared(own: Numbers, pair: Pair, size: int, metric: str) -> Spared:
    """Of a pair, a file's size and a moment."""
    if why := refused(pair):
        return Spared(why=why)
    if not own:
        return Spared(why=NOT_YET)
    early, cold = (own.get((pair, size, handshake, metric)) for handshake in HANDSHAKES)
    if early is None and cold is None:
        return Spared(why=NOT_ASKED)
    if early is None or cold is None:
        return Spared(why=f"no download by {ARM_WORDS[RESUMED if early is None else COLD]} counts")
    found = difference(early, cold)
    return Spared(found.value, found.low, found.high, min(early.n, cold.n))


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Milliseconds spared by pair, a row of panels for each size: until the first byte, until the last."""
    data = data or book_data.load()
    column = newest(data, SERIES)
    frame = squares(column)
    if not frame["value"].notna().any():
        return HTML(style.NOTHING_YET)
    alt_text = f"Time spared by early data in ms. {told(frame, 'ms')}"
    means = f"{column.title}. Means of 1-RTT less those of 0-RTT, in ms"
    return live(NAME, frame, Scale.of(frame["value"]), alt_text, means)


def squares(column: MatrixColumn) -> pd.DataFrame:
    """A row for every pair, size and moment, of GRID and what tells it."""
    own = measured(column.data, column.key)
    return pd.DataFrame(_rows(own), columns=[*GRID, "low", "high", "n"])


def _rows(own: Numbers) -> Iterator[Mapping[str, object]]:
    for size, block in SIZES.items():
        for metric, panel in MOMENTS.items():
            for pair in shown():
                found = spared(own, pair, size, metric)
                place: dict[str, object] = {
                    "block": block,
                    "panel": panel,
                    "down": NAMES[pair.server],
                    "across": NAMES[pair.client],
                }
                if found.why:
                    yield place | {"value": float("nan"), "label": style.DASH, "said": found.why}
                    continue
                label = signed(found.value)
                said = f"{found.value:.1f} ms ({found.low:.1f} to {found.high:.1f}), {found.n} downloads each"
                numbers = {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
                yield place | numbers | {"label": label, "said": said}


def signed(ms: float) -> str:
    """`36`, or with a minus where it comes later; whole."""
    return f"{round(ms)}".replace("-", style.MINUS)


def without(data: BookData) -> dict[str, list[Pair]]:
    """Pairs without a number by the reason; that the series is not measured yet is none."""
    own = measured(data, newest(data, SERIES).key)
    found: dict[str, list[Pair]] = {}
    for pair in shown():
        for size in SIZES:
            why = spared(own, pair, size, TTLB.name).why
            if why and why != NOT_YET and pair not in found.setdefault(why, []):
                found[why].append(pair)
    return found


def values(own: Numbers, size: int, metric: str, chosen: Callable[[Pair], bool] = lambda _: True) -> dict[Pair, float]:
    """ms spared, of every pair that has a number."""
    found = {pair: spared(own, pair, size, metric) for pair in shown() if chosen(pair)}
    return {pair: one.value for pair, one in found.items() if not one.why}


def is_paced(pair: Pair) -> bool:
    """The one whose request, in a datagram of its own, comes when its server has sent and paces what it sends next."""
    return (pair.server, pair.client) == ("ngtcp2", "lsquic")


def whose(found: Iterable[Pair]) -> str:
    """`means of 20 pairs`, or of the one by its name."""
    own = list(found)
    return f"means of {own[0].title if len(own) == 1 else f'{len(own)} pairs'}"
