"""Squares that more than one reference campaign measured, of whatever sweep: what each found, and all together.

Cells are not the same, since some have more arms: what has to be equal is the link, the page and every condition of the
two arms. Campaigns that a newer one superseded are among them.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import pandas as pd
from IPython.display import HTML

from longlook.analysis.newest import moment, role_of
from longlook.analysis.paired import Paired, of_row
from longlook.analysis.random_effects import Campaigns, combined
from longlook.analysis.welch import ALPHA
from longlook.book.data import BookData, load
from longlook.book.drivers import READS
from longlook.book.flows import page
from longlook.experiment.environment import APPARATUS
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.table import html_table
from longlook.figure.versus import turned
from longlook.plan import conditions
from longlook.record.parquet import records

LINK = ("workload", "object_bytes", "object_count", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms",
        "jitter_interval_ms", "queue_bytes", "queue_packets", "burst_bytes", "netem")  # fmt: skip
ARM = tuple(name for name in conditions.ARM if name not in ("arm", "arm_label"))
CELL = ["campaign", "cell_id"]
AGAIN = (
    "series", "QUIC's and TCP's controller", "squares", "QUIC faster (Welch)", "QUIC faster (pairs)",
    "Welch's verdict changed", "more apart than their loads", "standard deviation between", "shown by all",
)  # fmt: skip
EACH = (
    *AGAIN[:2], "stack", "page", "RTT, ms", "loss, %", "jitter, ms", "Mbit/s", "campaign", "pairs", "TCP / QUIC",
    "low", "high", "standard deviation between, log",
)  # fmt: skip
FEWEST = 3
"""Campaigns of one driver that are combined beside all: two tell next to nothing of those that are not measured."""
MANY = {"object_count": (100, 200), "bandwidth_mbps": (50.0, 100.0)}
"""Pages that the link does not limit."""


@dataclass(frozen=True)
class Repeated:
    """One square: its conditions, and a row of both arms for each campaign, the oldest first."""

    place: pd.Series
    rows: pd.DataFrame

    @cached_property
    def found(self) -> list[Paired]:
        return [of_row(one) for one in records(self.rows)]

    @cached_property
    def together(self) -> Campaigns:
        """All campaigns by the random-effects model."""
        return combined(self.found)

    @property
    def by_todays_driver(self) -> list[Paired]:
        made = self.rows["apparatus"]
        return [one for one, apparatus in zip(self.found, made, strict=True) if apparatus == APPARATUS]


def repeated(data: BookData, where: Mapping[str, Sequence] | None = None, series: str = "") -> list[Repeated]:
    """QUIC against TCP in page load times, squares of two campaigns or more; `where`: values of `LINK`; `series`: of
    the same conditions as a square of it."""
    both = _measured(data)
    for name, values in (where or {}).items():
        both = both[both[name].isin(values)]
    same = [*LINK, *(f"{side}_{name}" for side in ("left", "right") for name in ARM)]
    found = []
    for _, rows in both.groupby(same, dropna=False, sort=False):
        if rows["campaign"].nunique() > 1 and (not series or series in set(rows["series"])):
            found.append(Repeated(rows.iloc[0], rows))
    return sorted(found, key=lambda one: (one.place["object_count"], one.place["object_bytes"], *_link(one.place)))


@lru_cache(maxsize=2)
def _measured(data: BookData) -> pd.DataFrame:
    """Squares of every reference campaign that have pairs, both protocols by one stack, the oldest first."""
    arms = data.where("arms", metric=PLT.name)
    arms = arms[arms["campaign"].map(role_of) == "reference"]
    columns = [*CELL, "arm", *LINK, *ARM, "n", "mean", "sd"]
    tested = data.where("contrasts", metric=PLT.name)
    tested = tested[(tested["pairs"] > 1) & ~tested["control"].astype(bool)]
    spoken = arms.set_index([*CELL, "arm"])["protocol"]
    sides = [spoken.reindex(pd.MultiIndex.from_frame(tested[[*CELL, side]])).to_numpy() for side in ("left", "right")]
    quic_first, tcp_first = (
        (sides[0] == one) & (sides[1] == other) for one, other in (("quic", "tcp"), ("tcp", "quic"))
    )
    both = pd.concat([tested[quic_first], turned(tested[tcp_first])])
    both = both.merge(_side(arms[columns], "left"), on=[*CELL, "left"])
    both = both.merge(_side(arms[columns].drop(columns=list(LINK)), "right"), on=[*CELL, "right"])
    both = both[both["left_stack"] == both["right_stack"]]
    both = both.merge(data.whole("cells")[[*CELL, "apparatus"]], on=CELL)
    return both.assign(moment=both["campaign"].map(moment)).sort_values("moment", kind="stable")


def by_campaign(series: str, where: Mapping[str, Sequence], data: BookData | None = None) -> HTML:
    """Each campaign's means and its ratio of TCP to QUIC by pairs, then that of all of them, and of those by today's
    driver where there are others."""
    tables = data or load()
    found = repeated(tables, where, series)
    cpus = tables.whole("campaigns").set_index("campaign")["cpu_model"] if found else {}
    rows = [line for one in found for line in (*_lines(one, cpus), *_together(one))]
    head = [
        "page, Mbit/s",
        "campaign",
        "processor",
        "driver reads",
        "QUIC, ms",
        "TCP, ms",
        "pairs",
        "TCP / QUIC (99 %)",
        "a difference is",
    ]
    return HTML(html_table(head, rows, numeric={4, 5, 6, 7}) if rows else style.NOTHING_YET)


def _lines(one: Repeated, cpus: Mapping[str, str]) -> Iterator[list[str]]:
    for row, pair in zip(records(one.rows), one.found, strict=True):
        means = [f"{row[f'{side}_mean']:.0f} ± {row[f'{side}_sd']:.0f}" for side in ("left", "right")]
        campaign = row["campaign"].removeprefix("reference-")
        said = (campaign, cpus[row["campaign"]], READS[row["apparatus"]])
        yield [_square(row), *said, *means, str(pair.pairs), _times(pair), pair.shown]


def _together(one: Repeated) -> Iterator[list[str]]:
    for own, whose in ((one.found, "all"), (one.by_todays_driver, "driver reads after")):
        if own is one.found or FEWEST <= len(own) < len(one.found):
            found = one.together if own is one.found else combined(own)
            words = f"{whose}: {len(own)}; standard deviation between them {_pct(found.sd_between)}"
            numbers = (str(found.ratio.pairs), _times(found.ratio), found.ratio.shown)
            yield [_square(one.place), words, *4 * [""], *numbers]


def again(data: BookData | None = None) -> HTML:
    """Series that were measured more than once: what each campaign found, and all."""
    groups: dict[tuple[str, str], list[Repeated]] = {}
    for one in repeated(data or load()):
        for series, own in one.rows.groupby("series", sort=False):
            if own["campaign"].nunique() > 1:
                ccas = f"{_cca(one.place, 'left')}, {_cca(one.place, 'right')}"
                groups.setdefault((str(series), ccas), []).append(replace(one, rows=own))
    rows = [[*name, *_numbers(own)] for name, own in groups.items()]
    each = [[*name, *line] for name, own in groups.items() for one in own for line in _estimates(one)]
    table = html_table(AGAIN, rows, numeric=set(range(2, len(AGAIN))))
    return HTML(table + offered(csv_file("again.csv", EACH, each)) if rows else style.NOTHING_YET)


def _estimates(one: Repeated) -> Iterator[list[str]]:
    """A line for each campaign, and one of all by the random-effects model, with the deviation between them."""
    place = [one.place["left_stack"], page(one.place), *(f"{end:g}" for end in _link(one.place))]
    for campaign, found in zip(one.rows["campaign"], one.found, strict=True):
        yield [*place, campaign.removeprefix("reference-"), *_ends(found), ""]
    yield [*place, "all", *_ends(one.together.ratio), f"{one.together.sd_between:.4g}"]


def _ends(found: Paired) -> list[str]:
    return [str(found.pairs), *(f"{math.exp(log):.4g}" for log in (found.log_ratio, found.low, found.high))]


def _cca(place: pd.Series, side: str) -> str:
    return str(place[f"{side}_cca"]).upper()


def _numbers(own: Sequence[Repeated]) -> list[str]:
    """The oldest and the newest campaign, then all by the random-effects model."""
    verdicts = [(one.rows["verdict"].iloc[0], one.rows["verdict"].iloc[-1]) for one in own]
    pairs = [(one.found[0].winner, one.found[-1].winner) for one in own]
    together = [one.together for one in own]
    between = statistics.median(one.sd_between for one in together)
    return [
        str(len(own)),
        _first_and_last(verdicts),
        f"{_first_and_last(pairs)}; {sum(all(each.winner == 'left' for each in one.found) for one in own)} in all",
        str(sum(before != after for before, after in verdicts)),
        str(sum(one.p_same < ALPHA for one in together)),
        _pct(between),
        str(sum(one.ratio.shown == "shown" for one in together)),
    ]


def _first_and_last(winners: Sequence[tuple[str, str]]) -> str:
    """In how many squares QUIC is faster: `16, then 13`."""
    return ", then ".join(str(sum(one == "left" for one in each)) for each in zip(*winners, strict=True))


def _pct(log_sd: float) -> str:
    return f"{100 * math.expm1(log_sd):.1f} %"


def _times(found: Paired) -> str:
    return f"{math.exp(found.log_ratio):.2f} ({math.exp(found.low):.2f} to {math.exp(found.high):.2f})"


def _square(place: Mapping) -> str:
    return f"{page(place)}, {place['bandwidth_mbps']:g}"


def _side(arms: pd.DataFrame, side: str) -> pd.DataFrame:
    """Conditions and means of each arm, by the name that it has on this side of a contrast."""
    return arms.rename(columns={name: f"{side}_{name}" for name in (*ARM, "n", "mean", "sd")} | {"arm": side})


def _link(place: pd.Series) -> tuple[float, ...]:
    return tuple(float(place[name]) for name in ("rtt_ms", "loss_pct", "jitter_ms", "bandwidth_mbps"))
