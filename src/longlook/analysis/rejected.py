"""Does a rejection depend on the arm, or on how long a load took? If it does, the loads left are no fair sample.

Of first attempts only: each load of each arm once, whatever became of it. Within a cell the order is drawn, so that
rejected loads that depend on nothing fall to its arms as drawn from an urn; the cells of a campaign are added up, each
with its own urn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import hypergeom, mannwhitneyu

from longlook.analysis.welch import ALPHA, significant
from longlook.experiment.reasons import PAIR_REPEATED

OF_EARLY_DATA = ("zero_rtt_rejected", "unexpected_zero_rtt")
"""Reasons that only a load that may send early data can have."""
CELL = ["campaign", "cell_id"]
MOST_NAMED = 4


@dataclass(frozen=True)
class Rejections:
    """First attempts that one reason rejected in one campaign."""

    campaign: str
    reason: str
    rejected: Mapping[str, int]
    """By arm."""
    loads: Mapping[str, int]
    """By arm: first attempts in all."""
    arm: str
    """The arm that is farthest from its share."""
    p_value: float
    """Exact, two-sided, of that arm against the others, times the number of arms where there are more than two."""
    least_p: float
    """The smallest p that so few rejections can have: above ALPHA they cannot tell."""
    slower: float
    """Median time of the rejected, each in medians of the accepted of its cell and arm; NaN where none has a time."""
    slower_p: float
    """Mann-Whitney test of rejected against accepted, of ranks within cell and arm."""
    depends: bool = False
    """On the arm: significant by Holm's correction over all that can tell."""
    depends_on_time: bool = False
    """The same of `slower_p`."""

    @property
    def tells(self) -> bool:
        """There are enough for a dependence on the arm to show."""
        return self.least_p < ALPHA

    @property
    def by_arm(self) -> str:
        """`quic 23 of 95, tcp 8 of 95`: the arm in question first, of the others those with the most."""
        others = sorted((one for one in self.loads if one != self.arm), key=lambda one: -self.rejected[one])
        names = [self.arm, *others][:MOST_NAMED]
        rest = f", {len(self.loads) - MOST_NAMED} more arms" if len(self.loads) > MOST_NAMED else ""
        return ", ".join(f"{one} {self.rejected[one]} of {self.loads[one]}" for one in names) + rest


def rejections(loads: pd.DataFrame, together: str) -> tuple[Rejections, ...]:
    """Of every campaign and reason, then by protocol of all campaigns, which are then called `together`; `loads` as
    `order.one_row_each` makes them."""
    first = loads[(loads["attempt"] == 0) & ~loads["set_aside"].astype(bool)]
    replaced = first["reject_reason"] == PAIR_REPEATED
    first = first.assign(
        arm=first["arm"].fillna(first["protocol"]),  # one that is alone in its cell has no name
        accepted=first["accepted"].astype(bool) | replaced,
        reject_reason=first["reject_reason"].mask(replaced),
    )
    first = first.assign(
        reason=first["reject_reason"].fillna(""),
        cell=first.groupby(CELL).ngroup(),
        rank=first.groupby([*CELL, "arm"])["value"].rank(pct=True),
        times=first["value"] / _medians(first),
    )
    found = [one for name, own in first.groupby("campaign") for one in _of(str(name), own)]
    both = first[first.groupby(CELL)["protocol"].transform("nunique") > 1]
    found += _of(together, both.assign(arm=both["protocol"]))
    arms = iter(significant([one.p_value for one in found if one.tells]))
    times = iter(significant([one.slower_p for one in found]))
    return tuple(replace(one, depends=one.tells and next(arms), depends_on_time=next(times)) for one in found)


def _medians(first: pd.DataFrame) -> pd.Series:
    accepted = first["value"].where(first["accepted"].astype(bool))
    return accepted.groupby([first[name] for name in (*CELL, "arm")]).transform("median")


def _of(campaign: str, first: pd.DataFrame) -> Iterator[Rejections]:
    for reason in sorted(set(first["reason"]) - {""}):
        own = first[first["zero_rtt"].notna()] if reason in OF_EARLY_DATA else first
        own = own.assign(hit=own["reason"] == reason)
        rejected, accepted = own[own["hit"]], own[own["accepted"].astype(bool)]
        cells, at = np.unique(own["cell"], return_inverse=True)
        arms, of = np.unique(own["arm"].astype(str), return_inverse=True)
        hits, loads = (np.zeros((len(cells), len(arms)), int) for _ in range(2))
        np.add.at(loads, (at, of), 1)
        np.add.at(hits, (at, of), own["hit"].to_numpy(int))
        arms = arms.tolist()
        tested = {arm: _test(hits, loads, place) for place, arm in enumerate(arms)}
        arm = min(arms, key=lambda one: tested[one])
        factor = len(arms) if len(arms) > 2 else 1
        yield Rejections(
            campaign=campaign,
            reason=reason,
            rejected=dict(zip(arms, hits.sum(axis=0).tolist(), strict=True)),
            loads=dict(zip(arms, loads.sum(axis=0).tolist(), strict=True)),
            arm=arm,
            p_value=min(1.0, factor * tested[arm][0]),
            least_p=min(1.0, factor * min(least for _, least in tested.values())),
            slower=float(rejected["times"].median()),
            slower_p=_slower_p(rejected["rank"].dropna(), accepted["rank"].dropna()),
        )


def _test(hits: np.ndarray, loads: np.ndarray, arm: int) -> tuple[float, float]:
    """Of one arm (a column) against the others of its cells: p, and the smallest that there could be."""
    chances, seen = np.ones(1), 0
    own, size, all_hits = loads[:, arm], loads.sum(axis=1), hits.sum(axis=1)
    for cell in np.flatnonzero((all_hits > 0) & (own > 0) & (own < size)):
        chances = np.convolve(chances, _drawn(int(size[cell]), int(all_hits[cell]), int(own[cell])))
        seen += int(hits[cell, arm])
    return _as_rare(chances, chances[seen]), _as_rare(chances, chances[chances > 0].min())


def _as_rare(chances: np.ndarray, as_this: float) -> float:
    return float(min(1.0, chances[chances <= as_this * (1 + 1e-7)].sum()))


@lru_cache(maxsize=4096)
def _drawn(size: int, hits: int, own: int) -> np.ndarray:
    """Chances of 0, 1, ... `hits` of the rejected being among an arm's `own` loads of `size`."""
    return hypergeom.pmf(np.arange(hits + 1), size, hits, own)


def _slower_p(rejected: pd.Series, accepted: pd.Series) -> float:
    return float(mannwhitneyu(rejected, accepted).pvalue) if len(rejected) and len(accepted) else math.nan
