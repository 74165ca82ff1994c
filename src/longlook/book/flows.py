"""Transfers that run together as tables: shares of a bottleneck, and every transfer with its times and losses."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from longlook.analysis.fairness import ShareRatio, between_protocols, jain, ratio_of_means, ratio_of_runs
from longlook.analysis.newest import role_of
from longlook.analysis.welch import Summary, summary_of
from longlook.book.data import COLUMNS, ROLES, BookData
from longlook.experiment.metrics import FINISHED, HOLD_MAX, LOST, QUEUE_MAX, RATE, RESPONSE_MEDIAN, SPURIOUS, WINDOW_MAX
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.record.parquet import records

KB = 1024
OF_REPEATS = ["campaign", "series", "label", "key", "arm"]
"""What an arm has in all repeats of its cell."""


@dataclass(frozen=True)
class Share:
    """One flow of a contest: mean rate over the runs, Mbit/s."""

    arm: str
    protocol: str
    rate: Summary


@dataclass(frozen=True)
class Contest:
    """Flows that share a bottleneck, over all runs. Whether they share it fairly is decided here and nowhere else in
    the book: the same conditions have one verdict, whichever series and campaigns they were measured in."""

    label: str
    shares: tuple[Share, ...]
    ratio: ShareRatio
    """Of `decided_by`, over every run of these conditions that a column has."""
    campaigns: tuple[str, ...] = ()
    """Those of these runs; none of published numbers."""

    @property
    def jain(self) -> float:
        return jain([share.rate.mean for share in self.shares])

    @property
    def decided_by(self) -> tuple[Share, Share]:
        """The two flows that the verdict is about: the first, and the first of the other protocol."""
        one, other = between_protocols([share.protocol for share in self.shares])
        return self.shares[one], self.shares[other]

    @property
    def verdict_text(self) -> str:
        """Who has more, or that they are fair."""
        left, right = self.decided_by
        return verdict_text(self.ratio, left.protocol, right.protocol)

    @property
    def ratio_text(self) -> str:
        """`1.10 (1.03 to 1.18)`: the ratio and its 99 % interval."""
        return ratio_text(self.ratio)

    @property
    def runs_text(self) -> str:
        """`10 runs in 2 campaigns`."""
        return runs_text(self.ratio, len(self.campaigns))


def verdict_text(ratio: ShareRatio, left: str, right: str) -> str:
    """Of two flows by their protocols: `QUIC has more`, `fair`, or `open`, where the interval reaches beyond a tenth,
    and does not lie there."""
    has_more = f"{style.PROTOCOL_LABELS[left if ratio.value > 1 else right]} has more"
    match ratio.verdict:
        case None:
            return "not tested"
        case "none":
            return "fair"
        case "open":
            return f"{has_more}, open whether by a tenth" if ratio.differs else "open"
    return "unfair" if left == right else has_more


def ratio_text(ratio: ShareRatio) -> str:
    """`1.10 (1.03 to 1.18)`, with the 99 % interval."""
    return f"{ratio.value:.2f}" + ("" if ratio.verdict is None else f" ({ratio.low:.2f} to {ratio.high:.2f})")


def runs_text(ratio: ShareRatio, campaigns: int) -> str:
    """`10 runs in 2 campaigns`."""
    return f"{ratio.runs} runs" + (f" in {campaigns} campaigns" if campaigns > 1 else "")


def share_text(ratio: ShareRatio, left: str, right: str, campaigns: int) -> str:
    """`3.04 (2.55 to 3.63) times TCP's rate, 5 runs: QUIC has more`."""
    base = style.PROTOCOL_LABELS[right]
    told = f"{ratio_text(ratio)} times {base}'s rate, {runs_text(ratio, campaigns)}"
    return f"{told}: {verdict_text(ratio, left, right)}"


def contests(data: BookData, study: str, series: str, key: str) -> list[Contest]:
    """Every scenario with several flows of one column of a series, in their order."""
    arms = data.rows("arms", study, series, key)
    rates = arms[(arms["metric"] == RATE.name) & (arms["mode"] == "together")]
    found = []
    for _, flows in rates.groupby(["campaign", "cell_id"], sort=False):
        shares = tuple(Share(row["arm"], row["protocol"], summary_of(row)) for row in records(flows))
        if len(shares) > 1:
            ratio, campaigns = _ratio(data, study, key, flows["key"].iloc[0], shares)
            found.append(Contest(flows["label"].iloc[0], shares, ratio, campaigns))
    return found


def _ratio(
    data: BookData, study: str, key: str, conditions: str, shares: Sequence[Share]
) -> tuple[ShareRatio, tuple[str, ...]]:
    """Of the two flows that decide, from all runs of the same conditions, and the campaigns that they are of."""
    left, right = (shares[place] for place in between_protocols([share.protocol for share in shares]))
    if key == PUBLISHED.key:
        return ratio_of_means(left.rate, right.rate), ()
    rates = rates_of_runs(data, study, key, conditions, superseded=True).reindex(columns=[left.arm, right.arm]).dropna()
    runs = {str(name): list(own.itertuples(index=False, name=None)) for name, own in rates.groupby("campaign")}
    return ratio_of_runs(*runs.values()), tuple(runs)


def rates_of_runs(data: BookData, study: str, key: str, conditions: str, *, superseded: bool = False) -> pd.DataFrame:
    """A row for every run of the same conditions that a column has, by campaign and cell; a column for each flow. Of
    each series the newest campaign's; `superseded`: those of all."""
    cells = data.where("cells", study=study, key=conditions)
    series = tuple(cells["series"].unique())
    if superseded:
        samples = data.of("samples", study, series)
        samples = samples[(samples["campaign"].map(role_of) == ROLES[key]).astype(bool)]
    else:
        samples = data.rows("samples", study, series, key)
    counts = samples["accepted"].astype(bool) & ~samples["set_aside"].astype(bool)
    runs = samples[counts & (samples["metric"] == RATE.name)].merge(cells[["campaign", "cell_id"]])
    return runs.pivot(index=["campaign", "cell_id"], columns="arm", values="value")


def shares_table(data: BookData, study: str, series: str) -> str:
    """Scenarios down, sources across: mean (sd) of each flow in Mbit/s, Jain's index, ratio, verdict; the published
    ones first."""
    sources = [(PUBLISHED.key, PUBLISHED.title), *((key, title) for key, _, title in COLUMNS)]
    known = [(title, contests(data, study, series, key)) for key, title in sources]
    known = [(title, own) for title, own in known if own]
    if not known:
        return style.NOTHING_YET
    names = list(dict.fromkeys(contest.label for _, own in known for contest in own))
    of_each = ("Jain", "ratio (99 %)", "verdict")
    head = ["scenario", *(text for title, _ in known for text in (f"{title}: Mbit/s (sd)", *of_each))]
    rows = []
    for name in names:
        row = [html.escape(name)]
        for _, own in known:
            contest = next((one for one in own if one.label == name), None)
            row += _contest(contest) if contest else ["–", "", "", ""]
        rows.append(row)
    return html_table(head, rows, escape=False, numeric=[at for at, text in enumerate(head) if text == "Jain"])


def _contest(contest: Contest) -> list[str]:
    shares = "<br>".join(
        f"{style.PROTOCOL_LABELS[share.protocol]} {share.rate.mean:.2f} ({share.rate.sd:.2f})"
        for share in contest.shares
    )
    ratio = "<br>".join([contest.ratio_text, contest.runs_text])
    return [shares, f"{contest.jain:.3f}", ratio, contest.verdict_text]


def transfers(data: BookData, study: str, series: str | Sequence[str], key: str) -> pd.DataFrame:
    """One row per transfer that counts: what it was (columns of `arms`, and `run`), and its metrics."""
    samples = data.rows("samples", study, series, key)
    samples = samples[samples["accepted"].astype(bool) & ~samples["set_aside"].astype(bool)]
    wide = samples.pivot(
        index=["campaign", "cell_id", "series", "replicate", "arm"], columns="metric", values="value"
    ).reset_index()
    metrics = (RATE, FINISHED, LOST, SPURIOUS, RESPONSE_MEDIAN, WINDOW_MAX, QUEUE_MAX, HOLD_MAX)
    wide = wide.reindex(columns=[*wide.columns[:5], *(one.name for one in metrics)])
    cells = data.of("cells", study, series)[["campaign", "cell_id", "label", "key", "seed"]]
    arms = data.rows("arms", study, series, key)
    same = [*OF_REPEATS, "workload", "object_bytes", "object_count", "duration_s", "stack", "protocol", "arm_label"]
    arms = arms[[*same, "bandwidth_mbps", "rtt_ms"]].drop_duplicates(OF_REPEATS)
    named = wide.merge(cells, on=["campaign", "cell_id"], how="left").merge(arms, on=OF_REPEATS, how="left")
    order = data.rows("arms", study, series, key).drop_duplicates(OF_REPEATS).reset_index()[[*OF_REPEATS, "index"]]
    named = named.merge(order, on=OF_REPEATS).sort_values(["index", "replicate"], kind="stable")
    return named.rename(columns={"replicate": "run"}).drop(columns="index").reset_index(drop=True)


def counts_table(data: BookData, study: str, series: str) -> str:
    """Time, rate and losses of every transfer of a series: median over the accepted runs, and the range."""
    rows = []
    for key, _, title in COLUMNS:
        own = transfers(data, study, series, key)
        for _, runs in own.groupby(["campaign", "label", "key", "arm"], sort=False, dropna=False):
            first = runs.iloc[0]
            wanted = ((FINISHED, 2), (RATE, 2), (LOST, 0), (SPURIOUS, 0))
            numbers = [_spread(runs[metric.name], digits) for metric, digits in wanted]
            rows.append(
                [title, first["stack"], first["label"], page(first), first["arm_label"], str(len(runs)), *numbers]
            )
    head = ["column", "stack", "scenario", "page", "sender", "runs", "time, s", "Mbit/s", "declared lost", "needlessly"]
    return html_table(head, rows, numeric={5, 6, 7, 8, 9}) if rows else style.NOTHING_YET


def loads_table(data: BookData, study: str, series: str) -> str:
    """Every load of a series: time, largest window, and where its RTT samples' time went."""
    rows = []
    for key, _, _ in COLUMNS:
        own = transfers(data, study, series, key)
        for flow in records(own.sort_values(["object_count", "protocol", "arm_label", FINISHED.name])):
            numbers = [flow[FINISHED.name] * 1e3, flow[WINDOW_MAX.name] / KB]
            numbers += [flow[one.name] for one in (QUEUE_MAX, HOLD_MAX, RESPONSE_MEDIAN)]
            shown = ["–" if pd.isna(number) else f"{number:.0f}" for number in numbers]
            rows.append([key, page(flow), flow["arm_label"], *shown])
    head = ["column", "page", "sender", "time, ms", "window, KB", "queue, ms", "wait, ms", "answer, ms"]
    return html_table(head, rows, numeric=set(range(3, 8)), tight=True) if rows else style.NOTHING_YET


def page(row: Mapping[Any, object]) -> str:
    """`10 KB × 100`, in one line."""
    return style.page_label(row, True).replace(" ", "\N{NO-BREAK SPACE}")


def _spread(values: pd.Series, digits: int) -> str:
    values = values.dropna()
    if values.empty:
        return "–"
    middle = f"{np.median(values):.{digits}f}"
    return middle if len(values) == 1 else f"{middle} ({values.min():.{digits}f}–{values.max():.{digits}f})"
