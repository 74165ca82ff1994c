"""A QUIC server that each request costs a stated time: every load, and with which cost the published means are met.

What was foretold stands in sweeps/muthuraj2024/request-cost.toml and request-cost-gquic37.toml.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.welch import Summary, summarise, summary_of
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.figure.steps import LOADS, NONE, TITLE_BREAK, Axis, step_row, steps_chart, told
from longlook.figure.table import html_table

QUICV1, GQUIC37 = "request-cost", "request-cost-gquic37"
PUBLISHED_IN: Mapping[str, tuple[str, ...]] = {QUICV1: ("4.6d", "4.6f"), GQUIC37: ("4.5d", "4.5f")}
AXIS = Axis("cost per request, µs", "PLT of QUIC, ms", "left")
PLACE = ["bandwidth_mbps", "rtt_ms", "object_count", "object_bytes"]


@dataclass(frozen=True)
class CostSquare:
    """One page over one link, with every cost."""

    title: str
    published: Summary | None
    loads: Mapping[int | None, Sequence[float]]
    """Cost of a request, us, in order -> PLT of each load, ms; None, the first: no cost is stated."""

    def summary(self, cost: int | None) -> Summary:
        return summarise(self.loads[cost])

    def inside(self, cost: int | None) -> bool:
        """Whether the mean lies in the 99 % prediction interval of the published one."""
        return self.published is not None and bool(meets(self.published, self.summary(cost)))


def squares(paper: Chapter, series: str, key: str = REFERENCE) -> list[CostSquare]:
    """Of the reference campaign, by RTT, bandwidth and page."""
    arms = paper.data.rows("arms", paper.study, series, key)
    arms = arms[arms["metric"] == PLT.name].sort_values(["rtt_ms", "object_count", "bandwidth_mbps"])
    samples = accepted(paper, series, key)
    printed = paper.data.rows("arms", paper.study, PUBLISHED_IN[series], PUBLISHED.key)
    printed = printed[(printed["protocol"] == "quic") & (printed["metric"] == PLT.name)]
    found = []
    for place, own in arms.groupby(PLACE, sort=False):
        same = printed[(printed[PLACE] == pd.Series(place, index=PLACE)).all(axis=1)]
        loads = {
            None if pd.isna(row["request_cost_us"]) else int(row["request_cost_us"]): loads_of(samples, row)
            for _, row in own.sort_values("request_cost_us", na_position="first").iterrows()
        }
        first = own.iloc[0]
        title = f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s{TITLE_BREAK}RTT {first['rtt_ms']:g} ms"
        known = None if same.empty else summary_of(same.iloc[0])
        if None in loads and all(len(times) > 1 for times in loads.values()):
            found.append(CostSquare(title, known, loads))
    return found


def accepted(paper: Chapter, series: str | Sequence[str], key: str = REFERENCE) -> pd.DataFrame:
    """Page load times that count: rows of `samples`."""
    samples = paper.data.rows("samples", paper.study, series, key)
    samples = samples[samples["accepted"].astype(bool) & ~samples["set_aside"].astype(bool)]
    return samples[samples["metric"] == PLT.name]


def loads_of(samples: pd.DataFrame, arm: pd.Series) -> list[float]:
    """Those of one arm, a row of `arms`."""
    own = samples[(samples["cell_id"] == arm["cell_id"]) & (samples["arm"] == arm["arm"])]
    return [float(one) for one in own["value"]]


def figure(paper: Chapter, series: str) -> LiveChart | HTML:
    """Every load against the cost of a request, a panel per page and link."""
    found = squares(paper, series)
    if not found:
        return HTML(style.NOTHING_YET)
    frame = pd.DataFrame([row for one in found for row in _rows(one)])
    loads = pd.DataFrame(
        [(one.title, _step(cost), value) for one in found for cost, values in one.loads.items() for value in values],
        columns=LOADS,
    )
    return LiveChart(
        name=series,
        chart=steps_chart(frame, AXIS, loads),
        narrow=steps_chart(frame, AXIS, loads, in_a_row=1),
        alt_text="Page load times of QUIC against what each request costs the server, a panel per page and link; "
        f"dashed the published mean with its 99 % prediction interval. {told(frame)}",
        hint="Point at a mean for its numbers.",
    )


def allowed(paper: Chapter) -> HTML:
    """Per stack, page and link: the costs with which the mean meets the published one."""
    rows = []
    for series, stack in ((GQUIC37, "gQUIC"), (QUICV1, "QUIC v1")):
        for one in squares(paper, series):
            if one.published is not None:
                met = [_step(cost) for cost in one.loads if one.inside(cost)]
                known = f"{one.published.mean:.0f} ± {one.published.sd:.0f}"
                rows.append([stack, one.title.replace(TITLE_BREAK, ", "), known, ", ".join(met) or "no step"])
    head = ["stack", "page and link", "published, ms", "met with, µs per request"]
    return HTML(html_table(head, rows, numeric={2}) if rows else style.NOTHING_YET)


def _step(cost: int | None) -> str:
    return NONE if cost is None else str(cost)


def _rows(square: CostSquare) -> list[dict]:
    return [step_row(square.title, _step(cost), square.summary(cost), square.published) for cost in square.loads]
