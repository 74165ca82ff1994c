"""Which campaign a reader sees of each figure: the newest one of a role. Pure.

For every table with the columns `campaign`, `study` and `series`; newest by the time in the campaign's id.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def of_series(rows: pd.DataFrame, study: str, series: str | Sequence[str]) -> pd.DataFrame:
    """The rows of one or several series of a study."""
    wanted = [series] if isinstance(series, str) else list(series)
    return rows[(rows["study"] == study) & rows["series"].isin(wanted)]


def newest_of(rows: pd.DataFrame, series: str | Sequence[str], role: str, study: str = STUDY) -> pd.DataFrame:
    """`newest` among the rows of one or several series."""
    return newest(of_series(rows, study, series), role)


def _moment(campaign: str) -> str:
    """Text that sorts by the time a campaign began, and differs between campaigns."""
    found = _STAMP.search(campaign)
    return f"{found[1] if found else ''} {campaign}"
