"""What the studies claim, and the criteria that this book holds them to: `data/published/<study>/claims.toml`.

They stand with a study's numbers, since it is the study that claims them, and all columns are held to them, its own
numbers first.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.toml import read_toml
from longlook.plan.statements import Claims
from longlook.plan.value import PlanError

CLAIMS_NAME = "claims.toml"


@cache
def claims_of(study: str, folder: Path | None = None, name: str = CLAIMS_NAME) -> Claims:
    """Of one study; what is wrong with one is a `PlanError` that names the file."""
    path = (folder or paths.PUBLISHED) / study / name
    try:
        return Claims.parse(read_toml(path))
    except LonglookError as error:
        raise PlanError(f"{path}: {error}") from None
