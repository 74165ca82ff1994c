"""The browser's processor time as a share of the page load time: how PLT moves with it, and who is faster."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.analysis.newest import role_of
from longlook.analysis.processor import BUSY_SHARE, BUSY_TIME, Elasticity, bound_cells, elasticities, slower_than
from longlook.book.data import BookData, load
from longlook.book.flows import page
from longlook.book.repeated import ARM, LINK, MANY, repeated
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.figure import style
from longlook.figure.dots import DOTS, live_dots
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import shown_table
from longlook.record.parquet import records

CONDITIONS = (*LINK, *ARM)
MOVES = (
    "browser's processor time, of PLT", "arms", "campaigns", "% of PLT for 1 % more processor time (99 %)",
    "of PLT, if a tenth slower",
)  # fmt: skip
COUNTS = {"object_count": (10, 100, 200)}
OF = ("4.6d", "4.6f")
"""Figures of a megabyte in growing numbers of objects, without loss: 36 ms, 112 ms."""
LONG_MS = 350.0
"""A bound that was chosen after the campaigns were seen: none lies between 335 and 394 ms."""
TITLES = ("browser's processor time, mean of both, ms", "TCP's PLT against QUIC's, %")


def moves(data: BookData | None = None) -> HTML:
    """By share: how much of a difference in processor time is met again in PLT."""
    found = moved(data or load())
    rows = [
        [_share(one), str(one.arms), str(one.campaigns), f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})",
         f"{100 * math.expm1(one.value * math.log(1.1)):.1f} %"]
        for one in found
    ]  # fmt: skip
    return shown_table(MOVES, rows, numeric={1, 2, 3, 4})


def moved(data: BookData) -> list[Elasticity]:
    """Of all reference campaigns."""
    return elasticities(_reference(_arms(data)), CONDITIONS)


def slower(data: BookData, campaign: str) -> float | None:
    """How many times the processor time of the other reference campaigns a campaign's browsers took."""
    found = slower_than(_reference(_arms(data), campaign), [campaign], CONDITIONS)
    return found and found[0]


def machine(data: BookData, campaigns: Sequence[str]) -> str:
    """A sentence or two on campaigns just measured: how slow their machine is, and which cells its processor bounds."""
    arms = _arms(data)
    found = slower_than(_reference(arms, *campaigns), campaigns, CONDITIONS)
    own = {cell: bound for (one, cell), bound in bound_cells(arms).items() if one in campaigns}
    bound = [cell for cell, is_bound in own.items() if is_bound]
    lines = []
    if found:
        lines = [
            f"The browsers took {found[0]:.2f} times the processor time that the reference campaigns took for the "
            f"same pages ({found[1]} arms)."
        ]
    if bound:
        lines += [
            f"The processor bounds {len(bound)} of {len(own)} cells: the browser needs it for more than "
            f"{100 * BUSY_SHARE:.0f} % of PLT, or the only one is busy for more than {100 * BUSY_TIME:.0f} % of the "
            "time. They are about this machine too:",
            *(f"  {cell}" for cell in bound),
        ]
    return "\n".join(lines)


def _share(one: Elasticity) -> str:
    least, most = (round(100 * end) if math.isfinite(end) else None for end in (one.least, one.most))
    return f"{least} % and more" if most is None else f"{least} to {most} %"


def who_is_faster(data: BookData | None = None) -> LiveChart | HTML:
    """QUIC against TCP in each campaign that has the squares of figures 4.6d and 4.6f, by the browser's time."""
    frame = pd.DataFrame(_dots(data or load()), columns=list(DOTS))
    if frame.empty:
        return HTML(style.NOTHING_YET)
    shares = frame.groupby("panel", sort=False)
    told = (f"{panel}: {(own['y'] > 0).sum()} of {len(own)} above 0." for panel, own in shares)
    return live_dots(
        frame,
        TITLES,
        has_limit=False,
        name="client-share",
        alt_text="TCP's page load time against QUIC's, % (above 0 QUIC is faster), over the browser's processor time. "
        + " ".join(told),
        downloads=(Attachment("client-share.csv", frame.to_csv(index=False)),),
        note="A dot is a square of one campaign; above 0 QUIC is faster.",
        hint="Point at a dot for its campaign.",
    )


def _dots(data: BookData) -> Iterator[tuple[object, ...]]:
    times = _times(data)
    for series in OF:
        for one in repeated(data, COUNTS, series):
            for row in records(one.rows):
                percent = 100 * math.expm1(row["log_ratio"])
                case = f"{row['bandwidth_mbps']:g} Mbit/s, {row['campaign'].removeprefix('reference-')}"
                yield f"RTT {row['rtt_ms']:g} ms", _time_ms(times, row), percent, page(row), case


def _times(data: BookData) -> pd.Series:
    """The browser's processor time, s, by campaign, cell and arm."""
    return data.where("arms", metric=CLIENT_CPU.name).groupby(["campaign", "cell_id", "arm"])["mean"].first()


def _time_ms(times: pd.Series, row: Mapping) -> float:
    both = [times[row["campaign"], row["cell_id"], row[side]] for side in ("left", "right")]
    return 500 * sum(both)


def _reference(arms: pd.DataFrame, *besides: str) -> pd.DataFrame:
    """Of the reference campaigns, and of these: a reader's earlier ones are of the same machine."""
    return arms[(arms["campaign"].map(role_of) == "reference") | arms["campaign"].isin(besides)]


def _arms(data: BookData) -> pd.DataFrame:
    return pd.concat([data.where("arms", metric=one.name) for one in (PLT, CLIENT_CPU)])


def by_time(data: BookData) -> tuple[list[float], list[float]]:
    """By how many per cent TCP's page load times are above QUIC's, in each measurement of a hundred objects over 36 ms
    at 50 and 100 Mbit/s: with less of the browser's time than `LONG_MS`, and with more."""
    own = list(_of_a_hundred(data))
    return [one for time, one in own if time < LONG_MS], [one for time, one in own if time >= LONG_MS]


def _of_a_hundred(data: BookData) -> Iterator[tuple[float, float]]:
    where = MANY | {"object_count": (100,)}
    times = _times(data)
    for one in repeated(data, where, OF[0]):
        for row in records(one.rows):
            yield _time_ms(times, row), 100 * math.expm1(row["log_ratio"])
