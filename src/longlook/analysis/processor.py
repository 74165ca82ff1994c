"""The browser's processor time beside the page load time: how far a cell is about the machine. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from longlook.analysis.welch import ALPHA
from longlook.experiment.metrics import CLIENT_CPU, PLT

BUSY_SHARE = 0.5
"""Of PLT. From here on a machine that takes a tenth more processor time for a page takes more than 2 % more for its
PLT: `elasticities` of all that was measured more than once. A browser has several threads: the share may be above 1."""
BUSY_TIME = 0.3
"""Of a load's time, for which a machine's only processor is busy: what anything does there moves PLT. By
`book/slowed.csv`: 0.5, chosen by its first sweep, missed pages of one object of the second."""
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, math.inf)
"""Ends of the classes of shares."""


@dataclass(frozen=True)
class Elasticity:
    """Per cent of PLT for each per cent of processor time, of arms whose share lies between two ends."""

    least: float
    most: float
    arms: int
    campaigns: int
    value: float
    low: float
    high: float


def is_bound(browser_share: float, busy_share: float, processors: int | None) -> bool:
    """Whether a processor bounds an arm: by its browser's processor time as a share of PLT, and by how much of a load's
    time an only processor is busy (NaN where that is not told)."""
    return browser_share > BUSY_SHARE or (processors == 1 and busy_share > BUSY_TIME)


def bound_cells(rows: pd.DataFrame) -> dict[tuple[str, str], bool]:
    """Campaign and cell -> whether a processor bounds one of its arms, by rows of `arms` or `contrasts`; without those
    where no processor time was told."""
    told = rows.dropna(subset=["processor_bound"])
    return told.groupby(["campaign", "cell_id"], sort=False)["processor_bound"].max().astype(bool).to_dict()


def elasticities(arms: pd.DataFrame, conditions: Sequence[str]) -> list[Elasticity]:
    """How PLT moves with the processor time that the same page by the same programs over the same link (`conditions`)
    took in one campaign and in another, by share; without loss and jitter, which move it too. The deviations of
    logarithms from their mean over campaigns, by least squares through the origin; the interval takes campaigns for
    what is drawn (K.-Y. Liang and S. L. Zeger, Biometrika 73, 1986, 13-22), with Student's t."""
    steady = arms[(arms["loss_pct"].fillna(0) == 0) & (arms["jitter_ms"].fillna(0) == 0)]
    same = list(conditions)
    means = _means(_spelled(steady, same), ["campaign", "cell_id", "arm", *same]).dropna().reset_index()
    means = means[means.groupby(same)["campaign"].transform("nunique") > 1]
    means["share"] = 1000 * means[CLIENT_CPU.name] / means[PLT.name]
    logs = np.log(means[[PLT.name, CLIENT_CPU.name]])
    groups = [means[name] for name in same]
    moved = logs - logs.groupby(groups).transform("mean")
    shares = means["share"].groupby(groups).transform("mean")
    chosen = [(least, most, (shares >= least) & (shares < most)) for least, most in pairwise(SHARES)]
    return [
        _elasticity(least, most, moved[own], means.loc[own, "campaign"])
        for least, most, own in chosen
        if means.loc[own, "campaign"].nunique() > 2
    ]


def _elasticity(least: float, most: float, moved: pd.DataFrame, campaigns: pd.Series) -> Elasticity:
    cpu, plt = moved[CLIENT_CPU.name], moved[PLT.name]
    square, drawn = float((cpu**2).sum()), int(campaigns.nunique())
    value = float((cpu * plt).sum()) / square
    of_campaigns = (cpu * (plt - value * cpu)).groupby(campaigns).sum()
    error = math.sqrt(float((of_campaigns**2).sum()) * drawn / (drawn - 1)) / square
    reach = float(stdtrit(drawn - 1, 1 - ALPHA / 2)) * error
    return Elasticity(least, most, len(moved), drawn, value, value - reach, value + reach)


def slower_than(arms: pd.DataFrame, campaigns: Sequence[str], conditions: Sequence[str]) -> tuple[float, int] | None:
    """How many times the processor time browsers took in `campaigns` of what they took in all others for the same
    pages, programs and links, and in how many arms; the geometric mean. None where there is nothing to compare."""
    same = list(conditions)
    means = np.log(_means(_spelled(arms, same), ["campaign", "arm", *same])[CLIENT_CPU.name].dropna())
    own = means.index.get_level_values("campaign").isin(campaigns)
    both = pd.concat([means[one].groupby(level=same).mean() for one in (own, ~own)], axis=1, join="inner")
    return (math.exp(float((both.iloc[:, 0] - both.iloc[:, 1]).mean())), len(both)) if len(both) else None


def _spelled(arms: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """With these columns as texts, empty where there is no value: NaN is no group."""
    return arms.assign(**{name: arms[name].astype("string").fillna("") for name in names})


def _means(arms: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means of PLT and of the processor time, a column each; a missing one is NaN."""
    own = arms[arms["metric"].isin([PLT.name, CLIENT_CPU.name])]
    found = own.groupby([*by, "metric"], observed=True)["mean"].mean().unstack("metric")
    return found.reindex(columns=[PLT.name, CLIENT_CPU.name])
