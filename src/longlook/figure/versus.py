"""Two arms of a cell, one metric, and the words for all three; rows of `arms` side by side. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from longlook.analysis import paired
from longlook.analysis.contrast import Verdict, contrast
from longlook.analysis.power import detectable
from longlook.analysis.welch import summary_of
from longlook.dataset.tables import columns
from longlook.experiment.base import Metric
from longlook.figure import style
from longlook.record.parquet import records

STATISTICS = ("n", "mean", "sd", "median", "floor", "processor_bound")
_ALL = columns("arms")
OF_CELL = tuple(_ALL[: _ALL.index("arm")])
"""Columns of `arms` that the arms of a cell have in common."""
OF_ARM = tuple(name for name in _ALL[_ALL.index("arm") :] if name not in ("metric", "unit"))
CONTRAST = ("pct_diff", "p_value", "verdict", *paired.COLUMNS)
SIDES = ("left", "right")
SHOWN, SMALL, NOT_SHOWN = "shown", "shown to be small", style.NOT_SHOWN
BOUND = "bound by the processor"
ARM_WORDS = {"quic": "QUIC", "tcp": "TCP", "0rtt": "0-RTT", "1rtt": "1-RTT", "cubic": "CUBIC", "bbr": "BBR"}
ARM_WORDS |= {
    f"{protocol}-{cca}": f"{ARM_WORDS[protocol]} {ARM_WORDS[cca]}"
    for protocol in ("quic", "tcp")
    for cca in ("cubic", "bbr")
}
METRIC_WORDS = {
    "plt_ms": "PLT",
    "ttlb_ms": "time to the last byte",
    "ttfb_ms": "time to the first byte",
    "file_mean_ms": "mean time of a file",
}


@dataclass(frozen=True)
class Versus:
    """What a square compares: red where `left` is better, blue where `right` is. Arms by their names within a cell."""

    left: str
    right: str
    metric: Metric

    @property
    def words(self) -> tuple[str, str]:
        """What a reader calls the two arms."""
        return ARM_WORDS.get(self.left, self.left), ARM_WORDS.get(self.right, self.right)

    @property
    def metric_word(self) -> str:
        return METRIC_WORDS.get(self.metric.name, self.metric.title)

    @property
    def verdict_words(self) -> dict[str, str]:
        """Verdict -> `QUIC faster`, `not shown`."""
        comparative = "faster" if self.metric.better == "low" else "higher"
        sides = {side: f"{word} {comparative}" for side, word in zip(SIDES, self.words, strict=True)}
        return sides | {"none": style.NOT_SHOWN}


def side_by_side(arms: pd.DataFrame, versus: Versus, contrasts: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row per cell that has both arms: what they have in common as in `arms`, the rest with `left_` and `right_`
    before it, and their contrast: by Welch's test (`pct_diff`, `p_value`, `verdict`: left, right, none, or None where
    it was not tested), and what the rows of `contrasts` say of pairs of loads (`paired.COLUMNS`)."""
    own = arms[arms["metric"] == versus.metric.name]
    parts = []
    for side, name in zip(SIDES, (versus.left, versus.right), strict=True):
        chosen = own[own["arm"] == name]
        renamed = chosen[list(OF_ARM)].rename(columns=lambda column, side=side: f"{side}_{column}")
        parts.append(pd.concat([chosen[list(OF_CELL) if side == "left" else ["campaign", "cell_id"]], renamed], axis=1))
    both = parts[0].merge(parts[1], on=["campaign", "cell_id"], how="inner", validate="one_to_one")
    found = [
        contrast(summary_of(row, "left_"), summary_of(row, "right_"), versus.metric.better or "low")
        for row in records(both)
    ]
    both["pct_diff"] = [one.pct for one in found]
    both["p_value"] = [one.test.p_value for one in found]
    both["verdict"] = pd.Series([one.verdict for one in found], index=both.index, dtype=object)
    pairs = pd.DataFrame(columns=[*_OF_PAIRS]) if contrasts is None else _pairs(contrasts, versus)
    return both.merge(pairs, on=["campaign", "cell_id"], how="left", validate="one_to_one")


_OF_PAIRS = ("campaign", "cell_id", *paired.COLUMNS)


def _pairs(contrasts: pd.DataFrame, versus: Versus) -> pd.DataFrame:
    """Of the cells whose two arms have pairs of loads, whichever of them is the left one there."""
    own = contrasts[(contrasts["metric"] == versus.metric.name) & (contrasts["pairs"] > 0)]
    same = own[(own["left"] == versus.left) & (own["right"] == versus.right)]
    others = own[(own["left"] == versus.right) & (own["right"] == versus.left)]
    return pd.concat([same, turned(others)])[[*_OF_PAIRS]]


def turned(contrasts: pd.DataFrame) -> pd.DataFrame:
    """Rows of `contrasts` with their arms the other way round, in `verdict` and in what pairs of loads show; not in
    `pct_diff`, which is of the other arm's mean then."""
    names = {"left": "right", "right": "left", "log_ratio_low": "log_ratio_high", "log_ratio_high": "log_ratio_low"}
    found = contrasts.replace({"verdict": {"left": "right", "right": "left"}})
    found = found.drop(columns="pct_diff", errors="ignore").rename(columns=names)
    ratios = ["log_ratio", "log_ratio_low", "log_ratio_high"]
    return found.assign(**{name: -found[name] for name in ratios})


class Decision(NamedTuple):
    """What a square shows: by its pairs of loads; without any, by Welch's test."""

    pct: float
    """By how much the left arm is better, %."""
    winner: Verdict | None
    """left, right, none, or None where nothing was tested."""
    shown: str
    """`shown`, `shown to be small`, `not shown`."""
    p_value: float
    """Of the test that decides."""
    pairs: int = 0
    ends: tuple[float, ...] = ()
    """Of pairs, those of the 99 % interval."""

    @property
    def test(self) -> str:
        """`18 pairs, p < 0.0001`, `Welch, p = 0.034`."""
        return f"{f'{self.pairs} pairs' if self.pairs else 'Welch'}, {_p(self.p_value)}"

    @property
    def text(self) -> str:
        """`+35 %`, of pairs with its 99 % interval: `+35 % (+12 to +62 %)`."""
        interval = f" ({' to '.join(map(style.signed_pct, self.ends))} %)" if self.ends else ""
        return f"{style.signed_pct(self.pct)} %{interval}"


def decided(row: Mapping[Hashable, Any]) -> Decision:
    """Of a row of `side_by_side`."""
    found = paired.of_row(row)
    if found.pairs:
        pct, *ends = found.pct
        return Decision(pct, found.winner, found.shown, found.p_value, found.pairs, tuple(ends))
    verdict = row["verdict"]
    return Decision(row["pct_diff"], verdict, NOT_SHOWN if verdict == "none" else SHOWN, row["p_value"])


def least_told_pct(row: Mapping[Hashable, Any], versus: Versus) -> float:
    """Of a square without a significant difference, what `told_pct` says; NaN of any other square."""
    return told_pct(row, versus) if row["verdict"] == "none" else math.nan


def told_pct(row: Mapping[Hashable, Any], versus: Versus) -> float:
    """The least difference of a square's means, as a percentage, that its loads show in four of five repetitions; NaN
    without a test."""
    left, right = summary_of(row, "left_"), summary_of(row, "right_")
    whole = left.mean if versus.metric.better != "high" else right.mean
    return detectable(left, right) / whole * 100


def told_text(pct: float) -> str:
    """`12 %`, `3.1 %`; empty of NaN."""
    return "" if math.isnan(pct) else f"{pct:.{0 if pct >= 9.95 else 1}f} %"


def verdict_text(row: Mapping[Hashable, Any], versus: Versus) -> str:
    """What a square shows, in words."""
    own = decided(row)
    words = [] if own.winner == "none" else [versus.verdict_words[own.winner or ""]]
    words += [] if own.shown == SHOWN else [own.shown]
    if not own.pairs:
        words = [_by_welch(row, versus)]
    return ", ".join(words) + (f"; {BOUND}" if is_bound(row) else "")


def welch_text(row: Mapping[Hashable, Any], versus: Versus) -> str:
    """`+35 %, p = 0.012: not shown; ...`: Welch's test, beside what pairs of loads show; empty where there are none."""
    if not decided(row).pairs:
        return ""
    return f"{style.signed_pct(row['pct_diff'])} %, {_p(row['p_value'])}: {_by_welch(row, versus)}"


def _by_welch(row: Mapping[Hashable, Any], versus: Versus) -> str:
    """Welch's verdict; beside every `not shown` the difference that would have been told."""
    told = told_text(least_told_pct(row, versus))
    return versus.verdict_words[row["verdict"]] + (f"; {told} would be, in 4 of 5 repetitions" if told else "")


def _p(p_value: float) -> str:
    text = style.p_text(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def is_bound(row: Mapping[Hashable, Any]) -> bool:
    """Whether a processor bounds one of a square's arms (`arms.processor_bound`)."""
    told = (row.get(f"{side}_processor_bound") for side in SIDES)
    return any(pd.notna(one) and bool(one) for one in told)


def condition_columns(frame: pd.DataFrame) -> list[str]:
    """Columns of `side_by_side` that define a cell: no names, no numbers."""
    names = {"campaign", "study", "series", "cell_id", "key", *CONTRAST}
    of_arms = {f"{side}_{name}" for side in SIDES for name in ("arm", "arm_label", *STATISTICS)}
    return [name for name in frame.columns if name not in names | of_arms]
