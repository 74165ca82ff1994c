"""Rejections that depend on the arm: the known ones with their cause, and what is new. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from longlook.analysis.newest import role_of
from longlook.analysis.rejected import Rejections, rejections

TOGETHER = "all {} campaigns"
KNOWN: Mapping[tuple[str, str], str] = {
    (TOGETHER.format("reference"), "cca"): (
        "over TCP the kernel was asked after the load, when the client may have closed the connection (it is asked "
        "during the load, too, now); over QUIC the server is"
    ),
    (TOGETHER.format("reference"), "connection_reused"): (
        "where a SYN is lost Chromium opens a second connection, which outlives the load; the next load over TCP uses "
        "it, and is rightly made again"
    ),
    ("reference-yu-pages-20261125T010735", "load_failed"): (
        "the browser's driver stopped at the load event, and lost pages of which DOMContentLoaded was told after it; "
        "it waits for both now"
    ),
    ("reference-years-loss-20261126T073419", "disturbed"): (
        "half of them because the link emulator was late, and half because of stalls, most with 100 KB at 100 Mbit/s; "
        "why more with Q039 than with other versions was not found"
    ),
}
"""(Campaign, reason) -> why it depends on the arm. A line that is not needed any more fails the audit too; one of too
few rejections to tell may stand here, where the cause is known."""


@dataclass(frozen=True)
class RejectionControl:
    """Every reason of every campaign, held against the arm and against the time that the loads took."""

    rows: tuple[Rejections, ...] = ()
    shown: frozenset[str] | None = field(default=None, repr=False)
    """Only what is found of these campaigns counts; None: of all."""

    @property
    def tested(self) -> int:
        """Those with enough rejections for a dependence on the arm to show."""
        return sum(one.tells for one in self._own)

    @property
    def depending(self) -> tuple[Rejections, ...]:
        """On the arm."""
        return tuple(one for one in self._own if one.depends)

    @property
    def named(self) -> tuple[Rejections, ...]:
        """On the arm, by the test or by a known cause."""
        return tuple(one for one in self._own if one.depends or cause_of(one) is not None)

    @property
    def depending_on_time(self) -> tuple[Rejections, ...]:
        """Rejected loads took longer, or less long, than accepted ones of their arm: of those that a machine held up
        that is expected, and no fault."""
        return tuple(one for one in self._own if one.depends_on_time)

    @property
    def failures(self) -> tuple[str, ...]:
        """What depends on the arm and is not known to, and what is known to and does not."""
        found = [
            f"{one.campaign}: {one.reason} depends on the arm ({one.by_arm}; p = {one.p_value:.1g}), no cause is known"
            for one in self.depending
            if cause_of(one) is None
        ]
        found += [
            f"{one.campaign}: {one.reason} is listed as depending on the arm, and does not: take it from the list"
            for one in self._own
            if cause_of(one) is not None and one.tells and not one.depends
        ]
        return tuple(f"rejections: {line}" for line in found)

    @property
    def _own(self) -> tuple[Rejections, ...]:
        return tuple(one for one in self.rows if self.shown is None or one.campaign in self.shown)


def cause_of(one: Rejections) -> str | None:
    """The known cause of a dependence on the arm."""
    return KNOWN.get((one.campaign, one.reason))


def rejection_control(loads: pd.DataFrame, campaign: str | None = None) -> RejectionControl:
    """Of all campaigns, each role a family of its own; `campaign`: only what is found of this one counts, still as one
    of its family."""
    roles = loads["campaign"].map(role_of)
    rows = [one for role, own in loads.groupby(roles, sort=True) for one in rejections(own, TOGETHER.format(role))]
    return RejectionControl(tuple(rows), None if campaign is None else frozenset({campaign}))
