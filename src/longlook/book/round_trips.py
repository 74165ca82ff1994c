"""Estimate in round trips of a link. Pure."""

from __future__ import annotations

import math

from longlook.analysis.estimate import Estimate
from longlook.figure import style


def trips_text(found: Estimate) -> str:
    """`1.12 round trips (1.10 to 1.14)`."""
    texts = [f"{one:.2f}".replace("-", style.MINUS) for one in (found.value, found.low, found.high)]
    interval = "" if math.isnan(found.low) else f" ({texts[1]} to {texts[2]})"
    return f"{texts[0]} round trips{interval}"
