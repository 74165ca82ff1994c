"""The criteria of a sweep in its campaign's record: written when it starts, so that no result can have moved them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longlook.errors import LonglookError
from longlook.plan.statements import Criteria

SEALED, PROSE, CHANGED = "sealed", "prose", "changed"
"""What a sweep's criteria are to a campaign: those that it sealed; a sentence of the sweep's head, put into data after
the campaign began; others than it sealed."""


def sealed(criteria: Criteria) -> dict[str, Any]:
    """As `campaign.json` has them: whole, with their digest."""
    return {"digest": criteria.digest} | criteria.plain()


def criteria_of(info: Mapping[str, Any]) -> Criteria | None:
    """Those that a campaign sealed; None where it began before there were any. A `LonglookError` where they are not
    what their digest says."""
    record = info.get("criteria")
    if record is None:
        return None
    found = Criteria.parse({key: value for key, value in record.items() if key != "digest"})
    if found.digest != record.get("digest"):
        raise LonglookError(f"campaign {info.get('campaign')}: its criteria are not those of their digest")
    return found


def standing(info: Mapping[str, Any], today: Criteria | None) -> str:
    """What a sweep's criteria are today to one of its campaigns."""
    then = criteria_of(info)
    if then is None:
        return PROSE
    return SEALED if today is not None and today.digest == then.digest else CHANGED
