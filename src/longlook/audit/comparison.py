"""`longlook compare`: two campaigns held against each other, cell by cell: two testbeds, two machines, before and
after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from longlook import paths
from longlook.analysis.pairing import CellPair, Pairing, Shift, pair, share_within, shifts
from longlook.analysis.result import CellResult
from longlook.analysis.twofold import VerdictPair, share_agreeing
from longlook.audit.checks import allowed_by_chance
from longlook.audit.origins import Fact, LinkGap, facts_between, link_gap
from longlook.dataset.checks import check_campaign
from longlook.dataset.process import Check
from longlook.dataset.results import read_results
from longlook.errors import LonglookError, one_line
from longlook.experiment.base import Metric
from longlook.experiment.registry import named
from longlook.record.campaign import Campaign
from longlook.record.campaigns import find_campaign, unreadable
from longlook.record.upgrade import UNREADABLE

NEAR = (0.01, 0.05)
"""Shares of a mean within which the report counts."""
DRIFT = 0.02
"""Share by which significant means may differ and still be called close. The loads of one campaign alternate, those of
two do not, and their standard deviations do not tell what changes between campaigns: of the 24 means of 1 MB without
loss that the reference campaigns of figures 4.5 and 4.6 measured twice on one machine within an hour, 7 differ
significantly, by 1.7 % at most."""
DRIFT_MS = 3.5
"""And of a time, ms: small pages shift by a constant. Of 12 means of 5 KB to 1 MB, measured twice within four minutes,
3 differ significantly, by 1.9, 2.0 and 3.1 ms."""


@dataclass(frozen=True)
class ComparedCampaign:
    """One of the two campaigns."""

    campaign: str
    role: str
    sweep: str
    created: str
    sealed: bool
    cells: int
    """Cells of its sweep; those measured may be fewer."""
    measured: int


@dataclass(frozen=True)
class Comparison:
    """Everything a comparison found. Ratios are of `b` over `a`."""

    a: ComparedCampaign
    b: ComparedCampaign
    metric: Metric
    """What is compared: page load times, rates."""
    pairing: Pairing
    facts: tuple[Fact, ...]
    link: LinkGap | None
    same_seeds: int
    """Paired cells with random losses or delays that have the same seeds in both campaigns."""

    @property
    def agreeing_share(self) -> float:
        """Share of equal verdicts among those that rest on a test in both; NaN of none."""
        return share_agreeing(self.pairing.pairs)

    def disagreeing(self) -> tuple[tuple[CellPair, VerdictPair], ...]:
        """Verdicts that differ."""
        return tuple(
            (one, verdict)
            for one in self.pairing.pairs
            for verdict in one.verdicts
            if verdict.tested and not verdict.agrees
        )

    @property
    def shifts(self) -> tuple[Shift, ...]:
        """Median ratio and counts per kind of arm."""
        return shifts(self.pairing.every_mean())

    @property
    def tested(self) -> int:
        """Means for which the test could be made."""
        return sum(mean.tested for mean in self.pairing.every_mean())

    @property
    def significant(self) -> int:
        """Means that differ significantly."""
        return sum(mean.significant for mean in self.pairing.every_mean())

    @property
    def allowed(self) -> int:
        """Most significant means that chance explains, as in the A/A control."""
        return allowed_by_chance(self.tested)

    @property
    def near(self) -> dict[str, tuple[int, int]]:
        """`1 %`, `5 %` -> how many means differ by no more, and of how many."""
        return {f"{share:.0%}".replace("%", " %"): share_within(self.pairing.every_mean(), share) for share in NEAR}

    @property
    def beyond_drift(self) -> int:
        """Means that differ significantly and by more than `DRIFT`, of times also by more than `DRIFT_MS`."""
        least = DRIFT_MS if self.metric.unit == "ms" else 0.0
        far = [
            mean
            for mean in self.pairing.every_mean()
            if abs(mean.ratio.value - 1) > DRIFT and abs(mean.b.mean - mean.a.mean) > least
        ]
        return sum(mean.significant for mean in far)

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.tested, self.significant, self.beyond_drift)


Outcome = Literal["untested", "alike", "close", "different"]


def outcome_of(tested: int, significant: int, beyond_drift: int) -> Outcome:
    """Of counts of means. `alike`: chance explains how many differ significantly; `close`: how many do so by more than
    `DRIFT`."""
    allowed = allowed_by_chance(tested)
    if not tested:
        return "untested"
    if significant <= allowed:
        return "alike"
    return "close" if beyond_drift <= allowed else "different"


def compare_campaigns(a: str, b: str, raw_root: Path | None = None, check: Check = check_campaign) -> Comparison:
    """Compare two campaigns of `data/raw`, sealed or still growing, in the cells that both have.

    A `LonglookError` where one is unknown or not to be believed (`check`), both are the same, one has no finished cell,
    their experiments differ, or they have no cell in common.
    """
    if a == b:
        raise LonglookError(f"{a} was named twice; a comparison takes two campaigns")
    one, other = (find_campaign(raw_root or paths.RAW, name) for name in (a, b))
    what = [named(found.experiment, f"campaign {found.id}").title for found in (one, other)]
    if one.experiment != other.experiment:
        raise LonglookError(
            f"{a} measured {what[0]} (experiment {one.experiment}) and {b} {what[1]} (experiment {other.experiment}): "
            "they have no cell in common"
        )
    measured = [_results(campaign, check) for campaign in (one, other)]
    for campaign, cells in zip((one, other), measured, strict=True):
        if not cells:
            raise LonglookError(
                f"campaign {campaign.id} has no finished cell yet; go on measuring it with: "
                f"longlook run {campaign.sweep}"
            )
    pairing = pair(*measured)
    if not pairing.pairs:
        raise LonglookError(
            f"{a} and {b} have no cell in common: {_example(measured[0])} against {_example(measured[1])}; "
            f"for a campaign like {a} measure its sweep: longlook run {one.sweep}"
        )
    try:
        return comparison_of(_compared(one), _compared(other), pairing)
    except UNREADABLE as error:
        raise LonglookError(f"{a} and {b} cannot be compared: {unreadable(error)}") from None


def comparison_of(a: ComparedCampaign, b: ComparedCampaign, pairing: Pairing) -> Comparison:
    """What the pairs say, without any I/O; the facts are of the paired cells only."""
    return Comparison(
        a=a,
        b=b,
        metric=pairing.pairs[0].a.experiment.primary,
        pairing=pairing,
        facts=facts_between(
            (record for one in pairing.pairs for record in one.a.environments),
            (record for one in pairing.pairs for record in one.b.environments),
        ),
        link=link_gap(pairing.pairs),
        same_seeds=sum(bool(_seeds(one.a) & _seeds(one.b)) for one in pairing.pairs),
    )


def _results(campaign: Campaign, check: Check) -> list[CellResult]:
    try:
        if problems := check(campaign).problems:
            raise LonglookError(one_line(f"campaign {campaign.id} is not to be believed: {problems[0]}"))
        return read_results(campaign, environments=True)
    except UNREADABLE as error:
        raise LonglookError(f"campaign {campaign.id}: {unreadable(error)}") from None


def _compared(campaign: Campaign) -> ComparedCampaign:
    info = campaign.info
    done = len(campaign.finished_cells())
    return ComparedCampaign(
        campaign.id, campaign.role, campaign.sweep, info["created"], campaign.is_sealed, len(info["cells"]), done
    )


def _seeds(result: CellResult) -> set[int]:
    """Seeds of the links' losses and delays; of links that draw none, nothing."""
    return {cell.seed for cell in result.cells if cell.link.loss_pct or cell.link.jitter_ms or cell.link.netem}


def _example(results: list[CellResult]) -> str:
    """A campaign's first cell, to see what another would have to match."""
    return f"{results[0].cell.id}{f' and {len(results) - 1} more' if len(results) > 1 else ''}"
