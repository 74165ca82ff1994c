"""Estimates as they are told: how many times one mean is another, in per cent, by how many ms it is above it, in round
trips of a link."""

from __future__ import annotations

import math

from longlook.analysis.estimate import Estimate
from longlook.figure import style


def percent_text(found: Estimate) -> str:
    """`+3.7 % (+3.5 to +3.9)`: by how much it differs from once."""
    interval = "" if math.isnan(found.low) else f" ({_percent(found.least)} to {_percent(found.high)})"
    return f"{_percent(found.value)} %{interval}"


def ms_text(found: Estimate) -> str:
    """`14.2 ms (12.9 to 15.0)`."""
    texts = [f"{one:z.1f}".replace("-", style.MINUS) for one in (found.value, found.low, found.high)]
    return f"{texts[0]} ms" + ("" if texts[1] == "nan" else f" ({texts[1]} to {texts[2]})")


def times_text(found: Estimate) -> str:
    """`2.61 times (2.55 to 2.67)`."""
    interval = "" if math.isnan(found.low) else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.value:.2f} times{interval}"


def seconds_text(found: Estimate) -> str:
    """`0.21 s (0.20 to 0.24)`."""
    interval = "" if math.isnan(found.low) else f" ({found.low:.2f} to {found.high:.2f})"
    return f"{found.value:.2f} s{interval}"


def _percent(times: float) -> str:
    return f"{(times - 1) * 100:+.1f}".replace("-", style.MINUS)


def trips_text(found: Estimate) -> str:
    """`1.12 round trips (1.10 to 1.14)`."""
    texts = [f"{one:.2f}".replace("-", style.MINUS) for one in (found.value, found.low, found.high)]
    interval = "" if math.isnan(found.low) else f" ({texts[1]} to {texts[2]})"
    return f"{texts[0]} round trips{interval}"
