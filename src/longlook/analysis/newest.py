"""Which campaign a reader sees of each figure: the newest one of a role. Pure.

For every table with the columns `campaign`, `study` and `series`; newest by the time in the campaign's id.
"""

from __future__ import annotations

import re

import pandas as pd

STUDY = "muthuraj2024"
REFERENCE_PREFIX = "reference-"
_STAMP = re.compile(r"(\d{8}T\d{6})$")


def role_of(campaign: str) -> str:
    """`reference` or `local`, from the campaign's id."""
    return "reference" if campaign.startswith(REFERENCE_PREFIX) else "local"


def newest(rows: pd.DataFrame, role: str) -> pd.DataFrame:
    """The rows that a reader sees: of each study and series, those of the newest campaign of this role."""
    chosen = rows[(rows["campaign"].map(role_of) == role).astype(bool)]
    if chosen.empty:
        return chosen
    when = chosen["campaign"].map(_moment)
    latest = when.groupby([chosen["study"], chosen["series"]]).transform("max")
    return chosen[when == latest]


def newest_of(rows: pd.DataFrame, series: str, role: str, study: str = STUDY) -> pd.DataFrame:
    """`newest` among the rows of one series."""
    return newest(rows[(rows["study"] == study) & (rows["series"] == series)], role)


def _moment(campaign: str) -> str:
    """Text that sorts by the time a campaign began, and differs between campaigns."""
    found = _STAMP.search(campaign)
    return f"{found[1] if found else ''} {campaign}"
