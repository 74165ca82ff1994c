"""Which campaigns a reader sees of each figure: the newest one of a role, and what other sweeps add to it. Pure.

For every table with the columns `campaign`, `study`, `series` and `cell_id`; newest by the time in the campaign's id,
whose beginning names the sweep.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

STUDY = "muthuraj2024"
REFERENCE_PREFIX = "reference-"
_STAMP = re.compile(r"(\d{8}T\d{6})$")
_SERIES = ["study", "series"]


def role_of(campaign: str) -> str:
    """`reference` or `local`, from the campaign's id."""
    return "reference" if campaign.startswith(REFERENCE_PREFIX) else "local"


def newest(rows: pd.DataFrame, role: str) -> pd.DataFrame:
    """The rows that a reader sees: of each study and series, those of the newest campaign of this role.

    A series may be measured in parts, by several sweeps: an older campaign of another sweep counts too where it has
    none of the cells that a newer one has.
    """
    chosen = rows[(rows["campaign"].map(role_of) == role).astype(bool)]
    if chosen.empty:
        return chosen
    seen = chosen[[*_SERIES, "campaign"]].drop_duplicates()
    counted = {
        (*name, campaign)
        for name, own in seen.groupby(_SERIES, sort=False)
        for campaign in _counted(chosen, name, own["campaign"].tolist())
    }
    pairs = zip(chosen["study"], chosen["series"], chosen["campaign"], strict=True)
    return chosen[pd.Series([pair in counted for pair in pairs], index=chosen.index, dtype=bool)]


def _counted(rows: pd.DataFrame, series: tuple, campaigns: list[str]) -> list[str]:
    """Of one study and series: its newest campaign, and those of other sweeps that have other cells."""
    if len(campaigns) == 1:
        return campaigns
    own = rows[(rows["study"] == series[0]) & (rows["series"] == series[1])]
    found: list[str] = []
    sweeps: set[str] = set()
    cells: set[str] = set()
    for campaign in sorted(campaigns, key=moment, reverse=True):
        measured = set(own.loc[own["campaign"] == campaign, "cell_id"])
        if _sweep_of(campaign) not in sweeps and cells.isdisjoint(measured):
            found.append(campaign)
            cells |= measured
        sweeps.add(_sweep_of(campaign))
    return found


def of_series(rows: pd.DataFrame, study: str, series: str | Sequence[str]) -> pd.DataFrame:
    """The rows of one or several series of a study."""
    wanted = [series] if isinstance(series, str) else list(series)
    return rows[(rows["study"] == study) & rows["series"].isin(wanted)]


def moment(campaign: str) -> str:
    """Text that sorts by the time a campaign began, and differs between campaigns."""
    found = _STAMP.search(campaign)
    return f"{found[1] if found else ''} {campaign}"


def _sweep_of(campaign: str) -> str:
    """What the campaigns of one sweep and role have in common."""
    return _STAMP.sub("", campaign)
